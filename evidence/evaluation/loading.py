"""Loading: the documents of a judged set into a tenant that is there for evaluations only, by the same way as every import."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from evidence import ingest
from evidence.errors import Refused
from evidence.evaluation import judged
from evidence.evaluation.judged import ALL, HALF, Person
from evidence.intake import Report
from evidence.models import Group, Membership, Role, Tenant

PREFIX: Final = "evaluation-"
"""What the short names of such tenants begin with: documents are never loaded into one in which people work."""


def tenant_of(folder: Path) -> str:
    """The short name of the tenant that a set is loaded into. Each has its own: their documents are not searched together."""
    return PREFIX + slugify(folder.name.replace("_", "-"))


def load(
    folder: Path,
    tenant: str,
    *,
    listed: Callable[[int], object] = lambda items: None,
    progress: Callable[[int], object] = lambda items: None,
) -> Report:
    """Bring the tenant in line with the set: tenant, two people who can't sign in, and documents. Again changes nothing.

    listed: called with the number of documents. progress: with the number of those that are done. Raises Refused, OSError.
    """
    if not tenant.startswith(PREFIX):
        message = "documents are loaded only into a tenant whose short name begins with %(prefix)s, not into %(tenant)s"
        raise Refused("evaluation_tenant", message, prefix=PREFIX, tenant=tenant)
    listing = judged.listing(folder)
    listed(len(listing.items))
    row = _people(folder, tenant)
    source = ingest.source(row, "judged", location=str(folder.resolve()), settings=listing.settings)
    return ingest.take_in(source, listing, started=timezone.now(), allow_removals=True, progress=progress)


def _people(folder: Path, slug: str) -> Tenant:
    with transaction.atomic():
        tenant, _ = Tenant.objects.get_or_create(slug=slug, defaults={"name": f"Evaluation: {folder.name}"})
        people = Person.of(folder.name)
        for name, person in ((ALL, people.everything), (HALF, people.half)):
            group, _ = Group.objects.get_or_create(tenant=tenant, name=name)
            user = User.objects.filter(username=person).first() or User.objects.create_user(person)
            member, _ = Membership.objects.get_or_create(user=user, tenant=tenant, defaults={"role": Role.READER})
            member.groups.set([group])
    return tenant
