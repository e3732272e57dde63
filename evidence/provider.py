"""Provider: the conversation with the operator's OpenID provider: what is known of it, sending people there, what it says of
them.

Authlib speaks the protocol: discovery, PKCE, state and nonce, exchanging the code, and checking signature and claims of tokens.
What is stricter here than there:

- Of the discovery document only known entries are used: any other could change how Authlib connects. Its issuer must be the
  configured one, and its addresses https.
- Only asymmetric signatures count, whatever the provider lists. Issuer, audience, subject, times and nonce must all be there.
- No redirect is followed, an answer is bounded in length, and a person waits no longer than WITHIN.

Knows neither database nor requests of browsers. No message and no log repeats what a provider sent.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from authlib.integrations.base_client import OAuthError
from authlib.integrations.django_client import DjangoIntegration, DjangoOAuth2App
from authlib.integrations.requests_client import OAuth2Session
from django.conf import settings
from joserfc import jwt
from joserfc.errors import ClaimError, DecodeError, ExpiredTokenError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from requests import PreparedRequest, RequestException, Response
from requests.adapters import HTTPAdapter

from evidence.errors import EvidenceError, gettext_noop
from evidence.patience import Late, Patience

WITHIN: Final = 10.0
"""Seconds that a person waits for the provider; afterwards there is a page that says so."""
STEP: Final = 5.0
"""Seconds without a byte after which one connection is given up."""
MAX_ANSWER: Final = 512_000
"""Bytes of one answer. A token with a thousand groups has some 60,000."""
MAX_KEYS: Final = 100
"""Keys of a provider: each of them is parsed for each token."""
KNOWN_FOR: Final = 600.0
"""Seconds that discovery and keys are kept."""
ASKED_AGAIN_AFTER: Final = 30.0
"""Seconds after which keys are fetched again for a signature that fits none: they may have changed, or somebody plays."""
LEEWAY: Final = 60
"""Seconds by which two clocks may differ."""
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Signatures that count: those for which the verifier holds no secret."""
LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"
LOGOUT_AGE: Final = 300
"""Seconds after which a message that somebody signed out is old (Back-Channel Logout 1.0 asks for a short time)."""
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint")
_NEEDED: Final = _ENDPOINTS[:3]
_KEY_TYPES: Final = frozenset({"RSA", "EC", "OKP"})
_SAID: Final = frozenset({"invalid_client", "invalid_grant", "invalid_request", "unauthorized_client", "invalid_scope"})
"""What a token endpoint may answer (RFC 6749, section 5.2); only these are repeated in the log."""

logger = logging.getLogger(__name__)
T = TypeVar("T")


class NoAnswer(EvidenceError):
    """The provider can't be reached, or its answer is none."""


class NotAccepted(EvidenceError):
    """What the provider says is not accepted. The code says why."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A person who is sent to the provider: where to, and what must be kept until that person comes back."""

    url: str
    state: str
    nonce: str
    verifier: str


def is_set_up() -> bool:
    """Whether there is a provider."""
    return bool(settings.OIDC_ISSUER)


def begin(callback: str, *, silent: bool) -> Begun:
    """Where to send a person. callback: the address to come back to. silent: the provider may not ask that person anything."""
    return _patiently(partial(_begin, callback, silent))


def finish(code: str, *, callback: str, nonce: str, verifier: str) -> Mapping[str, object]:
    """What the provider says of the person who came back with this code: claims that are validated."""
    return _patiently(partial(_finish, code, callback, nonce, verifier))


def check_sender(issuer: str | None) -> None:
    """Refuse an answer that says to come from another issuer, or does not say it although this one always does (RFC 9207)."""
    if issuer is None and not _patiently(_says_who_it_is):
        return
    if issuer != settings.OIDC_ISSUER:
        raise _not_accepted("oidc_issuer")


def sign_out_address(back: str) -> str:
    """Where people sign out at the provider too (RP-Initiated Logout 1.0); empty when it offers nothing of the kind."""
    return _patiently(partial(_sign_out_address, back))


def signed_out(token: str) -> tuple[str, str]:
    """Whom the provider says to have signed out: subject, and the id of this message (Back-Channel Logout 1.0)."""
    return _patiently(partial(_signed_out, token))


def let_in(token: str) -> Mapping[str, object]:
    """What a token says that the provider made for a program which acts for a person here, and for nowhere else: valid claims.

    As RFC 9068 has them: its audience must be MCP_RESOURCE, so that a token for another service, or one that tells this server
    who signed in, lets nobody in.
    """
    return _patiently(partial(_let_in, token))


def _begin(callback: str, silent: bool) -> Begun:
    asked = {"prompt": "none"} if silent else {}
    begun = _known().app.create_authorization_url(callback, **asked)
    return Begun(url=begun["url"], state=begun["state"], nonce=begun["nonce"], verifier=begun["code_verifier"])


def _finish(code: str, callback: str, nonce: str, verifier: str) -> Mapping[str, object]:
    known = _known()
    token = known.app.fetch_access_token(code=code, redirect_uri=callback, code_verifier=verifier)
    if not isinstance(token.get("id_token"), str):
        raise _not_accepted("oidc_no_token")
    claims = _with_new_keys(known, lambda one: dict(one.app.parse_id_token(token, nonce, _expected(), leeway=LEEWAY)))
    return _completed(known, token, claims)


def _expected() -> dict[str, dict[str, object]]:
    """What Authlib must find in a token. It takes these apart, so they are made anew each time."""
    return {
        "iss": {"essential": True, "value": settings.OIDC_ISSUER},
        "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        "sub": {"essential": True},
        "exp": {"essential": True},
        "iat": {"essential": True},
    }


def _completed(known: _Known, token: Mapping[str, object], claims: dict[str, object]) -> Mapping[str, object]:
    """With the groups and names that some providers tell only when they are asked for them. No answer: they stay unknown."""
    wanted = settings.OIDC_GROUPS_CLAIM
    if wanted in claims or "_claim_names" in claims or "userinfo_endpoint" not in known.app.server_metadata:
        return claims
    try:
        told = known.app.userinfo(token=token)
    except (RequestException, OAuthError, ValueError, TypeError) as error:
        logger.warning("oidc: no user info: %s", type(error).__name__)
        return claims
    return {**told, **claims} if told.get("sub") == claims["sub"] else claims


def _says_who_it_is() -> bool:
    return _known().says_who_it_is


def _sign_out_address(back: str) -> str:
    app = _known().app
    if "end_session_endpoint" not in app.server_metadata:
        return ""
    return str(app.create_logout_url(post_logout_redirect_uri=back, client_id=settings.OIDC_CLIENT_ID)["url"])


def _let_in(token: str) -> Mapping[str, object]:
    audience = {"aud": {"essential": True, "value": settings.MCP_RESOURCE}}
    claims = _with_new_keys(_known(), lambda one: _claims(one, token, _expected() | audience))
    if "nonce" in claims or "events" in claims:  # who signed in, or out
        raise _not_accepted("oidc_claim")
    return claims


def _signed_out(token: str) -> tuple[str, str]:
    expected = _expected() | {"jti": {"essential": True}, "events": {"essential": True}}
    claims = _with_new_keys(_known(), lambda one: _claims(one, token, expected))
    events, subject, message = claims.get("events"), claims.get("sub"), claims.get("jti")
    told = isinstance(events, dict) and isinstance(events.get(LOGOUT_EVENT), dict)
    recent = time.time() - claims["iat"] <= LOGOUT_AGE + LEEWAY
    if not told or "nonce" in claims or not recent or not isinstance(subject, str) or not isinstance(message, str):
        raise _not_accepted("oidc_logout")
    return subject, message


def _claims(known: _Known, token: str, expected: Mapping[str, Mapping[str, object]]) -> dict[str, Any]:
    """As Authlib checks the tokens that tell who signed in; it knows no others."""
    registry = JWSRegistry(algorithms=known.algorithms, strict_check_header=False)
    keys = KeySet.import_key_set(known.app.fetch_jwk_set())
    try:
        claims = jwt.decode(token, key=keys, registry=registry).claims
    except (TypeError, ValueError) as error:  # a header of odd types, before any signature is looked at
        raise DecodeError(type(error).__name__) from None
    jwt.JWTClaimsRegistry(leeway=LEEWAY, **expected).validate(claims)  # type: ignore[arg-type]
    return claims


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of the provider. settings: what it was found out with."""

    app: DjangoOAuth2App
    algorithms: tuple[str, ...]
    says_who_it_is: bool
    settings: tuple[str, ...]
    at: float

    def is_old(self, after: float) -> bool:
        return time.monotonic() - self.at > after


_lock = threading.Lock()
_kept: _Known | None = None


def forget() -> None:
    """Ask anew next time."""
    global _kept
    _kept = None


def _known() -> _Known:
    """What is known, found out when it is needed. Found out side by side by several, the last one counts."""
    global _kept
    kept = _kept
    if kept is None or kept.settings != _settings() or kept.is_old(KNOWN_FOR):
        kept = _discovered()
        with _lock:
            _kept = kept
    return kept


def _settings() -> tuple[str, ...]:
    return (settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET, *settings.OIDC_SCOPES)


def _discovered() -> _Known:
    app = _App(
        DjangoIntegration("fundstelle"),
        client_id=settings.OIDC_CLIENT_ID,
        client_secret=settings.OIDC_CLIENT_SECRET,
        server_metadata_url=settings.OIDC_ISSUER.rstrip("/") + "/.well-known/openid-configuration",
        client_kwargs={"scope": " ".join(settings.OIDC_SCOPES), "code_challenge_method": "S256"},
        user_agent="Fundstelle",
    )
    stated = app.load_server_metadata()
    listed = stated.get("id_token_signing_alg_values_supported", ["RS256"])
    algorithms = tuple(one for one in ALGORITHMS if isinstance(listed, list) and one in listed)
    endpoints = {name: stated[name] for name in _ENDPOINTS if stated.get(name) is not None}
    if stated.get("issuer") != settings.OIDC_ISSUER or not algorithms or not all(name in endpoints for name in _NEEDED):
        raise _no_answer("oidc_discovery")
    if not all(_may_be_asked(address) for address in endpoints.values()):
        raise _no_answer("oidc_discovery")
    app.client_kwargs["token_endpoint_auth_method"] = _way_to_say_who_we_are(stated)
    app.server_metadata = {
        "_loaded_at": stated["_loaded_at"],
        "issuer": settings.OIDC_ISSUER,
        "id_token_signing_alg_values_supported": list(algorithms),
        **endpoints,
    }
    says_who_it_is = stated.get("authorization_response_iss_parameter_supported") is True
    return _Known(app, algorithms, says_who_it_is, _settings(), time.monotonic())


def _may_be_asked(address: object) -> bool:
    """https; http only where the issuer itself is on this machine."""
    schemes = {"https", urlsplit(settings.OIDC_ISSUER).scheme}
    return isinstance(address, str) and urlsplit(address).scheme in schemes and bool(urlsplit(address).hostname)


def _way_to_say_who_we_are(stated: Mapping[str, object]) -> str:
    ways = stated.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    for way in ("client_secret_basic", "client_secret_post"):
        if isinstance(ways, list) and way in ways:
            return way
    raise _no_answer("oidc_discovery")


def _with_new_keys(known: _Known, read: Callable[[_Known], T]) -> T:
    """Read a token; once more with keys that are fetched again when no key that is known fits it.

    Authlib does so by itself only for a key that is named and not known.
    """
    try:
        return read(known)
    except ClaimError:
        raise
    except JoseError:
        if not known.is_old(ASKED_AGAIN_AFTER):
            raise
    forget()
    return read(_known())


def _patiently(call: Callable[[], T]) -> T:
    """Its answer within the time that a person waits. Whatever goes wrong becomes one of the two errors of this module."""
    try:
        return _calls.begin(settings.OIDC_ISSUER, call, until=time.monotonic() + WITHIN).result()
    except EvidenceError:
        raise
    except (ExpiredTokenError, ClaimError) as error:
        code = "oidc_clock" if error.claim in {"exp", "iat", "nbf"} and not _is_missing(error) else "oidc_claim"
        raise _not_accepted(code, detail=error.claim if error.claim in _expected() or error.claim == "nonce" else "") from None
    except JoseError as error:
        raise _not_accepted("oidc_signature", detail=error.error) from None
    except OAuthError as error:
        raise _not_accepted("oidc_code", detail=error.error if error.error in _SAID else "") from None
    except Late:
        raise _no_answer("oidc_late") from None
    except Exception as error:  # what comes from elsewhere can be wrong in any way
        raise _no_answer("oidc_unreachable", detail=type(error).__name__) from None


def _is_missing(error: ClaimError) -> bool:
    return error.error == "missing_claim"


def _not_accepted(code: str, *, detail: str = "") -> NotAccepted:
    logger.warning("oidc: not accepted: %s %s", code, detail)
    return NotAccepted(code, gettext_noop("What the identity provider sent is not accepted."))


def _no_answer(code: str, *, detail: str = "") -> NoAnswer:
    logger.warning("oidc: no answer: %s %s", code, detail)
    return NoAnswer(code, gettext_noop("The identity provider gives no answer that is understood."))


_calls = Patience(each=8, altogether=8)


class _Bounded(HTTPAdapter):
    """Reads an answer whole, up to MAX_ANSWER, and takes a redirect for none."""

    def send(self, request: PreparedRequest, *args: Any, **options: Any) -> Response:
        response = super().send(request, *args, **{**options, "stream": True, "timeout": (STEP, STEP)})
        body = bytearray()
        for part in response.iter_content(65_536):
            body += part
            if len(body) > MAX_ANSWER:
                response.close()
                raise RequestException("too long")
        if response.is_redirect:
            raise RequestException("moved")
        response._content = bytes(body)
        return response


class _Session(OAuth2Session):  # type: ignore[misc]
    """Authlib's session with bounds. Proxies and certificates of the environment are the operator's; a .netrc is not asked."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.auth = _as_it_is
        for scheme in ("https://", "http://"):
            self.mount(scheme, _Bounded())


class _App(DjangoOAuth2App):  # type: ignore[misc]
    """Authlib's client, with the keys looked at before they are used."""

    client_cls = _Session

    def fetch_jwk_set(self, force: bool = False) -> dict[str, object]:
        fetched = super().fetch_jwk_set(force)
        keys = fetched.get("keys") if isinstance(fetched, dict) else None
        if not isinstance(keys, list) or len(keys) > MAX_KEYS:
            raise ValueError("no keys")
        usable = [one for one in keys if isinstance(one, dict) and one.get("kty") in _KEY_TYPES and one.get("use") != "enc"]
        self.server_metadata["jwks"] = {"keys": usable}
        return {"keys": usable}


def _as_it_is(request: PreparedRequest) -> PreparedRequest:
    return request
