"""Who asks: the Access of each request, and what the page's head says about the person's tenants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import SimpleLazyObject

from evidence import identity, traces
from evidence.access import Access
from evidence.models import Tenant
from evidence.web.request import Request

TENANT_KEY: Final = "tenant"
"""Where the session keeps the short name of the chosen tenant. It is a wish: identity decides whether it counts."""


class AccessOfRequest:
    """Gives each request the Access of its person, worked out when it is first read and never kept longer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        cast(Request, request).access = cast(Access, SimpleLazyObject(partial(_access, request)))
        return self.get_response(request)


def _access(request: HttpRequest) -> Access:
    return identity.for_user(request.user, tenant=request.session.get(TENANT_KEY, ""))


@dataclass(frozen=True, slots=True)
class Place:
    """Where the person is, and where else that person may go. tenant: None for someone who belongs nowhere.

    has_knowledge: whether a space of knowledge is open to the person. may_upload: whether the person's role there brings
    documents. curates: whether it looks after what is found. administers: whether it answers for the sources.
    questions_kept_until: while a diagnosis goes on, when it ends.
    """

    tenant: Tenant | None
    tenants: Sequence[Tenant]
    has_knowledge: bool
    may_upload: bool
    curates: bool
    administers: bool
    questions_kept_until: datetime | None


def place(request: HttpRequest) -> dict[str, object]:
    """Context processor: `place`, worked out only by templates that show it."""
    return {"place": SimpleLazyObject(partial(_place, cast(Request, request)))}


def _place(request: Request) -> Place:
    tenants, has_knowledge = identity.surroundings(request.access, request.user)
    tenant = next((one for one in tenants if one.pk == request.access.tenant), None)
    return Place(
        tenant=tenant,
        tenants=tenants,
        has_knowledge=has_knowledge,
        may_upload=identity.may_upload(request.access),
        curates=identity.may_curate(request.access),
        administers=identity.may_administer(request.access),
        questions_kept_until=tenant.diagnosis_until if tenant and traces.is_diagnosed(tenant) else None,
    )
