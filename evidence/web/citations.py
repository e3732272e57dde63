"""Citations: make one, open one with the passage in its document, one's own with what they are worth, pasted ones, exports."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evidence import citations, identity, succession, viewer
from evidence.anchoring import Anchor, State, TextState
from evidence.citations import Cited, Place, Resolution
from evidence.errors import Ambiguous, Outdated, Refused, Unavailable
from evidence.knowledge import disputes, translations
from evidence.knowledge.disputes import Dispute
from evidence.viewer import Reading
from evidence.web import export as files
from evidence.web import pasted
from evidence.web.copies import copies
from evidence.web.documents import heading_above
from evidence.web.errors import words
from evidence.web.forms import CheckForm, CiteForm, OwnForm
from evidence.web.pages import leaf
from evidence.web.request import Request, wants_fragment
from evidence.web.states import STATES

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

PAGE: Final = 50
"""Citations on one page of the list, and in one step of checking all of them."""
CUT: Final = "anchor_inside_grapheme"


@dataclass(frozen=True, slots=True)
class Pair:
    """A value as it was when the citation was made, and as it is now."""

    label: StrPromise
    cited: str
    now: str
    is_hash: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """What one pasted entry is worth. state: "" for what is neither an id nor an anchor; cited: for an id that may be read."""

    state: State | str
    id: UUID | None = None
    cited: Cited | None = None
    resolution: Resolution | None = None


@require_POST
def cite(request: HttpRequest, document: UUID) -> HttpResponse:
    """Store a citation of the range that was sent, and go to it; or say why not, and what can be cited instead."""
    request = cast(Request, request)
    form = CiteForm(request.POST)
    if not form.is_valid():
        raise Unavailable
    place = {name: form.cleaned_data[name] for name in ("representation", "start", "end")}
    try:
        made = citations.cite(request.access, document, **place, seen=form.words())
    except (Ambiguous, Outdated, Refused) as error:
        return _not_cited(request, document, place, error)
    messages.success(request, _("The citation has been made. It can be shared by its address."))
    return redirect("citation", made)


@require_safe
def page(request: HttpRequest, citation: UUID) -> HttpResponse:
    """`/citations/<id>/`: what was cited, what it is worth now, and the place in the text that proves it."""
    request = cast(Request, request)
    cited = citations.get(request.access, citation)
    now = timezone.now()
    reading = _proven_text(request, cited)
    link = request.build_absolute_uri(reverse("citation", args=[cited.id]))
    context = {
        "cited": cited,
        "found": cited.resolution,
        "reading": reading,
        "leaf": leaf(reading.card.id, reading.representation, reading.panel) if reading else None,
        "here": heading_above(reading) if reading else None,
        "pairs": _pairs(cited.anchor.state, cited.resolution.now),
        "compare": _comparison(cited, reading),
        "copies": copies(
            cited, link=link, proof=_proof(cited.resolution, date_format(timezone.localtime(now), "DATETIME_FORMAT"))
        ),
        "may_migrate": succession.may_migrate(request.access),
        "may_propose": identity.may_propose(request.access),
        "disputes": _disputes(request, cited),
        "translations": translations.of_cited(request.access, cited),
        "now": now,
        "link": link,
    }
    return render(request, "citations/page.html", context)


@require_safe
def own(request: HttpRequest) -> HttpResponse:
    """`/citations/`: one's own, newest first, each checked now."""
    request = cast(Request, request)
    form = OwnForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    asked = form.cleaned_data
    offset = asked["offset"] or 0
    shown, total = _chosen(request, asked, offset)
    context = {
        "rows": shown,
        "total": total,
        "first": offset + 1,
        "last": offset + len(shown),
        "earlier": max(offset - PAGE, 0) if offset else None,
        "later": offset + PAGE if offset + PAGE < total else None,
        "changed": citations.changed(request.access),
        "documents": [(str(document), title) for document, title in citations.cited_documents(request.access)],
        "states": list(STATES),
        "chosen": {"state": asked["state"], "document": str(asked["document"] or "")},
        "filters": urlencode({name: str(asked[name]) for name in ("state", "document") if asked[name]}),
        "may_migrate": succession.may_migrate(request.access),
    }
    return render(request, "citations/own.html", context)


@require_safe
def recheck(request: HttpRequest) -> HttpResponse:
    """One step of checking all of one's own: the next fifty, and those of them that no longer hold."""
    request = cast(Request, request)
    form = OwnForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    offset = form.cleaned_data["offset"] or 0
    rows, total = citations.own(request.access, limit=PAGE, offset=offset)
    failing = [one for one in rows if state_of(one) is not State.RESOLVED]
    found = (form.cleaned_data["found"] or 0) + len(failing)
    done = min(offset + PAGE, total)
    context = {
        "rows": failing,
        "done": done,
        "total": total,
        "found": found,
        "next": urlencode({"offset": done, "found": found}) if done < total else "",
    }
    return render(request, "citations/_step.html" if wants_fragment(request) else "citations/recheck.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def check(request: HttpRequest) -> HttpResponse:
    """`/citations/check/`: what pasted ids, links and anchors are worth. What was pasted is kept nowhere."""
    request = cast(Request, request)
    form = CheckForm(request.POST)
    form.is_valid()
    given = form.cleaned_data["given"]
    context: dict[str, object] = {"given": given, "may_migrate": succession.may_migrate(request.access)}
    try:
        checked = _checked(request, pasted.read(given))
    except Refused as error:
        return render(request, "citations/check.html", {**context, "refused": words(error)}, status=HTTPStatus.BAD_REQUEST)
    return render(request, "citations/check.html", {**context, "checked": checked, "asked": request.method == "POST"})


@require_safe
def export(request: HttpRequest, kind: str) -> HttpResponse:
    """One's own citations as a file, narrowed down as the list is; its SHA-256 stands in the header Repr-Digest."""
    request = cast(Request, request)
    form = OwnForm(request.GET)
    if kind not in files.KINDS:
        raise Http404
    if not form.is_valid():
        raise Unavailable
    media_type, write = files.KINDS[kind]
    content = write(list(_every(request, form.cleaned_data)), at=timezone.localtime())
    digest = b64encode(hashlib.sha256(content).digest()).decode()
    headers = {"Content-Disposition": f'attachment; filename="citations.{kind}"', "Repr-Digest": f"sha-256=:{digest}:"}
    return HttpResponse(content, content_type=media_type, headers=headers)


def state_of(one: Cited | UUID) -> State:
    """The state of a citation; of one that may not be read there is only its id."""
    return State.UNAVAILABLE if isinstance(one, UUID) else one.resolution.state


def _not_cited(
    request: Request, document: UUID, place: Mapping[str, object], error: Ambiguous | Outdated | Refused
) -> HttpResponse:
    """Why this can't be cited, with the words that were chosen, and the range that can be cited where there is one."""
    whole = {**place, **error.values} if error.code == CUT else None
    context = {
        "reason": words(error),
        "code": error.code,
        "place": place,
        "chosen": viewer.excerpt(request.access, document, **place),  # type: ignore[arg-type]
        "whole": whole,
        "offered": viewer.excerpt(request.access, document, **whole) if whole else None,  # type: ignore[arg-type]
    }
    status = HTTPStatus.BAD_REQUEST if isinstance(error, Refused) else HTTPStatus.CONFLICT
    return render(request, "citations/refused.html", context, status=status)


def _disputes(request: Request, cited: Cited) -> Sequence[Dispute]:
    """What contradicts the cited range, in the state in which it was cited."""
    anchor = cited.anchor
    place = Place(UUID(anchor.state.document), UUID(anchor.state.representation), anchor.start, anchor.end)
    return disputes.of_places(request.access, [place]).get(place, ())


def _proven_text(request: Request, cited: Cited) -> Reading | None:
    """The text in which the citation is proven: the current one, or the archived one; None where nothing is proven."""
    found = cited.resolution
    representation = found.historical.representation if found.historical else found.representation
    if found.card is None or representation is None or (found.quote is None and found.historical is None):
        return None
    return viewer.read_cited(request.access, found.card.id, cited.anchor, representation=representation)


def _pairs(cited: TextState, now: TextState | None) -> Sequence[Pair]:
    """What differs between the state that was cited and the current one."""
    if now is None:
        return []
    pairs = [
        Pair(gettext_lazy("Version"), cited.revision, now.revision),
        Pair(gettext_lazy("Original, SHA-256"), cited.source_sha256, now.source_sha256, is_hash=True),
        Pair(gettext_lazy("Parser"), _parser(cited), _parser(now)),
        Pair(gettext_lazy("Normalisation"), cited.profile, now.profile),
        Pair(gettext_lazy("Text, SHA-256"), cited.text_sha256, now.text_sha256, is_hash=True),
    ]
    return [pair for pair in pairs if pair.cited != pair.now]


def _parser(state: TextState) -> str:
    return " ".join(filter(None, (state.parser.name, state.parser.version, state.parser.configuration)))


def _comparison(cited: Cited, reading: Reading | None) -> str:
    """The address at which the archived text and the current one are compared, at the cited place; "" without one."""
    if reading is None or reading.marked is None or cited.resolution.historical is None:
        return ""
    passage = reading.marked.passage
    place = urlencode({"old": str(reading.representation), "new": str(reading.current), "passage": str(passage)})
    return f"{reverse('compare', args=[reading.card.id])}?{place}#old-{passage}"


def _proof(found: Resolution, now: str) -> str:
    """The state and the time in words, to be copied along with a quote."""
    state = {"state": STATES[found.state].label, "time": now}
    if found.historical:
        return _("State: %(state)s; the words are proven in version %(version)s, which is kept. Checked: %(time)s") % {
            **state,
            "version": found.historical.revision,
        }
    return _("State: %(state)s. Checked: %(time)s") % state


def _chosen(request: Request, asked: Mapping[str, object], offset: int) -> tuple[Sequence[Cited | UUID], int]:
    """One page of one's own citations. A state is known only after checking, so a filter by it checks all of them."""
    if not asked["state"]:
        document = cast(UUID | None, asked["document"])
        return citations.own(request.access, limit=PAGE, offset=offset, document=document)
    found = list(_every(request, asked))
    return found[offset : offset + PAGE], len(found)


def _every(request: Request, asked: Mapping[str, object]) -> Iterator[Cited | UUID]:
    """All of one's own citations that the filters let through."""
    wanted = asked["state"]
    for one in citations.every_own(request.access, document=cast(UUID | None, asked["document"])):
        state = state_of(one)
        if wanted in ("", state) or (wanted == OwnForm.CHANGED and state is not State.RESOLVED):
            yield one


def _checked(request: Request, given: Sequence[pasted.Given]) -> Sequence[Checked]:
    """What each entry is worth, in its order."""
    anchors: list[Anchor | Mapping[str, object]] = [one for one in given if isinstance(one, Mapping)]
    resolved = iter(citations.resolve(request.access, anchors))
    ids = list(dict.fromkeys(one for one in given if isinstance(one, UUID)))
    stored = dict(zip(ids, citations.several(request.access, ids), strict=True))
    return [_worth(one, stored, resolved) for one in given]


def _worth(one: pasted.Given, stored: Mapping[UUID, Cited | UUID], resolved: Iterator[Resolution]) -> Checked:
    if one is None:
        return Checked("")
    if isinstance(one, UUID):
        found = stored[one]
        return Checked(state_of(found), id=one, cited=None if isinstance(found, UUID) else found)
    resolution = next(resolved)
    return Checked(resolution.state, resolution=resolution)
