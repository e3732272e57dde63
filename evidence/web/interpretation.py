"""What was made of a question's words, as the search page shows it: a row for each, with addresses that switch parts of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import unicodedata2
from django.utils.http import urlencode

from evidence.index.questions import Alternative, How, Off, Term, Way
from evidence.search import Mode, Results, Saying
from evidence.viewer import Asked

SHOWN: Final = 6
"""Words of one kind that stand there at once; the others are folded."""
NAMED: Final = 8
"""Different words of one kind that are named below a result."""
_ORDER: Final = {how: place for place, how in enumerate(How)}

Switched = Callable[[Collection[Off]], str]
"""The address of the same search with just these switched off."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word that answers one of the question. url: switches it off, or on again; "" where only its whole kind can be."""

    text: str
    passages: int
    off: bool
    url: str
    said: Sequence[Saying]


@dataclass(frozen=True, slots=True)
class Kind:
    """Words that answer one of the question in the same way. off: whether all are switched off together. url: does the other."""

    how: How
    off: bool
    url: str
    words: Sequence[Word]
    more: Sequence[Word]

    @property
    def unfolded(self) -> bool:
        """Whether all words are shown: one of the further ones is off alone."""
        return not self.off and any(word.off for word in self.more)


@dataclass(frozen=True, slots=True)
class Row:
    """A word of the question as it was typed. passages: with exactly this word. used, off: how many others count or are off."""

    written: str
    ignored: bool
    passages: int
    used: int
    off: int
    kinds: Sequence[Kind]


@dataclass(frozen=True, slots=True)
class Named:
    """Words of a passage that were found in one way: the word there, and that of the question. more: how many are not named."""

    how: How
    words: Sequence[tuple[str, str]]
    more: int


def rows(results: Results, without: Collection[Off], switched: Switched) -> Sequence[Row]:
    """A row for each different word, in the order of the question."""
    text = unicodedata2.normalize("NFC", results.query.text)
    known = {term.written: term for term in reversed(results.terms)}
    without = frozenset(off for off in without if off.written in known)
    return [_row(term, text[term.start : term.end], results, without, switched) for term in reversed(known.values())]


def carried(asked: Asked) -> str:
    """What of a question goes on from page to page beside its words: "" for the exact mode."""
    if asked.mode is Mode.EXACT:
        return ""
    return "&" + urlencode({"mode": asked.mode, "without": sorted(map(str, asked.without))}, doseq=True)


def typed(results: Results) -> Mapping[str, str]:
    """The words of the question as they were typed, by how they are compared."""
    text = unicodedata2.normalize("NFC", results.query.text)
    return {term.written: text[term.start : term.end] for term in reversed(results.terms)}


def named(quote: str, ways: Sequence[Way], written: Mapping[str, str]) -> Sequence[Named]:
    """How the found words of a passage answer those of the question, the closest first. written: see `typed`."""
    found: list[Named] = []
    for how, some in groupby(sorted(ways, key=lambda way: _ORDER[way.how]), key=lambda way: way.how):
        pairs: Mapping[tuple[str, str], tuple[str, str]] = {
            (quote[way.start : way.end].lower(), way.written): (
                quote[way.start : way.end],
                written.get(way.written, way.written),
            )
            for way in some
        }
        found.append(Named(how, list(pairs.values())[:NAMED], max(len(pairs) - NAMED, 0)))
    return found


def _row(term: Term, typed: str, results: Results, without: Collection[Off], switched: Switched) -> Row:
    others = [one for one in term.alternatives if one.how is not How.EXACT]
    of_kind: dict[How, list[Alternative]] = {}
    for one in sorted(others, key=lambda one: _ORDER[one.how]):
        of_kind.setdefault(one.how, []).append(one)
    return Row(
        written=typed,
        ignored=term.ignored,
        passages=sum(one.passages for one in term.alternatives if one.how is How.EXACT),
        used=sum(not one.off for one in others),
        off=sum(one.off for one in others),
        kinds=[_kind(term, how, some, results, without, switched) for how, some in of_kind.items()],
    )


def _kind(
    term: Term, how: How, some: Sequence[Alternative], results: Results, without: Collection[Off], switched: Switched
) -> Kind:
    whole = Off(term.written, how)
    mine = {off for off in without if (off.written, off.how) == (term.written, how)}
    rest = set(without) - mine
    is_off = whole in mine
    words = [
        Word(
            text=" ".join(one.words),
            passages=one.passages,
            off=one.off,
            url="" if is_off or len(some) == 1 else switched(rest | mine ^ {Off(term.written, how, " ".join(one.words))}),
            said=results.said.get((term.written, one.words), ()),
        )
        for one in some
    ]
    return Kind(how, is_off, switched(rest if is_off else rest | {whole}), words[:SHOWN], words[SHOWN:])
