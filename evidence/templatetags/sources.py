"""How sources, runs and times are called on the administrators' pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from django import template
from django.utils.formats import number_format

from evidence.models import Receipt, Revocation, Run
from evidence.monitor import Concern
from evidence.web import charts
from evidence.web.conditions import (
    CONCERNS,
    FAULTS,
    LIVE,
    OPENNESS,
    OUTCOMES,
    PLACES,
    PROBLEMS,
    REMOVED,
    STANDING,
    lasting,
)

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

    from evidence.identity import Live, Openness, Standing

register = template.Library()
register.filter("lasting", lasting)


@register.filter
def openness_label(openness: Openness) -> StrPromise:
    """Whether a source is open, in a few words."""
    return OPENNESS[openness].label


@register.filter
def openness_meaning(openness: Openness) -> StrPromise:
    """What that means, and what to do."""
    return OPENNESS[openness].meaning


@register.filter
def openness_tone(openness: Openness) -> str:
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
def unsearched(receipt: Receipt) -> str:
    """Where nothing could be looked for."""
    return ", ".join(str(PLACES.get(place, place)) for place, count in receipt.traces.items() if count is None)
