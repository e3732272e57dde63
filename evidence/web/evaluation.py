"""Evaluations for curators and administrators: what the search is worth, run by run. Ids and numbers, no word of a question.

Everybody else gets what an address that is none gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from evidence import paging
from evidence.evaluation import figures, kept
from evidence.evaluation.figures import Given, Outcome
from evidence.evaluation.kept import Line
from evidence.evaluation.questions import State
from evidence.models import Evaluation
from evidence.web import charts
from evidence.web.figures import DRAWN, SHORT, Figure, beside
from evidence.web.request import Request
from evidence.web.roles import for_curators

MOST_SHOWN: Final = 200
"""Questions on one page."""
MAX_OFFSET: Final = 10_000


class Show(StrEnum):
    """Which questions of a run are shown."""

    ALL = "all"
    WRONG = "wrong"
    BETTER = "better"
    WORSE = "worse"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A set in a mode, as the list shows it."""

    line: Line
    figures: Sequence[Figure]
    chart: charts.LineChart | None
    rows: Sequence[tuple[Evaluation, Mapping[str, Figure]]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a run beside the run before."""

    now: Outcome
    before: Outcome | None
    tone: str


@dataclass(frozen=True, slots=True)
class Tab:
    """A choice of questions, and how many there are."""

    show: Show
    count: int
    here: bool


@for_curators("GET", "HEAD")
def evaluations(request: HttpRequest) -> HttpResponse:
    """`/evaluation/`: every set of questions in each mode, with its latest figures."""
    drawn = [_drawn(line) for line in kept.lines(cast(Request, request).access)]
    return render(request, "evaluation/list.html", {"sets": drawn, "columns": SHORT})


@for_curators("GET", "HEAD")
def evaluation(request: HttpRequest, run: int) -> HttpResponse:
    """`/evaluation/<id>/`: one run, question by question."""
    row, before = kept.one(cast(Request, request).access, run)
    now, earlier = kept.outcomes(row), kept.outcomes(before) if before else []
    chosen = request.GET.get("show", "")
    show = Show(chosen) if chosen in list(Show) else Show.ALL
    asked = _asked(now, earlier)
    offset = paging.offset(paging.typed(request.GET.get("offset", "0")), most=MAX_OFFSET)
    mine = asked[show]
    context = {
        "run": row,
        "mode": kept.mode_of(row),
        "before": before,
        "questions_changed": before is not None and before.digest != row.digest,
        "figures": beside(row.figures, before.figures if before else {}),
        "confusion": [(state, [counts[given] for given in Given]) for state, counts in figures.confusion(now).items()],
        "given": list(Given),
        "columns": SHORT,
        "groups": [(name, {one.name: one for one in beside(found, {})}) for name, found in figures.by_group(now).items()],
        "tabs": [Tab(one, len(some), one is show) for one, some in asked.items() if some or one is Show.ALL],
        "show": show,
        "asked": mine[offset : offset + MOST_SHOWN],
        "first": offset + 1,
        "last": min(offset + MOST_SHOWN, len(mine)),
        "total": len(mine),
        "earlier_page": max(offset - MOST_SHOWN, 0) if offset else None,
        "later_page": offset + MOST_SHOWN if offset + MOST_SHOWN < len(mine) else None,
        "quoted": any(one.quoted for one in now),
        "leaks": [one for one in now if one.forbidden],
    }
    return render(request, "evaluation/page.html", context)


@for_curators("POST")
def delete(request: HttpRequest, run: int) -> HttpResponse:
    """Delete one run for good."""
    name = kept.delete(cast(Request, request).access, run)
    messages.success(request, _("The run of %(name)s is deleted.") % {"name": name})
    return redirect("evaluations")


def _drawn(line: Line) -> Drawn:
    before = line.before.figures if line.before else {}
    runs = list(reversed(line.runs))
    chart = charts.lines([run.at for run in runs], {name: [run.figures.get(name) for run in runs] for name in DRAWN})
    rows = [(run, {one.name: one for one in beside(run.figures, {}, only=SHORT)}) for run in line.runs]
    return Drawn(line, beside(line.latest.figures, before, only=SHORT), chart, rows)


def _asked(now: Sequence[Outcome], before: Sequence[Outcome]) -> Mapping[Show, Sequence[Asked]]:
    """The questions by what is shown of them."""
    known = {one.id: one for one in before}
    changed = figures.difference(now, before)
    better, worse = ({change.now.id for change in changes} for changes in (changed.better, changed.worse))
    asked = [Asked(one, known.get(one.id), "good" if one.id in better else "bad" if one.id in worse else "") for one in now]
    return {
        Show.ALL: asked,
        Show.WRONG: [one for one in asked if _is_wrong(one.now)],
        Show.BETTER: [one for one in asked if one.tone == "good"],
        Show.WORSE: [one for one in asked if one.tone == "bad"],
    }


def _is_wrong(one: Outcome) -> bool:
    """Another state than expected, or an answer that is not among the first ten documents."""
    lacks = one.expected is State.ANSWERABLE and (one.rank is None or one.rank > figures.DEPTH)
    return not one.right or lacks
