"""Kept runs: what each evaluation gave, in ids and numbers, compared with the one before. They stay until somebody deletes them.

Curators and administrators of a tenant see its runs. Nobody else can tell that there are any.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import transaction

from evidence import identity
from evidence.access import Access
from evidence.errors import Refused, Unavailable
from evidence.evaluation import figures
from evidence.evaluation.figures import Difference, Outcome
from evidence.evaluation.questions import QuestionSet
from evidence.models import AuditEvent, Evaluation, Tenant
from evidence.search import Mode

LINE: Final = 30
"""Runs of a set that are drawn: as many as can be told apart on a phone."""
LISTED: Final = 1_000
"""Runs of a tenant that its page looks at, the latest ones."""
_NAME: Final = re.compile(r"[\w.+@-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Line:
    """The runs of one set in one mode, the latest first. total: with those that are not among them."""

    name: str
    mode: str
    runs: Sequence[Evaluation]
    total: int

    @property
    def latest(self) -> Evaluation:
        """The last one."""
        return self.runs[0]

    @property
    def before(self) -> Evaluation | None:
        """The one before that."""
        return self.runs[1] if len(self.runs) > 1 else None


def checked_name(name: str) -> str:
    """A name that a set of questions may have: it is kept and shown. Raises Refused."""
    if not _NAME.fullmatch(name):
        raise Refused("evaluation_name", "a set's name is 1 to 64 of the characters A-Z a-z 0-9 _ . + @ -: give one with --name")
    return name


def keep(
    tenant: Tenant,
    asked: QuestionSet,
    mode: Mode,
    outcomes: Sequence[Outcome],
    found: Mapping[str, float],
    *,
    thresholds: Mapping[str, float],
    passed: bool | None,
) -> Evaluation:
    """Write a run down."""
    return Evaluation.objects.create(
        tenant=tenant,
        name=asked.name,
        digest=asked.digest,
        version=settings.VERSION,
        settings={"mode": mode.value, "thresholds": dict(thresholds)},
        figures=dict(found),
        results=[one.to_json() for one in outcomes],
        forbidden=int(found["forbidden_hits"]),
        passed=passed,
        seconds=found["seconds"],
    )


def latest(tenant: Tenant, name: str, mode: Mode) -> Evaluation | None:
    """The last run of a set in a mode that was kept."""
    return Evaluation.objects.filter(tenant=tenant, name=name, settings__mode=mode.value).first()


def outcomes(run: Evaluation) -> list[Outcome]:
    """What came of each question, in their order."""
    return [Outcome.of_json(kept) for kept in run.results]


def lines(access: Access) -> Sequence[Line]:
    """All sets and modes of the tenant with their latest runs, the set that ran last first. Raises Unavailable."""
    found: dict[tuple[str, str], list[Evaluation]] = {}
    for run in _mine(access).defer("results")[:LISTED]:
        found.setdefault((run.name, mode_of(run)), []).append(run)
    return [Line(name, mode, runs[:LINE], len(runs)) for (name, mode), runs in found.items()]


def one(access: Access, run: int) -> tuple[Evaluation, Evaluation | None]:
    """A run, and the one before it of the same set in the same mode. Raises Unavailable."""
    row = _mine(access).filter(pk=run).first()
    if row is None:
        raise Unavailable
    same = _mine(access).filter(name=row.name, settings__mode=mode_of(row))
    return row, same.filter(at__lte=row.at, pk__lt=row.pk).first()


def delete(access: Access, run: int) -> str:
    """Delete a run for good; gives the name of its set. Raises Unavailable."""
    with transaction.atomic():
        row, _ = one(access, run)
        key, name = row.pk, row.name
        row.delete()
        AuditEvent.objects.create(
            tenant_id=access.tenant, actor_id=access.user, code="evaluation.deleted", ids={"evaluation": key}
        )
    return name


def differences(run: Evaluation, before: Evaluation) -> Difference:
    """Question by question."""
    return figures.difference(outcomes(run), outcomes(before))


def mode_of(run: Evaluation) -> str:
    """How its questions were read."""
    return str(run.settings.get("mode", ""))


def _mine(access: Access) -> Any:
    if not identity.may_curate(access):
        raise Unavailable
    return Evaluation.objects.filter(tenant=access.tenant)
