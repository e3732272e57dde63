"""Who may sign in with what, beside Django's own passwords."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

FROM_PROVIDER: Final = "evidence.web.backends.FromProvider"
"""What the session of a person holds whom the identity provider signed in."""


class OnlyAdministrators:
    """Where people sign in at an identity provider only, a password opens nothing but an administrator's account.

    Those keep a way in for the day on which the provider fails. The others are refused as unknown names are, and as slowly.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> None:
        """Refuse, or leave it to the next one."""
        name, password = credentials.get("username"), credentials.get("password")
        if settings.OIDC_ONLY and not User.objects.filter(username=name, is_superuser=True, is_staff=True).exists():
            User().set_password(password)
            raise PermissionDenied


class FromProvider(BaseBackend):
    """Sessions that the identity provider began. It checks no password, and without a provider it knows nobody."""

    def get_user(self, user_id: int) -> User | None:
        """The person, unless the account is closed."""
        return User.objects.filter(pk=user_id, is_active=True).first() if settings.OIDC_ISSUER else None
