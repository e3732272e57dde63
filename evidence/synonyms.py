"""Synonyms: words that mean the same, as documents of the kind "synonyms" say that a person may read.

They have owners, revisions and rights like all documents: what a person may not read widens nothing that is found. Each line is
a group whose words are parted by equals signs, "Kündigung = Entlassung = Beendigung"; so is each row of a table. Headings, and
lines without an equals sign, are remarks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final
from uuid import UUID

from evidence import documents, language
from evidence.access import Access
from evidence.content import PassageKind, SpanKind
from evidence.index.questions import Synonym
from evidence.index.tokens import MAX_WORD_LENGTH
from evidence.index.tokens import words as words_of
from evidence.models import Document, Passage, Representation, Status
from evidence.presentation import cell_texts, touched

KINDS: Final = ("synonyms", "Synonyms", "synonyme", "Synonyme")
"""What a document's kind says that is a list of synonyms."""
MAX_LISTS: Final = 20
"""Of one person; the oldest count. 10,000 groups cost a search some 100 ms where every word is in many, hardly any otherwise."""
MAX_GROUPS: Final = 500
"""Of one document."""
MAX_MEANINGS: Final = 20
"""Words, or expressions of several words, of one group."""
MAX_WORDS: Final = 5
"""Of one expression: "fristlose Kündigung aus wichtigem Grund" has five."""
_PARTS: Final = "="
_REMARK: Final = ("#", "//")
_MARKER: Final = re.compile(r"\s*(?:[-*+•◦▪–]|\(?(?:\d{1,4}|[A-Za-z])[.)])\s+")
"""Of a list item: it is text, as all that a reader sees."""


class Fault(StrEnum):
    """Why a line with an equals sign does not count."""

    EMPTY = "empty"
    SAME = "same"
    TOO_MANY = "too_many"
    TOO_LONG = "too_long"
    UNSEEN = "unseen"
    BEYOND = "beyond"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that does not count: the number of its passage, what stands there, and why."""

    passage: int
    text: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What one state of a document says. faults: the lines that do not count. remarks: how many lines say nothing of this.

    places: key of a word (see `_keys`) -> which of the groups it leads to, so that a question looks at few of them.
    """

    groups: tuple[Synonym, ...] = ()
    faults: tuple[Line, ...] = ()
    remarks: int = 0
    places: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def about(self, keys: Collection[str]) -> Sequence[Synonym]:
        """The groups that one of these keys leads to, in their order."""
        return [self.groups[place] for place in sorted({place for key in keys for place in self.places.get(key, ())})]


@dataclass(frozen=True, slots=True)
class Widening:
    """What widens a question of a person. lists: ids of all documents that widen any question of that person."""

    groups: tuple[Synonym, ...] = ()
    lists: frozenset[int] = frozenset()


def readable(access: Access, asked: Collection[str]) -> Widening:
    """What documents say of these lowered words, or of other forms of them, that this person may read and that are in force."""
    rows = Document.objects.readable(access).filter(kind__in=KINDS, status=Status.VALID).select_related("current")
    counting = [row for row in rows.order_by("pk") if not row.is_expired() and not row.is_upcoming()][:MAX_LISTS]
    keys = {key for word in asked for key in _keys(word)} if counting else ()
    groups = (group for row in counting if row.current for group in _kept(row.current, row.public_id).about(keys))
    return Widening(tuple(groups), frozenset(row.pk for row in counting))


def of(access: Access, document: Document, state: Representation) -> Vocabulary | None:
    """What this state of a document says that the person reads; None for one that is no list of synonyms."""
    if document.kind not in KINDS or not documents.may_read(access, document):
        return None
    return _kept(state, document.public_id)


def _kept(state: Representation, document: UUID) -> Vocabulary:
    return _vocabulary(state.public_id, state.pk, document)


@lru_cache(maxsize=10 * MAX_LISTS)
def _vocabulary(representation: UUID, key: int, document: UUID) -> Vocabulary:
    """A state's text never changes. Who asks has looked whether the person may read it."""
    rows = list(Passage.objects.filter(representation=key).order_by("number"))
    heads = {row.columns for row in rows}
    groups: list[Synonym] = []
    faults: list[Line] = []
    remarks = 0
    for number, text, is_seen, parts in _lines(row for row in rows if row.number not in heads):
        if len(parts) < 2 or text.lstrip().startswith(_REMARK):
            remarks += 1
            continue
        words = tuple(dict.fromkeys(tuple(words_of(one)) for one in parts))
        fault = Fault.UNSEEN if not is_seen else _fault(parts, words, have=len(groups))
        if fault is None:
            groups.append(Synonym(words, document))
        else:
            faults.append(Line(number, text.strip(), fault))
    return Vocabulary(tuple(groups), tuple(faults), remarks, _places(groups))


def _places(groups: Sequence[Synonym]) -> Mapping[str, Sequence[int]]:
    """By every key of each of their words; an expression is known by its first one."""
    places: dict[str, list[int]] = {}
    for place, group in enumerate(groups):
        for key in {key for words in group.words for key in _keys(words[0])}:
            places.setdefault(key, []).append(place)
    return places


def _keys(word: str) -> Collection[str]:
    """What a word is known by here: itself, and what all of its forms have in common."""
    return {f"={word}", *language.keys(word).forms}


def _lines(rows: Iterable[Passage]) -> Iterator[tuple[int, str, bool, Sequence[str]]]:
    """Passage, what stands there, whether a reader of the original sees it, and what is between the equals signs."""
    for row in rows:
        if row.kind == PassageKind.HEADING or not row.quote.strip():
            continue
        is_seen = not {SpanKind.UNSEEN, SpanKind.GARBLED} & touched([row.spans], row.start, row.end)
        if row.kind == PassageKind.TABLE_ROW:
            cells = [cell for cell in cell_texts(row) if cell.strip()]
            yield row.number, f" {_PARTS} ".join(cells), is_seen, [part for cell in cells for part in cell.split(_PARTS)]
            continue
        text = row.searched.text
        if row.kind == PassageKind.LIST_ITEM:
            text = _MARKER.sub("", text, count=1)
        for line in filter(str.strip, text.split("\n")):
            yield row.number, line, is_seen, line.split(_PARTS)


def _fault(parts: Sequence[str], words: Sequence[Sequence[str]], *, have: int) -> Fault | None:
    """What is wrong with a line of these parts, which come to these words. have: groups before it."""
    if () in words:
        return Fault.EMPTY
    if len(words) < 2:
        return Fault.SAME
    if len(words) > MAX_MEANINGS:
        return Fault.TOO_MANY
    if any(len(one) > MAX_WORDS or any(len(word) > MAX_WORD_LENGTH for word in one) for one in words):
        return Fault.TOO_LONG
    return Fault.BEYOND if have >= MAX_GROUPS else None
