"""Learn when a question counts as answered: `python -m bench.answerability`. It is `ENOUGH` in evidence/language/answering.py.

Prints, for each support that could be enough, the share of the answerable questions that would be lost and of the unanswerable
ones that would be recognised: of all together, and of each set. `LESS` stays as it is. What is told without the support
(references, no hits, a number that is missing, "not") is counted in, whatever is enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final
from unittest.mock import patch

from bench import judged
from evidence.index.questions import Answerability
from evidence.language import answering

LEARNT_FROM: Final = ("laws_de", "xquad_de_unanswerable", "squad2_small_en")
MOST_LOST: Final = 0.10
_STEPS: Final = [step / 100 for step in range(38, 61)]

_Supports = tuple[list[float], list[float]]


def main() -> None:
    """Ask everything, then try thresholds."""
    if not judged.JUDGED.exists():
        print("The judged questions are not beside the project: nothing to learn from.")
        return
    each = {name: _supports(name) for name in LEARNT_FROM}
    supports = {"all": _together(list(each.values())), **each}
    print("lost and recognised when so much support is enough")
    print(f"{'enough':>7}" + "".join(f"{name:>28}" for name in supports))
    for enough in _STEPS:
        shares = "".join(
            f"{_below(lost, enough):20.3f}{_below(recognised, enough):8.3f}" for lost, recognised in supports.values()
        )
        print(f"{enough:7.2f}{shares}")
    good = [enough for enough in _STEPS if _below(supports["all"][0], enough) <= MOST_LOST]
    print(f"at most {MOST_LOST:.0%} of all lost: up to {max(good, default=0.0):.2f}; now {answering.ENOUGH}")


def _supports(name: str) -> _Supports:
    """Those of the answerable questions and of the unanswerable ones."""
    asked: _Supports = ([], [])
    seen: list[float] = []

    def see(words: Sequence[answering.Support], sections: int) -> bool:
        seen.append(answering.support(words, sections) + answering.LESS * len(words))
        return all(one.held for one in words if one.needed)

    with patch.object(answering, "answered", see):
        for one in judged.ask(name):
            support = seen.pop() if seen else math.inf
            asked[not one.relevant].append(support if one.state is Answerability.ANSWERABLE else -math.inf)
    return asked


def _together(some: Sequence[_Supports]) -> _Supports:
    return [one for lost, _ in some for one in lost], [one for _, recognised in some for one in recognised]


def _below(supports: Sequence[float], enough: float) -> float:
    return sum(support < enough for support in supports) / len(supports)


if __name__ == "__main__":
    main()
