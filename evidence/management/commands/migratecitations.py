"""manage.py migratecitations: what the page for editors does, for all citations at once, as after a parser upgrade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from evidence import succession
from evidence.access import Access
from evidence.errors import EvidenceError
from evidence.management.command import EvidenceCommand
from evidence.management.people import find_access
from evidence.succession import MAX_CITATIONS, Outcome, Proposal


class Command(EvidenceCommand):
    """Prints ids, states and outcomes, never words. Without --approve nothing is changed."""

    help = "Give citations that no longer hold successors, where the same words stand in the current text once."

    def add_arguments(self, parser: CommandParser) -> None:
        """Tenant, editor, document, approval."""
        parser.add_argument("--tenant", required=True, help="short name of the tenant")
        parser.add_argument(
            "--user", required=True, help="the editor in whose name it is done; only what they may read is touched"
        )
        parser.add_argument("--document", type=UUID, help="id of one document; all unless told")
        parser.add_argument("--approve", action="store_true", help="make the successors that are proposed")

    def handle(self, *, tenant: str, user: str, document: UUID | None, approve: bool, **options: object) -> None:
        """Dry run, then the successors when they are approved."""
        access = find_access(tenant, user)
        try:
            found = list(_proposals(access, document))
            for one in found:
                self.stdout.write(f"{one.outcome:<10} {one.state:<16} {one.id} document {one.card.id}")
            self.stdout.write(self._summary(found))
            if approve:
                self._approve(access, [one.id for one in found if one.outcome is Outcome.PROPOSED])
        except EvidenceError as error:
            raise CommandError(f"{error} [{error.code}]") from None

    @staticmethod
    def _summary(found: list[Proposal]) -> str:
        counts = Counter(one.outcome for one in found)
        return ", ".join(f"{counts[outcome]} {outcome}" for outcome in Outcome)

    def _approve(self, access: Access, proposed: list[UUID]) -> None:
        made = 0
        for batch in _batches(proposed):
            made += len(succession.approve(access, batch))
        self.stdout.write(f"Successors made: {made}; the old citations are unchanged.")


def _proposals(access: Access, document: UUID | None) -> Iterator[Proposal]:
    for offset in range(0, succession.waiting(access, document=document), MAX_CITATIONS):
        yield from succession.propose(access, document=document, offset=offset)


def _batches(ids: list[UUID]) -> Iterator[list[UUID]]:
    for offset in range(0, len(ids), MAX_CITATIONS):
        yield ids[offset : offset + MAX_CITATIONS]
