"""How states of citations, events of documents and kinds of changes are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from django import template
from django.utils.translation import gettext_lazy as _

from evidence.anchoring import State
from evidence.comparison import Change
from evidence.models import SourceKind
from evidence.succession import Outcome
from evidence.web.states import STATES

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

register = template.Library()

_EVENTS: Final[Mapping[str, StrPromise]] = {
    "document.added": _("Document taken in"),
    "document.withdrawn": _("Document withdrawn: it was gone from its source"),
    "document.restored": _("Document taken in again"),
    "document.purge_requested": _("Removal asked for"),
    "document.recalled": _("Document withdrawn by somebody who published it"),
    "revision.added": _("New version"),
    "revision.retired": _("Earlier version removed for its age"),
    "rights.changed": _("Rights changed"),
    "document.pushed": _("Sent by another system"),
    "rights.pushed": _("Rights sent by another system"),
}
_CHANGES: Final[Mapping[Change, StrPromise]] = {
    Change.SAME: _("equal"),
    Change.CHANGED: _("changed"),
    Change.REMOVED: _("removed"),
    Change.ADDED: _("added"),
    Change.MOVED_AWAY: _("moved away"),
    Change.MOVED_HERE: _("moved here"),
}
_OUTCOMES: Final[Mapping[Outcome, StrPromise]] = {
    Outcome.PROPOSED: _("Same words, one place"),
    Outcome.AMBIGUOUS: _("Same words, several places"),
    Outcome.GONE: _("Words are gone"),
}


@register.filter
def state_label(state: str) -> StrPromise:
    """The name of a state."""
    return STATES[State(state)].label


@register.filter
def state_meaning(state: str) -> StrPromise:
    """What a state means, in a sentence."""
    return STATES[State(state)].meaning


@register.filter
def state_tone(state: str) -> str:
    """How a state looks: good, warn, bad or quiet."""
    return STATES[State(state)].tone


@register.filter
def event_name(code: str) -> StrPromise | str:
    """What happened; a code without words stays as it is."""
    return _EVENTS.get(code, code)


@register.filter
def change_name(change: Change) -> StrPromise:
    """What happened to a passage."""
    return _CHANGES[change]


@register.filter
def outcome_name(outcome: Outcome) -> StrPromise:
    """What a dry run found."""
    return _OUTCOMES[outcome]


@register.filter
def source_kind_name(kind: str) -> str:
    """Where a source keeps its rights."""
    return str(SourceKind(kind).label)
