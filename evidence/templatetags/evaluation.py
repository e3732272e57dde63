"""How evaluations are written: states, modes, verdicts and figures in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from evidence.evaluation.figures import Given
from evidence.evaluation.questions import State
from evidence.web.figures import EXPECTED, GIVEN, MODES, VERDICTS, meaning, written
from evidence.web.states import Words

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

    from evidence.web.figures import Figure

register = template.Library()
register.filter("figure_meaning", meaning)


@register.filter
def expected_label(state: State) -> StrPromise:
    """What was expected of a question."""
    return EXPECTED[state]


@register.filter
def given_label(given: Given) -> StrPromise:
    """What the search said of it."""
    return GIVEN[given]


@register.filter
def mode_label(mode: str) -> StrPromise | str:
    """How questions were read; one without words stays as it is."""
    return MODES.get(mode, mode)


@register.filter
def verdict(passed: bool | None) -> Words:
    """Whether a run was good enough."""
    return VERDICTS[passed]


@register.filter
def share(value: float, name: str) -> str:
    """A figure of this name."""
    return written(name, value)


@register.filter
def value_of(figures: dict[str, Figure], name: str) -> str:
    """The value of one of these figures; a dash where there is none."""
    return figures[name].value if name in figures else "–"
