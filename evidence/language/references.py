"""References to sections of laws, rules and contracts: "§ 622 BGB", "Art. 20 GG", "BGB 433", "SGB IX § 208".

A section that can be referred to has a mark, made of its heading: "§622" for "§ 622 Kündigungsfristen" and for "Art. 622".
Paragraphs, sentences and numbers inside a section (Abs., Satz, Nr.) are understood and not looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from evidence.language import compounds
from evidence.language.spelling import fold

_SIGN: Final = r"(?:§§?|\b(?:Art(?:ikel[ns]?|\.)?|Paragra(?:ph|f)(?:en|s)?|Section|Sec\.|Article))"
_NUMBER: Final = r"\d{1,4}\s?[a-z]?(?!\w)"
_FOLLOWING: Final = r"(?:\s*ff?\b\.?)?"
_INSIDE: Final = (
    r"(?:\s*,?\s*\b(?:Abs(?:atz|\.)?|S(?:atz|\.)|Nr\.?|Nummer|U(?:nter)?[Aa]bs(?:atz|\.)|Buchst(?:abe|\.)|lit\.|Alt\.|Halbs(?:atz|\.))"
    r"\s*\w{1,4}\.?)*"
)
_LAW: Final = (
    r"(?P<law>[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]*[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]*"
    r"|[A-Za-zÄÖÜäöüß-]*(?i:gesetz(?:es|buchs?|buches)?|ordnung|vertrags?|kodex|code|act))(?!\w)"
)
_BOOK: Final = r"(?:\s+(?P<book>[IVX]{1,4}|\d{1,2})(?!\w))?"
_LINK: Final = r"(?:\s*,?\s*(?:des|der|vom|im|in|of the|of|the)\s+)?"

_SIGNED_LAW_FIRST: Final = re.compile(rf"\b{_LAW}{_BOOK}\s*,?\s*{_SIGN}\s*(?P<number>{_NUMBER}){_FOLLOWING}{_INSIDE}")
_SIGNED: Final = re.compile(rf"(?i:{_SIGN})\s*(?P<number>{_NUMBER}){_FOLLOWING}{_INSIDE}(?:{_LINK}\s*\b{_LAW}{_BOOK})?")
_BARE: Final = re.compile(rf"\b{_LAW}{_BOOK}\s+(?P<number>{_NUMBER})")
_HEADING: Final = re.compile(rf"{_SIGN}\s*({_NUMBER})", re.IGNORECASE)

_ROMAN: Final = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv")
_ORDINAL: Final = (
    *("erstes", "zweites", "drittes", "viertes", "fünftes", "sechstes", "siebtes"),
    *("achtes", "neuntes", "zehntes", "elftes", "zwölftes", "dreizehntes", "vierzehntes"),
)
_SOCIAL_CODE: Final = ("sgb", "sozialgesetzbuch")

LAW_ENDINGS: Final = ("gesetz", "gesetzbuch", "ordnung", "kodex")
_LONGEST_ABBREVIATION: Final = 10
_LEFT_OUT: Final = frozenset(("recht", "rechts"))


@dataclass(frozen=True, slots=True)
class Reference:
    """What is referred to. start, end: code points of the question.

    mark: that of the section. law: words that must stand above it, one of each group. sure: it says so (§, Art.); else it is a
    name with a number behind it, which may be something else, and counts only if there is such a section.
    """

    start: int
    end: int
    mark: str
    law: tuple[tuple[str, ...], ...]
    sure: bool


def mark(title: str) -> str | None:
    """What a section with these words above it is referred to by; the last heading decides."""
    found = _HEADING.findall(title)
    return _mark(found[-1]) if found else None


def find(question: str) -> tuple[Reference, ...]:
    """The references of a question, in order; none overlaps another."""
    found: list[Reference] = []
    for pattern, sure in ((_SIGNED_LAW_FIRST, True), (_SIGNED, True), (_BARE, False)):
        for match in pattern.finditer(question):
            if all(match.end() <= one.start or one.end <= match.start() for one in found):
                law = tuple(_law(match["law"], match["book"])) if match["law"] else ()
                found.append(Reference(match.start(), match.end(), _mark(match["number"]), law, sure))
    return tuple(_with_laws(sorted(found, key=lambda one: one.start)))


def _with_laws(references: Sequence[Reference]) -> Iterator[Reference]:
    """ "§ 823 and § 826 BGB" are both of the BGB."""
    for place, one in enumerate(references):
        yield replace(one, law=next((other.law for other in references[place:] if other.law), ()))


def _mark(number: str) -> str:
    return "§" + re.sub(r"\s", "", number).lower()


def _law(name: str, book: str | None) -> Iterator[tuple[str, ...]]:
    lowered = name.lower()
    yield _SOCIAL_CODE if lowered in _SOCIAL_CODE else (lowered,)
    if book:
        place = _ROMAN.index(book.lower()) if book.lower() in _ROMAN else int(book) - 1 if book.isdigit() else -1
        yield (_ROMAN[place], str(place + 1), _ORDINAL[place]) if 0 <= place < len(_ROMAN) else (book.lower(),)


def abbreviation_key(word: str) -> str | None:
    """Under which key a law's name is found by its abbreviation: first letter and last part's. None: it is no law's name."""
    return f"a:{fold(word)[0]}" if word.endswith(LAW_ENDINGS) and word not in LAW_ENDINGS else None


def asked_abbreviation_key(short: str) -> str | None:
    """The key to look under for the laws that this may abbreviate; each must pass `abbreviates`."""
    return f"a:{fold(short)[0]}" if short.isalpha() and 1 < len(short) <= _LONGEST_ABBREVIATION else None


def abbreviates(short: str, name: str) -> bool:
    """Whether the letters begin all parts of a law's name, in order: BetrVG, GG, HGB, UrhG (without its "recht")."""
    return any(_begins(fold(short), parts) for parts in _parts(name))


def _parts(name: str) -> Iterator[tuple[str, ...]]:
    for split in compounds.splits(name):
        parts: list[str] = []
        for piece in split:
            inner = compounds.splits(piece.word)
            parts += [fold(one.word) for one in inner[0]] if inner else [fold(piece.word)]
        yield tuple(parts)


def _begins(short: str, parts: Sequence[str]) -> bool:
    if not parts:
        return not short
    part, rest = parts[0], parts[1:]
    return any(
        _begins(short[size:], rest) for size in range(1, min(len(short), len(part)) + 1) if part.startswith(short[:size])
    ) or (part in _LEFT_OUT and _begins(short, rest))
