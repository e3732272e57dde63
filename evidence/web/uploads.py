"""Uploading: bring files, see what would be searched, say what they are and who may read them, publish; and take that back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evidence import identity, presentation, publishing, uploads
from evidence.content import Note, SpanKind
from evidence.errors import EvidenceError, Refused, Unavailable
from evidence.formats import FORMATS
from evidence.models import Document, Page, Passage, Status, Upload
from evidence.presentation import Block, Card, PageStart
from evidence.publishing import Description, Incomplete
from evidence.uploads import Look
from evidence.web.errors import words
from evidence.web.forms import ChooseForm, DescriptionForm, OffsetForm, ReadForm
from evidence.web.receiving import Receiver
from evidence.web.request import Request, wants_fragment

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

WAITING: Final = "waiting"
"""Id of the element that the list of waiting files takes the place of."""
PREVIEW: Final = "preview"
"""Id of the element that a stretch of the text takes the place of."""
LANGUAGES: Final = ("de", "en", "fr", "it", "es", "nl", "pl", "cs", "da", "tr", "uk", "ru", "ar")
"""Offered for a document's language; any other can be typed."""
_LABELS: Final[Mapping[str, StrPromise]] = {
    "title": _("Title"),
    "version": _("Version"),
    "date": _("Dated"),
    "language": _("Language"),
    "kind": _("Kind"),
    "owner": _("Owner"),
    "status": _("Status"),
    "valid_from": _("Valid from"),
    "valid_until": _("Valid until"),
    "sensitivity": _("Sensitivity"),
    "origin": _("Origin"),
    "source": _("Source"),
    "document": _("New version of"),
    "allowed": _("Groups that may read it"),
    "denied": _("Groups that may not read it"),
    "unread": _("Confirmation"),
}
_TRAITS: Final = (SpanKind.GARBLED, SpanKind.RUNNING, SpanKind.UNSEEN)
"""What a preview explains where it occurs."""
_FIRST: Final = ("title", "version", "date", "language", "kind")
_MORE: Final = ("status", "owner", "valid_from", "valid_until", "sensitivity", "origin")
_SUGGESTIONS: Final[Mapping[str, str]] = {"kind": "kinds", "language": "languages"}
_NEEDS_PASSWORD: Final = frozenset({"pdf_password", "pdf_wrong_password"})
_NEEDS_ENCODING: Final = frozenset(
    {"text_not_utf8", "text_not_encoding", "text_mark_differs", "text_no_mark", "text_nul", "encoding_unknown"}
)
_SAID_HERE: Final[Mapping[str, StrPromise]] = {
    "file_encrypted": _("This file is encrypted. Save it without a password and upload it again."),
    "pdf_password": _("This PDF opens only with a password. Type it here."),
    "pdf_wrong_password": _("This password does not open the PDF. Type it again."),
    "text_not_utf8": _(
        "This text is not in UTF-8. Choose the encoding in which it was saved, and look whether all letters are right."
    ),
    "text_not_encoding": _("This text is not in the encoding that was chosen. Choose another one."),
    "text_mark_differs": _("The file says itself that it is in another encoding than the one that was chosen."),
    "text_no_mark": _(
        "The file does not say which of two encodings of this name it is in. Choose one that ends with “le” or “be”."
    ),
    "text_nul": _(
        "Zero bytes stand in this text. It is most likely in an encoding with two bytes for each character; choose one."
    ),
    "encoding_unknown": _("This does not say in which encoding it is. Choose it."),
}
"""What readers say of rules files, in words for a person who has a form."""
_ENCODINGS: Final[Mapping[str, StrPromise]] = {
    "utf-8": _("UTF-8"),
    "windows-1252": _("Western Europe, Windows (windows-1252)"),
    "iso-8859-15": _("Western Europe, Unix (iso-8859-15)"),
    "cp850": _("Western Europe, DOS (cp850)"),
    "cp437": _("United States, DOS (cp437)"),
    "macintosh": _("Western Europe, old Macintosh"),
    "windows-1250": _("Central Europe, Windows (windows-1250)"),
    "iso-8859-2": _("Central Europe, Unix (iso-8859-2)"),
    "windows-1251": _("Cyrillic, Windows (windows-1251)"),
    "koi8-r": _("Cyrillic, Unix (koi8-r)"),
    "windows-1253": _("Greek, Windows (windows-1253)"),
    "windows-1254": _("Turkish, Windows (windows-1254)"),
    "utf-16le": _("UTF-16, low byte first (utf-16le)"),
    "utf-16be": _("UTF-16, high byte first (utf-16be)"),
    "shift_jis": _("Japanese (shift_jis)"),
    "gb18030": _("Chinese, simplified (gb18030)"),
    "big5": _("Chinese, traditional (big5)"),
    "euc-kr": _("Korean (euc-kr)"),
}

_NO_FAULTS: Final[Mapping[str, Refused]] = {}

View = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was not taken, and why."""

    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A file that is not published: what was read from it, or why nothing was."""

    row: Upload
    problem: str


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the description. kind: "text", "date" or "choice"; suggestions: id of the list of what is often typed."""

    name: str
    label: StrPromise
    kind: str
    value: str
    problem: str
    options: Sequence[tuple[str, str]] = ()
    suggestions: str = ""


@dataclass(frozen=True, slots=True)
class Side:
    """The groups on one side of the rights, each with whether it is chosen. chosen: whether any of them is."""

    name: str
    label: StrPromise
    groups: Sequence[tuple[int, str, bool]]
    chosen: bool
    problem: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some passages of a preview, as the reading page's template takes them; first and last count from 1."""

    blocks: Sequence[Block]
    paged: bool
    traits: Sequence[str]
    first: int
    last: int
    total: int
    earlier: int | None
    later: int | None


def for_uploaders(view: View) -> View:
    """The same view, closed to people whose role does not bring documents."""

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if not identity.may_upload(cast(Request, request).access):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return checked


@csrf_exempt  # `_bring` has the check: before it, the handler of files must be in its place
@require_http_methods(["GET", "HEAD", "POST"])
@for_uploaders
def page(request: HttpRequest) -> HttpResponse:
    """`/uploads/`: what waits to be published, and where to bring more."""
    request = cast(Request, request)
    if request.method != "POST":
        return _page(request, document=_chosen(request, request.GET))
    receiver = Receiver(request)
    request.upload_handlers = [receiver]
    try:
        return _bring(request, receiver)
    finally:
        receiver.close()  # a form that is no form ends in the middle of a file


@csrf_protect
def _bring(request: HttpRequest, receiver: Receiver) -> HttpResponse:
    """Keep and read each file; the ones that are refused leave the others alone."""
    request = cast(Request, request)
    document = _chosen(request, request.POST)
    replaces = None if document is None else document.public_id
    kept: list[Upload] = []
    refused: list[tuple[str, EvidenceError]] = []
    for file in request.FILES.getlist("file"):
        try:
            kept.append(uploads.keep(request.access, str(file.name), file.read(), replaces=replaces))
        except EvidenceError as error:
            refused.append((str(file.name), error))
        file.close()
    problems = [Problem(name, words(error)) for name, error in (*receiver.refused, *refused)]
    if not kept and not problems:
        problems = [Problem("", gettext("Choose at least one file."))]
    if wants_fragment(request):
        context = {"kept": [_waiting(row) for row in kept], "problems": problems}
        return render(request, "uploads/_outcome.html", context, status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK)
    if problems:
        return _page(request, document=document, problems=problems)
    return redirect("upload", kept[0].public_id) if len(kept) == 1 else redirect("uploads")


@require_safe
@for_uploaders
def published(request: HttpRequest) -> HttpResponse:
    """`/uploads/published/`: what the person published and may still read, with the way back."""
    request = cast(Request, request)
    form = OffsetForm(request.GET)
    form.is_valid()
    offset = form.cleaned_data.get("offset") or 0
    found = publishing.published(request.access, offset=offset)
    context = {
        "cards": [_card(document) for document in found.documents],
        "total": found.total,
        "earlier": max(offset - publishing.PAGE, 0) if offset else None,
        "later": offset + publishing.PAGE if offset + publishing.PAGE < found.total else None,
    }
    return render(request, "uploads/published.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables()
@for_uploaders
def upload(request: HttpRequest, upload: UUID) -> HttpResponse:
    """`/uploads/<id>/`: what would be searched, and the form that publishes it; once that is done, where it is now."""
    request = cast(Request, request)
    row = uploads.get(request.access, upload)
    if row.document is not None:
        return render(request, "uploads/done.html", _done(request, row, row.document))
    if request.method != "POST":
        return _preview(request, row, said=_suggested(request, row))
    form = DescriptionForm(request.POST)
    form.is_valid()
    said = form.description()
    try:
        publishing.publish(request.access, upload, said)
    except Incomplete as error:
        return _preview(request, row, said=said, refused=words(error), faults=error.faults)
    except Refused as error:
        return _preview(request, uploads.get(request.access, upload), said=said, refused=words(error))
    return redirect("upload", upload)


@require_POST
@sensitive_variables()
@for_uploaders
def read(request: HttpRequest, upload: UUID) -> HttpResponse:
    """Read it again, in the encoding and with the password that the person gives."""
    request = cast(Request, request)
    form = ReadForm(request.POST)
    form.is_valid()
    uploads.read_again(request.access, upload, **form.cleaned_data)
    return redirect("upload", upload)


@require_POST
@for_uploaders
def choose(request: HttpRequest, upload: UUID) -> HttpResponse:
    """Say which document it is a new version of."""
    request = cast(Request, request)
    form = ChooseForm(request.POST)
    if not form.is_valid():
        raise Unavailable
    uploads.choose(request.access, upload, form.cleaned_data["document"])
    return redirect(f"{reverse('upload', args=[upload])}#describe")


@require_POST
@for_uploaders
def discard(request: HttpRequest, upload: UUID) -> HttpResponse:
    """Remove an upload."""
    uploads.discard(cast(Request, request).access, upload)
    messages.success(request, gettext("The file is discarded."))
    return redirect("uploads")


@require_POST
@for_uploaders
def withdraw(request: HttpRequest, document: UUID) -> HttpResponse:
    """Take back a document that the person published."""
    publishing.recall(cast(Request, request).access, document)
    messages.success(request, gettext("The document is withdrawn. Nobody finds or reads it any more."))
    return redirect("published")


def _page(request: Request, *, document: Document | None, problems: Sequence[Problem] = ()) -> HttpResponse:
    context = {
        "waiting": [_waiting(row) for row in uploads.waiting(request.access)],
        "document": document,
        "problems": problems,
        "endings": sorted(FORMATS),
        "max_files": uploads.MAX_FILES,
        "max_megabytes": max(form.max_bytes for form in FORMATS.values()) // 1_000_000,
        "kept_for": uploads.KEPT_FOR.days,
    }
    fragment = wants_fragment(request) and request.htmx.target == WAITING
    template = "uploads/_waiting.html" if fragment else "uploads/page.html"
    return render(request, template, context, status=HTTPStatus.BAD_REQUEST if problems else HTTPStatus.OK)


def _waiting(row: Upload) -> Waiting:
    return Waiting(row, _problem(row))


def _problem(row: Upload) -> str:
    """Why nothing was read from it, in words."""
    if not row.problem:
        return "" if row.content else gettext("It has not been read yet.")
    if row.problem["code"] in _SAID_HERE:
        return str(_SAID_HERE[row.problem["code"]])
    return words(EvidenceError(row.problem["code"], row.problem["template"], **row.problem["values"]))


def _chosen(request: Request, sent: Mapping[str, object]) -> Document | None:
    """The document that the person wants to give a new version. Raises Unavailable for one that can't have any from here."""
    form = ChooseForm(sent)
    if not form.is_valid():
        raise Unavailable
    wanted = form.cleaned_data["document"]
    found = None if wanted is None else uploads.replaceable(request.access).filter(public_id=wanted).first()
    if wanted is not None and found is None:
        raise Unavailable
    return found


def _suggested(request: Request, row: Upload) -> Description:
    said = publishing.suggested(request.access, row)
    return said if said.document or said.language else replace(said, language=(get_language() or "")[:2])


def _done(request: Request, row: Upload, document: Document) -> Mapping[str, object]:
    found = publishing.mine(request.access, document.public_id)
    waiting = uploads.waiting(request.access)
    return {
        "card": None if found is None else _card(found),
        "searchable": Note.NO_TEXT not in row.notes,
        "waiting": len(waiting),
        "next": waiting[0] if waiting else None,
    }


def _card(document: Document) -> Card:
    return presentation.card(document, presentation.current(document))


def _preview(
    request: Request,
    row: Upload,
    *,
    said: Description,
    refused: str = "",
    faults: Mapping[str, Refused] = _NO_FAULTS,
) -> HttpResponse:
    form = OffsetForm(request.GET)
    form.is_valid()
    look = uploads.look(row, offset=form.cleaned_data.get("offset") or 0)
    context: dict[str, object] = {"row": row, "stretch": None if look is None else _stretch(look), "language": said.language}
    if wants_fragment(request) and request.htmx.target == PREVIEW:
        return render(request, "uploads/_preview.html", context)
    code = row.problem.get("code")
    context |= {
        "problem": _problem(row),
        "needs_password": code in _NEEDS_PASSWORD or bool(row.password),
        "takes_encoding": uploads.form_of(row.name).takes_encoding,
        "needs_encoding": code in _NEEDS_ENCODING,
        "encodings": [(name, _ENCODINGS[name]) for name in uploads.ENCODINGS],
        "choices": publishing.choices(request.access, row),
        "form": _form(request, said, faults),
        "said": said,
        "refused": refused,
        "faults": [(name, _fault(name, fault)) for name, fault in faults.items()],
    }
    return render(request, "uploads/upload.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)


def _stretch(look: Look) -> Stretch:
    pages = (
        Page(number=number, label=one.label, start=one.start, end=one.end) for number, one in enumerate(look.content.pages, 1)
    )
    starts = presentation.page_starts(pages)
    shown = [presentation.show(row, whole=True, pages=[one for one in starts if _begins_in(row, one)]) for row in look.rows]
    count, total = len(look.rows), len(look.content.passages)
    return Stretch(
        blocks=tuple(presentation.blocks(shown)),
        paged=bool(starts),
        traits=[kind for kind in _TRAITS if any(span.kind == kind for span in look.content.spans)],
        first=look.first + 1,
        last=look.first + count,
        total=total,
        earlier=max(look.first - uploads.SHOWN, 0) if look.first else None,
        later=look.first + count if look.first + count < total else None,
    )


def _begins_in(row: Passage, page: PageStart) -> bool:
    return row.start <= page.start < row.start + len(row.text)


def _form(request: Request, said: Description, faults: Mapping[str, Refused]) -> Mapping[str, object]:
    """What the form shows: fields with what was said in them and what is wrong with it."""
    groups = publishing.groups(request.access)
    sources = publishing.sources(request.access)
    return {
        "first": [_field(name, said, faults) for name in _FIRST],
        "more": [_field(name, said, faults) for name in _MORE],
        "more_open": any(name in faults for name in _MORE),
        "source": Field("source", _LABELS["source"], "choice", said.source, _fault_of("source", faults), sources),
        "sides": [
            Side(
                name,
                _LABELS[name],
                [(one.pk, one.name, one.pk in chosen) for one in groups],
                bool(chosen),
                _fault_of(name, faults),
            )
            for name, chosen in (("allowed", said.allowed), ("denied", said.denied))
        ],
        "confirm": said.unread or "unread" in faults,
        "unread": _fault_of("unread", faults),
        "kinds": publishing.kinds(request.access),
        "languages": LANGUAGES,
    }


def _field(name: str, said: Description, faults: Mapping[str, Refused]) -> Field:
    kind = "date" if name in publishing.DATES else "choice" if name == "status" else "text"
    options = [(value, str(label)) for value, label in Status.choices] if name == "status" else ()
    return Field(name, _LABELS[name], kind, getattr(said, name), _fault_of(name, faults), options, _SUGGESTIONS.get(name, ""))


def _fault_of(name: str, faults: Mapping[str, Refused]) -> str:
    return _fault(name, faults[name]) if name in faults else ""


def _fault(name: str, fault: Refused) -> str:
    """What is wrong with a field; where the message names a place, it is the field's label."""
    return gettext(fault.template) % {**fault.values, "where": _LABELS[name]}
