"""The states of a citation in words: what it is called, what it means, how it looks. The sign is drawn by the style sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from evidence.anchoring import State

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise


@dataclass(frozen=True, slots=True)
class Words:
    """A state's name and meaning. tone: "good", "warn", "bad" or "quiet", never the only thing that tells states apart."""

    label: StrPromise
    meaning: StrPromise
    tone: str


STATES: Final[Mapping[State, Words]] = {
    State.RESOLVED: Words(
        _("Holds"),
        _("The words stand in the current text, in one place only, and exactly at the cited one."),
        "good",
    ),
    State.UNAVAILABLE: Words(
        _("Not available"),
        _("This is not available to you."),
        "quiet",
    ),
    State.INVALID_ANCHOR: Words(
        _("Not a valid anchor"),
        _("What is stored or was sent describes no place in a text, so nothing can be checked."),
        "bad",
    ),
    State.SOURCE_CHANGED: Words(
        _("Document changed"),
        _("The original or its version label is another one than when this was cited."),
        "warn",
    ),
    State.PARSER_CHANGED: Words(
        _("Read by another parser"),
        _("The original is the same, but its text is extracted by another parser or with other settings than it was then."),
        "warn",
    ),
    State.PROFILE_CHANGED: Words(
        _("Normalised differently"),
        _("Original and parser are the same, but the text is normalised by another profile than when this was cited."),
        "warn",
    ),
    State.TEXT_CHANGED: Words(
        _("Text differs"),
        _("Original, parser and profile are the same, and yet the text has another hash. That should not happen."),
        "bad",
    ),
    State.QUOTE_NOT_FOUND: Words(
        _("Words not found"),
        _("The text is the cited one, but these words, with what is said to stand around them, do not stand in it."),
        "bad",
    ),
    State.AMBIGUOUS: Words(
        _("More than one place"),
        _("These words, with what stands around them, stand in the text more than once. Which place was meant can’t be proven."),
        "warn",
    ),
    State.POSITION_MISMATCH: Words(
        _("Another position"),
        _("The words stand in the text once, but not at the stored position. Nothing is moved there by itself."),
        "bad",
    ),
}
