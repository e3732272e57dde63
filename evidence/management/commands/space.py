"""manage.py space: spaces of knowledge listed and created; one written to a folder, and one proposed from a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.db.models import Count, Q

from evidence import audit
from evidence.errors import EvidenceError
from evidence.knowledge import exchange, folders, transfer
from evidence.knowledge.exchange import Faulty
from evidence.knowledge.transfer import Taken
from evidence.management.command import EvidenceCommand
from evidence.management.people import find_access, find_tenant, refusals_told
from evidence.models import Entry, Group, Space, Tenant

SHOWN: Final = 200
"""Faults that are told at once; who mends these sees the rest."""


class Command(EvidenceCommand):
    """Prints short names, places and counts, never words of an entry."""

    help = "List or create spaces of knowledge, write what a person may read of one to a folder, propose what a folder says."

    def add_arguments(self, parser: CommandParser) -> None:
        """One of four things to do."""
        what = parser.add_subparsers(dest="what", required=True, metavar="list|create|export|import")
        listed = what.add_parser("list", help="short names, groups that may read, and how many entries")
        created = what.add_parser("create", help="a new space; run again it changes title, text and groups that are given")
        created.add_argument("slug", help="short name, as addresses have it")
        created.add_argument("--title", help="needed for a new one")
        created.add_argument("--text", help="what it is for")
        created.add_argument(
            "--group", action="append", default=[], metavar="NAME", help="who may read it, several times; all members without"
        )
        exported = what.add_parser("export", help="write what a person may read")
        exported.add_argument("space", help="short name of the space")
        exported.add_argument("folder", type=Path)
        exported.add_argument("--replace", action="store_true", help="replace an earlier export in this folder")
        imported = what.add_parser("import", help="propose what a folder says otherwise than the space; reviewers decide")
        imported.add_argument("folder", type=Path)
        imported.add_argument("--into", default="", metavar="SPACE", help="another space than the one that the folder names")
        imported.add_argument("--why", default="Import of a folder.", help="what reviewers read (default: %(default)s)")
        imported.add_argument("--dry-run", action="store_true", help="say what would be proposed, and change nothing")
        for one in (listed, created, exported, imported):
            one.add_argument("--tenant", required=True, help="short name of the tenant")
        for one in (exported, imported):
            one.add_argument("--as", dest="person", required=True, metavar="PERSON", help="whose rights count")

    def handle(self, *, what: str, tenant: str, **options: object) -> None:
        """Do it."""
        try:
            getattr(self, f"_{what}")(tenant, options)
        except Faulty as error:
            for fault in error.faults[:SHOWN]:
                self.stderr.write(f"{fault.where}: {fault.error} [{fault.error.code}]")
            raise CommandError(str(error)) from None
        except EvidenceError as error:
            raise CommandError(f"{error} [{error.code}]") from None

    def _list(self, tenant: str, options: dict[str, object]) -> None:
        rows = find_tenant(tenant).spaces.prefetch_related("allowed").order_by("slug")
        states = (Entry.State.ACCEPTED, Entry.State.DEPRECATED, Entry.State.PROPOSED)
        counts = {state.value: Count("entries", filter=Q(entries__state=state)) for state in states}
        for row in rows.annotate(**counts):
            told = ", ".join(f"{getattr(row, state.value)} {state.value}" for state in states)
            self.stdout.write(f"{row.slug}: readable by {_readers(row)}; {told}")

    @transaction.atomic
    def _create(self, tenant: str, options: dict[str, Any]) -> None:
        owner = find_tenant(tenant)
        row = owner.spaces.filter(slug=options["slug"]).first()
        change = "created" if row is None else "changed"
        if row is None:
            if not options["title"]:
                raise CommandError("A new space needs --title.")
            row = Space(tenant=owner, slug=options["slug"])
        for name in ("title", "text"):
            if options[name] is not None:
                setattr(row, name, options[name])
        with refusals_told():
            row.full_clean()
        row.save()
        if options["group"]:
            row.allowed.set(_groups(owner, options["group"]))
        audit.record(row, change, actor=None)
        self.stdout.write(f"Space {tenant}/{row.slug} {change}: readable by {_readers(row)}.")

    def _export(self, tenant: str, options: dict[str, Any]) -> None:
        files = transfer.export(find_access(tenant, options["person"]), options["space"])
        folders.write(options["folder"], files, replace=options["replace"])
        self.stdout.write(f"Files written: {len(files)}.")

    def _import(self, tenant: str, options: dict[str, Any]) -> None:
        access = find_access(tenant, options["person"])
        whole = exchange.read(folders.read(options["folder"]))
        found = transfer.take_in(access, whole, space=options["into"], why=options["why"], dry_run=options["dry_run"])
        self._tell(found, "Would be proposed" if options["dry_run"] else "Proposed")

    def _tell(self, found: Taken, done: str) -> None:
        proposed = ", ".join(f"{count} to {action}" for action, count in sorted(found.proposed.items())) or "nothing"
        self.stdout.write(f"{done}: {proposed}. Unchanged: {found.unchanged}. Proposed by this person already: {found.waiting}.")
        if found.cited:
            self.stdout.write(f"Citations made anew, of words that stand in the current texts: {found.cited}.")
        if found.left:
            self.stdout.write(f"Deprecated in the folder and unknown in this space, so left out: {found.left}.")
        if found.about_differs:
            self.stdout.write("Title or text of the space differ from space.md and stay: an administrator changes them.")


def _groups(owner: Tenant, names: Sequence[str]) -> Sequence[Group]:
    """The tenant's groups of these names, an identity provider's too: who is in them is not said here."""
    found = list(owner.groups.filter(name__in=names))
    missing = sorted(set(names) - {group.name for group in found})
    if missing:
        raise CommandError(
            f"Tenant {owner.slug!r} has no group {', '.join(map(repr, missing))}. Create it: manage.py creategroup"
        )
    return found


def _readers(row: Space) -> str:
    return ", ".join(sorted(group.name for group in row.allowed.all())) or "all members"
