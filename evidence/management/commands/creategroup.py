"""manage.py creategroup: make a group in a tenant, or give a group of the identity provider its name here."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from evidence import audit
from evidence.management.command import EvidenceCommand
from evidence.management.people import find_tenant, refusals_told
from evidence.models import Group, Tenant


class Command(EvidenceCommand):
    """Run again it says that the group is there."""

    help = (
        'Create a group. Rules files name it "group:NAME". With --external-id it is the group of the identity provider with this '
        "id: the provider says who is in it, and NAME is what rules call it here."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name, tenant, and who says who is in it."""
        parser.add_argument("name")
        parser.add_argument("--tenant", required=True, help="short name of the tenant (manage.py createtenant)")
        parser.add_argument("--external-id", default="", help="the provider's id of the group, as its claim or its push names it")
        parser.add_argument("--issuer", default="", help="the provider (left out: FUNDSTELLE_OIDC_ISSUER)")

    @transaction.atomic
    def handle(self, *, name: str, tenant: str, external_id: str, issuer: str, **options: object) -> None:
        """Create, or name."""
        owner = find_tenant(tenant)
        issuer = self._issuer(external_id, issuer)
        mapped = owner.groups.filter(issuer=issuer, external_id=external_id).first() if issuer else None
        same = owner.groups.filter(name=name).first()
        if same is not None and (same.issuer, same.external_id) != (issuer, external_id):
            known = f"of {same.issuer} with the id {same.external_id}" if same.issuer else "kept here"
            if issuer or same.issuer:
                raise CommandError(f"Group {tenant}/{name} exists already: it is {known}.")
        if same is not None:
            self.stdout.write(f"Group {tenant}/{name} exists already.")
        elif mapped is not None:
            self._store(mapped, owner, name, change="changed")
        else:
            self._store(Group(issuer=issuer, external_id=external_id), owner, name, change="created")

    @staticmethod
    def _issuer(external_id: str, issuer: str) -> str:
        if not external_id and issuer:
            raise CommandError("An issuer needs --external-id, its id of the group.")
        issuer = issuer or (settings.OIDC_ISSUER if external_id else "")
        if external_id and not issuer:
            raise CommandError("There is no identity provider: set FUNDSTELLE_OIDC_ISSUER, or name one with --issuer.")
        return issuer

    def _store(self, group: Group, tenant: Tenant, name: str, *, change: str) -> None:
        before, group.tenant, group.name = group.name, tenant, name
        with refusals_told():
            group.full_clean()
        group.save()
        audit.record(group, change, actor=None)
        self.stdout.write(f"Group {group}" + (f", until now {before}" if before else ""))
