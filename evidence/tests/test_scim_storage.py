"""Rows as a SCIM storage: the rules that the library asks every storage to follow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings
from scim2_models import ScimProvider
from scim2_server.testing import SEARCH_USERS, ScimStorageContract

from evidence import scim
from evidence.provisioning import Storage
from evidence.tests.builders import tenant

pytestmark = pytest.mark.django_db


class TestStorage(ScimStorageContract):
    @pytest.fixture
    def provider(self) -> Iterator[ScimProvider]:
        """What is not kept here is dropped, as for a provider that sends it."""
        with scim.provider() as provider:
            yield provider

    @pytest.fixture
    def storage(self, settings: Settings, provider: ScimProvider) -> Storage:
        tenant()
        settings.OIDC_ISSUER, settings.OIDC_TENANT = "https://id.example", "lindenau"
        settings.SCIM_TOKEN = "token"
        return Storage()

    def search_users(self) -> list[dict[str, Any]]:
        return [{name: value for name, value in one.items() if ":" not in name} for one in SEARCH_USERS]
