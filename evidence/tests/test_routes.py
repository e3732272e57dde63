"""Every address has a rule, and keeps it: who gets in, and what the others get."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from evidence.tests.calls import API

pytestmark = pytest.mark.django_db

OIDC: Final = {f"sign-in/oidc/{path}" for path in ("", "callback/", "signed-out/", "logout/")} | {
    f".well-known/oauth-protected-resource{path}" for path in ("", "/mcp")
}
"""Unavailable to everybody where there is no identity provider."""
SCIM: Final = {"^scim/v2(?P<path>/.*|)$"}
"""The same where it does not push people; test_scim.py knows the rest."""
OPEN: Final = {"sign-in/", "sign-out/", "language/", "healthz", "readyz", f"{API[1:]}openapi.json"}
"""For everybody: they show nothing of a tenant."""
METRICS: Final = {"metrics"}
"""Unavailable to everybody where there is no token for it."""
NOTHING: Final = {f"{API[1:]}", f"{API[1:]}*"}
"""Addresses of the API that are none."""
SIGNED_IN: Final = {
    "",
    "documents/",
    "documents/<uuid:document>/",
    "documents/<uuid:document>/passages/<uuid:representation>/<int:number>/neighbours/",
    "documents/<uuid:document>/pages/<uuid:representation>/<int:number>/",
    "documents/<uuid:document>/pages/<uuid:representation>/<int:number>.png",
    "documents/<uuid:document>/original/",
    "documents/<uuid:document>/cite/",
    "documents/<uuid:document>/history/",
    "documents/<uuid:document>/provenance/",
    "documents/<uuid:document>/compare/",
    "citations/",
    "citations/recheck/",
    "citations/check/",
    "citations/migrate/",
    "citations/export/citations.<slug:kind>",
    "citations/<uuid:citation>/",
    "citations/<uuid:citation>/translate/",
    "conflicts/",
    "conflicts/mark/",
    "conflicts/claims/<uuid:one>/<uuid:other>/",
    "conflicts/<uuid:conflict>/",
    "conflicts/<uuid:conflict>/settle/",
    "conflicts/<uuid:conflict>/reopen/",
    "answers/ask/",
    "knowledge/",
    "knowledge/review/",
    "knowledge/affected/",
    "knowledge/use/",
    "knowledge/proposals/",
    "knowledge/proposals/<uuid:proposal>/",
    "knowledge/proposals/<uuid:proposal>/approve/",
    "knowledge/proposals/<uuid:proposal>/reject/",
    "knowledge/proposals/<uuid:proposal>/withdraw/",
    "knowledge/entries/<uuid:entry>/",
    "knowledge/entries/<uuid:entry>/history/",
    "knowledge/entries/<uuid:entry>/change/",
    "knowledge/entries/<uuid:entry>/<slug:action>/",
    "knowledge/<slug:space>/",
    "knowledge/<slug:space>/propose/<slug:kind>/",
    "knowledge/<slug:space>/decisions/<slug:slug>/",
    "knowledge/<slug:space>/<slug:slug>/",
    "answers/",
    "answers/<uuid:answer>/",
    "answers/<uuid:answer>/check/",
    "answers/<uuid:answer>/delete/",
    "reports/",
    "reports/send/",
    "reports/<uuid:report>/delete/",
    "reports/work/",
    "reports/<uuid:report>/close/",
    "reports/<uuid:report>/reopen/",
    "uploads/",
    "uploads/published/",
    "uploads/published/<uuid:document>/withdraw/",
    "uploads/<uuid:upload>/",
    "uploads/<uuid:upload>/read/",
    "uploads/<uuid:upload>/version/",
    "uploads/<uuid:upload>/discard/",
    "sources/",
    "sources/why/",
    "sources/diagnosis/",
    "sources/<int:source>/",
    "sources/<int:source>/close/",
    "sources/<int:source>/open/",
    "sources/<int:source>/confirm/",
    "sources/<int:source>/sync/",
    "sources/<int:source>/drill/",
    "sources/<int:source>/tokens/",
    "sources/<int:source>/tokens/<int:token>/revoke/",
    "evaluation/",
    "evaluation/<int:run>/",
    "evaluation/<int:run>/delete/",
    "help/",
    "password/",
    "tenant/",
    "tokens/",
    "tokens/<int:token>/revoke/",
}
"""People get to the sign-in page first."""
TOKEN: Final = {
    f"{API[1:]}{path}"
    for path in (
        "search",
        "documents",
        "documents/<document>",
        "documents/<document>/original",
        "documents/<document>/provenance",
        "documents/<document>/history",
        "citations",
        "citations/<citation>",
        "resolve",
        "answers",
        "answers/<answer>",
        "answers/<answer>/check",
        "concepts",
        "concepts/<concept>",
        "claims",
        "claims/<claim>",
        "decisions",
        "decisions/<decision>",
        "conflicts",
        "conflicts/<conflict>",
        "sources/<source>/documents",
        "sources/<source>/documents/<path:external_id>",
        "sources/<source>/documents/<path:external_id>/rights",
        "sources/<source>/receipts/<receipt>",
        "sources/<source>/confirm",
    )
} | {"mcp"}
"""Programs get 401."""
OPERATOR: Final = "admin/"
"""Django's own: every address below it asks for a member of staff."""


def addresses(patterns: list[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        here = before + (str(pattern.pattern) or ("*" if before and getattr(pattern, "name", "") == "nothing" else ""))
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, here)
        else:
            yield here


ALL: Final = list(addresses(get_resolver().url_patterns))


def filled(address: str) -> str:
    values = {"uuid": str(uuid4()), "int": "1", "slug": "json"}
    return "/" + re.sub("<(?:([a-z]+):)?[a-z_]+>", lambda part: values.get(part[1], "x"), address).replace("*", "nowhere")


def test_every_address_has_a_rule() -> None:
    known = OPEN | OIDC | SCIM | METRICS | NOTHING | SIGNED_IN | TOKEN
    assert {address for address in ALL if not address.startswith(OPERATOR)} == known


@pytest.mark.parametrize("address", sorted(SIGNED_IN))
@pytest.mark.parametrize("method", ["get", "post"])
def test_a_page_leads_to_sign_in(address: str, method: str) -> None:
    answer = getattr(Client(), method)(filled(address))
    assert (answer.status_code, answer.headers.get("Location", "").partition("?")[0]) == (302, "/sign-in/")


@pytest.mark.parametrize("address", sorted(TOKEN))
@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "patch", "options"])
def test_a_call_asks_for_a_token_in_json_or_for_another_method(address: str, method: str) -> None:
    answer = getattr(Client(), method)(filled(address))
    assert answer.status_code in {401, 405}
    assert answer.headers["Content-Type"].startswith("application/json")
    assert answer.json()["code"] == {401: "unauthenticated", 405: "method_not_allowed"}[answer.status_code]


@pytest.mark.parametrize("address", sorted(OIDC))
def test_without_an_identity_provider_its_addresses_are_unavailable(address: str) -> None:
    answers = [getattr(Client(), method)(filled(address)).status_code for method in ("get", "post")]
    assert 404 in answers and set(answers) <= {404, 405}


@pytest.mark.parametrize("address", sorted(NOTHING))
def test_an_address_that_is_none_is_unavailable(address: str) -> None:
    answer = Client().get(filled(address))
    assert (answer.status_code, answer.json()["code"]) == (404, "unavailable")


def test_the_operators_addresses_ask_for_staff() -> None:
    for address in (one for one in ALL if one.startswith(OPERATOR)):
        if "(?P" not in address and "login" not in address:
            answer = Client().get(filled(address))
            assert answer.status_code in {301, 302}, address
