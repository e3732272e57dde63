"""Forms that do something whose answer is shown only once, so that they can't lead on to a page: each counts once.

Reloading that answer sends the form again. A form carries a value of its own; the session knows those that were used.
"""

from __future__ import annotations

import secrets
from typing import Final

from evidence.web.request import Request

FIELD: Final = "once"
"""Of the form and of templates that hold one."""
MOST_KEPT: Final = 20
"""Used values of one session: whoever reloads an older answer than that has done much since."""
_USED: Final = "used_forms"
_LONGEST: Final = 100
"""Characters of a value that are kept: ours are shorter, and what else is sent must not fill the session."""


def fresh() -> str:
    """A value for a form that is shown."""
    return secrets.token_urlsafe(12)


def was_used(request: Request, value: str) -> bool:
    """Whether a form with this value has done its work in this session. One without a value was not shown here."""
    return bool(value) and value[:_LONGEST] in request.session.get(_USED, [])


def use(request: Request, value: str) -> None:
    """It has done its work."""
    if value:
        request.session[_USED] = [*request.session.get(_USED, []), value[:_LONGEST]][-MOST_KEPT:]
