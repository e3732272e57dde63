"""Sentences: a text cut where one ends and the next begins. Pure; joined again they are the text, word for word.

Rather one cut too few than one too many: a citation then counts for more words than it should, and never for none. What stands in
quotation marks is not cut, for half of a quotation is none that could be looked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from evidence.answers.values import MAX_SENTENCE

_ABBREVIATIONS: Final = """
allg anm aufl bes betr bsp bspw bzgl bzw ca dgl dipl dr ebd eig einschl engl entspr evtl exkl ff frl geb gem ggf ggfs hrsg ing
inkl insb jh jhd lfd mio mrd mind mtl od prof sog std str tel tsd usf usw verf vgl vorm zzgl zit jan feb mrz apr jun jul aug
sep sept okt nov dez approx cf corp dept ed eds etc esp est exc gen inc incl jr ltd mr mrs ms op ref refs rev sr vs viz oct
dec al
"""
_REFERENCES: Final = """
abb abs abschn anh anl art bd fig figs kap lit max min nr nrn no nos para pp pt rn rz sec st tab vol zz ziff ch co eq
"""
_BEGINNERS: Final = """
das dem den der des die dies diese dieser dieses ein eine einem einen einer es er sie wir ihr ich man im in am an auf aus bei
beim bis dabei dadurch dafür daher damit danach dann daneben darum dazu denn deshalb dort durch falls für gegen hier hinzu
jede jeder jedes jedoch kein keine laut mit nach nicht nur ob ohne seit sind so sobald sofern sonst über um und unter vom von
vor wann warum was weil weitere wenn wer werden wie wird wo zu zudem zum zur zwar außerdem allerdings ist es gilt alle also
the this that these those a an it he she we you they if in on at for from by to of as but and or when while after before
because however there here no not all each any with without its their his her our your is are then thus so see
"""
ABBREVIATIONS: Final = frozenset(_ABBREVIATIONS.split())
"""Words that a full stop shortens, in lower case. Single letters are always taken for shortened: z. B., i. e., J. Doe."""
REFERENCES: Final = frozenset(_REFERENCES.split())
"""Words that a full stop shortens before a number: “Art. 5” is no end, “in dieser Art. Das …” is one."""
BEGINNERS: Final = frozenset(_BEGINNERS.split())
"""Words that begin a sentence after a number: “… Nr. 3. Die Frist …” ends one, “am 3. Mai” does not."""
LONGEST_ORDINAL: Final = 2
"""Digits of a number that a full stop may make an ordinal; “2024.” and “1500.” end a sentence."""

_END: Final = (
    re.compile(  # closed: quotes, brackets, marks such as [1]; possessive, so that long runs of signs are passed over once
        r"(?<![.!?…])(?P<sign>[.!?…]++)"
        r"(?P<closed>[)\]}»«“”\"'’‘›‹*_]*+(?:\s?(?:\[\d+(?:[-,;\s]+\d+)*\]|【[^】]{0,100}】))*+)"
        r"(?P<blank>\s++)"
        r"|(?<![ \t])(?P<line>[ \t]*+\n\s*+)"
    )
)
_QUOTED: Final = re.compile(  # a straight mark opens after a blank and closes before one; 5" is no quotation
    r"„[^„“”\"]{1,1000}[“”\"]|“[^“”]{1,1000}”|»[^«»]{1,1000}«|«[^«»]{1,1000}»"
    r"|(?<![^\s(])\"(?=\S)[^\"]{1,1000}(?<=\S)\"(?!\w)"
)
"""Half as long as a sentence can be: a mark that nothing closes holds nothing together."""
_OPENING: Final = "([{„“”\"'‚‘»«›‹*_-–—•"
_SEEN: Final = 60
"""Code points after an end that are looked at."""
_LAST_WORD: Final = re.compile(r"[^\W_]+$")


def cut(text: str) -> Sequence[str]:
    """The sentences, each with the blanks after it; none is blank. One that is too long to be kept is cut between words."""
    pieces = [piece for one in _pieces(text) for piece in _short(one)]
    whole: list[str] = []
    carried = ""
    for piece in pieces:  # what is only blanks belongs to what follows, or at the end to what was before
        carried += piece
        if carried.strip():
            whole.append(carried)
            carried = ""
    if carried and whole:
        whole[-1] += carried
    return whole


def _pieces(text: str) -> Iterator[str]:
    start = 0
    whole = _quotations(text)
    for match in _END.finditer(text):
        if _ends(text, match) and not _is_within(match.end(), whole):
            yield text[start : match.end()]
            start = match.end()
    yield text[start:]


def _quotations(text: str) -> Sequence[tuple[int, int]]:
    """Ranges in quotation marks, in their order."""
    return [match.span() for match in _QUOTED.finditer(text) if "\n\n" not in match[0]]


def _is_within(place: int, ranges: Sequence[tuple[int, int]]) -> bool:
    number = bisect_left(ranges, (place, 0)) - 1
    return number >= 0 and place < ranges[number][1]


def _ends(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence ends here."""
    following = text[match.end() : match.end() + _SEEN].lstrip(_OPENING)
    if match["line"] is not None:
        return match["line"].count("\n") > 1 or not following[:1].islower()
    if "\n" in match["blank"] and match["blank"].count("\n") > 1:
        return True
    if following[:1].islower():
        return False
    return match["sign"] != "." or bool(match["closed"]) or not _is_shortened(text, match.start(), following)


def _is_shortened(text: str, stop: int, following: str) -> bool:
    """Whether the full stop at this place belongs to the word before it."""
    found = _LAST_WORD.search(text[max(0, stop - 40) : stop])
    if found is None:
        return False
    word = found[0]
    if word.isdecimal():
        begins_line = not text[text.rfind("\n", 0, stop) + 1 : stop - len(word)].strip(" \t*_#>")
        next_word = re.match(r"[^\W\d_]*", following)
        is_beginner = next_word is not None and next_word[0].lower() in BEGINNERS
        return begins_line or (len(word) <= LONGEST_ORDINAL and not is_beginner)
    if word.lower() in REFERENCES:
        return following[:1].isdigit() or following[:1] == "§"
    return word.lower() in ABBREVIATIONS or (len(word) == 1 and word.isalpha())


def _short(piece: str) -> Iterator[str]:
    """The piece, cut between words where it is longer than a sentence can be."""
    while len(piece) > MAX_SENTENCE:
        blank = max(piece.rfind(one, 1, MAX_SENTENCE) for one in " \n\t")
        stop = blank + 1 if blank > 0 else MAX_SENTENCE
        yield piece[:stop]
        piece = piece[stop:]
    yield piece
