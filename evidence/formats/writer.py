"""The writer: runs of text in, Content out. For formats whose text flows: it collapses white space as a browser does, keeps
passages apart, and counts every range in code points of the profile's text.

What stands between two runs (a space, a line feed) is written only when visible text follows: no passage ends with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from evidence import profile
from evidence.content import Content, Note, Passage, PassageKind, Span, SpanKind

_SPACE: Final = re.compile(r"[ \t\n\r]+")
_CLOSE_TOGETHER: Final = (PassageKind.LIST_ITEM, PassageKind.TABLE_ROW)


@dataclass(slots=True)
class _Mark:
    """A span that is being written: it starts with its first visible text, and without any it is none."""

    kind: SpanKind
    value: str = ""
    start: int | None = None
    end: int = 0


@dataclass(slots=True)
class _Draft:
    """A passage that is being written; positions count from its own start. gap: what comes before the next visible text."""

    kind: PassageKind
    level: int = 0
    group: int = 0
    columns: int | None = None
    parts: list[str] = field(default_factory=list)
    length: int = 0
    gap: str = ""
    fresh: bool = True
    marks: list[_Mark] = field(default_factory=list)

    def append(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


class Writer:
    """Open a passage, write into it, close it. A passage without visible text is dropped."""

    def __init__(self) -> None:
        self._draft: _Draft | None = None
        self._cell: _Mark | None = None
        self._marks: dict[SpanKind, _Mark] = {}
        self._depth: Counter[SpanKind] = Counter()
        self._before: _Draft | None = None
        self._outline: list[tuple[int, int]] = []
        self._parts: list[str] = []
        self._length = 0
        self._passages: list[Passage] = []
        self._spans: list[Span] = []
        self._title = ""
        self._groups = 0

    @property
    def is_open(self) -> bool:
        """Whether a passage is being written."""
        return self._draft is not None

    def new_group(self) -> int:
        """A number for items or rows that stand close together, and together only."""
        self._groups += 1
        return self._groups

    @property
    def number(self) -> int:
        """The number of the passage that is being written, or of the next one."""
        return len(self._passages)

    def open(self, kind: PassageKind, *, level: int = 0, group: int = 0, columns: int | None = None) -> None:
        """Begin a passage after the end of the one before. Items or rows of one group (not 0) stand close together."""
        self.close()
        self._draft = _Draft(kind, level, group, columns)
        self._marks = {mark.kind: _Mark(mark.kind, mark.value) for mark in self._marks.values()}
        self._draft.marks.extend(self._marks.values())

    def write(self, run: str) -> None:
        """Text in normal flow: a run of white space is one space at most."""
        draft = self._opened()
        collapsed = _SPACE.sub(" ", run)
        words = collapsed.strip(" ")
        if collapsed.startswith(" "):
            draft.gap = draft.gap or " "
        if words:
            self._append(draft, words, self._marks.values())
            draft.gap = " " if collapsed.endswith(" ") else ""

    def write_marker(self, marker: str) -> None:
        """What stands before the text of a list item; no mark begins with it."""
        draft = self._opened()
        self._append(draft, marker, marks=())
        draft.gap = " "

    def write_verbatim(self, run: str) -> None:
        """Text that keeps its white space (line feeds at the end of the passage or cell excepted)."""
        draft = self._opened()
        lines = run.rstrip("\n")
        if lines:
            self._append(draft, lines, self._marks.values())
        draft.gap += run[len(lines) :]

    def break_line(self) -> None:
        """A line break in the text. Two in a row end a paragraph, because that is what they look like."""
        draft = self._opened()
        if draft.kind is PassageKind.PARAGRAPH and "\n" in draft.gap:
            self.close()
        else:
            draft.gap = draft.gap.strip(" ") + "\n"

    def next_line(self) -> None:
        """What follows stands on a line of its own."""
        draft = self._opened()
        draft.gap = draft.gap if "\n" in draft.gap else "\n"

    def begin_mark(self, kind: SpanKind, value: str = "") -> None:
        """Mark the text from here on, over the ends of passages. Inside a mark of its own kind a mark adds nothing."""
        self._depth[kind] += 1
        if kind not in self._marks:
            self._marks[kind] = _Mark(kind, value)
            if self._draft is not None:
                self._draft.marks.append(self._marks[kind])

    def end_mark(self, kind: SpanKind) -> None:
        """End the mark that began last."""
        self._depth[kind] -= 1
        if not self._depth[kind]:
            mark = self._marks.pop(kind)
            mark.end = self._draft.length if self._draft is not None else 0

    def begin_cell(self) -> None:
        """Begin a cell of the row that is open; a tab stands between two cells."""
        draft = self._opened()
        if self._cell is not None:
            draft.append("\t")
        self._cell = _Mark(SpanKind.CELL, start=draft.length, end=draft.length)
        draft.marks.append(self._cell)
        draft.gap, draft.fresh = "", True

    def end_cell(self) -> None:
        """End the cell that began last."""
        draft = self._opened()
        if self._cell is not None:
            self._cell.end = draft.length
        draft.gap = ""

    def end_outline(self) -> None:
        """What follows stands under none of the headings so far."""
        self.close()
        self._outline = []

    def close(self) -> None:
        """End the passage, if one is open."""
        draft, self._draft, self._cell = self._draft, None, None
        if draft is None:
            return
        for mark in self._marks.values():
            mark.end = draft.length
        raw = "".join(draft.parts)
        if raw.strip("\t\n\r "):
            self._add(draft, raw)

    def content(self, title: str = "", notes: Iterable[Note] = ()) -> Content:
        """Everything that was written. Without a title, the first heading of level 1 is the title."""
        self.close()
        text = "".join(self._parts)
        return Content(text, tuple(self._passages), tuple(self._spans), title=title or self._title, notes=tuple(notes))

    def _opened(self) -> _Draft:
        if self._draft is None:
            self.open(PassageKind.PARAGRAPH)
        assert self._draft is not None
        return self._draft

    def _append(self, draft: _Draft, text: str, marks: Iterable[_Mark]) -> None:
        if draft.gap and not draft.fresh:
            draft.append(draft.gap)
        draft.gap, draft.fresh = "", False
        for mark in marks:
            if mark.start is None:
                mark.start = draft.length
        draft.append(text)

    def _add(self, draft: _Draft, raw: str) -> None:
        self._put(_separator(self._before, draft))
        self._before = draft
        start, text = self._length, profile.normalise(raw)
        self._put(text)
        if draft.kind is PassageKind.HEADING:
            self._outline = [(level, number) for level, number in self._outline if level < draft.level]
        headings = tuple(number for _, number in self._outline)
        if draft.kind is PassageKind.HEADING:
            self._outline.append((draft.level, self.number))
            if draft.level == 1 and not self._title:
                self._title = text.replace("\n", " ")
        self._passages.append(Passage(draft.kind, start, self._length, draft.level, headings, draft.columns))
        if draft.marks:
            self._spans.extend(_spans(draft.marks, raw, text, start))

    def _put(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def _separator(before: _Draft | None, draft: _Draft) -> str:
    if before is None:
        return ""
    together = draft.kind is before.kind and draft.kind in _CLOSE_TOGETHER and draft.group == before.group != 0
    return "\n" if together else "\n\n"


def _spans(marks: list[_Mark], raw: str, text: str, start: int) -> list[Span]:
    """Spans in the order of their starts, outer ones first, moved to where the profile has put their text."""
    begun = [(mark, mark.start) for mark in marks if mark.start is not None]
    places = None if raw == text else places_after_profile(raw, {place for mark, first in begun for place in (first, mark.end)})

    def moved(position: int) -> int:
        return start + min(position if places is None else places[position], len(text))

    spans = [Span(mark.kind, moved(first), max(moved(first), moved(mark.end)), mark.value) for mark, first in begun]
    return sorted(spans, key=lambda span: span.start)


def places_after_profile(raw: str, positions: Iterable[int]) -> dict[int, int]:
    """How long the profile's text for each beginning of `raw` is. One pass: a passage can have a hundred thousand marks.

    Whatever stands before a printable ASCII character becomes the same text without it: none of them is ever joined to the left.
    """
    places: dict[int, int] = {}
    cut = length = 0
    for position in sorted(positions):
        last = next((place for place in range(position - 1, cut, -1) if " " <= raw[place] <= "~"), cut)
        length += len(profile.normalise(raw[cut:last]))
        cut = last
        places[position] = length + len(profile.normalise(raw[cut:position]))
    return places
