"""Signing in at an identity provider: the way there and back, and who comes in as whom."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence import provider as conversation
from evidence.models import AuditEvent, Group, Identity, Membership, Role
from evidence.tests.builders import group, person, tenant
from evidence.tests.pages import parsed, texts, value
from evidence.tests.pages import sign_in as with_password
from evidence.tests.providers import Provider, running, settings_for, sign_in, way_back
from evidence.web import journeys

pytestmark = pytest.mark.django_db

ANNA = {"preferred_username": "anna@firma.example", "given_name": "Anna", "family_name": "Berger", "groups": ["f-7"]}


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    tenant()
    conversation.forget()
    with running(anna=ANNA) as provider:
        for name, one in settings_for(provider).items():
            setattr(settings, name, one)
        yield provider


def theirs(provider: Provider, external_id: str = "f-7", *, name: str = "netz", of: str = "lindenau") -> Group:
    return Group.objects.create(tenant=tenant(of), name=name, issuer=provider.issuer, external_id=external_id)


def groups_of(subject: str = "anna") -> set[str]:
    return set(Membership.objects.filter(user__identities__subject=subject).values_list("groups__name", flat=True)) - {None}


def heading(answer: object) -> list[str]:
    return texts(parsed(answer), "h1")


def test_the_way_there_carries_state_nonce_and_pkce_and_nothing_of_the_person(client: Client, provider: Provider) -> None:
    address = client.get("/sign-in/oidc/", {"next": "/?q=geheim"})["Location"]
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert asked["code_challenge_method"] == "S256" and len(asked["code_challenge"]) == 43
    assert (asked["response_type"], asked["scope"]) == ("code", "openid profile")
    assert asked["redirect_uri"] == "http://testserver/sign-in/oidc/callback/"
    assert len(asked["state"]) >= 30 and len(asked["nonce"]) >= 20
    assert "geheim" not in address


def test_somebody_new_comes_in_as_a_reader_without_a_password(client: Client, provider: Provider) -> None:
    answer = sign_in(client, provider, "anna", after="/documents/?title=x")
    assert (answer.status_code, answer["Location"]) == (302, "/documents/?title=x")
    user = User.objects.get(identities__issuer=provider.issuer, identities__subject="anna")
    membership = Membership.objects.get(user=user)
    assert (membership.role, membership.tenant.slug, membership.active) == (Role.READER, "lindenau", True)
    assert not user.has_usable_password() and not user.is_staff and not user.is_superuser
    assert "Anna Berger" in client.get("/").content.decode()


def test_coming_again_is_the_same_person_whatever_the_name_is_now(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    provider.people["anna"] = {"preferred_username": "anna.neu", "family_name": "Neu"}
    sign_in(Client(), provider, "anna")
    user = User.objects.get()
    assert (user.username.startswith("anna-"), user.last_name) == (True, "Neu")


def test_a_name_that_is_here_already_is_never_that_person(client: Client, provider: Provider) -> None:
    local = person("anna", ["alle"])
    User.objects.filter(pk=local.pk).update(email="anna@firma.example", first_name="Anna", last_name="Berger")
    provider.people["anna"] = ANNA | {"email": "anna@firma.example", "email_verified": True, "preferred_username": "anna"}
    sign_in(client, provider, "anna")
    assert Identity.objects.get().user != local
    assert Identity.objects.get().user.username not in {"anna", "anna@firma.example"}


def test_two_people_of_one_name_are_two(client: Client, provider: Provider) -> None:
    provider.people["berta"] = ANNA
    sign_in(client, provider, "anna")
    sign_in(Client(), provider, "berta")
    names = list(User.objects.values_list("username", flat=True))
    assert len(set(names)) == 2 and all(name.startswith("anna-") for name in names)


@pytest.mark.parametrize("stated", ["", None, 7, "\u202eanna", "👻", "x" * 500, "a b\n<script>", "@", "anna@a@b"])
def test_whatever_the_provider_calls_somebody_the_account_has_a_sound_name(
    client: Client, provider: Provider, stated: object
) -> None:
    provider.people["anna"] = {"preferred_username": stated, "given_name": stated}
    assert sign_in(client, provider, "anna").status_code == 302
    user = User.objects.get()
    user.clean_fields(exclude={"password"})
    assert user.username.rpartition("-")[2] and "\u202e" not in user.first_name


def test_without_the_wish_nobody_new_comes_in(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_CREATE_PEOPLE = False
    answer = sign_in(client, provider, "anna")
    assert (answer.status_code, User.objects.count()) == (403, 0)
    assert "there is no account for you here" in answer.content.decode()


@pytest.mark.parametrize("closed", ["account", "membership", "no membership"])
def test_who_is_closed_out_does_not_come_in(client: Client, provider: Provider, closed: str) -> None:
    sign_in(Client(), provider, "anna")
    if closed == "account":
        User.objects.update(is_active=False)
    elif closed == "membership":
        Membership.objects.update(active=False)
    else:
        Membership.objects.all().delete()
    assert sign_in(client, provider, "anna").status_code == 403
    assert client.get("/").status_code == 302


def test_a_closed_account_ends_open_sessions_with_the_next_request(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    assert client.get("/").status_code == 200
    User.objects.update(is_active=False)
    assert client.get("/").status_code == 302


def test_an_unknown_tenant_is_told_as_no_account(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_TENANT = "nirgends"
    assert sign_in(client, provider, "anna").status_code == 403
    assert not User.objects.exists()


# Groups


def test_groups_are_exactly_those_of_the_claim_that_exist_here(client: Client, provider: Provider) -> None:
    theirs(provider)
    theirs(provider, "f-8", name="personal")
    provider.people["anna"] = {"groups": ["f-7", "unknown", "f-7"]}
    sign_in(client, provider, "anna")
    assert groups_of() == {"netz"}
    provider.people["anna"] = {"groups": ["f-8"]}
    sign_in(client, provider, "anna")
    assert groups_of() == {"personal"}
    provider.people["anna"] = {"groups": []}
    sign_in(client, provider, "anna")
    assert groups_of() == set()
    assert Identity.objects.get().groups_problem == ""


def test_groups_kept_here_and_of_other_issuers_are_never_touched(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    other = Group.objects.create(tenant=tenant(), name="fremd", issuer="https://elsewhere.example", external_id="f-7")
    Membership.objects.get().groups.add(group("alle"), other)
    provider.people["anna"] = {"groups": []}
    sign_in(client, provider, "anna")
    assert groups_of() == {"alle", "fremd"}


def test_a_claim_never_means_a_group_by_its_name(client: Client, provider: Provider) -> None:
    group("personal")
    Group.objects.create(tenant=tenant(), name="fremd", issuer="https://elsewhere.example", external_id="personal")
    theirs(provider, "f-9", name="netz")
    provider.people["anna"] = {"groups": ["personal", "netz", "lindenau/personal"]}
    sign_in(client, provider, "anna")
    assert groups_of() == set()


def test_a_group_of_another_tenant_is_not_reached(client: Client, provider: Provider) -> None:
    theirs(provider, of="hafen")
    sign_in(client, provider, "anna")
    assert groups_of() == set()


@pytest.mark.parametrize(
    ("claims", "problem"),
    [
        ({}, "missing"),
        ({"groups": None}, "missing"),
        ({"groups": {"f-7": True}}, "malformed"),
        ({"groups": 7}, "malformed"),
        ({"groups": ["f-7", 7]}, "malformed"),
        ({"groups": ["f-7", ["f-8"]]}, "malformed"),
        ({"groups": ["f-7", ""]}, "malformed"),
        ({"groups": ["f-7", "x" * 301]}, "malformed"),
        ({"groups": ["f-7", "a\nb"]}, "malformed"),
        ({"groups": ["f-7", *map(str, range(1_000))]}, "too_many"),
        ({"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "https://graph.example"}}}, "elsewhere"),
        ({"groups": ["f-7"], "_claim_names": {"groups": "src1"}}, "elsewhere"),
        ({"groups": ["f-7"], "hasgroups": True}, "elsewhere"),
    ],
)
def test_a_claim_that_does_not_say_it_takes_all_groups_and_lets_in(
    client: Client, provider: Provider, claims: dict[str, object], problem: str
) -> None:
    theirs(provider)
    sign_in(client, provider, "anna")
    assert groups_of() == {"netz"}
    provider.people["anna"] = claims
    assert sign_in(client, provider, "anna").status_code == 302
    found = Identity.objects.get()
    assert (groups_of(), found.groups_at, found.groups_problem) == (set(), None, problem)
    event = AuditEvent.objects.get(code="identity.groups_unknown")
    assert event.ids == {"identity": found.pk, "user": found.user_id, "groups_unknown": problem}


def test_a_single_group_written_as_text_is_one(client: Client, provider: Provider) -> None:
    theirs(provider)
    provider.people["anna"] = {"groups": "f-7"}
    sign_in(client, provider, "anna")
    assert groups_of() == {"netz"}


def test_groups_that_are_told_only_when_asked_for_are_asked_for(client: Client, provider: Provider) -> None:
    theirs(provider)
    provider.people["anna"] = {"user info": {"groups": ["f-7"], "given_name": "Anna"}}
    sign_in(client, provider, "anna")
    assert (groups_of(), User.objects.get().first_name) == ({"netz"}, "Anna")


def test_groups_that_are_told_of_somebody_else_are_not_taken(client: Client, provider: Provider) -> None:
    theirs(provider)
    provider.people["anna"] = {"user info": {"sub": "berta", "groups": ["f-7"]}}
    sign_in(client, provider, "anna")
    assert (groups_of(), Identity.objects.get().groups_problem) == (set(), "missing")


def test_another_claim_can_hold_the_groups(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_GROUPS_CLAIM = "https://firma.example/roles"
    theirs(provider)
    provider.people["anna"] = {"groups": ["f-8"], "https://firma.example/roles": ["f-7"]}
    sign_in(client, provider, "anna")
    assert groups_of() == {"netz"}


def test_older_news_does_not_bring_back_a_group(client: Client, provider: Provider) -> None:
    theirs(provider)
    provider.people["anna"] = {"groups": []}
    sign_in(client, provider, "anna")
    provider.people["anna"] = {"groups": ["f-7"], "iat": int(time.time()) - 50}
    sign_in(client, provider, "anna")
    assert groups_of() == set()


def test_groups_confirmed_in_the_future_are_confirmed_anew(client: Client, provider: Provider) -> None:
    """The clock was wrong for a while."""
    theirs(provider)
    sign_in(client, provider, "anna")
    Identity.objects.update(groups_at=timezone.now() + timedelta(days=3))
    sign_in(client, provider, "anna")
    assert Identity.objects.get().groups_at <= timezone.now()  # type: ignore[operator]


def test_unknown_groups_are_made_only_when_it_is_wished_and_under_a_name_no_rule_can_mean(
    client: Client, provider: Provider, settings: Settings
) -> None:
    sign_in(client, provider, "anna")
    assert not Group.objects.exists()
    settings.OIDC_CREATE_GROUPS = True
    provider.people["anna"] = {"groups": ["f-7", "scim:f-8"]}
    sign_in(client, provider, "anna")
    made = Group.objects.get()
    assert (made.issuer, made.external_id, made.name.startswith("idp-")) == (provider.issuer, "f-7", True)
    taken, made.name = made.name, "umbenannt"
    made.save()
    group(taken)
    made.access_rules.all().delete()
    Group.objects.filter(pk=made.pk).delete()
    sign_in(client, provider, "anna")
    assert Group.objects.get(external_id="f-7").name.startswith(taken)


# The way back


def test_a_callback_counts_once(client: Client, provider: Provider) -> None:
    back = way_back(client, provider, "anna")
    assert client.get(back).status_code == 302
    assert client.get(back)["Location"] == "/"  # signed in already
    client.post("/sign-out/")
    answer = client.get(back, headers={"accept-language": "en"})
    assert (answer.status_code, heading(answer)) == (400, ["Not signed in"])
    assert client.get("/").status_code == 302


def test_a_callback_of_another_browser_signs_nobody_in(client: Client, provider: Provider) -> None:
    back = way_back(Client(), provider, "anna")
    assert client.get(back).status_code == 400
    assert not User.objects.exists()


def test_a_callback_with_the_state_of_another_journey_signs_nobody_in(client: Client, provider: Provider) -> None:
    first, second = way_back(client, provider, "anna"), way_back(client, provider, "berta")
    state = parse_qs(urlsplit(first).query)["state"][0]
    code = parse_qs(urlsplit(second).query)["code"][0]
    assert client.get("/sign-in/oidc/callback/", {"state": state, "code": code}).status_code == 403
    assert not User.objects.exists()


@pytest.mark.parametrize("state", ["", "x", "../../x", "a" * 30, "a" * 5_000, "ü" * 30])
def test_a_state_that_is_none_is_lost(client: Client, provider: Provider, state: str) -> None:
    assert client.get("/sign-in/oidc/callback/", {"state": state, "code": "x"}).status_code == 400


def test_a_journey_that_somebody_wrote_himself_is_lost(client: Client, provider: Provider) -> None:
    state = "a" * 30
    client.cookies[f"journey-{state}"] = "eyJzdGF0ZSI6ImEifQ:1tQ:abc"
    assert client.get("/sign-in/oidc/callback/", {"state": state, "code": "x"}).status_code == 400


def test_a_journey_under_another_name_is_lost(client: Client, provider: Provider) -> None:
    back = way_back(client, provider, "anna")
    state = parse_qs(urlsplit(back).query)["state"][0]
    client.cookies[f"journey-{'a' * 30}"] = client.cookies[f"journey-{state}"].value
    assert client.get(back.replace(state, "a" * 30)).status_code == 400


def test_a_journey_takes_no_longer_than_it_may(client: Client, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    back = way_back(client, provider, "anna")
    monkeypatch.setattr(journeys, "TIME_FOR_IT", -1)
    assert client.get(back).status_code == 400


def test_two_tabs_come_back_each_to_its_own_page(client: Client, provider: Provider) -> None:
    first, second = (way_back(client, provider, "anna", after=path) for path in ("/documents/", "/help/"))
    assert client.get(second)["Location"] == "/help/"
    assert client.get(first)["Location"] == "/documents/"


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        ("access_denied", 403, "was cancelled"),
        ("server_error", 503, "can’t be reached"),
        ("temporarily_unavailable", 503, "can’t be reached"),
        ("login_required", 403, "is not accepted"),
        ("<script>alert(1)</script>", 403, "is not accepted"),
    ],
)
def test_a_refusal_is_a_page_without_a_word_of_the_provider(
    client: Client, provider: Provider, error: str, status: int, words: str
) -> None:
    state = parse_qs(urlsplit(client.get("/sign-in/oidc/", {"next": "/help/"})["Location"]).query)["state"][0]
    sent = {"state": state, "error": error, "error_description": "Geheimes", "error_uri": "https://evil.example"}
    answer = client.get("/sign-in/oidc/callback/", sent, headers={"accept-language": "en"})
    body = answer.content.decode()
    assert (answer.status_code, words in body) == (status, True)
    assert "Geheimes" not in body and "evil" not in body and "<script>alert" not in body
    assert value(parsed(answer), ".card .button-main", "href") == "/sign-in/oidc/?next=/help/"


@pytest.mark.parametrize("iss", ["https://other.example", ""])
def test_an_answer_of_another_issuer_is_not_accepted(client: Client, provider: Provider, iss: str) -> None:
    answer = client.get(way_back(client, provider, "anna") + f"&iss={iss}")
    assert answer.status_code == 403
    assert "/token" not in provider.asked


def test_a_provider_that_always_names_itself_must_do_so(client: Client, provider: Provider) -> None:
    provider.metadata = {"authorization_response_iss_parameter_supported": True}
    assert client.get(way_back(client, provider, "anna")).status_code == 403
    assert client.get(way_back(client, provider, "anna") + f"&iss={provider.issuer}").status_code == 302


@pytest.mark.parametrize(
    "after",
    ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", "http:///evil", "\x00/", "documents/"]
    + ["/sign-in/", "/sign-in/oidc/", "/sign-out/", "/" + "x" * 5_000, "https://testserver@evil.example/"],
)
def test_the_way_back_leads_to_no_other_place(client: Client, provider: Provider, after: str) -> None:
    assert sign_in(client, provider, "anna", after=after)["Location"] == "/"


def test_signing_in_gives_the_session_a_new_key(client: Client, provider: Provider) -> None:
    session = client.session
    session["kept"] = 1
    session.save()
    sign_in(client, provider, "anna")
    assert client.session.session_key != session.session_key


def test_the_way_there_leaves_no_session_behind(client: Client, provider: Provider) -> None:
    client.get("/sign-in/oidc/", {"next": "/?q=geheim"})
    assert "sessionid" not in client.cookies


def test_somebody_else_signing_in_takes_nothing_over(client: Client, provider: Provider) -> None:
    with_password(client, person("max"))
    session = client.session
    session["tenant"] = "geheim"
    session.save()
    sign_in(client, provider, "anna")
    assert "tenant" not in client.session


def test_no_log_holds_codes_tokens_or_names(client: Client, provider: Provider, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        sign_in(client, provider, "anna")
        provider.people["anna"] = {"nonce": "falsch", "given_name": "Anna"}
        back = way_back(client, provider, "anna")
        assert client.get(back).status_code == 403
    code = parse_qs(urlsplit(back).query)["code"][0]
    ours = "".join(f"{record.name} {record.getMessage()}\n" for record in caplog.records if record.name != "django.request")
    assert "oidc: not accepted: oidc_claim nonce" in ours
    assert not [word for word in (code, "eyJ", "Anna", "anna", "f-7", "falsch") if word in ours]


# What the session is worth


def set_back(client: Client, seconds: float) -> None:
    session = client.session
    session["provider"] = session["provider"] | {"at": time.time() - seconds}
    session.save()


PAGE = {"accept": "text/html", "sec-fetch-dest": "document"}
HOUR = 3_600


def test_a_session_is_over_when_the_provider_has_not_confirmed_it_in_time(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    set_back(client, 13 * HOUR)
    answer = client.get("/documents/", headers=PAGE)
    assert answer["Location"] == "/sign-in/?next=/documents/"
    assert client.get("/").status_code == 302


def test_a_session_from_the_future_is_over(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    set_back(client, -HOUR)
    assert client.get("/").status_code == 302


def test_at_half_time_a_page_goes_round_by_the_provider_and_groups_are_those_of_today(client: Client, provider: Provider) -> None:
    theirs(provider)
    sign_in(client, provider, "anna")
    form = value(parsed(client.get("/", headers=PAGE)), "[name=csrfmiddlewaretoken]", "value")
    set_back(client, 7 * HOUR)
    Identity.objects.update(groups_at=timezone.now() - timedelta(hours=7))
    provider.people["anna"] = {"groups": []}
    away = client.get("/documents/?title=x", headers=PAGE)
    assert parse_qs(urlsplit(away["Location"]).query)["prompt"] == ["none"]
    back = urlsplit(provider.authorize(away["Location"], "anna"))
    assert client.get(f"{back.path}?{back.query}")["Location"] == "/documents/?title=x"
    assert (groups_of(), client.get("/", headers=PAGE).status_code) == (set(), 200)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    assert strict.post("/tenant/", {"tenant": "lindenau", "csrfmiddlewaretoken": form}).status_code == 302


def test_who_is_not_signed_in_there_any_more_is_asked_only_when_the_time_is_over(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    set_back(client, 7 * HOUR)
    away = client.get("/documents/", headers=PAGE)
    back = urlsplit(provider.authorize(away["Location"]))
    assert client.get(f"{back.path}?{back.query}")["Location"] == "/documents/"
    assert client.get("/documents/", headers=PAGE).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("post", "/tenant/", PAGE),
        ("get", "/?q=x", PAGE | {"hx-request": "true"}),
        ("get", "/", {"accept": "image/avif,*/*", "sec-fetch-dest": "image"}),
        ("get", "/", {"accept": "text/html", "sec-fetch-dest": "iframe"}),
        ("get", "/", PAGE | {"sec-purpose": "prefetch"}),
        ("get", "/api/v1/search?q=x", {"accept": "application/json"}),
        ("head", "/", PAGE),
    ],
)
def test_nothing_but_a_page_goes_round(
    client: Client, provider: Provider, method: str, path: str, headers: dict[str, str]
) -> None:
    sign_in(client, provider, "anna")
    set_back(client, 7 * HOUR)
    answer = (
        getattr(client, method)(path, {}, headers=headers) if method == "post" else getattr(client, method)(path, headers=headers)
    )
    assert provider.issuer not in answer.headers.get("Location", "")


def test_a_provider_that_is_down_disturbs_nobody_at_half_time(client: Client, provider: Provider, settings: Settings) -> None:
    sign_in(client, provider, "anna")
    set_back(client, 7 * HOUR)
    conversation.forget()
    provider.answers["/.well-known/openid-configuration"] = lambda: (500, {}, b"")
    assert client.get("/documents/", headers=PAGE).status_code == 200


def test_another_person_at_the_provider_ends_the_session(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    set_back(client, 7 * HOUR)
    away = client.get("/documents/", headers=PAGE)
    back = urlsplit(provider.authorize(away["Location"], "berta"))
    assert client.get(f"{back.path}?{back.query}")["Location"] == "/sign-in/?next=/documents/"
    assert client.get("/").status_code == 302


def test_whoever_may_not_come_in_any_more_is_out_at_half_time(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    set_back(client, 7 * HOUR)
    away = client.get("/documents/", headers=PAGE)
    Membership.objects.update(active=False)
    back = urlsplit(provider.authorize(away["Location"], "anna"))
    assert client.get(f"{back.path}?{back.query}").status_code == 403
    assert client.get("/").status_code == 302


def test_a_silent_way_back_after_signing_out_signs_nobody_in(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    set_back(client, 7 * HOUR)
    away = client.get("/documents/", headers=PAGE)
    client.post("/sign-out/")
    back = urlsplit(provider.authorize(away["Location"], "anna"))
    assert client.get(f"{back.path}?{back.query}")["Location"] == "/sign-in/?next=/documents/"


@pytest.mark.parametrize("change", ["issuer", "identity gone", "no provider"])
def test_a_session_ends_with_what_it_came_from(client: Client, provider: Provider, settings: Settings, change: str) -> None:
    sign_in(client, provider, "anna")
    if change == "issuer":
        settings.OIDC_ISSUER = "https://other.example"
    elif change == "identity gone":
        Identity.objects.all().delete()
    else:
        settings.OIDC_ISSUER = ""
    assert client.get("/").status_code == 302


# Signing out


def test_signing_out_here_offers_to_sign_out_there(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    answer = client.post("/sign-out/")
    assert answer["Location"] == "/sign-in/oidc/signed-out/"
    page = parsed(client.get(answer["Location"]))
    address = urlsplit(value(page, ".card .button-main", "href"))
    asked = parse_qs(address.query)
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{provider.issuer}/end_session"
    assert asked["post_logout_redirect_uri"] == ["http://testserver/sign-in/"]
    assert asked["client_id"] == ["fundstelle"] and "id_token_hint" not in asked


def test_a_provider_without_sign_out_has_no_link_to_it(client: Client, provider: Provider) -> None:
    provider.metadata = {"end_session_endpoint": None}
    sign_in(client, provider, "anna")
    assert not parsed(client.post("/sign-out/", follow=True)).css(".card .button-main")


def test_signing_out_with_a_password_is_as_it_was(client: Client, provider: Provider) -> None:
    with_password(client, person("max"))
    assert client.post("/sign-out/")["Location"] == "/sign-in/"


# Passwords beside it


def test_the_sign_in_page_offers_both_ways(client: Client, provider: Provider) -> None:
    page = parsed(client.get("/sign-in/", {"next": "/?q=größe & mehr"}))
    assert value(page, ".card a.button-main", "href") == "/sign-in/oidc/?next=/%3Fq%3Dgr%C3%B6%C3%9Fe%20%26%20mehr"
    assert page.css_first("details[open] input[name=password]") is not None


def test_where_only_the_provider_counts_passwords_open_administrators_alone(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_ONLY = True
    person("max")
    User.objects.create_superuser("chefin", password="richtig-langes-Kennwort-7")
    for name, status in (("max", 200), ("niemand", 200), ("chefin", 302)):
        form = {"username": name, "password": "richtig-langes-Kennwort-7"}
        assert client.post("/sign-in/", form).status_code == status, name
    page = parsed(Client().get("/sign-in/"))
    assert page.css_first("details:not([open]) input[name=password]") is not None


def test_sessions_with_a_password_end_where_only_the_provider_counts(
    client: Client, provider: Provider, settings: Settings
) -> None:
    with_password(client, person("max"))
    other = Client()
    with_password(other, User.objects.create_superuser("chefin"))
    settings.OIDC_ONLY = True
    assert client.get("/").status_code == 302
    assert other.get("/").status_code == 200


def test_who_signs_in_elsewhere_has_no_password_to_change(client: Client, provider: Provider) -> None:
    sign_in(client, provider, "anna")
    assert client.get("/password/").status_code == 404
    assert "/password/" not in client.get("/").content.decode()
