"""How entries of knowledge and proposals are written: states, statuses, kinds, names of what becomes of an entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template

from evidence.models import Proposal
from evidence.web import saying
from evidence.web.states import Words

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

register = template.Library()


@register.filter
def entry_state(state: str) -> Words:
    """A state of an entry, in words."""
    return saying.STATES[state]


@register.filter
def proposal_state(state: str) -> Words:
    """A state of a proposal, in words."""
    return saying.PROPOSAL_STATES[state]


@register.filter
def decision_status(status: str) -> StrPromise:
    """How far a decision is."""
    return saying.STATUSES[status]


@register.filter
def kind_name(kind: str) -> StrPromise:
    """What an entry is."""
    return saying.KINDS[kind]


@register.filter
def action_name(action: str) -> str:
    """What becomes of an entry by a proposal."""
    return str(Proposal.Action(action).label)
