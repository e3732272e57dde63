"""Grants: rights as a source states them, made out to the groups and people who exist."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from evidence.models import Group, Membership
from evidence.sources import Rights


@dataclass(frozen=True, slots=True)
class Grant:
    """Rights made out to rows: ids of groups and users, sorted. A problem means that nobody may read."""

    allow_groups: tuple[int, ...] = ()
    allow_users: tuple[int, ...] = ()
    deny_groups: tuple[int, ...] = ()
    deny_users: tuple[int, ...] = ()
    problem: str = ""

    def digest(self) -> str:
        """Names the effective right; all problems are the one class that nobody reads."""
        lists = [self.allow_groups, self.allow_users, self.deny_groups, self.deny_users]
        return hashlib.sha256(json.dumps(lists).encode()).hexdigest()


class Principals:
    """The tenant's groups and people by the names that rights use. Read once a run."""

    def __init__(self, tenant: int) -> None:
        self._groups = dict(Group.objects.filter(tenant=tenant).values_list("name", "pk"))
        self._users = dict(Membership.objects.filter(tenant=tenant).values_list("user__username", "user_id"))

    def grant(self, rights: Rights) -> Grant:
        """These rights for the people who exist. Anything missing, empty, malformed or unknown: nobody, with the reason."""
        if rights.problem or not rights.allowed:
            return Grant(problem=rights.problem or "no rights are stated")
        try:
            allowed, denied = (self._split(names) for names in (rights.allowed, rights.denied))
        except KeyError as unknown:
            return Grant(problem=f"unknown principal {unknown.args[0]}: the tenant has none of this name"[:300])
        return Grant(*allowed, *denied)

    def _split(self, names: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        groups, users = set(), set()
        for name in names:
            kind, _, rest = name.partition(":")
            if kind == "group" and rest in self._groups:
                groups.add(self._groups[rest])
            elif kind == "user" and rest in self._users:
                users.add(self._users[rest])
            else:
                raise KeyError(name)
        return tuple(sorted(groups)), tuple(sorted(users))
