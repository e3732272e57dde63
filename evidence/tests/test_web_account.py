"""Signing in and out, changing the password, choosing a tenant and a language."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from evidence.models import Membership
from evidence.tests.builders import PASSWORD, person, publish, tenant
from evidence.tests.pages import main, one, parsed, sign_in, texts, value

pytestmark = pytest.mark.django_db(transaction=True)

NEW_PASSWORD = "ganz-anderes-Kennwort-8"


@pytest.mark.parametrize("address", ["/", "/documents/", "/help/", "/password/", "/documents/no-id/"])
def test_nothing_but_sign_in_is_open_to_strangers(client: Client, address: str) -> None:
    response = client.get(address, headers={"accept-language": "en"})
    assert response.status_code in (302, 404)
    assert "Your" not in response.content.decode()


@pytest.mark.parametrize("address", ["/sign-in/", "/healthz"])
def test_sign_in_and_health_are_open(client: Client, address: str) -> None:
    assert client.get(address).status_code == 200


def test_right_password_leads_to_the_page_that_was_asked_for(client: Client) -> None:
    person("anna")
    response = client.post("/sign-in/", {"username": "anna", "password": PASSWORD, "next": "/documents/"})
    assert (response.status_code, response.headers["Location"]) == (302, "/documents/")


def test_wrong_password_and_unknown_name_are_told_apart_by_nobody(client: Client) -> None:
    person("anna")
    pages = [main(client.post("/sign-in/", {"username": name, "password": "x"})) for name in ("anna", "emma")]
    assert pages[0] == pages[1].replace("emma", "anna")
    assert pages[0].startswith("200 ")


def test_too_many_wrong_passwords_lock_for_a_while(client: Client) -> None:
    person("anna")
    statuses = [client.post("/sign-in/", {"username": "anna", "password": "x"}).status_code for _ in range(6)]
    assert statuses[-1] == 429
    response = client.post("/sign-in/", {"username": "anna", "password": PASSWORD}, headers={"accept-language": "en"})
    assert (response.status_code, texts(parsed(response), "h1")) == (429, ["Locked for a while"])


def test_sign_out_needs_a_form_and_ends_the_session(client: Client) -> None:
    sign_in(client, person("anna"))
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").status_code == 302
    assert client.get("/").status_code == 302


def test_password_is_changed_and_said_to_be(client: Client) -> None:
    sign_in(client, person("anna"))
    form = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    response = client.post("/password/", form, follow=True, headers={"accept-language": "en"})
    assert "Your password has been changed." in response.content.decode()
    assert client.login(request=response.wsgi_request, username="anna", password=NEW_PASSWORD)


def test_weak_password_is_refused_at_its_field(client: Client) -> None:
    sign_in(client, person("anna"))
    form = {"old_password": PASSWORD, "new_password1": "kurz", "new_password2": "kurz"}
    page = parsed(client.post("/password/", form))
    assert one(page, "#id_new_password2_error .error, #id_new_password1_error .error") is not None


def test_chosen_tenant_decides_what_is_found(client: Client, tmp_path: Path) -> None:
    for slug in ("hafen", "lindenau"):
        publish(tmp_path / slug, {"x.txt": f"Wort {slug}"}, of=tenant(slug))
    user = person("felix", ["alle"], of=tenant("hafen"))
    person("felix", ["alle"], of=tenant("lindenau"))
    sign_in(client, user)
    for slug in ("hafen", "lindenau"):
        assert client.post("/tenant/", {"tenant": slug}).status_code == 302
        assert texts(parsed(client.get("/", {"q": "wort"})), ".quote") == [f"Wort {slug}"]


def test_tenant_of_others_is_as_unavailable_as_none(client: Client) -> None:
    tenant("fremd")
    user = person("anna")
    sign_in(client, user)
    pages = {main(client.post("/tenant/", {"tenant": slug})) for slug in ("fremd", "nie", "", "a b")}
    assert len(pages) == 1
    Membership.objects.filter(user=user).update(active=False)
    assert client.post("/tenant/", {"tenant": "lindenau"}).status_code == 404


@pytest.mark.parametrize(("language", "heading"), [("de", "Anmelden"), ("en-GB", "Sign in"), ("fr", "Sign in")])
def test_language_of_the_browser_decides(client: Client, language: str, heading: str) -> None:
    page = parsed(client.get("/sign-in/", headers={"accept-language": language}))
    assert texts(page, "h1") == [heading]


def test_switch_overrides_the_language_of_the_browser_and_comes_back(client: Client) -> None:
    response = client.post("/language/", {"language": "de", "next": "/sign-in/"})
    assert response.headers["Location"] == "/sign-in/"
    page = parsed(client.get("/sign-in/", headers={"accept-language": "en"}))
    assert value(page, "html", "lang") == "de"


def test_form_from_elsewhere_is_not_accepted() -> None:
    strict = Client(enforce_csrf_checks=True)
    response = strict.post("/sign-in/", {"username": "anna", "password": "x"}, headers={"accept-language": "en"})
    assert (response.status_code, texts(parsed(response), "h1")) == (403, ["Not accepted"])
