"""The conversation with an OpenID provider that is wrong, slow, or means harm."""

from __future__ import annotations

import base64
import hmac
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey
from joserfc.jws import JWSRegistry
from pytest_django import Settings

from evidence import claims, provider
from evidence.errors import EvidenceError, Refused
from evidence.provider import NoAnswer, NotAccepted
from evidence.tests.providers import CLIENT, Claims, Provider, key, running, settings_for, signed

CALLBACK = "http://testserver/sign-in/oidc/callback/"


@pytest.fixture
def theirs(settings: Settings) -> Iterator[Provider]:
    provider.forget()
    with running(anna={}) as one:
        for name, value in settings_for(one).items():
            setattr(settings, name, value)
        yield one


def there_and_back(theirs: Provider, subject: str = "anna") -> Claims:
    begun = provider.begin(CALLBACK, silent=False)
    code = parse_qs(urlsplit(theirs.authorize(begun.url, subject)).query)["code"][0]
    return dict(provider.finish(code, callback=CALLBACK, nonce=begun.nonce, verifier=begun.verifier))


def refusal(theirs: Provider) -> str:
    with pytest.raises(EvidenceError) as caught:
        there_and_back(theirs)
    return caught.value.code


def test_a_decent_provider_is_believed(theirs: Provider) -> None:
    assert there_and_back(theirs)["sub"] == "anna"


def test_what_is_known_is_not_asked_for_again(theirs: Provider) -> None:
    for _ in range(3):
        there_and_back(theirs)
    assert theirs.asked.count("/.well-known/openid-configuration") == theirs.asked.count("/jwks") == 1


# Tokens


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def unsigned(claims: Claims) -> str:
    return f"{_part({'alg': 'none', 'kid': key().kid})}.{_part(claims)}."


def with_the_public_key_as_a_secret(claims: Claims) -> str:
    """The old attack: whoever takes the key for a secret checks it with what everybody knows."""
    signed_part = f"{_part({'alg': 'HS256', 'kid': key().kid})}.{_part(claims)}"
    mark = hmac.digest(key().as_pem(private=False), signed_part.encode(), "sha256")
    return f"{signed_part}.{base64.urlsafe_b64encode(mark).rstrip(b'=').decode()}"


def cut_off(claims: Claims) -> str:
    return signed(claims).rpartition(".")[0] + "."


def changed_afterwards(claims: Claims) -> str:
    head, _, mark = signed(claims).split(".")
    return f"{head}.{_part(claims | {'sub': 'chefin'})}.{mark}"


def by_a_key_it_brings_along(claims: Claims) -> str:
    return signed(claims, by=key("other"), kid=None, jwk=key("other").as_dict(private=False))


@pytest.mark.parametrize(
    "token",
    [
        unsigned,
        with_the_public_key_as_a_secret,
        cut_off,
        changed_afterwards,
        by_a_key_it_brings_along,
        lambda claims: signed(claims, by=key("other"), kid=key().kid),
        lambda claims: signed(claims, by=key("other")),
        lambda claims: signed(claims, by=key("other", alg="RS384"), alg="RS384", kid=key().kid),
        lambda claims: (
            f"{_part({'alg': 'RS256', 'kid': key().kid, 'crit': ['exp'], 'exp': 1})}." + signed(claims).partition(".")[2]
        ),
        lambda claims: "a.b.c",
        lambda claims: "a.b.c.d.e",
        lambda claims: "x" * 300_000,
    ],
)
def test_a_token_that_the_provider_did_not_sign_is_not_believed(theirs: Provider, token: Callable[[Claims], object]) -> None:
    theirs.token = token
    assert refusal(theirs) == "oidc_signature"


@pytest.mark.parametrize("listed", [["none"], ["HS256"], ["none", "HS256"], [], "RS256", None, [7]])
@pytest.mark.parametrize("token", [unsigned, with_the_public_key_as_a_secret])
def test_no_signature_counts_because_the_provider_lists_it(
    theirs: Provider, listed: object, token: Callable[[Claims], object]
) -> None:
    theirs.metadata, theirs.token = {"id_token_signing_alg_values_supported": listed}, token
    assert refusal(theirs) in {"oidc_discovery", "oidc_signature"}


def test_a_secret_among_the_public_keys_is_no_key(theirs: Provider) -> None:
    secret = OctKey.generate_key(256, {"kid": "oct"})
    theirs.keys.append(dict(secret.as_dict(private=True)))
    theirs.metadata = {"id_token_signing_alg_values_supported": ["RS256", "HS256"]}
    registry = JWSRegistry(algorithms=["HS256"])
    theirs.token = lambda claims: jwt.encode({"alg": "HS256", "kid": "oct"}, claims, secret, registry=registry)
    assert refusal(theirs) == "oidc_signature"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"iss": "https://other.example"}, "oidc_claim"),
        ({"iss": None}, "oidc_claim"),
        ({"iss": ["https://other.example"]}, "oidc_claim"),
        ({"aud": "somebody"}, "oidc_claim"),
        ({"aud": []}, "oidc_claim"),
        ({"aud": None}, "oidc_claim"),
        ({"aud": "somebody", "azp": CLIENT}, "oidc_claim"),
        ({"aud": [CLIENT, "somebody"]}, "oidc_claim"),
        ({"aud": [CLIENT, "somebody"], "azp": "somebody"}, "oidc_claim"),
        ({"azp": "somebody"}, "oidc_claim"),
        ({"nonce": "another"}, "oidc_claim"),
        ({"nonce": None}, "oidc_claim"),
        ({"nonce": ""}, "oidc_claim"),
        ({"exp": 1_000}, "oidc_clock"),
        ({"exp": None}, "oidc_claim"),
        ({"exp": "9999999999"}, "oidc_clock"),
        ({"exp": float("nan")}, "oidc_clock"),
        ({"exp": True}, "oidc_clock"),
        ({"iat": 99_999_999_999}, "oidc_clock"),
        ({"iat": None}, "oidc_claim"),
        ({"nbf": 99_999_999_999}, "oidc_clock"),
        ({"sub": None}, "oidc_claim"),
        ({"sub": 7}, "oidc_claim"),
        ({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, "oidc_claim"),
    ],
)
def test_a_token_for_something_else_is_not_believed(theirs: Provider, change: Claims, code: str) -> None:
    theirs.changed = lambda stated: {name: value for name, value in (stated | change).items() if value is not None}
    assert refusal(theirs) == code


def test_several_audiences_are_fine_when_this_is_the_authorized_one(theirs: Provider) -> None:
    theirs.changed = lambda stated: stated | {"aud": [CLIENT, "somebody"], "azp": CLIENT}
    assert there_and_back(theirs)["sub"] == "anna"


def test_clocks_may_differ_a_little(theirs: Provider) -> None:
    theirs.changed = lambda stated: stated | {"iat": int(time.time()) + 30, "exp": int(time.time()) - 30}
    assert there_and_back(theirs)["sub"] == "anna"


@pytest.mark.parametrize("subject", ["", "x" * 256, "ä", "a\nb", 7, None, ["a"]])
def test_a_subject_must_be_one(subject: object) -> None:
    with pytest.raises(Refused):
        claims.subject_of(subject)


@pytest.mark.parametrize("issued", [None, "1", True, 1e300, float("inf")])
def test_a_time_must_be_one(issued: object) -> None:
    with pytest.raises(Refused):
        claims.read({"sub": "anna", "iat": issued}, subject="sub", groups="groups")


# Keys


@pytest.mark.parametrize("alg", ["PS256", "ES256", "Ed25519"])
def test_other_asymmetric_signatures_count_when_the_provider_lists_them(theirs: Provider, alg: str) -> None:
    made: dict[str, tuple[Any, Any]] = {"PS256": (RSAKey, 2048), "ES256": (ECKey, "P-256"), "Ed25519": (OKPKey, "Ed25519")}
    kind, size = made[alg]
    own = kind.generate_key(size, {"kid": "own", "alg": alg})
    theirs.keys, theirs.metadata = [dict(own.as_dict(private=False))], {"id_token_signing_alg_values_supported": ["RS256", alg]}
    registry = JWSRegistry(algorithms=[alg])
    theirs.token = lambda stated: jwt.encode({"alg": alg, "kid": "own"}, stated, own, registry=registry)
    assert there_and_back(theirs)["sub"] == "anna"


def test_a_token_without_the_name_of_a_key_is_checked_with_the_only_one(theirs: Provider) -> None:
    theirs.token = lambda stated: signed(stated, kid=None)
    assert there_and_back(theirs)["sub"] == "anna"


def test_a_token_without_the_name_of_a_key_is_not_believed_when_there_are_several(theirs: Provider) -> None:
    theirs.keys.append(dict(key("other").as_dict(private=False)))
    theirs.token = lambda stated: signed(stated, kid=None)
    assert refusal(theirs) == "oidc_signature"


def test_a_new_key_is_found(theirs: Provider) -> None:
    there_and_back(theirs)
    theirs.keys = [dict(key("second").as_dict(private=False))]
    theirs.token = lambda stated: signed(stated, by=key("second"))
    assert there_and_back(theirs)["sub"] == "anna"


def test_a_new_key_under_the_old_name_is_found_after_a_while(theirs: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    there_and_back(theirs)
    theirs.keys = [dict(key("second").as_dict(private=False)) | {"kid": key().kid}]
    theirs.token = lambda stated: signed(stated, by=key("second"), kid=key().kid)
    assert refusal(theirs) == "oidc_signature"
    monkeypatch.setattr(provider, "ASKED_AGAIN_AFTER", 0.0)
    assert there_and_back(theirs)["sub"] == "anna"


def test_a_key_that_was_taken_back_is_not_believed_any_more(theirs: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    there_and_back(theirs)
    theirs.keys = [dict(key("second").as_dict(private=False))]
    monkeypatch.setattr(provider, "KNOWN_FOR", 0.0)
    assert refusal(theirs) == "oidc_signature"


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"keys": {}},
        {"keys": [{"kty": "RSA", "kid": str(number), "n": "AQAB", "e": "AQAB"} for number in range(101)]},
        {"keys": [], "padding": "x" * 600_000},
        [],
        7,
        None,
    ],
)
def test_keys_that_are_none_or_too_many_are_no_answer(theirs: Provider, keys: object) -> None:
    theirs.answers["/jwks"] = lambda: (200, {"Content-Type": "application/json"}, json.dumps(keys).encode())
    assert refusal(theirs) == "oidc_unreachable"


@pytest.mark.parametrize("keys", [[], [7, "x", None], [{"kty": "RSA"}], [{"kty": "RSA", "kid": "first", "n": 7, "e": []}]])
def test_keys_that_are_nonsense_make_no_token_good(theirs: Provider, keys: list[Any]) -> None:
    theirs.keys = keys
    assert refusal(theirs) in {"oidc_unreachable", "oidc_signature"}


# Discovery


@pytest.mark.parametrize(
    "change",
    [
        {"issuer": "https://other.example"},
        {"issuer": None},
        {"issuer": 7},
        {"token_endpoint": None},
        {"jwks_uri": "ftp://127.0.0.1/jwks"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": 7},
        {"end_session_endpoint": "data:text/html,x"},
        {"token_endpoint": "https:///token"},
        {"token_endpoint_auth_methods_supported": ["private_key_jwt"]},
    ],
)
def test_a_discovery_document_that_does_not_fit_is_no_answer(theirs: Provider, change: Claims) -> None:
    theirs.metadata = change
    assert refusal(theirs) == "oidc_discovery"


def test_an_issuer_with_https_has_only_addresses_with_https(theirs: Provider, settings: Settings) -> None:
    settings.OIDC_ISSUER = "https://id.example"
    assert not provider._may_be_asked("http://id.example/token")
    assert provider._may_be_asked("https://elsewhere.example/token")


def test_a_discovery_document_can_turn_nothing_off(theirs: Provider) -> None:
    """Authlib would take these for its own settings."""
    theirs.metadata = {
        "verify": False,
        "trust_env": True,
        "proxies": {"http": "http://127.0.0.1:9"},
        "code_challenge_method": "plain",
        "scope": "openid offline_access",
        "token_endpoint_auth_method": "none",
        "client_secret": "x",
        "default_timeout": 9_999,
        "jwks": {"keys": [dict(key("other").as_dict(private=False))]},
        "response_type": "token",
        "nonce": "known",
        "prompt": "create",
    }
    begun = provider.begin(CALLBACK, silent=False)
    asked = parse_qs(urlsplit(begun.url).query)
    assert asked["code_challenge_method"] == ["S256"] and asked["response_type"] == ["code"]
    assert asked["scope"] == ["openid profile"] and asked["nonce"] != ["known"] and "prompt" not in asked
    theirs.token = lambda stated: signed(stated, by=key("other"))
    assert refusal(theirs) == "oidc_signature"
    theirs.token = signed
    assert there_and_back(theirs)["sub"] == "anna"


@pytest.mark.parametrize("body", [b"", b"[]", b"7", b"<html>", b"\xff", b"{" * 100_000, b'{"issuer": 1' + b" " * 600_000 + b"}"])
def test_a_discovery_document_that_is_none_is_no_answer(theirs: Provider, body: bytes) -> None:
    theirs.answers["/.well-known/openid-configuration"] = lambda: (200, {}, body)
    assert refusal(theirs) == "oidc_unreachable"


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/jwks", "/token"])
@pytest.mark.parametrize("status", [301, 302, 307, 404, 500, 503])
def test_redirects_and_faults_are_no_answer(theirs: Provider, path: str, status: int) -> None:
    theirs.answers[path] = lambda: (status, {"Location": f"{theirs.issuer}/elsewhere"}, b"")
    assert refusal(theirs) == "oidc_unreachable"
    assert "/elsewhere" not in theirs.asked


def test_a_provider_that_is_not_there_is_no_answer(theirs: Provider, settings: Settings) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        settings.OIDC_ISSUER = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(NoAnswer):
        provider.begin(CALLBACK, silent=False)


# The token endpoint


@pytest.mark.parametrize("value", [None, 7, ["x"], {}])
def test_an_answer_without_a_token_is_not_accepted(theirs: Provider, value: object) -> None:
    theirs.token = lambda stated: value
    assert refusal(theirs) == "oidc_no_token"


@pytest.mark.parametrize("field", ["code", "verifier", "callback"])
def test_a_code_that_does_not_fit_is_refused(theirs: Provider, field: str) -> None:
    begun = provider.begin(CALLBACK, silent=False)
    code = parse_qs(urlsplit(theirs.authorize(begun.url, "anna")).query)["code"][0]
    good = {"code": code, "callback": CALLBACK, "verifier": begun.verifier} | {field: "another"}
    with pytest.raises(NotAccepted) as caught:
        provider.finish(good["code"], callback=good["callback"], nonce=begun.nonce, verifier=good["verifier"])
    assert caught.value.code == "oidc_code"


def test_a_wrong_secret_of_ours_is_told_in_the_log_and_no_more(
    theirs: Provider, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.OIDC_CLIENT_SECRET = "falsch"
    assert refusal(theirs) == "oidc_code"
    assert "oidc_code invalid_client" in caplog.text and "Geheimes" not in caplog.text and "falsch" not in caplog.text


def test_what_a_provider_calls_its_fault_is_not_repeated(theirs: Provider, caplog: pytest.LogCaptureFixture) -> None:
    body = json.dumps({"error": "anna@firma.example", "error_description": "Geheimes"}).encode()
    theirs.answers["/token"] = lambda: (400, {}, body)
    assert refusal(theirs) == "oidc_code"
    assert "anna" not in caplog.text and "Geheimes" not in caplog.text


def test_a_provider_that_wants_the_secret_in_the_form_gets_it_there(theirs: Provider) -> None:
    theirs.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    assert refusal(theirs) == "oidc_code"  # this one looks into the header alone
    assert "client_secret=secret-of-the-client" in theirs.forms[-1]


def test_passwords_of_the_operators_netrc_are_not_sent(theirs: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login root password geheim")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    seen: list[str] = []
    monkeypatch.setattr("evidence.provider._Bounded.add_headers", lambda *args, **options: seen.append(str(args[1].headers)))
    there_and_back(theirs)
    assert seen and not [one for one in seen if base64.b64encode(b"root:geheim").decode() in one]


# Slow ones


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/jwks", "/token"])
def test_a_provider_that_takes_too_long_is_not_waited_for(theirs: Provider, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider, "STEP", 0.3)
    stop = threading.Event()
    theirs.answers[path] = lambda: (200, {}, b"{}" if stop.wait(2) else b"")
    begun = time.monotonic()
    assert refusal(theirs) == "oidc_unreachable"
    stop.set()
    assert time.monotonic() - begun < 1.5


def test_a_provider_that_drips_is_not_waited_for(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, and all of them never do."""
    monkeypatch.setattr(provider, "WITHIN", 0.5)
    stop = threading.Event()

    def drip(server: socket.socket) -> None:
        connection, _ = server.accept()
        with closing(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not stop.wait(0.05):
                connection.sendall(b"X")

    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        settings.OIDC_ISSUER = f"http://127.0.0.1:{server.getsockname()[1]}"
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, "x"
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        begun = time.monotonic()
        with pytest.raises(NoAnswer) as caught:
            provider.begin(CALLBACK, silent=False)
        stop.set()
        thread.join()
    assert (caught.value.code, time.monotonic() - begun < 1.5) == ("oidc_late", True)
