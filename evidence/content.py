"""Content: what a format extracts from one file. Text, passages, spans and pages, in code points.

Passages follow one another and do not overlap; between two of them stand only line feeds (the separator). The number of a
passage is its place in the list, empty passages included. A span lies within one passage; a page may cut through passages.
"""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evidence.errors import Refused, gettext_noop


class PassageKind(StrEnum):
    """What a search hit can be made of."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"
    QUOTE = "quote"


class SpanKind(StrEnum):
    """Ranges inside a passage that are shown or searched in their own way.

    UNSEEN: nobody who looks at the original sees it (white, tiny, off the page, under a bar). GARBLED: letter soup, for want of
    a character map. HYPHENATION: the hyphen at a line's end; searching joins the word. RUNNING: a running header or footer, its
    value REPEATED where the same one stood on an earlier page. REFERENCE: the number of a note, set small and high after a word;
    searching does not take it for a part of the word.
    """

    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    LINK = "link"
    CELL = "cell"
    UNSEEN = "unseen"
    GARBLED = "garbled"
    HYPHENATION = "hyphenation"
    RUNNING = "running"
    REFERENCE = "reference"


REPEATED: Final = "repeated"
"""Value of a RUNNING span whose words stand on an earlier page too (numbers apart): it is shown, and not searched again."""


class Note(StrEnum):
    """What a reader and an administrator must know about how a file was read."""

    NO_TEXT = "no_text"
    LETTER_SOUP = "letter_soup"
    UNSEEN_TEXT = "unseen_text"
    ENCODING_ASSUMED = "encoding_assumed"
    ATTACHMENTS = "attachments"
    FORM_VALUES = "form_values"
    NOT_SHOWN = "not_shown"
    REPAIRED = "repaired"


@dataclass(frozen=True, slots=True)
class Passage:
    """A half-open code point range.

    level: 1 to 6 for a heading, depth (from 1) for a list item, else 0.
    headings: numbers of the headings above it, outermost first.
    columns: number of the table row that names the columns, for a table row below one.
    """

    kind: PassageKind
    start: int
    end: int
    level: int = 0
    headings: tuple[int, ...] = ()
    columns: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open code point range within one passage; `value` is a link's target, shown but never loaded."""

    kind: SpanKind
    start: int
    end: int
    value: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A half-open code point range that stands on one page; `label` is the number that is printed on it or given to it.

    width and height: points, as the page is looked at (rotation applied); 0 where there is no picture of it.
    boxes: `boxes.pack` of one box for each code point of the range, or empty.
    """

    label: str
    start: int
    end: int
    width: float = 0.0
    height: float = 0.0
    boxes: bytes = b""


@dataclass(frozen=True, slots=True)
class Content:
    """Text with its structure. Raises Refused on creation when a range is out of place.

    title: the title that the file gives itself, else empty. spans: in the order of their starts, outer ones first.
    pages: in order, without gaps between them where there are any.
    """

    text: str
    passages: tuple[Passage, ...]
    spans: tuple[Span, ...] = ()
    pages: tuple[Page, ...] = ()
    title: str = ""
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        position = 0
        for passage in self.passages:
            gap = self.text[position : passage.start]
            if not position <= passage.start <= passage.end <= len(self.text) or gap.strip("\n"):
                raise _misplaced("passage", passage.start, passage.end)
            position = passage.end
        if self.text[position:].strip("\n") or (self.passages and self.passages[0].start != 0):
            raise _misplaced("text outside all passages", position, len(self.text))
        owners = iter(self.passages)
        owner = next(owners, None)
        for span in self.spans:
            while owner is not None and owner.end < span.end:
                owner = next(owners, None)
            if owner is None or not owner.start <= span.start <= span.end <= owner.end:
                raise _misplaced("span", span.start, span.end)
        turned = 0
        for page in self.pages:
            if not turned <= page.start <= page.end <= len(self.text):
                raise _misplaced("page", page.start, page.end)
            turned = page.end

    def pieces(self) -> Iterator[tuple[Passage, str]]:
        """Each passage with the text from its start to the start of the next one: its own words and its separator."""
        ends = [passage.start for passage in self.passages[1:]] + [len(self.text)]
        for passage, end in zip(self.passages, ends, strict=False):
            yield passage, self.text[passage.start : end]

    def spans_by_passage(self) -> Iterator[Sequence[Span]]:
        """The spans of each passage."""
        waiting = deque(self.spans)
        for passage in self.passages:
            own = []
            while waiting and waiting[0].end <= passage.end:
                own.append(waiting.popleft())
            yield own

    def to_json(self) -> str:
        """Compact JSON; `from_json` gives an equal Content."""
        return json.dumps(
            {
                "title": self.title,
                "text": self.text,
                "passages": [[p.kind, p.start, p.end, p.level, p.headings, p.columns] for p in self.passages],
                "spans": [[s.kind, s.start, s.end, s.value] for s in self.spans],
                "pages": [[p.label, p.start, p.end, p.width, p.height, base64.b64encode(p.boxes).decode()] for p in self.pages],
                "notes": self.notes,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, source: str) -> Content:
        """The Content that `to_json` wrote."""
        value = json.loads(source)
        return cls(
            title=value["title"],
            text=value["text"],
            passages=tuple(
                Passage(PassageKind(kind), start, end, level, tuple(headings), columns)
                for kind, start, end, level, headings, columns in value["passages"]
            ),
            spans=tuple(Span(SpanKind(kind), start, end, target) for kind, start, end, target in value["spans"]),
            pages=tuple(
                Page(label, start, end, width, height, base64.b64decode(boxes))
                for label, start, end, width, height, boxes in value["pages"]
            ),
            notes=tuple(Note(note) for note in value["notes"]),
        )


@dataclass(frozen=True, slots=True)
class Searched:
    """A passage's words as searching sees them, and the way back to where they stand.

    cut: half-open ranges of the quote, in order, that `text` leaves out.
    """

    text: str
    cut: tuple[tuple[int, int], ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the quote that this range of `text` came from; a joined word's both parts and what parts them."""
        for left, right in self.cut:
            start += right - left if left <= start else 0
            end += right - left if left < end else 0
        return start, end


_NOT_SEARCHED: Final = (SpanKind.GARBLED, SpanKind.REFERENCE)


def searched(quote: str, spans: Collection[Sequence[object]], start: int) -> Searched:
    """What is searched of a passage's quote. spans: [kind, start, end, value] in code points of the text; start: the passage's.

    Words that a line's end parts are joined; letter soup, numbers of notes and repeated running headers are blanks.
    """
    if not spans:
        return Searched(quote)
    cut: list[tuple[int, int]] = []
    for kind, first, last, value in spans:
        left, right = int(str(first)) - start, int(str(last)) - start
        if kind == SpanKind.HYPHENATION:
            cut.append((left, right))
        elif kind in _NOT_SEARCHED or (kind == SpanKind.RUNNING and value == REPEATED):
            quote = quote[:left] + " " * (right - left) + quote[right:]
    position, pieces = 0, list[str]()
    for left, right in cut:
        pieces.append(quote[position:left])
        position = right
    return Searched("".join((*pieces, quote[position:])), tuple(cut))


def _misplaced(what: str, start: int, end: int) -> Refused:
    return Refused(
        "content_range",
        gettext_noop("The parser gave a range that does not fit its text (%(what)s, %(start)d to %(end)d)."),
        what=what,
        start=start,
        end=end,
    )
