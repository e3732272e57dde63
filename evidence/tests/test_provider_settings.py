"""Settings of an identity provider: half of one, or an unsafe one, does not start."""

from __future__ import annotations

import runpy
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

TOKEN = "k7QmZ2vT9xWc4LpR8sYb3NfH6jDg1AeU"
WHOLE = {
    "OIDC_ISSUER": "https://id.example/realms/firma",
    "OIDC_CLIENT_ID": "fundstelle",
    "OIDC_CLIENT_SECRET": "geheim",
    "OIDC_TENANT": "lindenau",
}
PRODUCTION = {"ENV": "production", "SECRET_KEY": "Rn7" + "kq2vX9pLw4tZ" * 5, "HOSTS": "fundstelle.example"}


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Starts with these settings alone, and gives what they became."""

    def start(**environment: str) -> dict[str, Any]:
        for name in environment:
            monkeypatch.setenv(f"FUNDSTELLE_{name}", environment[name])
        monkeypatch.setenv("FUNDSTELLE_DATA", str(tmp_path / "data"))
        return runpy.run_path(str(settings.BASE_DIR / "evidence" / "settings.py"), run_name="evidence.settings")

    return start


def test_without_a_provider_there_is_none(started: Any) -> None:
    found = started()
    assert (found["OIDC_ISSUER"], found["SCIM_TOKEN"], found["OIDC_GROUPS_SLA"]) == ("", "", timedelta(hours=12))


def test_a_whole_provider_starts_in_production(started: Any) -> None:
    found = started(**PRODUCTION, **WHOLE, OIDC_GROUPS_SLA="90m", OIDC_SCOPES="openid profile groups", OIDC_ONLY="1")
    assert found["OIDC_GROUPS_SLA"] == timedelta(minutes=90)
    assert (found["OIDC_SCOPES"], found["OIDC_ONLY"]) == (["openid", "profile", "groups"], True)
    assert (found["OIDC_CREATE_PEOPLE"], found["OIDC_CREATE_GROUPS"]) == (True, False)


def test_the_address_that_tokens_for_assistants_are_made_for_is_one_and_needs_a_provider(started: Any) -> None:
    here = "https://fundstelle.example/mcp"
    assert started(**WHOLE, MCP_RESOURCE=here)["MCP_RESOURCE"] == here
    for wrong in ("http://fundstelle.example/mcp", "https://fundstelle.example/", "https://fundstelle.example/mcp?x=1", "mcp"):
        with pytest.raises(ImproperlyConfigured, match="FUNDSTELLE_MCP_RESOURCE"):
            started(**WHOLE, MCP_RESOURCE=wrong)
    with pytest.raises(ImproperlyConfigured, match="FUNDSTELLE_MCP_RESOURCE"):
        started(**dict.fromkeys(WHOLE, ""), MCP_RESOURCE=here)


def test_secrets_can_be_in_files(started: Any, tmp_path: Path) -> None:
    for name, text in (("client", "aus-der-Datei\n"), ("scim", f"{TOKEN}\n")):
        (tmp_path / name).write_text(text)
    without = {name: value for name, value in WHOLE.items() if name != "OIDC_CLIENT_SECRET"}
    found = started(**without, OIDC_CLIENT_SECRET_FILE=str(tmp_path / "client"), SCIM_TOKEN_FILE=str(tmp_path / "scim"))
    assert (found["OIDC_CLIENT_SECRET"], found["SCIM_TOKEN"]) == ("aus-der-Datei", TOKEN)
    assert found["OIDC_CREATE_PEOPLE"] is False


def test_a_provider_on_this_machine_is_fine_to_try_it_out(started: Any) -> None:
    for address in ("http://localhost:9400", "http://127.0.0.1:9400", "http://[::1]:9400"):
        assert started(**WHOLE | {"OIDC_ISSUER": address})["OIDC_ISSUER"] == address


@pytest.mark.parametrize("missing", sorted(WHOLE))
def test_half_a_provider_does_not_start_and_says_what_is_missing(started: Any, missing: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"FUNDSTELLE_{missing} must be set too"):
        started(**{name: value for name, value in WHOLE.items() if name != missing})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"OIDC_ISSUER": "http://id.example"}, "https"),
        ({"OIDC_ISSUER": "https://id.example?x=1"}, "https"),
        ({"OIDC_ISSUER": "https://id.example#x"}, "https"),
        ({"OIDC_ISSUER": "https://user:x@id.example"}, "https"),
        ({"OIDC_ISSUER": "https://"}, "https"),
        ({"OIDC_ISSUER": "id.example"}, "https"),
        ({"OIDC_ISSUER": "https://id.example/a b"}, "https"),
        ({"OIDC_ISSUER": "http://localhost.evil.example"}, "https"),
        ({"OIDC_ISSUER": "http://[::1"}, "https"),
        ({"OIDC_SCOPES": "profile"}, "openid"),
        ({"OIDC_SUBJECT_CLAIM": "email"}, "sub or oid"),
        ({"OIDC_GROUPS_CLAIM": ""}, "GROUPS_CLAIM"),
        ({"OIDC_GROUPS_SLA": "12"}, "m, h or d"),
        ({"OIDC_GROUPS_SLA": "0h"}, "m, h or d"),
        ({"OIDC_GROUPS_SLA": "-1h"}, "m, h or d"),
        ({"OIDC_GROUPS_SLA": "99999d"}, "m, h or d"),
        ({"OIDC_ONLY": "yes"}, "0 or 1"),
        ({"SCIM_TOKEN": "kurz"}, "at least 32"),
        ({"SCIM_TOKEN": "a" * 40}, "at least 32"),
        ({"SCIM_TOKEN": "ä" * 40}, "at least 32"),
        ({"SCIM_SUBJECT": "id"}, "externalId or userName"),
        ({"SCIM_TOKEN": TOKEN, "SCIM_TOKEN_FILE": "/dev/null"}, "not both"),
        ({"SCIM_TOKEN_FILE": "/dev/null"}, "is empty"),
        ({"SCIM_TOKEN_FILE": "/nowhere/token"}, "can't be read"),
    ],
)
def test_what_is_wrong_with_a_provider_does_not_start(started: Any, change: dict[str, str], complaint: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=complaint):
        started(**WHOLE | change)


@pytest.mark.parametrize("alone", [{"OIDC_ONLY": "1"}, {"SCIM_TOKEN": TOKEN}])
def test_what_needs_a_provider_does_not_start_without_one(started: Any, alone: dict[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured, match="FUNDSTELLE_OIDC_ISSUER and"):
        started(**alone)


def test_in_production_a_provider_on_this_machine_does_not_start(started: Any) -> None:
    with pytest.raises(ImproperlyConfigured, match="https"):
        started(**PRODUCTION, **WHOLE | {"OIDC_ISSUER": "http://localhost:9400"})


def test_no_complaint_repeats_a_secret(started: Any) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        started(**WHOLE | {"OIDC_CLIENT_SECRET": "sehr-geheim", "SCIM_TOKEN": "zu-kurz-geheim", "OIDC_TENANT": ""})
    assert "geheim" not in str(caught.value)
