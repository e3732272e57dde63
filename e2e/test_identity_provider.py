"""Signing in at an OpenID provider that runs as a process of its own, through the browser: groups from its claims decide what is
found, and go with them.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.test import override_settings
from django.utils import timezone
from playwright.sync_api import Page, expect

from e2e.accessibility import OPTIONS, RUN, SIDEWAYS
from e2e.conftest import DESKTOP, PHONE, Faults
from e2e.site import Room, Site
from evidence import provider as conversation
from evidence.models import Group, Identity
from evidence.tests import providers

WORD = "Drosselklappe"
SENTENCE = f"Die {WORD} wird im Frühjahr geprüft."
BUTTON = "Sign in with your organisation’s account"
EVA: dict[str, Any] = {"given_name": "Eva", "family_name": "Lindner"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """The address of the process."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_for(address, process)
            yield address
        finally:
            process.terminate()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        try:
            requests.get(f"{address}/.well-known/openid-configuration", timeout=1).raise_for_status()
            return
        except requests.RequestException:
            time.sleep(0.1)
    raise AssertionError("the provider does not start")


@pytest.fixture(autouse=True)
def their_pages(faults: Faults) -> None:
    """What the process shows loads its looks from elsewhere, and has no icon."""
    for part in ("cdn.jsdelivr.net", "ERR_NAME_NOT_RESOLVED", "ERR_INTERNET_DISCONNECTED", "(NOT FOUND)", "(Not Found)"):
        faults.expect(part)


def says(issuer: str, subject: str, **claims: object) -> None:
    """Let the provider say this of a person from now on."""
    requests.put(f"{issuer}/users/{subject}", json=claims, timeout=5).raise_for_status()


@contextmanager
def set_up(issuer: str, room: Room, **more: object) -> Iterator[None]:
    """The room's tenant is where the provider's people come in; one document there is for its group f-7."""
    Group.objects.create(tenant=room.tenant, name="technik", issuer=issuer, external_id="f-7")
    room.publish({"a.txt": SENTENCE}, allowed='["group:technik"]')
    known = {"OIDC_CLIENT_ID": "fundstelle", "OIDC_CLIENT_SECRET": "geheim", "OIDC_TENANT": room.name}
    conversation.forget()
    with override_settings(OIDC_ISSUER=issuer, **known, **more):
        yield


@pytest.fixture
def known(issuer: str, room: Room) -> Iterator[str]:
    """A person whom only this test knows, in the group."""
    with set_up(issuer, room):
        says(issuer, room.name, groups=["f-7"], preferred_username="eva", **EVA)
        yield room.name


def agree(page: Page, subject: str) -> None:
    """On the provider's page."""
    page.locator("input[name=sub]").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def sign_in(page: Page, site: Site, subject: str, path: str = "/") -> None:
    """From our page to theirs and back."""
    page.goto(site.url(path))
    page.get_by_role("link", name=BUTTON).click()
    agree(page, subject)
    expect(page.locator(".account-name")).to_have_text("Eva Lindner")


def sign_out(page: Page) -> None:
    page.locator(".account summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Signed out")).to_be_visible()


def test_the_way_there_and_back_ends_at_what_was_asked_for(either_device: Page, site: Site, issuer: str, known: str) -> None:
    page = either_device
    sign_in(page, site, known, f"/?q={WORD}")
    expect(page.locator(".hit")).to_have_count(1)
    assert page.url == site.url("/", q=WORD)
    page.locator(".account summary").click()
    expect(page.get_by_role("link", name="Change password")).to_have_count(0)


def test_a_group_that_is_gone_there_is_gone_here_with_the_next_sign_in(
    desktop: Page, site: Site, issuer: str, known: str
) -> None:
    sign_in(desktop, site, known, f"/?q={WORD}")
    expect(desktop.locator(".hit")).to_have_count(1)
    says(issuer, known, groups=[], **EVA)
    sign_out(desktop)
    desktop.get_by_role("link", name="Sign out there too").click()
    desktop.get_by_role("button", name="End session").click()
    expect(desktop.get_by_role("link", name=BUTTON)).to_be_visible()
    sign_in(desktop, site, known, f"/?q={WORD}")
    expect(desktop.locator(".hit")).to_have_count(0)
    assert SENTENCE not in desktop.content()


def test_groups_that_nobody_confirmed_for_too_long_are_gone(desktop: Page, site: Site, known: str) -> None:
    sign_in(desktop, site, known, f"/?q={WORD}")
    Identity.objects.filter(subject=known).update(groups_at=timezone.now() - timedelta(hours=13))
    desktop.reload()
    expect(desktop.locator(".hit")).to_have_count(0)


def test_a_way_back_counts_once_and_only_in_its_own_browser(
    desktop: Page, site: Site, known: str, faults: Faults, open_window: Callable[..., Page]
) -> None:
    faults.expect("400")
    back: list[str] = []
    desktop.on("request", lambda request: back.append(request.url) if "/callback/" in request.url else None)
    sign_in(desktop, site, known)
    sign_out(desktop)
    for page in (desktop, open_window(**DESKTOP)):
        page.goto(back[0])
        expect(page.locator(".card")).to_contain_text("can’t be continued")
        page.goto(site.url())
        expect(page.get_by_role("link", name=BUTTON)).to_be_visible()


def test_two_tabs_on_the_way_come_back_each_to_its_own_page(desktop: Page, site: Site, known: str) -> None:
    other = desktop.context.new_page()
    for page, path in ((desktop, "/help/"), (other, "/documents/")):
        page.goto(site.url(path))
        page.get_by_role("link", name=BUTTON).click()
    for page, path in ((desktop, "/help/"), (other, "/documents/")):
        agree(page, known)
        expect(page.locator(".account-name")).to_be_visible()
        assert page.url == site.url(path)


def test_where_only_the_provider_counts_administrators_still_find_the_way_in(
    desktop: Page, site: Site, issuer: str, room: Room, faults: Faults
) -> None:
    name = f"chefin-{room.name}"
    User.objects.create_superuser(name, password="richtig-langes-Kennwort-7", last_name="Chefin")
    with set_up(issuer, room, OIDC_ONLY=True):
        desktop.goto(site.url("/sign-in/"))
        expect(desktop.get_by_label("Password")).to_be_hidden()
        desktop.get_by_text("Administrators: sign in with a password").click()
        desktop.get_by_label("Name").fill(name)
        desktop.get_by_label("Password").fill("richtig-langes-Kennwort-7")
        desktop.get_by_role("button", name="Sign in", exact=True).click()
        expect(desktop.locator(".account-name")).to_be_visible()


@pytest.mark.parametrize("window", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_are_for_everybody(
    site: Site, issuer: str, known: str, faults: Faults, open_window: Callable[..., Page], window: dict[str, Any], scheme: str
) -> None:
    faults.expect("400")
    page = open_window(**window, color_scheme=scheme)
    for path in ("/sign-in/?next=/help/", "/sign-in/oidc/callback/?state=x", "/sign-in/oidc/signed-out/"):
        page.goto(site.url(path))
        page.evaluate(Axe().axe_script)
        assert page.evaluate(RUN, OPTIONS) == []
        assert page.evaluate(SIDEWAYS) == []


# Confirming without asking: the process above shows a form whatever it is asked, so this one is our own.


def age(page: Page, hours: float) -> None:
    """The session's last confirmation was so long ago."""
    key = next(one["value"] for one in page.context.cookies() if one["name"] == "sessionid")
    session = SessionStore(key)
    session["provider"] = session["provider"] | {"at": time.time() - hours * 3_600}
    session.save()


@pytest.fixture
def provider(room: Room) -> Iterator[providers.Provider]:
    """One that signs in whom it is told to, without a page."""
    with (
        providers.running(eva=EVA | {"groups": ["f-7"]}) as provider,
        set_up(provider.issuer, room),
        override_settings(OIDC_CLIENT_SECRET=providers.SECRET),
    ):
        yield provider


def test_who_is_refused_there_is_told_here_and_can_try_again(
    desktop: Page, site: Site, provider: providers.Provider, faults: Faults
) -> None:
    faults.expect("403")
    provider.refuses = "access_denied"
    desktop.goto(site.url(f"/?q={WORD}"))
    desktop.get_by_role("link", name=BUTTON).click()
    expect(desktop.get_by_role("heading", name="Not signed in")).to_be_visible()
    expect(desktop.locator(".card")).to_contain_text("was cancelled")
    provider.refuses, provider.signed_in = "", "eva"
    desktop.get_by_role("link", name="Try again").click()
    expect(desktop.locator(".hit")).to_have_count(1)


def test_at_half_time_the_provider_confirms_without_a_word_and_new_groups_hold(
    desktop: Page, site: Site, provider: providers.Provider
) -> None:
    provider.signed_in = "eva"
    desktop.goto(site.url(f"/?q={WORD}"))
    desktop.get_by_role("link", name=BUTTON).click()
    expect(desktop.locator(".hit")).to_have_count(1)
    provider.people["eva"] = EVA | {"groups": []}
    age(desktop, 7)
    asked = len(provider.asked)
    desktop.goto(site.url(f"/?q={WORD}"))
    expect(desktop.locator(".hit")).to_have_count(0)
    assert desktop.url == site.url("/", q=WORD) and "/token" in provider.asked[asked:]
    provider.signed_in = ""
    age(desktop, 7)
    desktop.goto(site.url("/help/"))
    assert desktop.url == site.url("/help/")
    age(desktop, 13)
    desktop.goto(site.url("/help/"))
    assert urlsplit(desktop.url).path == "/sign-in/"


def test_nothing_of_it_is_written_into_pages_or_storage(desktop: Page, site: Site, issuer: str, known: str) -> None:
    sign_in(desktop, site, known)
    kept = json.dumps(desktop.evaluate("() => [{...localStorage}, {...sessionStorage}, document.cookie]"))
    assert kept == '[{}, {}, ""]'
    assert not [one for one in desktop.context.cookies() if one["name"].startswith("journey")]
    assert issuer not in desktop.content()
