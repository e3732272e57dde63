"""What the commands about tenants, groups and people share: look up, read a password, put a person into a tenant."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from getpass import getpass

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from evidence import audit, identity
from evidence.access import Access
from evidence.models import Group, Membership, Role, Tenant


def add_person_arguments(parser: CommandParser) -> None:
    """The arguments of the commands that create a person."""
    parser.add_argument("username")
    parser.add_argument("--tenant", required=True, help="short name of the tenant (manage.py createtenant)")
    parser.add_argument("--password-stdin", action="store_true", help="read the password from standard input, not from a prompt")


def find_tenant(slug: str) -> Tenant:
    """The tenant with this short name."""
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise CommandError(f"There is no tenant {slug!r}. Create it with: manage.py createtenant {slug} --name NAME")
    return tenant


def find_groups(tenant: Tenant, names: Sequence[str]) -> list[Group]:
    """The tenant's groups of these names, all of them. Who is in a group of an identity provider, that one says."""
    groups = list(tenant.groups.filter(name__in=names))
    elsewhere = sorted(group.name for group in groups if group.issuer)
    if elsewhere:
        raise CommandError(f"The identity provider says who is in {', '.join(map(repr, elsewhere))}; it can't be given here.")
    missing = sorted(set(names) - {group.name for group in groups})
    if missing:
        raise CommandError(
            f"Tenant {tenant.slug!r} has no group {', '.join(map(repr, missing))}. Create it: manage.py creategroup"
        )
    return groups


def find_access(tenant: str, user: str) -> Access:
    """What this person may read in this tenant."""
    row = find_tenant(tenant)
    person = User.objects.filter(username=user).first()
    access = identity.NOBODY if person is None else identity.for_user(person, tenant=tenant)
    if access.tenant != row.pk:
        raise CommandError(f"There is no active person {user!r} in tenant {tenant!r}.")
    return access


def find_or_create_user(username: str, *, password_from_stdin: bool) -> tuple[User, bool]:
    """The user of this name and whether it is new. One that exists keeps the password, unless standard input gives another."""
    with refusals_told():
        User(username=username).clean_fields(exclude={"password"})
    user, is_new = User.objects.get_or_create(username=username)
    if is_new or password_from_stdin:
        user.set_password(_read_password(user, from_stdin=password_from_stdin))
        user.save()
    if is_new:
        audit.record(user, "created", actor=None)
    return user, is_new


def join(user: User, tenant: Tenant, *, role: Role, groups: Sequence[Group]) -> Membership:
    """Make this person an active member of the tenant with exactly this role and these groups.

    Groups that an identity provider gave stay as it says.
    """
    membership, is_new = Membership.objects.update_or_create(user=user, tenant=tenant, defaults={"role": role, "active": True})
    membership.groups.set([*groups, *membership.groups.exclude(issuer="")])
    audit.record(membership, "created" if is_new else "changed", actor=None)
    return membership


@contextmanager
def refusals_told() -> Iterator[None]:
    """Tell what a validator refuses as the command's own error."""
    try:
        yield
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from None


def _read_password(user: User, *, from_stdin: bool) -> str:
    password = sys.stdin.readline().rstrip("\n") if from_stdin else _ask_twice()
    with refusals_told():
        validate_password(password, user)
    return password


def _ask_twice() -> str:
    if not sys.stdin.isatty():
        raise CommandError("There is nobody to ask for a password: give it on standard input with --password-stdin.")
    password = getpass("Password: ")
    if password != getpass("Password (again): "):
        raise CommandError("The two passwords differ.")
    return password
