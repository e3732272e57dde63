"""Plain functions that build what tests need: real rows, real files, the real import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import User
from django.utils import timezone

from evidence import identity, ingest, origins
from evidence.access import Access
from evidence.intake import Report
from evidence.models import Document, Group, Membership, Role, Source, SourceKind, Tenant
from evidence.sources import NOTHING_SET, Listing

PASSWORD = "richtig-langes-Kennwort-7"


def tenant(slug: str = "lindenau") -> Tenant:
    """A tenant; the same one for the same name."""
    return Tenant.objects.get_or_create(slug=slug, defaults={"name": slug.title(), "contact": f"{slug}@example.org"})[0]


def group(name: str = "alle", *, of: Tenant | None = None) -> Group:
    """A group; the same one for the same name."""
    return Group.objects.get_or_create(tenant=of or tenant(), name=name)[0]


def person(
    name: str, groups: Sequence[str] = (), *, of: Tenant | None = None, active: bool = True, role: str = Role.READER
) -> User:
    """A user with a membership in the tenant."""
    user = User.objects.filter(username=name).first() or User.objects.create_user(name, password=PASSWORD)
    membership = Membership.objects.create(user=user, tenant=of or tenant(), active=active, role=role)
    membership.groups.set([group(one, of=of or tenant()) for one in groups])
    return user


def access(user: User, *, at: str = "") -> Access:
    """What this person may read now."""
    return identity.for_user(user, tenant=at)


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Files with their text in a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def rules(*entries: tuple[str, str], head: str = "") -> str:
    """A rules file: each entry is a path pattern and the lines below it."""
    return head + "".join(f'\n[[document]]\npath = "{path}"\n{lines}\n' for path, lines in entries)


def listed(folder: Path) -> Listing:
    """What the folder holds now, by the rules file in it."""
    return origins.folder("lindenau/handbuch", str(folder)).list()


def run(
    folder: Path,
    *,
    source: str = "handbuch",
    of: Tenant | None = None,
    kind: str | None = SourceKind.LOCAL,
    started: datetime | None = None,
    allow_removals: bool = False,
) -> Report:
    """Import the folder as `manage.py import` does."""
    for name in ("alle", "netz"):
        group(name, of=of or tenant())
    listing = listed(folder)
    row = ingest.source(of or tenant(), source, location=str(folder), settings=listing.settings)
    if kind is not None and listing.settings == NOTHING_SET:
        Source.objects.filter(pk=row.pk).update(kind=kind)
        row.kind = kind
    return ingest.take_in(row, listing, started=started or timezone.now(), allow_removals=allow_removals)


def document(external_id: str, *, source: str = "handbuch", of: Tenant | None = None) -> Document:
    """The row of an imported document."""
    return Document.objects.select_related("source", "current__revision").get(
        external_id=external_id, source__name=source, source__tenant=of or tenant()
    )


def publish(folder: Path, texts: Mapping[str, str], *, allowed: str = '["group:alle"]', **options: object) -> Report:
    """Import these texts, all with one right."""
    write(folder, {**texts, "fundstelle.toml": rules(("**", f"allowed = {allowed}"))})
    return run(folder, **options)  # type: ignore[arg-type]
