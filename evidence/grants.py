"""Grants: rights as a source states them, made out to the groups and people who exist."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from evidence.models import AccessClass, AccessRule, Effect, Group, Membership
from evidence.sources import Rights, problems


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
        return hashlib.sha256(json.dumps(self._lists()).encode()).hexdigest()

    def takes_from(self, before: Grant) -> bool:
        """Whether it takes something away that was given before: a principal is no longer allowed, or a denial has come."""
        if not before.allow_groups and not before.allow_users:
            return False
        return self.within(before)._lists() != before._lists()

    def within(self, before: Grant) -> Grant:
        """What both give at most: the principals that both allow, without those that one of them denies."""
        grant = Grant(
            allow_groups=_both(self.allow_groups, before.allow_groups),
            allow_users=_both(self.allow_users, before.allow_users),
            deny_groups=_either(self.deny_groups, before.deny_groups),
            deny_users=_either(self.deny_users, before.deny_users),
        )
        if grant.allow_groups or grant.allow_users:
            return grant
        return Grant(problem=self.problem or problems.NOBODY_LEFT)

    def _lists(self) -> tuple[tuple[int, ...], ...]:
        return self.allow_groups, self.allow_users, self.deny_groups, self.deny_users


def stored(access_classes: QuerySet[AccessClass]) -> Mapping[int, Grant]:
    """What these classes give, by their keys."""
    known = list(access_classes.values_list("pk", flat=True))
    keys: defaultdict[tuple[int, str, str], list[int]] = defaultdict(list)
    rules = AccessRule.objects.filter(access_class__in=access_classes)
    for pk, effect, group, user in rules.values_list("access_class", "effect", "group", "user"):
        keys[pk, effect, "user" if group is None else "group"].append(user if group is None else group)

    def principals(pk: int, effect: str, kind: str) -> tuple[int, ...]:
        return tuple(sorted(keys[pk, effect, kind]))

    return {
        pk: Grant(
            allow_groups=principals(pk, Effect.ALLOW, "group"),
            allow_users=principals(pk, Effect.ALLOW, "user"),
            deny_groups=principals(pk, Effect.DENY, "group"),
            deny_users=principals(pk, Effect.DENY, "user"),
        )
        for pk in known
    }


class Principals:
    """The tenant's groups and people by the names that rights use. Read once a run."""

    def __init__(self, tenant: int) -> None:
        self._groups = dict(Group.objects.filter(tenant=tenant).values_list("name", "pk"))
        self._users = dict(Membership.objects.filter(tenant=tenant).values_list("user__username", "user_id"))

    def grant(self, rights: Rights) -> Grant:
        """These rights for the people who exist. Anything missing, empty, malformed or unknown: nobody, with the reason."""
        if rights.problem or not rights.allowed:
            return Grant(problem=rights.problem or problems.NOTHING_STATED)
        try:
            allowed, denied = (self._split(names) for names in (rights.allowed, rights.denied))
        except KeyError as unknown:
            return Grant(problem=problems.fill(problems.UNKNOWN_PRINCIPAL, name=unknown.args[0]))
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


def _both(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({*one} & {*other}))


def _either(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted({*one} | {*other}))
