"""How sources, runs and times are called on the administrators' pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext

from evidence import remains as remains_of
from evidence.models import Receipt, Revocation, Run, SourceKind
from evidence.monitor import Concern
from evidence.sources import problems
from evidence.web import charts
from evidence.web.conditions import (
    CONCERNS,
    FAULTS,
    LIVE,
    OPENNESS,
    OUTCOMES,
    PLACES,
    PROBLEMS,
    PUSHED,
    REMOVED,
    STANDING,
    UNSEARCHED,
    lasting,
)

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

    from evidence.identity import Live, Openness, Standing

register = template.Library()
register.filter("lasting", lasting)


@register.filter
def openness_label(openness: Openness | Concern) -> StrPromise:
    """Whether a source is open, in a few words."""
    return OPENNESS[openness].label


@register.filter
def openness_meaning(openness: Openness | Concern, kind: str) -> StrPromise:
    """What that means for a source of this kind, and what to do."""
    meaning = OPENNESS[openness].meaning
    return PUSHED.get(openness, meaning) if kind == SourceKind.PUSH else meaning


@register.filter
def openness_tone(openness: Openness | Concern) -> str:
    """How that looks."""
    return OPENNESS[openness].tone


@register.filter
def concern_words(concern: Concern) -> StrPromise:
    """What an administrator should look at."""
    return CONCERNS[concern]


@register.filter
def problem_words(code: str) -> StrPromise | str:
    """What a code means; one without words stays as it is."""
    return PROBLEMS.get(code, code)


@register.filter
def rights_problem_words(problem: str) -> str:
    """Why a document's rights can't be used; a text that was not made here stays as it is."""
    found = problems.told(problem)
    return problem if found is None else gettext(found[0]) % found[1]


@register.filter
def outcome_label(outcome: str) -> StrPromise:
    """How a run ended."""
    return OUTCOMES[outcome].label


@register.filter
def outcome_tone(outcome: str) -> str:
    """How that looks."""
    return OUTCOMES[outcome].tone


@register.filter
def standing_words(standing: Standing) -> StrPromise:
    """Whether somebody counts as a member."""
    return STANDING[standing]


@register.filter
def live_words(live: Live) -> StrPromise:
    """What the origin says at this moment."""
    return LIVE[live]


@register.filter
def revocation_time(revocation: Revocation) -> timedelta | None:
    """From the origin to the effect; None where the origin does not say when it was."""
    return charts.lasted(revocation)


@register.filter
def took(run: Run) -> str:
    """How long a run took; "" for one that goes on."""
    return "" if run.finished_at is None else lasting(max(run.finished_at - run.started_at, timedelta()))


@register.filter
def changed(run: Run) -> int:
    """Documents of which a run changed anything."""
    return int(run.counts.get("changed", 0)) + int(run.counts.get("updated", 0))


@register.filter
def fault_words(code: str) -> StrPromise | str:
    """What a sample found wrong with a document."""
    return FAULTS.get(code, code)


@register.filter
def removed(receipt: Receipt) -> str:
    """What was removed, in numbers."""
    counted = (f"{REMOVED.get(kind, kind)}: {number_format(count)}" for kind, count in receipt.counts.items() if count)
    return ", ".join(counted) or "–"


@register.filter
def remains(receipt: Receipt) -> Sequence[str]:
    """Where something was found afterwards, with how often."""
    return [f"{PLACES.get(place, place)}: {number_format(count)}" for place, count in receipt.traces.items() if count]


@register.filter
def unsearched(receipt: Receipt) -> Sequence[str]:
    """Where nothing was looked for, and why."""
    found = remains_of.unsearched(receipt.traces)
    return [
        words % {"places": ", ".join(str(PLACES.get(place, place)) for place, why in found.items() if why is one)}
        for one, words in UNSEARCHED.items()
        if one in found.values()
    ]
