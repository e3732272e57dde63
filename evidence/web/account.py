"""What people do about themselves: sign in and out, change the password, go to another of their tenants."""

from __future__ import annotations

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView, redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from evidence import identity, provider
from evidence.errors import Unavailable
from evidence.web.forms import TenantForm
from evidence.web.journeys import Confirmed
from evidence.web.person import TENANT_KEY
from evidence.web.request import Request


class SignIn(LoginView):
    """With a password, and where there is an identity provider, the way to it."""

    redirect_authenticated_user = True

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """What the page offers."""
        offered = {"provider": provider.is_set_up(), "only_provider": settings.OIDC_ONLY}
        return super().get_context_data(**more, **offered)


@login_not_required
def sign_in_for_administration(request: HttpRequest) -> HttpResponse:
    """The administration has no form of its own: one page knows all the ways of signing in, and what they ask for."""
    if request.user.is_authenticated:
        raise Unavailable  # signed in, and not allowed there
    return redirect_to_login(str(request.GET.get(REDIRECT_FIELD_NAME) or reverse("admin:index")))


class SignOut(LogoutView):
    """Whom the identity provider signed in may want to sign out there too. The way there is a link: a form may lead only here."""

    def post(self, request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        """End the session, whoever began it."""
        was_of_provider = Confirmed.of(request) is not None
        response = super().post(request, *args, **named)
        return redirect("provider_signed_out") if was_of_provider and provider.is_set_up() else response


class ChangePassword(PasswordChangeView):
    """A new password; other sessions of this person end with it. Who has none signs in elsewhere."""

    template_name = "account/password.html"
    success_url = reverse_lazy("search")

    def dispatch(self, *args: Any, **named: Any) -> Any:
        """Unavailable to people without a password."""
        if not cast(User, self.request.user).has_usable_password():
            raise Unavailable
        return super().dispatch(*args, **named)

    def form_valid(self, form: Any) -> HttpResponse:
        """Say that it is done, on the page that comes next."""
        messages.success(self.request, _("Your password has been changed."))
        return super().form_valid(form)


@require_POST
def choose_tenant(request: HttpRequest) -> HttpResponse:
    """Go to another tenant; one that the person does not belong to is as unavailable as one that does not exist."""
    form = TenantForm(request.POST)
    own = {tenant.slug for tenant in identity.tenants(cast(Request, request).user)}
    if not form.is_valid() or form.cleaned_data["tenant"] not in own:
        raise Unavailable
    request.session[TENANT_KEY] = form.cleaned_data["tenant"]
    return redirect("search")
