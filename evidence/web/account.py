"""What people do about themselves: change the password, go to another of their tenants."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from evidence import identity
from evidence.errors import Unavailable
from evidence.web.forms import TenantForm
from evidence.web.person import TENANT_KEY
from evidence.web.request import Request


class ChangePassword(PasswordChangeView):
    """A new password; other sessions of this person end with it."""

    template_name = "account/password.html"
    success_url = reverse_lazy("search")

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
