"""Translations of citations: proposing one. What a reviewer lets in is shown beside the passage."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from evidence import citations, identity
from evidence.errors import Refused
from evidence.knowledge import contents, translations
from evidence.web import saying
from evidence.web.forms import TranslationForm
from evidence.web.request import Request
from evidence.web.roles import for_whoever


@for_whoever(identity.may_propose, "GET", "HEAD", "POST")
@sensitive_variables()
def propose(request: HttpRequest, citation: UUID) -> HttpResponse:
    """`/citations/<id>/translate/`: the words, and a form for them in another language; posted to, it waits for a reviewer."""
    request = cast(Request, request)
    form = TranslationForm(request.POST)
    form.is_valid()
    if request.method != "POST":
        return _form(request, citation, form.cleaned_data)
    try:
        translations.propose(request.access, citation, **form.cleaned_data)
    except Refused as error:
        return _form(request, citation, form.cleaned_data, refused=saying.told(error))
    messages.success(request, _("The translation is proposed. It is shown here once a reviewer has approved it."))
    return redirect("citation", citation)


def _form(request: Request, citation: UUID, sent: Mapping[str, str], *, refused: str = "") -> HttpResponse:
    context = {
        "cited": citations.get(request.access, citation),
        "spaces": translations.spaces_for(request.access),
        "sent": sent,
        "refused": refused,
        "most_text": contents.MAX_TEXT,
        "most_translator": contents.MAX_TRANSLATOR,
    }
    return render(request, "translations/propose.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)
