"""Signing in: guessing is slowed down, for the guesser only, and leaves no word of a query behind."""

from __future__ import annotations

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

pytestmark = pytest.mark.django_db

PASSWORD = "quittengelee-am-abend"


@pytest.fixture(autouse=True)
def anna() -> User:
    return User.objects.create_user("anna", password=PASSWORD)


def sign_in(client: Client, password: str, *, address: str = "192.0.2.1", username: str = "anna") -> int:
    form = {"username": username, "password": password}
    return client.post("/sign-in/?next=/%3Fq%3Dgeheim", form, REMOTE_ADDR=address).status_code


def guess(client: Client, times: int, **where: str) -> list[int]:
    return [sign_in(client, f"geraten-{number}", **where) for number in range(times)]


def test_guessing_is_stopped_and_then_the_right_password_waits_too(client: Client) -> None:
    assert guess(client, settings.AXES_FAILURE_LIMIT) == [200] * (settings.AXES_FAILURE_LIMIT - 1) + [429]
    assert sign_in(client, PASSWORD) == 429


def test_guesser_elsewhere_does_not_lock_the_person_out(client: Client) -> None:
    guess(client, settings.AXES_FAILURE_LIMIT, address="203.0.113.9")
    assert sign_in(client, PASSWORD) != 429


def test_other_people_at_the_same_address_still_sign_in(client: Client) -> None:
    guess(client, settings.AXES_FAILURE_LIMIT, username="berta")
    assert sign_in(client, PASSWORD) != 429


def test_success_forgets_the_failures_before_it(client: Client) -> None:
    guess(client, settings.AXES_FAILURE_LIMIT - 1)
    assert sign_in(client, PASSWORD) != 429
    assert not AccessAttempt.objects.exists()


def test_failed_sign_in_keeps_neither_password_nor_query(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    guess(client, 1)
    attempt = AccessAttempt.objects.get()
    kept = f"{attempt.get_data} {attempt.post_data} {attempt.path_info} {caplog.text}"
    assert "geheim" not in kept
    assert "geraten" not in kept
