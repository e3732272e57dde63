"""The oracle of the wider mode: the formula, written as it is told, over what may be read and nothing else. Slow.

Only what a word or a question means comes from where the engine has it too (`evidence.language`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from evidence.index import Entry
from evidence.index.keys import Role, fold, keys
from evidence.index.questions import Alternative, How, Off, Question, Term
from evidence.index.tokens import words

MOST = 100
WEIGHTS = {Role.HEAD: 0.5, Role.MODIFIER: 0.3}


@dataclass
class Section:
    """The words above it, and the passages in it: document, public id, number, words."""

    title: set[str]
    passages: list[tuple[Entry, int, Counter[str]]] = field(default_factory=list)

    @property
    def length(self) -> int:
        return sum(sum(found.values()) for _, _, found in self.passages)

    def count(self, word: str) -> int:
        return sum(found[word] for _, _, found in self.passages)


@dataclass
class Concept:
    """Weights of the words that answer, and its own."""

    weight: float
    answering: dict[str, float]


@dataclass
class Expected:
    """What the wider mode is to answer."""

    terms: list[Term]
    hits: list[tuple[int, int, float]]


class Corpus:
    """What somebody may read."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.sections: list[Section] = []
        for entry in entries:
            made = [Section(set(words(title))) for title in entry.titles or [""]]
            for number, (text, section) in enumerate(
                zip(entry.passages, entry.sections or [0] * len(entry.passages), strict=True)
            ):
                made[section].passages.append((entry, number, Counter(words(text))))
            self.sections += [section for section in made if section.passages]
        self.passages = [passage for section in self.sections for passage in section.passages]
        self.frequency = Counter(word for _, _, found in self.passages for word in found if len(word) <= 40)

    def most_frequent(self, candidates: Iterable[str]) -> list[str]:
        return sorted(set(candidates), key=lambda word: (-self.frequency[word], word))[:MOST]

    def with_form(self, wanted: Collection[str]) -> set[str]:
        return {word for word in self.frequency if keys(word).forms & set(wanted)}

    def with_part(self, wanted: Collection[str]) -> set[str]:
        return {word for word in self.frequency if keys(word).parts.keys() & set(wanted)}

    def concepts(self, word: str) -> list[tuple[float, list[tuple[str, How, float]]]]:
        forms = keys(word).forms
        own = [(word, How.EXACT, 1.0)]
        alike = self.most_frequent(self.with_form(forms) - {word})
        own += [(one, How.SPELLING if fold(one) == fold(word) else How.FORM, 0.9) for one in alike]
        inside = self.most_frequent(self.with_part(forms) - {word, *alike})
        own += [(one, How.PART, max(WEIGHTS[role] for key, role in keys(one).parts.items() if key in forms)) for one in inside]
        made = [(1.0, own)]
        for key in sorted(keys(word).parts):
            alone = self.most_frequent(self.with_form([key]))
            shared = self.most_frequent(self.with_part([key]) - {word, *alone})
            made.append((0.5, [(one, How.PART, 1.0) for one in alone] + [(one, How.PART, 0.3) for one in shared]))
        return made

    def answer(self, question: Question) -> Expected:
        terms: list[Term] = []
        concepts: dict[str, list[Concept]] = {}
        for start, end, word in question.words:
            made = self.concepts(word)
            everything = [one for _, some in made for one in some]
            terms.append(Term(word, start, end, alternatives=self.told(word, everything, question.without)))
            concepts[word] = [
                Concept(weight, {one: part for one, how, part in some if not off(word, one, how, question.without)})
                for weight, some in made
            ]
        return Expected(terms, self.ranked([one for some in concepts.values() for one in some]))

    def told(
        self, written: str, everything: Sequence[tuple[str, How, float]], without: Collection[Off]
    ) -> tuple[Alternative, ...]:
        order = list(How)
        told: list[Alternative] = []
        for word in {one for one, _, _ in everything}:
            for how in sorted({how for one, how, _ in everything if one == word}, key=order.index):
                told.append(Alternative((word,), how, self.frequency[word], off(written, word, how, without)))
                if not told[-1].off:
                    break
        told.sort(key=lambda one: (one.how is not How.EXACT, -one.passages, one.words, order.index(one.how)))
        return tuple(told)

    def ranked(self, concepts: Sequence[Concept]) -> list[tuple[int, int, float]]:
        every = sum(section.length for section in self.sections)
        shares = [concept.weight * self.idf(concept) for concept in concepts]
        found = []
        for section in self.sections:
            total = covered = 0.0
            for concept, share in zip(concepts, shares, strict=True):
                inside = sum(weight * section.count(word) for word, weight in concept.answering.items())
                above = max([weight for word, weight in concept.answering.items() if word in section.title], default=0)
                norm = 0.25 + 0.75 * section.length / (every / len(self.sections)) if every else 0
                if inside or above:
                    total += share * 2.2 * (inside + 3 * above) / (inside + 3 * above + 1.2 * norm)
                covered += share * min(1, inside + above)
            for entry, number, counted in section.passages:
                own = 0.0
                for concept, share in zip(concepts, shares, strict=True):
                    amount = sum(weight * counted[word] for word, weight in concept.answering.items())
                    if amount:
                        norm = 0.25 + 0.75 * sum(counted.values()) / (every / len(self.passages))
                        own += share * 2.2 * amount / (amount + 1.2 * norm)
                if any(counted[word] for concept in concepts for word in concept.answering):
                    found.append((entry, number, total * covered / sum(shares) + 0.1 * own))
        ordered = sorted(found, key=lambda hit: (-hit[2], hit[0].public_id.bytes, hit[1]))
        return [(entry.document, number, score) for entry, number, score in ordered]

    def idf(self, concept: Concept) -> float:
        having = sum(any(section.count(word) for word in concept.answering) for section in self.sections)
        return math.log(1 + (len(self.sections) - having + 0.5) / (having + 0.5))


def off(written: str, word: str, how: How, without: Collection[Off]) -> bool:
    """Whether an alternative is switched off."""
    return Off(written, how) in without or Off(written, how, word) in without
