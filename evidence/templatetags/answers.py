"""How states of checked answers are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from evidence.answers.findings import Why
from evidence.answers.values import Support
from evidence.web.supports import REASONS, SUPPORTS

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

register = template.Library()


@register.filter
def support_label(state: str) -> StrPromise:
    """The name of a state."""
    return SUPPORTS[Support(state)].label


@register.filter
def support_meaning(state: str) -> StrPromise:
    """What a state means, in a sentence."""
    return SUPPORTS[Support(state)].meaning


@register.filter
def support_tone(state: str) -> str:
    """How a state looks."""
    return SUPPORTS[Support(state)].tone


@register.filter
def why_absent(why: str) -> StrPromise | str:
    """Why nothing was verified; "" where something was."""
    return REASONS.get(Why(why), "")
