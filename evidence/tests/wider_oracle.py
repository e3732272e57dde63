"""The oracle of the wider mode: the formula, written as it is told, over what may be read and nothing else. Slow.

Only what a word or a question means comes from where the engine has it too (`evidence.language`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import unicodedata2

from evidence import language
from evidence.index import Entry
from evidence.index.questions import Alternative, Answerability, How, Off, Question, Term
from evidence.index.tokens import tokenise, words
from evidence.language import Reference, Role, Wanted, answering, references, spelling
from evidence.language.turning import TURNED

MOST = 25
MOST_SHARED = 10
MOST_SYNONYMS = 100
MOST_EXPRESSIONS = 25
NEAR = 12
LOOKED_AT = 10
TURNING = 3
keys = cache(language.keys)
ORDER = list(How)


@dataclass(eq=False)
class Section:
    """The words above it, its mark, and its passages: document, number, words in order, and how often each."""

    title: set[str]
    mark: str | None
    passages: list[tuple[Entry, int, list[str], Counter[str]]] = field(default_factory=list)

    @property
    def length(self) -> int:
        return sum(len(text) for _, _, text, _ in self.passages)


@dataclass(frozen=True)
class Choice:
    """What answers, how, and its weight."""

    words: tuple[str, ...]
    how: How
    weight: float

    def within(self, text: Sequence[str], counted: Counter[str]) -> int:
        if len(self.words) == 1:
            return counted[self.words[0]]
        return sum(tuple(text[at : at + len(self.words)]) == self.words for at in range(len(text)))

    def above(self, section: Section) -> bool:
        return len(self.words) == 1 and self.words[0] in section.title

    def in_section(self, section: Section) -> int:
        return sum(self.within(text, counted) for _, _, text, counted in section.passages)


@dataclass(frozen=True)
class Concept:
    """A weight, and what answers."""

    weight: float
    choices: tuple[Choice, ...]

    def inside(self, section: Section) -> float:
        return sum(one.weight * one.in_section(section) for one in self.choices)

    def above(self, section: Section) -> float:
        return max((one.weight for one in self.choices if one.above(section)), default=0)

    def within(self, text: Sequence[str], counted: Counter[str]) -> float:
        return sum(one.weight * one.within(text, counted) for one in self.choices)


@dataclass(frozen=True)
class Referred:
    """A reference, its sections, and which passages cite the same."""

    reference: Reference
    sections: list[Section]
    citing: set[tuple[int, int]]


@dataclass(frozen=True)
class Understood:
    """A word of the question with its own concept and those of its parts."""

    wanted: Wanted
    own: Concept
    parts: tuple[Concept, ...]
    roles: tuple[Role, ...]


@dataclass
class Expected:
    """What the wider mode is to answer."""

    terms: list[Term]
    hits: list[tuple[int, int, float]]
    answerability: Answerability
    lacking: tuple[str, ...]


class Corpus:
    """What somebody may read."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.sections: list[Section] = []
        for entry in entries:
            made = [Section({w for w in words(title) if len(w) <= 40}, language.mark(title)) for title in entry.titles or [""]]
            for number, text in enumerate(entry.passages):
                section = made[entry.sections[number] if entry.sections else 0]
                found = words(text)
                section.passages.append((entry, number, found, Counter(word for word in found if len(word) <= 40)))
            self.sections += [section for section in made if section.passages]
        self.passages = [passage for section in self.sections for passage in section.passages]
        self.frequency = Counter(word for *_, counted in self.passages for word in counted)
        self.vocabulary = {*self.frequency, *(word for section in self.sections for word in section.title)}
        self.total = sum(section.length for section in self.sections) or 1  # of empty passages, none is longer than another

    # what words come to

    def most(self, candidates: Iterable[str], limit: int | None = None) -> list[str]:
        return sorted(set(candidates), key=lambda word: (-self.frequency[word], word))[: MOST if limit is None else limit]

    def with_form(self, wanted: Collection[str]) -> set[str]:
        return {word for word in self.vocabulary if keys(word).forms & set(wanted)}

    def with_part(self, wanted: Collection[str]) -> set[str]:
        return {word for word in self.vocabulary if keys(word).parts.keys() & set(wanted)}

    def count(self, phrase: tuple[str, ...]) -> int:
        return sum(Choice(phrase, How.EXACT, 1).within(text, counted) > 0 for _, _, text, counted in self.passages)

    def is_there(self, phrase: tuple[str, ...]) -> bool:
        return self.count(phrase) > 0 or (len(phrase) == 1 and phrase[0] in self.vocabulary)

    def chosen(self, wanted: Wanted, question: Question) -> tuple[list[Choice], list[tuple[Role, list[Choice]]]]:
        written = wanted.written
        own = [Choice((written,), How.EXACT, 1.0)]
        for one in self.most(self.with_form(wanted.forms) - {written}):
            own.append(Choice((one,), How.SPELLING if language.fold(one) == language.fold(written) else How.FORM, 0.9))
        taken = {choice.words[0] for choice in own}
        for one in self.most(self.with_part(wanted.forms) - taken):
            roles = {role for key, role in keys(one).parts.items() if key in wanted.forms}
            own.append(Choice((one,), How.PART, 0.5 if Role.HEAD in roles else 0.35))
        own += self.synonyms(wanted, question, {choice.words for choice in own})
        parts = []
        for key in sorted(wanted.parts):
            alone = self.most(self.with_form([key]))
            shared = self.most(self.with_part([key]) - {written, *alone}, MOST_SHARED)
            some = [Choice((one,), How.PART, 1.0) for one in alone] + [Choice((one,), How.PART, 0.3) for one in shared]
            parts.append((wanted.parts[key], some))
        if not (parts and all(some for _, some in parts)) and not any(self.is_there(choice.words) for choice in own):
            asked = spelling.asked_buckets(written)
            candidates = [word for word in self.vocabulary if keys(word).spellings & asked]
            errors = dict(spelling.near(written, candidates))
            for one in self.most(errors):
                own.append(Choice((one,), How.SPELLING, {1: 0.7, 2: 0.35}[errors[one]]))
        return own, [(role, some) for role, some in parts if some]

    def synonyms(self, wanted: Wanted, question: Question, taken: set[tuple[str, ...]]) -> list[Choice]:
        meant: dict[tuple[str, ...], None] = {}
        for group in question.synonyms:
            heads = [phrase[0] for phrase in group.words if len(phrase) == 1]
            if any(head == wanted.written or keys(head).forms & wanted.forms for head in heads):
                meant.update(dict.fromkeys(group.words))
        beyond = [phrase for phrase in meant if len(phrase) > 1][MOST_EXPRESSIONS:]
        found: list[tuple[str, ...]] = []
        for phrase in [phrase for phrase in meant if phrase not in beyond][:MOST_SYNONYMS]:
            forms = self.with_form(keys(phrase[0]).forms) if len(phrase) == 1 else set()
            found += [phrase, *((one,) for one in self.most(forms - {phrase[0]}))]
        return [Choice(phrase, How.SYNONYM, 0.8) for phrase in dict.fromkeys(found) if phrase not in taken]

    def told(self, choices: Sequence[Choice], off: Collection[tuple[str, ...]]) -> tuple[Alternative, ...]:
        told = []
        for phrase, how in best(choices).items():
            if how is How.EXACT or self.is_there(phrase):
                told.append(Alternative(phrase, how, self.count(phrase), phrase in off))
        told.sort(key=lambda one: (one.how is not How.EXACT, -one.passages, one.words))
        return tuple(told)

    # references

    def names(self, group: Sequence[str]) -> set[str]:
        titles = {word for section in self.sections for word in section.title}
        found = set(group) & titles
        for one in group:
            if one.isalpha() and len(one) > 1:
                found |= self.with_form(keys(one).forms) & titles
            key = references.asked_abbreviation_key(one)
            found |= {name for name in titles if key and keys(name).abbreviation == key and language.abbreviates(one, name)}
        return found

    def refer(self, reference: Reference) -> Referred:
        groups = [(set(group), self.names(group)) for group in reference.law]
        sections = [
            section
            for section in self.sections
            if section.mark == reference.mark and all(names & section.title for _, names in groups)
        ]
        citing = {
            (entry.document, number)
            for entry, number, _, counted in self.passages
            if groups and counted[reference.mark[1:]] and all((group | names) & counted.keys() for group, names in groups)
        }
        return Referred(reference, sections, citing)

    def reference_term(self, reference: Reference, text: str) -> Term:
        number = reference.mark[1:]
        told = [Alternative((number,), How.EXACT, self.count((number,)))]
        for group in reference.law:
            for one in dict.fromkeys((*group, *sorted(self.names(group)))):
                if self.is_there((one,)) and all(other.words != (one,) for other in told):
                    told.append(Alternative((one,), How.EXACT if one in group else How.SYNONYM, self.count((one,))))
        return Term(text[reference.start : reference.end], reference.start, reference.end, alternatives=tuple(told))

    # the answer

    def answer(self, question: Question) -> Expected:
        text = unicodedata2.normalize("NFC", question.text)
        tokens = list(tokenise(text))
        tokens = [token for token in tokens if len(token[2]) <= 40]
        asked = language.understand(text, tokens)
        mistaken = [one for one in asked.references if not one.sure and not self.refer(one).sections]
        if mistaken:
            asked = language.understand(text, tokens, without=mistaken)
        referred = [self.refer(one) for one in asked.references]
        terms = [self.reference_term(one, text) for one in asked.references]
        understood = []
        for wanted in asked.words:
            if wanted.ignored:
                terms.append(Term(wanted.written, wanted.start, wanted.end, ignored=True))
                continue
            own, parts = self.chosen(wanted, question)
            choices = [*own, *(one for _, some in parts for one in some)]
            gone = {phrase for phrase, how in best(choices).items() if off(wanted.written, phrase, how, question.without)}
            terms.append(Term(wanted.written, wanted.start, wanted.end, alternatives=self.told(choices, gone)))
            understood.append(self.understood(wanted, own, parts, gone))
        terms.sort(key=lambda term: term.start)
        hits, sections = self.ranked([one for word in understood for one in (word.own, *word.parts)], referred)
        if not sections:
            return Expected(terms, hits, Answerability.NOTHING, ())
        looked_for = [term for term in terms if any(term.written == one.wanted.written for one in understood)]
        lacks = [
            self.lacks(section, understood, referred, () if turns(section, looked_for) else asked.turning)
            for section in sections[: TURNING if asked.turning else 1]
        ]
        if None in lacks:
            return Expected(terms, hits, Answerability.ANSWERABLE, ())
        lacking = {text[slice(*one)] if isinstance(one, tuple) else one for one in lacks[0] or ()}
        return Expected(terms, hits, Answerability.NEAR, tuple(term.written for term in terms if term.written in lacking))

    def understood(
        self,
        wanted: Wanted,
        own: Sequence[Choice],
        parts: Sequence[tuple[Role, Sequence[Choice]]],
        gone: Collection[tuple[str, ...]],
    ) -> Understood:
        def on(choices: Sequence[Choice]) -> tuple[Choice, ...]:
            return tuple(one for one in choices if one.words not in gone)

        weight = wanted.weight * (0.3 if any(self.is_there(one.words) for one in own) else 0.8)
        left = [(role, Concept(weight, on(some))) for role, some in parts if on(some)]
        roles = tuple(role for role, _ in left)
        return Understood(wanted, Concept(wanted.weight, on(own)), tuple(part for _, part in left), roles)

    def ranked(
        self, concepts: Sequence[Concept], referred: Sequence[Referred]
    ) -> tuple[list[tuple[int, int, float]], list[Section]]:
        number = len(self.sections)
        named = math.log(1 + number)
        shares = [concept.weight * self.idf(concept) for concept in concepts]
        found = []
        for section in self.sections:
            total = covered = 0.0
            for concept, share in zip(concepts, shares, strict=True):
                inside, above = concept.inside(section), concept.above(section)
                if inside or above:
                    norm = 1.2 * (0.25 + 0.75 * section.length / (self.total / number))
                    total += share * (2.2 * (inside + 3 * above) / (inside + 3 * above + norm) + 0.5 * above)
                covered += share * min(1, inside + above)
            own = {}
            for entry, place, text, counted in section.passages:
                own[entry.document, place] = 0.0
                for concept, share in zip(concepts, shares, strict=True):
                    amount = concept.within(text, counted)
                    if amount:
                        ratio = max(len(text), 1) / (self.total / len(self.passages))
                        norm = 1.2 * (0.25 + 0.75 * max(ratio, min(1 / ratio, 20.0)))
                        own[entry.document, place] += share * 2.2 * amount / (amount + norm)
            for one in referred:
                value = 1 if section in one.sections else 0.4 if own.keys() & one.citing else 0
                total += 3 * named * value
                covered += named * value
                for place_ in own:
                    own[place_] += 3 * named * ((section in one.sections) + 0.4 * (place_ in one.citing))
            for entry, place, _, _ in section.passages:
                own[entry.document, place] *= 0.3 if place in entry.headings else 1
            score = total * covered / (sum(shares) + named * len(referred)) if any(own.values()) else 0
            for entry, place, _, _ in section.passages:
                if own[entry.document, place]:
                    found.append((entry, place, score * (own[entry.document, place] / max(own.values())) ** 2, section))
        found.sort(key=lambda hit: (-hit[2], hit[0].public_id.bytes, hit[1]))
        sections = list(dict.fromkeys(section for *_, section in found[:LOOKED_AT]))
        return [(entry.document, place, score) for entry, place, score, _ in found], sections

    def idf(self, concept: Concept) -> float:
        having = sum(concept.inside(section) > 0 or concept.above(section) > 0 for section in self.sections)
        return math.log(1 + (len(self.sections) - having + 0.5) / (having + 0.5))

    def lacks(
        self, first: Section, understood: Sequence[Understood], referred: Sequence[Referred], unturned: Sequence[str]
    ) -> Sequence[str | tuple[int, int]] | None:
        """What a section lacks for an answer; None if it answers."""
        places = {(entry.document, number) for entry, number, _, _ in first.passages}
        unknown = [one.reference for one in referred if one.reference.sure and not one.sections and not one.citing & places]
        supports: list[answering.Support] = []
        lacking: list[str | tuple[int, int]] = [(one.start, one.end) for one in unknown]
        for one in understood:
            direct = [choice for choice in one.own.choices if choice.how is not How.PART]
            compounds = [choice for choice in one.own.choices if choice.how is How.PART]
            roles = {role for role, part in zip(one.roles, one.parts, strict=True) if holds(first, part.choices)}
            parts = 1.0 if holds(first, compounds) or len(roles) == 2 else 0.4 if roles else 0.0
            supports.append(
                answering.Support(
                    sections=self.holding(direct) or self.holding(compounds),
                    held=holds(first, direct),
                    parts=parts,
                    weight=one.wanted.weight * one.wanted.emphasis,
                    needed=one.wanted.needed,
                )
            )
            if not one.wanted.little and not holds(first, direct) and (one.wanted.needed or parts < 1):
                lacking.append(one.wanted.written)
        named = any(one.sections for one in referred)
        answered = not unturned and (not supports or answering.answered(supports, len(self.sections)))
        if not unknown and (named or answered):
            return None
        return [*lacking, *(() if named else unturned)]

    def holding(self, choices: Sequence[Choice]) -> int:
        return sum(holds(section, choices) for section in self.sections)


def best(choices: Iterable[Choice]) -> dict[tuple[str, ...], How]:
    """How each word answers best."""
    hows: dict[tuple[str, ...], list[How]] = {}
    for one in choices:
        hows.setdefault(one.words, []).append(one.how)
    return {phrase: min(some, key=ORDER.index) for phrase, some in hows.items()}


def holds(section: Section, choices: Iterable[Choice]) -> bool:
    """Whether any of these stands in a section or above it."""
    return any(one.above(section) or one.in_section(section) for one in choices)


def turns(section: Section, terms: Sequence[Term]) -> bool:
    """Whether a passage of the section turns round at least half of the question's words that the section holds."""
    held: set[int] = set()
    near = 0
    for _, _, text, _ in section.passages:
        places = [(number, at) for number, term in enumerate(terms) for at in range(len(text)) if stands(term, text, at)]
        held |= {number for number, _ in places}
        for middle in (at for at, word in enumerate(text) if word in TURNED):
            near = max(near, len({number for number, at in places if abs(at - middle) <= NEAR}))
    return near > 0 and near * 2 >= len(held)


def stands(term: Term, text: Sequence[str], at: int) -> bool:
    """Whether any alternative of a term that is not switched off begins at a word."""
    return any(tuple(text[at : at + len(one.words)]) == one.words for one in term.alternatives if not one.off)


def off(written: str, phrase: tuple[str, ...], how: How, without: Collection[Off]) -> bool:
    """Whether an alternative is switched off."""
    return Off(written, how) in without or Off(written, how, " ".join(phrase)) in without
