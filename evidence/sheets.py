"""Sheets: the pages of a text as they are looked at, with the rectangles over a marked range.

Rectangles are read back before they are given: the code points inside them are exactly those of the range, and their text is
the quote. Whoever calls this has checked that the person may read the document.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evidence import boxes
from evidence.boxes import Rectangle
from evidence.models import Page, Passage, Representation

MAX_AT_ONCE: Final = 3
"""Pages of one marked range that are shown together; of a longer one the others are turned to."""
_NOTHING_TO_SEE: Final = frozenset({"Cc", "Cf", "Mn", "Me", "Zl", "Zp", "Zs"})
"""Categories of code points that need no place of their own: white space, controls, and marks on the character before."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A range of the text, in code points, and the words that stand in it."""

    start: int
    end: int
    exact: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page. width, height: points. label: what is printed on it, if that is not its number.

    rectangles: over the lines of the mark, proven. uncertain: the mark touches this page, and where can't be shown for certain.
    """

    number: int
    label: str
    width: float
    height: float
    rectangles: Sequence[Rectangle] = ()
    uncertain: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """Some pages of a text that follow one another. total: how many it has. earlier, later: numbers to turn to.

    continues: the mark goes on after the last one shown. place: the mark's range, if there is one.
    """

    sheets: Sequence[Sheet]
    total: int
    earlier: int | None
    later: int | None
    continues: bool
    place: tuple[int, int] | None
    uncertain: bool


def of(representation: Representation) -> Sequence[Page]:
    """All pages of a text, in order, without their boxes; in one query."""
    return list(Page.objects.filter(representation=representation).defer("boxes").order_by("number"))


def words(representation: Representation, start: int, end: int) -> str:
    """The text of a range, in one query."""
    rows = list(Passage.objects.filter(representation=representation, start__lt=end, end__gte=start).order_by("number"))
    first = rows[0].start if rows else end
    found = "".join(row.text for row in rows)[max(start - first, 0) : end - first]
    return "\n" * (first - start) + found  # line feeds part passages; the range may begin between two of them


def panel(
    representation: Representation, pages: Sequence[Page], *, number: int | None = None, mark: Mark | None = None, text: str = ""
) -> Panel | None:
    """The page with this number, else the one where the mark begins, else the first; None for texts without pictures or such a
    page.

    All pages of the mark (MAX_AT_ONCE of them) are shown where it begins. text: the whole of it, if the caller has it.
    """
    if not any(_has_picture(page) for page in pages):
        return None
    shown = _shown(pages, number, mark)
    if not shown:
        return None
    sheets = _sheets(representation, shown, mark, text)
    first, last = pages.index(shown[0]), pages.index(shown[-1])
    return Panel(
        sheets=sheets,
        total=len(pages),
        earlier=pages[first - 1].number if first else None,
        later=pages[last + 1].number if last + 1 < len(pages) else None,
        continues=mark is not None and any(_touches(page, mark) for page in pages[last + 1 :]) and _touches(shown[-1], mark),
        place=(mark.start, mark.end) if mark else None,
        uncertain=any(sheet.uncertain for sheet in sheets),
    )


def _has_picture(page: Page) -> bool:
    return page.width > 0 and page.height > 0


def _touches(page: Page, mark: Mark) -> bool:
    return page.start < mark.end and mark.start < page.end


def _shown(pages: Sequence[Page], number: int | None, mark: Mark | None) -> Sequence[Page]:
    marked = [page for page in pages if mark and _touches(page, mark)]
    if number is None or (marked and marked[0].number == number):
        return marked[:MAX_AT_ONCE] or pages[:1]
    return [page for page in pages if page.number == number]


def _sheets(representation: Representation, shown: Sequence[Page], mark: Mark | None, text: str) -> Sequence[Sheet]:
    marked = [page for page in shown if mark and _touches(page, mark)]
    if mark is None or not marked:
        return [_sheet(page) for page in shown]
    rows = Page.objects.filter(pk__in=[page.pk for page in marked]).values_list("pk", "boxes")
    packed = {pk: bytes(stored) for pk, stored in rows}
    begin = 0 if text else marked[0].start
    text = text or words(representation, begin, marked[-1].end)
    found = []
    for page in shown:
        if page.pk not in packed:
            found.append(_sheet(page))
            continue
        proven = proved(packed[page.pk], page, text[page.start - begin : page.end - begin], mark)
        found.append(_sheet(page, proven or (), uncertain=proven is None))
    return found


def _sheet(page: Page, rectangles: Sequence[Rectangle] = (), *, uncertain: bool = False) -> Sheet:
    label = page.label if page.label != str(page.number) else ""
    return Sheet(page.number, label, page.width, page.height, rectangles, uncertain)


def proved(packed: bytes, page: Page, text: str, mark: Mark) -> Sequence[Rectangle] | None:
    """Rectangles over what stands of the mark on this page, if reading them back gives exactly that; else None.

    packed: the page's boxes. text: the page's own.
    """
    start, end = max(mark.start - page.start, 0), min(mark.end - page.start, len(text))
    try:
        found = boxes.unpack(packed, len(text))
        areas = boxes.rectangles(found, start, end)
    except ValueError:  # a hostile file may have written the boxes, or heaped its letters up
        return None
    quote = mark.exact[page.start + start - mark.start : page.start + end - mark.start]
    standing = boxes.placed(found, start, end)
    within = boxes.inside(found, areas)
    if not np.array_equal(within, standing) or not _is_whole(quote, standing - start):
        return None
    read_back = "".join(text[place] for place in within)
    return areas if read_back == "".join(quote[place] for place in standing - start) else None


def _is_whole(quote: str, standing: np.typing.NDArray[np.intp]) -> bool:
    """Whether everything of the quote that can be seen stands somewhere on the page."""
    placed = set(standing.tolist())
    return all(place in placed or unicodedata.category(one) in _NOTHING_TO_SEE for place, one in enumerate(quote))
