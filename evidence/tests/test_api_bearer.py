"""The API's door: tokens, scopes, limits, and what is said at it."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence import search
from evidence.errors import IndexFault
from evidence.models import Token
from evidence.tests.builders import person
from evidence.tests.calls import API, Program, program, secret
from evidence.tests.test_logs import SECRET, console

pytestmark = pytest.mark.django_db
__all__ = ["console"]


@pytest.fixture(autouse=True)
def eva() -> User:
    return person("eva", ["alle"])


@pytest.mark.parametrize("path", ["search?q=x", "documents", "documents/x", "documents/x/history", "citations/x"])
def test_without_a_token_there_is_a_challenge_in_json(path: str) -> None:
    answer = Program("").get(path)
    assert (answer.status, answer.code) == (401, "unauthenticated")
    assert answer.response["WWW-Authenticate"] == 'Bearer realm="Fundstelle"'
    assert answer.queries == 0


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer fst_wrong", "Basic fst", "fst_x", "Bearer \xfc"])
def test_a_wrong_token_is_told_so(header: str) -> None:
    answer = Program("").get("documents", authorization=header)
    assert (answer.status, answer.code) == (401, "unauthenticated")
    assert 'error="invalid_token"' in answer.response["WWW-Authenticate"]


@pytest.mark.parametrize("change", [{"revoked_at": timezone.now()}, {"expires_at": timezone.now() - timedelta(seconds=1)}])
def test_a_revoked_or_expired_token_ends_with_the_next_request(eva: User, change: dict[str, Any]) -> None:
    calls = program(eva)
    assert calls.get("documents").status == 200
    Token.objects.update(**change)
    assert calls.get("documents").status == 401


def test_a_session_opens_nothing_here(eva: User) -> None:
    client = Client()
    client.force_login(eva, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(f"{API}documents").status_code == 401


def test_a_token_opens_no_page(eva: User) -> None:
    answer = Client().get("/documents/", headers={"authorization": f"Bearer {secret(eva)}"})
    assert answer.status_code == 302


def test_no_answer_sets_a_cookie_or_may_be_kept(eva: User) -> None:
    answer = program(eva).get("documents").response
    assert not answer.cookies
    assert answer["Cache-Control"] == "private, no-store"


def test_a_form_token_is_not_asked_for(eva: User) -> None:
    client = Client(enforce_csrf_checks=True)
    headers = {"authorization": f"Bearer {secret(eva)}"}
    assert client.post(f"{API}resolve", b"{}", content_type="application/json", headers=headers).status_code == 200


@pytest.mark.parametrize(("scope", "read", "cite"), [("read", 200, 403), ("cite", 403, 404)])
def test_a_scope_opens_its_calls_only(eva: User, scope: str, read: int, cite: int) -> None:
    calls = Program(secret(eva, scope))
    assert calls.get("documents").status == read
    assert calls.post("citations", {"document": "x", "exact": "x"}).status == cite


def test_a_missing_scope_is_named(eva: User) -> None:
    answer = Program(secret(eva, "read")).post("citations", {})
    assert (answer.status, answer.code) == (403, "scope_missing")
    assert 'error="insufficient_scope", scope="cite"' in answer.response["WWW-Authenticate"]


def test_too_many_calls_wait_for_the_next_minute(eva: User, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1_000_000.0]
    monkeypatch.setattr("evidence.pace.time.time", lambda: now[0])
    settings.API_CALLS_PER_MINUTE = 2
    calls, others = Program(secret(eva)), Program(secret(eva))
    answers = [calls.get("documents") for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[2].code == "too_many_requests"
    assert answers[2].response["Retry-After"] == "20"
    assert others.get("documents").status == 200
    now[0] += 20
    assert calls.get("documents").status == 200


def test_too_large_a_body_is_refused(eva: User, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    answer = program(eva).post("resolve", {"anchors": ["x" * 100]})
    assert (answer.status, answer.code) == (413, "request_too_large")


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b"[" * 100_000, b'{"start": NaN}', b'{"start": %s}' % (b"9" * 5000), b"{} {}", "{}".encode("utf-16")]
)
def test_what_is_no_json_is_told_so(eva: User, body: bytes) -> None:
    answer = program(eva).post("resolve", body)
    assert (answer.status, answer.code) == (400, "invalid_json")


@pytest.mark.parametrize("body", [[], 3, "x", None, {"anchors": 3}, {"anchors": [], "more": 1}])
def test_json_of_another_shape_is_told_so(eva: User, body: object) -> None:
    answer = program(eva).post("resolve", body)
    assert (answer.status, answer.code) == (400, "invalid_request")


def test_another_method_is_told_which(eva: User) -> None:
    answer = program(eva).get("resolve")
    assert (answer.status, answer.code, answer.response["Allow"]) == (405, "method_not_allowed", "POST")


@pytest.mark.parametrize(("path", "status"), [("documents", 200), ("documents/x", 404), ("citations/x", 404), ("resolve", 405)])
def test_head_is_get_without_the_body(eva: User, path: str, status: int) -> None:
    calls = program(eva)
    whole, head = calls.get(path), calls.head(path)
    assert (whole.status, head.status, head.response.content) == (status, status, b"")
    assert head.response.headers == whole.response.headers
    assert calls.post("documents", {}).response["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["", "nowhere", "documents/", "documents/x/y", "citations", "../documents"])
def test_an_address_that_is_none_is_unavailable(eva: User, path: str) -> None:
    answer = program(eva).get(path)
    assert answer.status in {404, 405}
    assert answer.response["Content-Type"].startswith("application/json")


def test_messages_are_in_the_language_asked_for(eva: User) -> None:
    calls = program(eva)
    german, english = (calls.get("documents/x", accept_language=language).body["message"] for language in ("de", "en"))
    assert english == "This is not available to you." != german


def test_a_fault_of_ours_is_json_and_in_the_log_without_the_query(
    eva: User, monkeypatch: pytest.MonkeyPatch, console: StringIO
) -> None:
    def fail(*args: object, **named: object) -> None:
        raise LookupError(SECRET)

    monkeypatch.setattr(search, "search", fail)
    client = Client(raise_request_exception=False, headers={"authorization": f"Bearer {secret(eva)}"})
    answer = client.get(f"{API}search", {"q": SECRET})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert f"{API}search" in console.getvalue()
    assert SECRET not in console.getvalue()


def test_an_index_that_is_away_is_told_so(eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: object, **named: object) -> None:
        raise IndexFault("index_missing", "The index is missing.")

    monkeypatch.setattr(search, "search", away)
    answer = program(eva).get("search", {"q": "x"})
    assert (answer.status, answer.code, answer.response["Retry-After"]) == (503, "index_missing", "10")
