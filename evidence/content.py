"""Content: what a format extracts from one file. Text, passages, spans and pages, in code points.

Passages follow one another and do not overlap; between two of them stand only line feeds (the separator). The number of a
passage is its place in the list, empty passages included. A span lies within one passage; a page may cut through passages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

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
    """Ranges inside a passage that are shown in their own way."""

    STRONG = "strong"
    EMPHASIS = "emphasis"
    CODE = "code"
    LINK = "link"
    CELL = "cell"


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
    """A half-open code point range that stands on one page; `label` is the page's own number."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Content:
    """Text with its structure. Raises Refused on creation when a range is out of place.

    title: the title that the file gives itself, else empty. spans: in the order of their starts, outer ones first.
    """

    text: str
    passages: tuple[Passage, ...]
    spans: tuple[Span, ...] = ()
    pages: tuple[Page, ...] = ()
    title: str = ""

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

    def pieces(self) -> Iterator[tuple[Passage, str]]:
        """Each passage with the text from its start to the start of the next one: its own words and its separator."""
        ends = [passage.start for passage in self.passages[1:]] + [len(self.text)]
        for passage, end in zip(self.passages, ends, strict=False):
            yield passage, self.text[passage.start : end]

    def to_json(self) -> str:
        """Compact JSON; `from_json` gives an equal Content."""
        return json.dumps(
            {
                "title": self.title,
                "text": self.text,
                "passages": [[p.kind, p.start, p.end, p.level, p.headings, p.columns] for p in self.passages],
                "spans": [[s.kind, s.start, s.end, s.value] for s in self.spans],
                "pages": [[p.label, p.start, p.end] for p in self.pages],
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
            pages=tuple(Page(label, start, end) for label, start, end in value["pages"]),
        )


def _misplaced(what: str, start: int, end: int) -> Refused:
    return Refused(
        "content_range",
        gettext_noop("The parser gave a range that does not fit its text (%(what)s, %(start)d to %(end)d)."),
        what=what,
        start=start,
        end=end,
    )
