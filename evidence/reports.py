"""Reports of searches that did not find what somebody needed: sent by that person, worked off by curators, then wordless.

A report holds only what the person saw and let go. Its words are never logged and never audited; evidence.retention removes
them when their time is over, and leaves the row as a count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils import timezone

from evidence import audit, identity, removal
from evidence.access import Access
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.index.query import REFUSED_CATEGORIES
from evidence.index.questions import MAX_QUESTION
from evidence.models import SearchReport
from evidence.search import Mode

MAX_WISH: Final = 1_000
"""Characters that say what somebody was looking for."""
MAX_ANSWER: Final = 1_000
"""Characters of a curator's answer."""
PER_DAY: Final = 20
"""Reports of one person in 24 hours: more than anybody writes, and few enough for whoever reads them."""
PAGE: Final = 25
_DAY: Final = timedelta(days=1)
_CLOSING: Final = frozenset({SearchReport.State.DONE, SearchReport.State.DECLINED})


@dataclass(frozen=True, slots=True)
class Listed:
    """A part of a list. total: of the whole list."""

    rows: Sequence[SearchReport]
    total: int


@dataclass(frozen=True, slots=True)
class Tally:
    """How many reports a tenant has. wordless: open ones whose words are gone, which are in no list."""

    states: Mapping[str, int] = field(default_factory=dict)
    causes: Mapping[str, int] = field(default_factory=dict)
    wordless: int = 0


def send(access: Access, *, query: str, wish: str, mode: Mode, seen: int) -> UUID:
    """A new report; gives its id. seen: how many passages the search found. Raises Refused, and Unavailable for people without a
    tenant.
    """
    if access.user is None or access.tenant is None:
        raise Unavailable
    query = _words(query, "report_query_long", gettext_noop("The question has at most %(limit)d characters."), MAX_QUESTION)
    wish = _words(wish, "report_wish_long", gettext_noop("What you were looking for has at most %(limit)d characters."), MAX_WISH)
    if not query and not wish:
        raise Refused("report_empty", gettext_noop("The report holds no words. Say at least what you were looking for."))
    now = timezone.now()
    with transaction.atomic():
        if SearchReport.objects.filter(user=access.user, tenant=access.tenant, at__gt=now - _DAY).count() >= PER_DAY:
            message = gettext_noop("You have sent %(limit)d reports within a day. Send further ones tomorrow.")
            raise Refused("too_many_reports", message, limit=PER_DAY)
        row = SearchReport.objects.create(
            tenant_id=access.tenant, user_id=access.user, at=now, query=query, wish=wish, mode=mode, seen=seen
        )
        audit.by(access, "report.sent", report=row.public_id)
    return row.public_id


def own(access: Access, *, offset: int = 0) -> Listed:
    """The person's own reports in this tenant, the newest first."""
    rows = SearchReport.objects.filter(user=access.user, tenant=access.tenant)
    return Listed(list(rows[offset : offset + PAGE]), rows.count())


def delete(access: Access, report: UUID) -> None:
    """Remove one's own report, words and all. Raises Unavailable for any other."""
    with transaction.atomic():
        count, _ = SearchReport.objects.filter(public_id=report, user=access.user, tenant=access.tenant).delete()
        if not count:
            raise Unavailable
        audit.by(access, "report.deleted", report=report)
        removal.wipe_soon()


def to_work_off(access: Access, *, state: str = SearchReport.State.OPEN, offset: int = 0) -> Listed:
    """The tenant's reports in this state that still have words: open ones in the order in which they came, others the latest
    first. Raises Unavailable for people who are no curators.
    """
    rows = _of_tenant(access).filter(state=state, words_gone_at=None).select_related("user", "closed_by")
    rows = rows.order_by("at", "id") if state == SearchReport.State.OPEN else rows.order_by("-closed_at", "-id")
    return Listed(list(rows[offset : offset + PAGE]), rows.count())


def tally(access: Access) -> Tally:
    """How many there are by state (of those with words) and by cause (of all). Raises Unavailable for who is no curator."""
    rows = _of_tenant(access)
    kept = rows.filter(words_gone_at=None)
    wordless = rows.exclude(words_gone_at=None).filter(state=SearchReport.State.OPEN)
    return Tally(_counted(kept, "state"), _counted(rows.exclude(cause=""), "cause"), wordless.count())


def close(access: Access, report: UUID, *, state: str, cause: str, answer: str) -> None:
    """Say why it was not found and what was done; the person sees it.

    Raises Refused, also where somebody else has closed it meanwhile, and Unavailable.
    """
    answer = _words(answer, "report_answer_long", gettext_noop("An answer has at most %(limit)d characters."), MAX_ANSWER)
    if state not in _CLOSING:
        raise Refused("report_state", gettext_noop("Choose whether it is done or declined."))
    if cause not in SearchReport.Cause.values:
        raise Refused("report_cause", gettext_noop("Choose why it was not found."))
    rows = _of_tenant(access).filter(public_id=report)
    with transaction.atomic():
        count = rows.filter(state=SearchReport.State.OPEN, words_gone_at=None).update(
            state=state, cause=cause, answer=answer, closed_by=access.user, closed_at=timezone.now()
        )
        if count:
            audit.by(access, "report.closed", report=report)
    if not count:
        _explain(rows)


def reopen(access: Access, report: UUID) -> None:
    """Take back that it was closed; cause and answer stay, to be changed. Raises Refused and Unavailable."""
    rows = _of_tenant(access).filter(public_id=report)
    with transaction.atomic():
        count = rows.filter(state__in=_CLOSING, words_gone_at=None).update(
            state=SearchReport.State.OPEN, closed_by=None, closed_at=None
        )
        if count:
            audit.by(access, "report.reopened", report=report)
    if not count:
        _explain(rows)


def _of_tenant(access: Access) -> QuerySet[SearchReport]:
    if not identity.may_curate(access):
        raise Unavailable
    return SearchReport.objects.filter(tenant=access.tenant)


def _counted(rows: QuerySet[SearchReport], name: str) -> Mapping[str, int]:
    return {str(one[name]): one["count"] for one in rows.order_by().values(name).annotate(count=Count("pk"))}


def _explain(rows: QuerySet[SearchReport]) -> None:
    """Why a report could not be closed or reopened."""
    if not rows.exists():
        raise Unavailable
    raise Refused("report_changed", gettext_noop("This report has changed meanwhile. Look at it again."))


def _words(text: str, code: str, message: str, limit: int) -> str:
    """What was typed, with the line feeds of a text and without blanks at its ends."""
    text = text.replace("\r\n", "\n").strip()
    if len(text) > limit:
        raise Refused(code, message, limit=limit)
    if any(unicodedata.category(one) in REFUSED_CATEGORIES for one in text if one not in "\n\t"):
        raise Refused("report_control_character", gettext_noop("The text holds a control character. Please remove it."))
    return text
