"""Figures: what answers to questions are worth, as numbers. Pure; docs/evaluation.md says what each one means.

A rank counts from 1; None is "not among those looked at". Shares lie between 0 and 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Self

from evidence.evaluation.questions import State

CUTOFFS: Final = (1, 5, 10)
"""At which success is always counted."""
DEPTH: Final = 10
"""To which nDCG looks."""


class Given(StrEnum):
    """What the search said. CONFLICT: answerable, and something among the first passages is disputed for this person. REFUSED:
    the question is outside what this mode takes.
    """

    ANSWERABLE = "answerable"
    CONFLICT = "conflict"
    NEAR = "near"
    NOTHING = "nothing"
    REFUSED = "refused"


NO_ANSWER: Final = frozenset({Given.NEAR, Given.NOTHING})
RIGHT: Final[Mapping[State, Collection[Given]]] = {
    State.ANSWERABLE: {Given.ANSWERABLE, Given.CONFLICT},
    State.UNANSWERABLE: NO_ANSWER,
    State.CONFLICT: {Given.CONFLICT},
    State.FORBIDDEN: NO_ANSWER,
}
"""Which answers are right. An answerable question is answered, too, where one of the passages carries a warning."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, asked. rank: of the first document that answers; passage: of the first passage, where quotes are expected.

    gain, passage_gain: nDCG. forbidden: public ids of documents that were found and must not be.
    """

    id: str
    expected: State
    given: Given
    rank: int | None = None
    gain: float = 0.0
    quoted: bool = False
    passage: int | None = None
    passage_gain: float = 0.0
    forbidden: tuple[str, ...] = ()
    group: str = ""

    @property
    def right(self) -> bool:
        """Whether the state is the expected one."""
        return self.given in RIGHT[self.expected] and not self.forbidden

    def to_json(self) -> dict[str, Any]:
        """As it is kept."""
        return {
            "id": self.id,
            "expected": self.expected.value,
            "given": self.given.value,
            "rank": self.rank,
            "gain": round(self.gain, 6),
            "quoted": self.quoted,
            "passage": self.passage,
            "passage_gain": round(self.passage_gain, 6),
            "forbidden": list(self.forbidden),
            "group": self.group,
        }

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> Self:
        """From what `to_json` gave."""
        states = {"expected": State(kept["expected"]), "given": Given(kept["given"])}
        return cls(**{**kept, **states, "forbidden": tuple(kept["forbidden"])})


def first(found: Sequence[bool]) -> int | None:
    """The rank of the first that is right."""
    return next((rank for rank, right in enumerate(found, start=1) if right), None)


def ndcg(grades: Sequence[int], expected: Sequence[int], *, depth: int = DEPTH) -> float:
    """Normalised discounted cumulative gain with the grades themselves as gains, as trec_eval has it.

    grades: of what was found, in its order, 0 for what is not expected. expected: of all that could have been found. At most 1:
    a passage may hold two quotes, which could have come one after the other at best.
    """
    best = _discounted(sorted(expected, reverse=True)[:depth])
    return min(_discounted(grades[:depth]) / best, 1.0) if best else 0.0


def summary(outcomes: Sequence[Outcome], *, cutoffs: Collection[int] = CUTOFFS, seconds: float = 0.0) -> dict[str, float]:
    """All figures of these questions by their names; one that nothing is known of is left out."""
    answerable = [one for one in outcomes if one.expected is State.ANSWERABLE]
    quoted = [one for one in answerable if one.quoted]
    unanswerable = [one for one in outcomes if one.expected is State.UNANSWERABLE]
    judged = [one.right for one in outcomes]
    kinds = Counter(one.expected for one in outcomes)
    found: dict[str, float | None] = {"questions": len(outcomes)}
    found |= {str(state): kinds[state] for state in State}
    found |= {f"success@{k}": _share(one.rank is not None and one.rank <= k for one in answerable) for k in sorted(cutoffs)}
    found["mrr"] = _mean([0.0 if one.rank is None else 1 / one.rank for one in answerable])
    found[f"ndcg@{DEPTH}"] = _mean([one.gain for one in answerable])
    found["quoted"] = len(quoted)
    found |= {
        f"passage_success@{k}": _share(one.passage is not None and one.passage <= k for one in quoted) for k in sorted(cutoffs)
    }
    found["passage_mrr"] = _mean([0.0 if one.passage is None else 1 / one.passage for one in quoted])
    found[f"passage_ndcg@{DEPTH}"] = _mean([one.passage_gain for one in quoted])
    found["states_right"], found["states_wrong"] = judged.count(True), judged.count(False)
    found["recognised"] = _share(one.given in NO_ANSWER for one in unanswerable)
    found["lost"] = _share(one.given not in RIGHT[State.ANSWERABLE] for one in answerable)
    found["refused"] = sum(one.given is Given.REFUSED for one in outcomes)
    found["forbidden_hits"] = sum(len(one.forbidden) for one in outcomes)
    found["seconds"] = round(seconds, 3)
    return {name: value for name, value in found.items() if value is not None}


def by_group(outcomes: Sequence[Outcome]) -> Mapping[str, Mapping[str, float]]:
    """The figures of each group, by its name; nothing where all questions are of one."""
    groups = sorted({one.group for one in outcomes})
    return {name: summary([one for one in outcomes if one.group == name]) for name in groups} if len(groups) > 1 else {}


def confusion(outcomes: Sequence[Outcome]) -> Mapping[State, Mapping[Given, int]]:
    """How often each expected state came out as each given one; expected ones that don't occur are left out."""
    counts = Counter((one.expected, one.given) for one in outcomes)
    return {
        state: {given: counts[state, given] for given in Given} for state in State if any(counts[state, given] for given in Given)
    }


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose outcome differs between two runs."""

    before: Outcome
    now: Outcome


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two runs of the same questions. added, gone: ids of one of them only."""

    better: Sequence[Change]
    worse: Sequence[Change]
    added: Sequence[str]
    gone: Sequence[str]


def difference(now: Sequence[Outcome], before: Sequence[Outcome]) -> Difference:
    """Question by question, by ids."""
    known = {one.id: one for one in before}
    pairs = [Change(known[one.id], one) for one in now if one.id in known]
    ids = {one.id for one in now}
    return Difference(
        better=[pair for pair in pairs if _worth(pair.now) > _worth(pair.before)],
        worse=[pair for pair in pairs if _worth(pair.now) < _worth(pair.before)],
        added=[one.id for one in now if one.id not in known],
        gone=[one.id for one in before if one.id not in ids],
    )


def _worth(one: Outcome) -> tuple[int, int, float, float, float]:
    """What makes an outcome better than another: nothing forbidden, then ranks, then the state."""
    ranks = sum(0.0 if rank is None else 1 / rank for rank in (one.rank, one.passage))
    return -len(one.forbidden), int(one.right), ranks, round(one.gain, 6), round(one.passage_gain, 6)


def _discounted(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _share(held: Any) -> float | None:
    return _mean([float(one) for one in held])
