"""What checking an answer gives, in words: what a state is called, what it means, how it looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from evidence.answers.findings import Why
from evidence.answers.values import Support
from evidence.web.states import Words

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

SUPPORTS: Final[Mapping[Support, Words]] = {
    Support.SUPPORTED: Words(
        _("Quotes verified"),
        _("Every quote stands word for word where it is said to stand. Whether the sentence follows from it is yours to judge."),
        "good",
    ),
    Support.MISATTRIBUTED: Words(
        _("Stands elsewhere"),
        _("The words stand word for word in something that you may read, but not where they are said to stand."),
        "warn",
    ),
    Support.STITCHED: Words(
        _("Stitched together"),
        _("The parts of the quote stand in what is cited, but not together. What stands between them can change what they say."),
        "warn",
    ),
    Support.ABSENT: Words(
        _("Quote not found"),
        _("Nothing that is cited holds these words."),
        "bad",
    ),
    Support.AMBIGUOUS: Words(
        _("Several places"),
        _(
            "The sentence cites nothing. What it quotes stands word for word at several places that you may read; which one is "
            "meant is not said."
        ),
        "warn",
    ),
    Support.UNCITED: Words(
        _("No citation"),
        _("The sentence cites nothing, so there is nothing to compare."),
        "quiet",
    ),
    Support.FOUND: Words(
        _("Found at one place"),
        _(
            "The sentence cites nothing. What it quotes stands word for word at one place that you may read, and at no other. "
            "Whether the sentence follows from it is yours to judge."
        ),
        "good",
    ),
}
REASONS: Final[Mapping[Why, StrPromise]] = {
    Why.NO_WORDS: _("A place is cited, but no words that could be compared with it."),
    Why.UNAVAILABLE: _("What is cited is not available to you, and the words stand in nothing else that you may read."),
    Why.NOT_THERE: _("The words stand neither in what is cited nor in anything else that you may read."),
    Why.NOWHERE: _("The sentence cites nothing, and what it quotes stands nowhere that you may read."),
    Why.MANY: _(
        "The sentence cites nothing. What it quotes stands word for word at this place; its first words stand in so many "
        "passages that not all of them were looked at."
    ),
    Why.UNSOUGHT: _("This answer quotes more than is looked up at once, so this was not looked for."),
    Why.OUTSIDE: _(
        "These words in quotation marks stand word for word in the cited document, but in no quote that is cited from it."
    ),
}
