"""Words that turn what is said round: not, without, never. Who says the opposite shares every other word with a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evidence.language.wordlists import listed

_NEGATIONS: Final = listed(
    """
    nicht nichts kein keine keinem keinen keiner keines nie niemals niemand niemandem niemanden nirgends weder ohne
    wenigsten geringsten
    no not never none nobody nothing nowhere neither nor without cannot least fewest
    """
)
_OUTRIGHT: Final = listed(
    """
    verboten untersagt unzulässig unmöglich ausgeschlossen ausgenommen außer mangels verbietet verbieten verbot untersagen
    verweigert fehlt fehlen fehlte fehlten entfällt entfallen
    forbidden prohibited impossible excluded except unless unable fail fails failed lack lacks lacked refuse refuses refused
    """
)
"""What a passage may say instead: "is forbidden" answers "may not"."""
_ALTERNATIVE: Final = frozenset(("oder", "or"))

TURNED: Final = tuple(
    sorted(
        _NEGATIONS
        | _OUTRIGHT
        | {
            f"{verb}n{mark}t"
            for mark in "'’"
            for verb in listed("is are was were do does did ca could wo would should has have had")
        }
    )
)
"""What turns a passage round."""


def turning(words: Sequence[str]) -> tuple[str, ...]:
    """Those of a question's words that turn it round, each once; "or not" does not."""
    pairs = zip(("", *words), words, strict=False)
    return tuple(dict.fromkeys(word for before, word in pairs if _turns(word) and before not in _ALTERNATIVE))


def _turns(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n’t"))
