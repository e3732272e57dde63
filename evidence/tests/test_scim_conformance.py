"""SCIM over a real socket: the conformance run of scim2-tester, by its own client."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
from django.test import override_settings
from pytest_django.live_server_helper import LiveServer
from scim2_client.client import BaseSyncSCIMClient
from scim2_models import ScimProvider
from scim2_tester import Status, check_server

from evidence.tests.builders import tenant

pytestmark = pytest.mark.django_db(transaction=True)

TOKEN = "k7QmZ2vT9xWc4LpR8sYb3NfH6jDg1AeU"


class Client(BaseSyncSCIMClient):
    """The library's client over requests: its own engine needs a library that Python 3.11 has not."""

    def __init__(self, address: str, session: requests.Session) -> None:
        super().__init__(provider=ScimProvider())
        self.address = address
        self.session = session

    def _stays_under_base_url(self, endpoint: str) -> bool:
        return not urlsplit(endpoint).netloc or endpoint.startswith(self.address)

    def _parse_json(self, response: Any) -> Any:
        return response.json()

    def request(self, method: str, url: str, **options: Any) -> Any:
        """One request."""
        whole = url if urlsplit(url).netloc else f"{self.address}{url}"
        return self.session.request(method, whole, **options)


def test_the_whole_conformance_run_passes(live_server: LiveServer) -> None:
    tenant()
    set_up = {"OIDC_ISSUER": "https://id.example", "OIDC_TENANT": "lindenau", "SCIM_TOKEN": TOKEN}
    with override_settings(**set_up), requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {TOKEN}"
        results = check_server(Client(f"{live_server.url}/scim/v2", session))
    bad = [(one.title, one.reason) for one in results if one.status not in {Status.SUCCESS, Status.SKIPPED}]
    assert bad == []
    assert sum(one.status == Status.SUCCESS for one in results) >= 60, [one.title for one in results]
