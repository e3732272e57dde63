"""The figures of evaluations in words, and beside those of the run before. Their names stay as the command has them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.formats import number_format
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from evidence.evaluation.figures import Given
from evidence.evaluation.questions import State
from evidence.web.states import Words

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

EXPECTED: Final[Mapping[State, StrPromise]] = {
    State.ANSWERABLE: pgettext_lazy("question", "answerable"),
    State.UNANSWERABLE: pgettext_lazy("question", "unanswerable"),
    State.CONFLICT: pgettext_lazy("question", "conflict"),
    State.FORBIDDEN: pgettext_lazy("question", "forbidden"),
}
GIVEN: Final[Mapping[Given, StrPromise]] = {
    Given.ANSWERABLE: pgettext_lazy("answer", "answerable"),
    Given.CONFLICT: pgettext_lazy("answer", "conflict"),
    Given.NEAR: pgettext_lazy("answer", "near"),
    Given.NOTHING: pgettext_lazy("answer", "nothing"),
    Given.REFUSED: pgettext_lazy("answer", "refused"),
}
MODES: Final[Mapping[str, StrPromise]] = {"exact": _("exact mode"), "wider": _("wider mode")}
VERDICTS: Final[Mapping[bool | None, Words]] = {
    True: Words(_("Good enough"), _("Every threshold was kept, and nothing forbidden was found."), "good"),
    False: Words(_("Not good enough"), _("A threshold was missed, or something forbidden was found."), "bad"),
    None: Words(_("Without thresholds"), _("No thresholds were given, and nothing forbidden was found."), "quiet"),
}
_MEANINGS: Final[Mapping[str, StrPromise]] = {
    "questions": _("questions that were asked"),
    "answerable": _("questions that documents answer"),
    "unanswerable": _("questions that no document answers"),
    "conflict": _("questions on which documents contradict each other; counted apart"),
    "forbidden": _("questions whose answer the person may not read"),
    "mrr": _("mean of 1 ÷ rank of the first document that answers"),
    "ndcg@10": _("how near the first 10 documents come to the best order"),
    "quoted": _("questions for which the passage is known that answers"),
    "passage_mrr": _("mean of 1 ÷ rank of the first passage that answers"),
    "passage_ndcg@10": _("how near the first 10 passages come to the best order"),
    "states_right": _("answers whose state is the expected one"),
    "states_wrong": _("answers whose state is another one"),
    "recognised": _("share of the unanswerable questions that were recognised"),
    "lost": _("share of the answerable questions that were not taken for that"),
    "refused": _("questions beyond what the mode takes"),
    "forbidden_hits": _("documents that were found and must not be"),
    "seconds": _("how many seconds asking took"),
}
DRAWN: Final = ("success@10", "ndcg@10", "recognised")
"""What charts show."""
SHORT: Final = (*DRAWN, "lost", "forbidden_hits")
"""What the list of sets shows."""
_COUNTS: Final = frozenset({*State, "questions", "quoted", "states_right", "states_wrong", "refused", "forbidden_hits"})
_LESS_IS_BETTER: Final = frozenset({"states_wrong", "lost", "refused", "forbidden_hits"})
_NO_VERDICT: Final = frozenset({*State, "questions", "quoted", "seconds"})
_VISIBLE: Final = 0.0005
"""A smaller difference is none in three digits."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure beside that of the run before. before, change: empty where there was none. tone: "good", "bad" or ""."""

    name: str
    meaning: str
    value: str
    before: str = ""
    change: str = ""
    tone: str = ""


def beside(now: Mapping[str, float], before: Mapping[str, float], *, only: Collection[str] = ()) -> Sequence[Figure]:
    """The figures of a run, or some of them, in the order in which they were counted."""
    names: Iterable[str] = (name for name in only if name in now) if only else now
    return [_figure(name, now[name], before.get(name)) for name in names if name not in set(State) or now[name]]


def written(name: str, value: float) -> str:
    """A figure as it is shown: a count, or three digits."""
    if name in _COUNTS:
        return number_format(round(value), force_grouping=True)
    digits = 1 if name == "seconds" else 3
    return number_format(round(value, digits), decimal_pos=digits)  # which would cut off what is beyond them


def meaning(name: str) -> str:
    """What a figure means; one without words has none."""
    kind, _at, rank = name.partition("@")
    if kind == "success":
        return gettext("share of the questions with a document that answers among the first %(rank)s") % {"rank": rank}
    if kind == "passage_success":
        return gettext("share of the questions with a passage that answers among the first %(rank)s") % {"rank": rank}
    return str(_MEANINGS.get(name, ""))


def _figure(name: str, value: float, before: float | None) -> Figure:
    if before is None:
        return Figure(name, meaning(name), written(name, value))
    difference = value - before
    if abs(difference) < _VISIBLE:
        return Figure(name, meaning(name), written(name, value), written(name, before))
    sign = "+" if difference > 0 else "−"
    change = sign + written(name, abs(difference))
    tone = "" if name in _NO_VERDICT else "bad" if (difference > 0) == (name in _LESS_IS_BETTER) else "good"
    return Figure(name, meaning(name), written(name, value), written(name, before), change, tone)
