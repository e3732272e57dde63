"""Live questions: what the origins of sensitive sources say at this moment, of one person and the classes that are stored for it.

Asked whenever an Access is built, and kept nowhere. All sources are asked side by side, within ANSWERS_WITHIN altogether; whoever
does not answer in time has not confirmed anything. What hangs keeps a thread until it returns, so threads are bounded for each
source and for this process, and an origin whose places are all taken by questions that are late is not asked again meanwhile.
Only the asking goes on in threads: they know no database.

- folder, git: the stamp of what states the rights is the one that was confirmed: all classes hold as they are stored. Else a
  class holds when the origin has each of its documents, and allows this person each of them (itself or by a group) without
  denying it; a document that is gone or whose rights have a problem is a no.
- push: the system that pushes is asked at the source's address, with a secret that only the two know.
- local: rights are kept here, and what is kept here is confirmed.
"""

from __future__ import annotations

import json
import logging
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from django.conf import settings
from django.contrib.auth.models import User

from evidence import origins, outbound
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.grants import Grant, Principals
from evidence.models import Document, Group, Source, SourceKind
from evidence.patience import Late, Patience, Pending, as_they_come, at_once
from evidence.sources import Rights
from evidence.sources import Source as Asked

ANSWERS_WITHIN: Final = 1.0
"""Seconds for all questions of one request; no answer by then is a no."""
SECRET: Final = "ask_secret"
"""What the operator's credentials call the secret that comes with a question to a pushing system."""
_TAKEN_UP: Final = 4
"""Questions to one source at once, in one process: as many as it has threads for people."""

_questions = Patience(each=_TAKEN_UP, altogether=32)
logger = logging.getLogger(__name__)

T = TypeVar("T")
Confirmed = Collection[int] | None
"""Classes that are confirmed; None: there was no answer in time."""


@dataclass(frozen=True, slots=True)
class _Person:
    """Who asks, by keys, and when there must be an answer."""

    user: int
    groups: frozenset[int]
    denying: frozenset[int]
    until: float


def confirmed(
    classes: Mapping[int, Collection[int]], *, user: int, groups: Collection[int], denying: Collection[int] = ()
) -> Mapping[int, Collection[int] | None]:
    """For each source (its key), those of these access classes that its origin confirms for this person now.

    denying: further groups that the person may be in. None: there was no answer in time. A source that is not named is not asked.
    """
    if not classes:
        return {}
    person = _Person(user, frozenset(groups), frozenset(groups).union(denying), time.monotonic() + ANSWERS_WITHIN)
    rows = {row.pk: row for row in Source.objects.filter(pk__in=classes).select_related("tenant")}
    first = {pk: _first(row, person) for pk, row in rows.items()}
    then: dict[int, Callable[[], Confirmed]] = {}
    for pk in as_they_come(first, until=person.until):
        then[pk] = _tried(pk, partial(_second, rows[pk], first[pk], classes[pk], person)) or _no_answer
    return {pk: _tried(pk, then.get(pk, _no_answer)) for pk in classes}


def lacks_secret(source: Source) -> bool:
    """Whether the system that pushes to this sensitive source can't be asked, as the operator's credentials hold no secret."""
    return source.sensitive and source.kind == SourceKind.PUSH and not _secret(source)


def _secret(source: Source) -> str:
    return settings.CREDENTIALS.get(str(source), {}).get(SECRET, "")


def _tried(source: int, call: Callable[[], T]) -> T | None:
    """What this gives; None for whatever goes wrong."""
    try:
        return call()
    except Late:
        code = "late"
    except EvidenceError as error:
        code = error.code
    except Exception as error:  # an origin may break in any way, and nobody reads more for that
        code = type(error).__name__
    logger.warning("live: source %s gave no answer: %s", source, code)
    return None


def _no_answer() -> None:
    return None


def _first(row: Source, person: _Person) -> Pending[Any]:
    """Begin the first question to this source. Rights that are kept here need none."""
    match row.kind:
        case SourceKind.LOCAL:
            return at_once(True)
        case SourceKind.PUSH:
            return _questions.begin(row.pk, _ask_there(row, person), until=person.until)
        case _:
            return _questions.begin(row.pk, partial(_stamped, row), until=person.until)


def _second(row: Source, first: Pending[Any], classes: Collection[int], person: _Person) -> Callable[[], Confirmed]:
    """A way to wait for what is confirmed, now that the first answer is there; another question is begun if it takes one."""
    if row.kind in {SourceKind.LOCAL, SourceKind.PUSH}:
        yes = first.result()
        return lambda: classes if yes else ()
    asked, stamp = first.result()
    if stamp and stamp == row.rights_stamp:
        return lambda: classes
    paths = _paths(classes)
    every = {path for some in paths.values() for path in some}
    stated = _questions.begin(row.pk, partial(asked.rights, every), until=person.until)
    return lambda: _held(row, paths, stated.result(), classes, person)


def _stamped(row: Source) -> tuple[Asked, str]:
    """What can be asked, and the stamp of what states its rights now."""
    asked = origins.of(row)
    if asked is None:
        raise Refused("origin_unasked", gettext_noop("A source of this kind can't be asked."))
    return asked, asked.stamp()


def _held(
    row: Source,
    paths: Mapping[int, Sequence[str]],
    stated: Mapping[str, Rights],
    classes: Collection[int],
    person: _Person,
) -> Collection[int]:
    """Those classes of which this person may read every document, by what is stated now."""
    principals = Principals(row.tenant_id)
    allowed = {path for path, rights in stated.items() if _allows(principals.grant(rights), person)}
    return {one for one in classes if allowed.issuperset(paths[one])}


def _paths(classes: Collection[int]) -> Mapping[int, Sequence[str]]:
    """Of the current state of each document that can be read, by its class."""
    rows = Document.objects.filter(access_class__in=classes, withdrawn_at=None, current__isnull=False)
    paths: defaultdict[int, list[str]] = defaultdict(list)
    for one, path in rows.values_list("access_class", "current__revision__path"):
        paths[one].append(path)
    return paths


def _allows(grant: Grant, person: _Person) -> bool:
    """Whether these rights let this person in. A problem allows nobody: such a grant has no lists."""
    allowed = person.groups.intersection(grant.allow_groups) or person.user in grant.allow_users
    return bool(allowed) and not person.denying.intersection(grant.deny_groups) and person.user not in grant.deny_users


def _ask_there(row: Source, person: _Person) -> Callable[[], bool]:
    """A way to ask the system that pushes to this source."""
    question = {
        "source": row.name,
        "user": User.objects.get(pk=person.user).username,
        "groups": sorted(Group.objects.filter(pk__in=person.groups).values_list("name", flat=True)),
    }
    return partial(_post, row.ask_url, question, _secret(row), person.until)


def _post(url: str, question: Mapping[str, object], secret: str, until: float) -> bool:
    """Whether the other system says yes. Raises EvidenceError for what is neither yes nor no."""
    if not url or not secret:
        raise Refused("live_not_set_up", gettext_noop("This source has no address to ask, or no secret to ask with."))
    left = max(until - time.monotonic(), 0)
    status, body = outbound.post(url, question, timeout=left, headers={"Authorization": f"Bearer {secret}"})
    try:
        answer = json.loads(body) if status == 200 else None
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict) or not isinstance(answer.get("allowed"), bool):
        raise outbound.Unanswered("live_no_answer", gettext_noop("The answer is neither yes nor no."))
    return answer["allowed"] is True
