"""What can go wrong, each kind with a stable code.

A message is an English template with named values; an interface translates the template and fills it in (`str(error)` is
the English). Messages name what a person can act on, never a quote, a query or anything about what that person may not read.
"""

from __future__ import annotations


def gettext_noop(message: str) -> str:
    """Mark a template for translation (found by name when messages are collected); the text itself stays English."""
    return message


class EvidenceError(Exception):
    """Base of all errors that are meant to be shown. `code` is stable; `values` fill `template`."""

    def __init__(self, code: str, template: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.template = template
        self.values = values

    def __str__(self) -> str:
        return self.template % self.values


class Refused(EvidenceError):
    """The input breaks a rule that is written down; nothing was changed."""


class TooLarge(Refused):
    """More bytes were sent than are taken."""


class Unavailable(EvidenceError):
    """Unknown, forbidden, deleted or withheld: one answer for all of them."""

    def __init__(self) -> None:
        super().__init__("unavailable", gettext_noop("This is not available to you."))


class Busy(EvidenceError):
    """Somebody else is at work there; nothing was changed, and asking again soon helps."""

    def __init__(self) -> None:
        super().__init__("busy", gettext_noop("Something else is being done with this at the moment. Ask again soon."))


class TooOften(EvidenceError):
    """It was asked for again and again within a minute; nothing was changed, and waiting for the next one helps."""


class Ambiguous(EvidenceError):
    """The words occur more than once and no context tells the places apart."""


class Outdated(EvidenceError):
    """A position or state was named that is no longer the current one; nothing was changed."""


class IndexFault(EvidenceError):
    """The index is missing, of another format, or busy; searching waits until it has been rebuilt."""
