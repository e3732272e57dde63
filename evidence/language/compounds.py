"""Compounds: what a German word is put together of, judged by the dictionary alone.

"Kinderzahnheilkunde" is Kinder + Zahnheilkunde, and the latter Zahn + Heilkunde. A split takes as few and as common parts as
possible: nouns before verbs and adjectives, no syllables that are never a word of their own, the linking s, es, n, en or a
dropped e between them. Where it is not clear whose an s is (Urlaub-stage, Urlaubs-tage), both are given. No vocabulary of
documents takes part: what a word is made of depends on the word alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

from evidence.language import forms, lexicon
from evidence.language.spelling import unfolded
from evidence.language.wordlists import listed

_REMEMBERED: Final = 1 << 15
_SHORTEST_COMPOUND: Final = 7
_LONGEST_COMPOUND: Final = 60
_SHORTEST_PART: Final = 3
_SHORTEST_ADJECTIVE: Final = 5
_SHORTEST_IN_ADJECTIVE: Final = 5
"""An adjective that the dictionary knows is split after a part of this length only: "iden-tisch" is none."""

_NEVER: Final = listed(
    """
    an ab auf aus bei be da dar durch ein eins ent er fort ge gegen her hin hinter im in inter los mit miss nach
    neben nieder ober rück so um un unter untere obere ur ver vor vorbei weg wider widerst wieder zer zu zurück
    zusammen zwischen über anti bio de dis des ex extra hyper ko kon non prä pro post pseudo sub super trans ultra
    mini multi tele der die das den dem sie ihr wir ich es man wie was wer wo ob als bis ist war hat nur noch sehr
    kein eine einer eines einem einen sein seine mein dein und oder aber denn je jed alle aller ander sich mich dich
    uns zum zur vom am beim ans bar sam lich haft schaft heit keit tum ung nis isch ische ischen ieren tion ion
    ismus ine ing ling chen lein ste ten ter tes tem ene en el end ende enden ender rig rige rigen ige igen iger
    iges ig einst voraus heraus hinaus ster cher teuer rial scher
    iker oste uropa wiede besch ausm alis deut scher iker oste wiede besch ausm alis deut
    """
)
"""Prefixes, endings and little words, which the dictionary knows for other reasons."""
_SHORT: Final = listed(
    """
    amt akt art arm bad bau ehe eid eis erb gas hof kur mut not ort ost rad rat see tag tat tee ton tor uhr weg zug
    zoll typ
    """
)
"""The parts of three letters; the dictionary has many more that are hardly ever parts."""
_ADJECTIVES: Final = frozenset(("frei", "voll", "reich", "treu"))
_WHOLE: Final = (
    *("alternativ", "architekt", "beinhalt", "dienstag", "donnerstag", "gemeinschaft", "materi", "normann", "paragra", "regist"),
    *("speicher", "steuer", "transport"),
)
"""Beginnings of words that look like compounds and are none (unless they are much longer)."""
_LONGER: Final = 4

_NOUN, _OTHER, _HEAD_OTHER, _THREE, _LINKED, _LINKED_N, _DROPPED = 1.0, 1.6, 2.0, 0.3, 0.1, 0.2, 0.3
"""What a part costs. Fewer parts always win, but for parts that are no nouns."""
_LONG_HEAD: Final = 0.03
"""What each letter of the last part takes off: "Bau-werkzeug" rather than "Bauwerk-zeug"."""


_ISH: Final = re.compile(r"isch(e[mnrs]?)?\Z")
"""Adjectives, which only look as if they were made of a table."""
_ISTIC: Final = re.compile(r"istisch(e[mnrs]?)?\Z")


class Role(IntEnum):
    """What a part is in its compound: the last one says what kind of thing it is."""

    MODIFIER = 1
    HEAD = 2


class Piece(NamedTuple):
    """A part: where it stands in the word, its linking letters included, and the word it is."""

    start: int
    end: int
    word: str


_Split = tuple[Piece, ...]


def parts(word: str) -> Mapping[str, Role]:
    """The form keys of everything a lowered word is made of (parts of parts too, and what some of them make together)."""
    found: dict[str, Role] = {}
    if word.isalpha() and _SHORTEST_COMPOUND <= len(word) <= _LONGEST_COMPOUND:
        for whole in _wholes(word):
            for split in splits(whole):
                _gather(whole, tuple(_leaves(split)), found)
    return found


def _wholes(word: str) -> tuple[str, ...]:
    """What to split: the basic form, where the dictionary has the word; nouns only, and long adjectives."""
    spelled = next((one for one in unfolded(word) if lexicon.kind(one)), None)
    if spelled is None:
        no_compound = lexicon.english(word) or _ISTIC.search(word)
        return () if no_compound else tuple(one for one in unfolded(word) if splits(one))[:1]
    if lexicon.kind(spelled) == "noun":
        return () if lexicon.is_verb(spelled) else forms.basic(spelled)[:1]
    if _ISH.search(spelled):
        return ()
    found = splits(spelled)
    return (spelled,) if found and len(found[0][0].word) >= _SHORTEST_IN_ADJECTIVE else ()


def _leaves(split: _Split) -> Iterator[Piece]:
    """The parts that are made of no others, where they stand in the word."""
    for piece in split:
        inner = splits(piece.word)
        if not inner:
            yield piece
        for leaf in _leaves(inner[0]) if inner else ():
            last = leaf.end == len(piece.word)
            yield Piece(piece.start + leaf.start, piece.end if last else piece.start + leaf.end, leaf.word)


def _gather(whole: str, leaves: _Split, found: dict[str, Role]) -> None:
    for first, last in combinations_with_replacement(range(len(leaves)), 2):
        word = whole[leaves[first].start : leaves[last].start] + leaves[last].word
        if first == last or (last - first < len(leaves) - 1 and lexicon.kind(word) == "noun"):
            role = Role.HEAD if last == len(leaves) - 1 else Role.MODIFIER
            for key in forms.part_keys(word):
                found[key] = max(role, found.get(key, role))


@lru_cache(_REMEMBERED)
def splits(word: str) -> tuple[_Split, ...]:
    """The best way to split a word, and its twins that give a linking s to the other side. Empty: it is no compound."""
    if len(word) < _SHORTEST_COMPOUND or any(word.startswith(one) and len(word) < len(one) + _LONGER for one in _WHOLE):
        return ()
    tails = _tails(word)
    best = tails.get(0)
    if best is None or len(best[1]) == 1:
        return ()
    return (best[1], *_twins(word, best[1], tails))


_Tails = dict[int, tuple[float, _Split]]


def _tails(word: str) -> _Tails:
    """For each place the cheapest split of what follows it, from the end to the beginning."""
    size = len(word)
    tails: _Tails = {}
    for start in range(size - _SHORTEST_PART, -1, -1):
        best: tuple[float, _Split] | None = None
        if start and (cost := _head(word[start:])):
            best = (cost, (Piece(start, size, word[start:]),))
        for end in range(start + _SHORTEST_PART, size - _SHORTEST_PART + 1):
            rest = tails.get(end)
            if rest is None:
                continue
            modifier = _modifier(word[start:end])
            if modifier and (best is None or modifier[0] + rest[0] < best[0]):
                best = (modifier[0] + rest[0], (Piece(start, end, modifier[1]), *rest[1]))
        if best is not None:
            tails[start] = best
    return tails


def _twins(word: str, split: _Split, tails: _Tails) -> Iterator[_Split]:
    for place, piece in enumerate(split[:-1]):
        for end in [piece.end + 1] * (word[piece.end] == "s") + [piece.end - 1] * (word[piece.end - 1] == "s"):
            rest, modifier = tails.get(end), _modifier(word[piece.start : end])
            if rest and modifier and len(rest[1]) == len(split) - place - 1:
                yield (*split[:place], Piece(piece.start, end, modifier[1]), *rest[1])


def _known(word: str) -> lexicon.Kind | None:
    if word in _NEVER or len(word) < _SHORTEST_PART or (len(word) == _SHORTEST_PART and word not in _SHORT):
        return None
    return lexicon.kind(word)


def _head(word: str) -> float | None:
    kind = _known(word)
    if kind == "noun":
        return _NOUN + _THREE * (len(word) == _SHORTEST_PART) - _LONG_HEAD * len(word)
    return _HEAD_OTHER if kind and (len(word) >= _SHORTEST_ADJECTIVE or word in _ADJECTIVES) else None


@lru_cache(_REMEMBERED)
def _modifier(piece: str) -> tuple[float, str] | None:
    """The cheapest reading of a piece that is not the last, and the word it is."""
    if piece in _NEVER:
        return None
    readings = []
    kind = _known(piece)
    if kind:
        readings.append(((_NOUN if kind == "noun" else _OTHER) + _THREE * (len(piece) == _SHORTEST_PART), piece))
    for link in ("s", "es"):
        word = piece.removesuffix(link)
        if word != piece and _known(word) == "noun":
            readings.append((_NOUN + _LINKED + _THREE * (len(word) == _SHORTEST_PART), word))
            break
    if not readings:
        for link in ("n", "en"):
            word = piece.removesuffix(link)
            if word != piece and _known(word) == "noun":
                readings.append((_NOUN + _LINKED_N, word))
                break
    if not readings and len(piece) > _SHORTEST_PART and _known(piece + "e") == "noun":
        readings.append((_NOUN + _DROPPED, piece + "e"))
    return min(readings, default=None)
