"""manage.py createsource: say where documents come from, how often they are looked for, and how old their rights may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from evidence import audit, live, origins, outbound, runs, watching
from evidence.errors import EvidenceError
from evidence.management.command import EvidenceCommand
from evidence.management.people import find_groups, find_tenant, refusals_told
from evidence.models import Group, Source, SourceKind
from evidence.sources import Listing
from evidence.sources.kinds import KINDS
from evidence.sources.rules import checked_duration
from evidence.sources.trees.places import settled

NEVER: Final = "never"
TEXTS: Final = {
    "location": "location",
    "rules_location": "rules",
    "title": "title",
    "contact": "contact",
    "ask_url": "ask_url",
}
"""Field -> option."""
TIMES: Final = {"revocation_sla": "sla", "purge_after": "purge_after"}
PLACE: Final = ("location", "rules_location")


class Command(EvidenceCommand):
    """A source that exists gets what is given, and keeps the rest. A new place is tried first: nothing changes if that fails."""

    help = "Create a source, or change one: where its documents are, and how they are kept in line."

    def add_arguments(self, parser: CommandParser) -> None:
        """Everything that a source has; times as in 15m, 24h or 7d."""
        parser.add_argument("name", help="short name, as in addresses: letters, digits, hyphens")
        parser.add_argument("--tenant", required=True, help="short name of the tenant (manage.py createtenant)")
        parser.add_argument("--kind", choices=SourceKind.values, help="local: uploaded here; push: another system brings them")
        parser.add_argument("--location", help="of a folder: a path or an address (s3://, sftp:// ...); of git: the repository")
        parser.add_argument("--rules", help="another place of the rules file (default: fundstelle.toml beside the documents)")
        parser.add_argument("--title", help="what people call it")
        parser.add_argument("--contact", help="whom people ask")
        parser.add_argument("--every", help="how often the worker brings it in line; 'never' ends that")
        parser.add_argument("--watch", action="store_true", default=None, help="a changed file of a local folder starts a run")
        parser.add_argument("--no-watch", dest="watch", action="store_false", help="no longer")
        parser.add_argument("--sla", help="how old confirmed rights may be before the source closes")
        parser.add_argument("--sensitive", action="store_true", default=None, help="its origin is asked with every search")
        parser.add_argument("--not-sensitive", dest="sensitive", action="store_false", help="no longer")
        parser.add_argument("--ask-url", help="who answers for a sensitive source that is pushed")
        parser.add_argument("--announced-to", help="groups, with commas between them, that are told while it is withheld")
        parser.add_argument("--missing-share", type=float, help="a listing that misses more than this (0 to 1) closes the source")
        parser.add_argument("--purge-after", help="how long what left the source is kept, invisible")

    def handle(self, *, name: str, tenant: str, **options: Any) -> None:
        """Check, try, and write."""
        owner = find_tenant(tenant)
        row = Source.objects.filter(tenant=owner, name=name).select_related("tenant").first()
        before = None if row is None else _facts(row)
        row = row or Source(tenant=owner, name=name, kind=options["kind"] or SourceKind.FOLDER)
        groups = None if options["announced_to"] is None else find_groups(owner, _names(options["announced_to"]))
        try:
            _set(row, options)
            _check(row, options)
            is_moved = before is None or any(before[place] != getattr(row, place) for place in PLACE)
            listing = _listed(row) if is_moved and row.kind in KINDS else None
        except EvidenceError as error:
            raise CommandError(f"{error} [{error.code}]") from None
        did = _save(row, before, groups)
        self.stdout.write(f"{row} {did}" + ("" if listing is None else f": {_told(listing)}"))
        if row.kind in KINDS:
            when = "as soon as manage.py work runs" if row.sync_every else f"with: manage.py sync {name} --tenant {tenant}"
            self.stdout.write(f"It is brought in line {when}")
        if live.lacks_secret(row):
            self.stdout.write(f'Nobody reads it before FUNDSTELLE_CREDENTIALS names a secret: {live.SECRET} under ["{row}"]')


def _set(row: Source, options: Mapping[str, Any]) -> None:
    """Give the row what was said; the rest stays."""
    for name, key in TEXTS.items():
        if options[key] is not None:
            setattr(row, name, options[key])
    for name, key in TIMES.items():
        if options[key] is not None:
            setattr(row, name, checked_duration(options[key], f"--{key.replace('_', '-')}"))
    for name, key in (("watched", "watch"), ("sensitive", "sensitive"), ("max_missing_share", "missing_share")):
        if options[key] is not None:
            setattr(row, name, options[key])
    if options["every"] is not None:
        row.sync_every = None if options["every"] == NEVER else checked_duration(options["every"], "--every")
        row.next_sync_at = None if row.sync_every is None else timezone.now()
    row.location = _settled(row.kind, row.location)
    row.rules_location = _settled(row.kind, row.rules_location) if row.kind == SourceKind.FOLDER else row.rules_location


def _settled(kind: str, location: str) -> str:
    """The same place, whatever folder this process stands in."""
    if location and (kind == SourceKind.FOLDER or Path(location).exists()):
        return settled(location)
    return location


def _check(row: Source, options: Mapping[str, Any]) -> None:
    """Refuse what does not go together, with the way out."""
    kind = row.kind
    if options["kind"] not in {None, kind}:
        raise CommandError(f"The source {row.name!r} is of the kind {kind}, and stays so: create another one.")
    if kind in KINDS and not row.location:
        raise CommandError(f"A source of the kind {kind} needs a place: --location.")
    if kind not in KINDS and any(options[key] for key in ("location", "rules", "every", "watch")):
        raise CommandError(f"A source of the kind {kind} only receives: no --location, --rules, --every or --watch.")
    if row.watched and watching.folder_of(row) is None:
        raise CommandError("Only a folder on this machine can be watched: give --every, which works everywhere.")
    if row.sensitive and kind == SourceKind.LOCAL:
        raise CommandError("The rights of a local source are kept here: there is nobody to ask (--sensitive).")
    if row.ask_url and kind != SourceKind.PUSH:
        raise CommandError("--ask-url is for sources that are pushed: of others the origin itself is asked.")
    if row.ask_url:
        outbound.check(row.ask_url)
    if row.sensitive and kind == SourceKind.PUSH and not row.ask_url:
        raise CommandError("A sensitive source that is pushed needs --ask-url: who says what a person may read.")
    if not 0 <= row.max_missing_share <= 1:
        raise CommandError("--missing-share is a share: 0 to 1.")
    with refusals_told():
        row.full_clean(exclude=["announced_to", "title"] if not row.title else ["announced_to"])


def _listed(row: Source) -> Listing:
    """What is there now. Raises EvidenceError, also while a run of this source goes on."""
    try:
        with runs.alone(row) if row.pk else nullcontext():
            asked = origins.of(row)
            assert asked is not None  # of these kinds
            return asked.list()
    except OSError as error:
        raise CommandError(f"The place can't be reached: {error.strerror or type(error).__name__}") from None
    except BaseException:
        if not row.pk:
            origins.forget(row)
        raise


def _save(row: Source, before: Mapping[str, Any] | None, groups: Sequence[Group] | None) -> str:
    """Write it; gives what was done, in a word."""
    with transaction.atomic():
        row.save()
        origins.adopt(row)
        changed = before != _facts(row)
        if groups is not None and set(groups) != set(row.announced_to.all()):
            row.announced_to.set(groups)
            changed = True
        if changed:
            audit.record(row, "created" if before is None else "changed", actor=None)
    return "created" if before is None else "changed" if changed else "is as you say"


def _facts(row: Source) -> Mapping[str, Any]:
    """What somebody can set."""
    return {name: getattr(row, name) for name in (*TEXTS, *TIMES, "watched", "sensitive", "max_missing_share", "sync_every")}


def _names(text: str) -> Sequence[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _told(listing: Listing) -> str:
    documents = len({item.external_id for item in listing.items})
    files = "file" if len(listing.items) == 1 else "files"
    if len(listing.items) > documents:
        files = f"versions of {documents} document{'s' * (documents != 1)}"
    counts = (
        (len(listing.items), files),
        (len(listing.refusals), "refused"),
        (len(listing.unnamed), "that no rule names, so that nobody may read them"),
        (sum(listing.unread.values()), "of formats that are not read"),
    )
    told = ", ".join(f"{number} {what}" for number, what in counts if number)
    return (told or "nothing is there") + ("" if listing.complete else "; not everything can be seen")
