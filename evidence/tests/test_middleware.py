"""Middleware: forms pass the CSRF check under no-referrer, foreign ones do not; the client's address behind a proxy."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from evidence.web.middleware import ProxyAddress

pytestmark = pytest.mark.django_db


def post_sign_in(*, secure: bool, **headers: str) -> int:
    """Post an (empty) sign-in form with a right token; 200 is the form again, 403 the CSRF check."""
    client = Client(enforce_csrf_checks=True)
    client.get("/sign-in/", secure=secure)
    token = client.cookies["csrftoken"].value
    environ: dict[str, Any] = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    return client.post("/sign-in/", {"csrfmiddlewaretoken": token}, secure=secure, **environ).status_code


@pytest.mark.parametrize("secure", [True, False])
def test_form_without_referrer_passes_when_the_browser_says_same_origin(secure: bool) -> None:
    assert post_sign_in(secure=secure, origin="null", sec_fetch_site="same-origin") == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
@pytest.mark.parametrize("secure", [True, False])
def test_form_from_elsewhere_is_refused_even_with_a_right_token(secure: bool, site: str) -> None:
    assert post_sign_in(secure=secure, origin="null", sec_fetch_site=site) == 403


def test_null_origin_without_fetch_metadata_is_refused_over_https() -> None:
    assert post_sign_in(secure=True, origin="null") == 403


def test_null_origin_without_fetch_metadata_is_left_to_the_token_over_http() -> None:
    assert post_sign_in(secure=False, origin="null") == 200


def test_named_foreign_origin_is_refused() -> None:
    assert post_sign_in(secure=False, origin="http://elsewhere.example", sec_fetch_site="same-origin") == 403


def test_address_behind_a_proxy_is_the_one_the_proxy_saw() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.META["REMOTE_ADDR"])

    request = RequestFactory().get("/", HTTP_X_FORWARDED_FOR="10.6.6.6, 192.0.2.7")
    assert ProxyAddress(answer)(request).content == b"192.0.2.7"  # type: ignore[attr-defined]
