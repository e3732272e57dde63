"""Claims: what an identity provider says of a person, read from the claims of a token that has been validated already.

Pure. A claim that is missing, of another kind or too long never becomes a group: then the person's groups are unknown, which is
something else than having none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from evidence.errors import Refused, gettext_noop

MAX_SUBJECT: Final = 255
"""Characters of a subject; OpenID Connect Core 1.0, section 2, allows no more."""
MAX_GROUPS: Final = 1_000
"""Groups of one person. Providers that have more to say stop at 200 or at the size of a header."""
MAX_GROUP: Final = 300
"""Characters of a group's id: what the column holds."""
MAX_NAME: Final = 150
"""Characters of a name that is shown: what Django's columns hold."""


class GroupsUnknown(StrEnum):
    """Why a token does not say in which groups the person is."""

    MISSING = "missing"
    MALFORMED = "malformed"
    TOO_MANY = "too_many"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True)
class Names:
    """What to call a person. For eyes only: no right depends on it."""

    user: str = ""
    given: str = ""
    family: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """What the provider says of one person. groups: their ids there, or why they are unknown."""

    subject: str
    issued_at: datetime
    groups: frozenset[str] | GroupsUnknown
    names: Names = Names()


def read(claims: Mapping[str, object], *, subject: str, groups: str) -> Stated:
    """Read these claims. subject, groups: the claims that hold the person's id and groups.

    Raises Refused when they do not say who the person is.
    """
    return Stated(
        subject=subject_of(claims.get(subject)),
        issued_at=_time(claims.get("iat")),
        groups=groups_of(claims, groups),
        names=Names(
            user=shown(claims.get("preferred_username")),
            given=shown(claims.get("given_name")),
            family=shown(claims.get("family_name")),
        ),
    )


def subject_of(value: object) -> str:
    """A subject as it must be. Raises Refused."""
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_SUBJECT or not value.isascii() or not value.isprintable():
        raise Refused("oidc_subject", gettext_noop("The identity provider does not say who you are in a way that is understood."))
    return value


def groups_of(claims: Mapping[str, object], name: str) -> frozenset[str] | GroupsUnknown:
    """The ids in this claim. One text is one group, as some providers write it."""
    elsewhere = claims.get("_claim_names")
    if claims.get("hasgroups") or (isinstance(elsewhere, Mapping) and name in elsewhere):
        return GroupsUnknown.ELSEWHERE
    stated = claims.get(name)
    if stated is None:
        return GroupsUnknown.MISSING
    values = [stated] if isinstance(stated, str) else stated
    if not isinstance(values, list) or not all(_is_group(one) for one in values):
        return GroupsUnknown.MALFORMED
    return frozenset(values) if len(values) <= MAX_GROUPS else GroupsUnknown.TOO_MANY


def shown(value: object) -> str:
    """A name as it may be shown: one line, without what turns or hides letters; empty for anything that is no text."""
    if not isinstance(value, str):
        return ""
    kept = "".join(" " if one.isspace() else one for one in value[: 4 * MAX_NAME] if one.isspace() or _is_shown(one))
    return " ".join(unicodedata.normalize("NFC", kept).split())[:MAX_NAME].strip()


def _is_shown(character: str) -> bool:
    return unicodedata.category(character)[0] != "C"


def _is_group(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= MAX_GROUP and value.isprintable()


def _time(value: object) -> datetime:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _undated()
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        raise _undated() from None


def _undated() -> Refused:
    return Refused("oidc_undated", gettext_noop("The identity provider does not say when it said who you are."))
