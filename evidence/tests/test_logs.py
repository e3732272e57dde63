"""Logs and error reports hold no query, form or quote."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from io import StringIO

import pytest
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core import mail
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from django.utils.log import AdminEmailHandler
from pytest_django import Settings

from evidence import urls
from evidence.logs import CONFIGURATION, PrivateFormatter, outline

SECRET = "geheim"


@login_not_required
def failing_view(request: HttpRequest) -> HttpResponse:
    """Fails as a database would: with the words in its variables and its message."""
    words = request.GET.get("q") or request.POST["q"]
    try:
        raise LookupError(words)
    except LookupError as error:
        raise ValueError(f"no such word: {words}") from error


urlpatterns = [*urls.urlpatterns, path("fail/", failing_view)]


def record(message: str, *args: object) -> logging.LogRecord:
    return logging.LogRecord("django.server", logging.INFO, __file__, 1, message, args, None)


@pytest.fixture
def console() -> Iterator[StringIO]:
    """Everything that the configured console would show."""
    shown = StringIO()
    handler = logging.StreamHandler(shown)
    handler.setFormatter(PrivateFormatter("{levelname} {name} {message}", style="{"))
    logging.getLogger().addHandler(handler)
    yield shown
    logging.getLogger().removeHandler(handler)


@pytest.mark.urls(__name__)
@pytest.mark.parametrize("method", ["get", "post"])
def test_failing_view_logs_its_place_and_no_word_of_the_request(console: StringIO, method: str) -> None:
    getattr(Client(raise_request_exception=False), method)("/fail/", {"q": SECRET})
    log = console.getvalue()
    assert "/fail/" in log
    assert "failing_view" in log
    assert "builtins.ValueError" in log
    assert SECRET not in log


@pytest.mark.urls(__name__)
def test_error_report_holds_no_word_of_the_request(settings: Settings) -> None:
    settings.ADMINS = [("Administrator", "administrator@fundstelle.example")]
    handler = AdminEmailHandler(include_html=True)
    logging.getLogger("django.request").addHandler(handler)
    Client(raise_request_exception=False).get("/fail/", {"q": SECRET}, HTTP_COOKIE=f"seen={SECRET}")
    logging.getLogger("django.request").removeHandler(handler)
    assert "failing_view" in mail.outbox[0].body
    assert SECRET not in mail.outbox[0].message().as_string()


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('"GET /?q=geheim HTTP/1.1" 200 5', '"GET / HTTP/1.1" 200 5'),
        ('"GET /?q=ganz geheim HTTP/1.1" 400 5', '"GET / HTTP/1.1" 400 5'),
        ("Error handling request GET /documents/?q=geheim", "Error handling request GET /documents/"),
        ("Invalid HTTP request line: 'GET /?q=sehr \"geheim'", "Invalid HTTP request line: 'GET /"),
        ("Invalid request from ip=192.0.2.1: Invalid HTTP Version: 'geheim HTTP/1.1'", "Invalid request from ip=192.0.2.1"),
        ("code 400, message Bad request version ('geheim')", "code 400, message Bad request version"),
        ("Watching for file changes", "Watching for file changes"),
        (
            "192.0.2.1 PUT /api/v1/sources/dms/documents/geheim/Nr. 1?/rights 200 356 147ms",
            "192.0.2.1 PUT /api/v1/sources/dms/documents/… 200 356 147ms",
        ),
        (
            '"DELETE /api/v1/sources/dms/documents/geheim%20x HTTP/1.1" 202 5',
            '"DELETE /api/v1/sources/dms/documents/… HTTP/1.1" 202 5',
        ),
        (
            "Internal Server Error: /api/v1/sources/dms/documents/geheim 200 5",
            "Internal Server Error: /api/v1/sources/dms/documents/…",
        ),
        ("GET /api/v1/sources/dms/documents 200 5 1ms", "GET /api/v1/sources/dms/documents 200 5 1ms"),
    ],
)
def test_query_strings_are_cut_from_every_line(line: str, shown: str) -> None:
    assert PrivateFormatter().format(record("%s", line)) == shown


def test_outline_names_every_cause_without_its_message() -> None:
    try:
        failing_view(HttpRequest())
    except Exception as error:
        text = outline(error)
    assert "MultiValueDictKeyError" in text
    assert "'q'" not in text.splitlines()[-1]


def test_every_logger_ends_at_the_private_console() -> None:
    assert settings.LOGGING is CONFIGURATION
    assert CONFIGURATION["root"]["handlers"] == ["console"]
    assert all(logger.get("handlers", []) == [] for logger in CONFIGURATION["loggers"].values())
    assert CONFIGURATION["handlers"]["console"]["formatter"] == "private"


def test_times_are_in_utc_whatever_the_zone_of_who_writes() -> None:
    one = record("x")
    one.created, one.msecs = 1_796_052_545.25, 250.0
    line = PrivateFormatter("{asctime} {message}", style="{").format(one)
    assert line == "2026-11-30T15:29:05.250Z x"


@pytest.mark.parametrize(("status", "level"), [(503, "WARNING"), (500, "ERROR")])
def test_what_is_said_on_purpose_is_no_error(console: StringIO, status: int, level: str) -> None:
    logging.getLogger("django.request").error("Service: %s", "/readyz", extra={"status_code": status})
    assert console.getvalue() == f"{level} django.request Service: /readyz\n"
