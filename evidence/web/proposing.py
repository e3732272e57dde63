"""Proposing what knowledge shall say, and deciding about what others propose. Only people who may propose get here.

Deciding is possible nowhere else: it takes a person at a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from evidence import citations, identity
from evidence.citations import Cited
from evidence.errors import EvidenceError, Outdated, Refused, Unavailable, gettext_noop
from evidence.knowledge import affected, contents, entries, proposals, spaces
from evidence.knowledge.contents import Content
from evidence.knowledge.entries import Read
from evidence.knowledge.proposals import Action
from evidence.models import Entry, Proposal
from evidence.web import pasted, saying
from evidence.web.forms import EntryForm, NoteForm, OffsetForm, UseForm
from evidence.web.knowledge import concept_of, rows, turned, url_of, work
from evidence.web.request import Request
from evidence.web.roles import for_whoever

RECENT = 10
"""One's own latest citations that a form offers."""
ANYWHERE = frozenset({"concept", "claim", "decision"})
"""Kinds that a form of a space makes; a translation is made at its citation."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A citation that can be chosen. succeeds: it took the place of one that is chosen and does not hold."""

    cited: Cited
    chosen: bool
    succeeds: bool = False


@for_whoever(identity.may_propose, "GET", "HEAD", "POST")
@sensitive_variables()
def new(request: HttpRequest, space: str, kind: str) -> HttpResponse:
    """`/knowledge/<space>/propose/<kind>/`: a new entry; posted to, it is proposed."""
    request = cast(Request, request)
    home = spaces.get(request.access, space)
    if kind not in ANYWHERE:
        raise Unavailable
    context: dict[str, object] = {"space": home, "kind": kind}
    if request.method != "POST":
        form = UseForm(request.GET)
        asked = form.cleaned_data if form.is_valid() else {}
        chosen = [asked["citation"]] if asked.get("citation") else []
        return _form(request, context, kind, {"concept": asked.get("concept") or "", "citations": chosen})
    sent = EntryForm(request.POST)
    texts = sent.texts()
    said = saying.typed(kind, texts) | ({"concept": texts["concept"]} if kind == Entry.Kind.CLAIM else {})
    try:
        said["citations"] = _chosen(sent)
        content = contents.parse(kind, said)
        made = proposals.propose(request.access, space=space, kind=kind, action=Action.CREATE, content=content, why=texts["why"])
    except Refused as error:
        return _form(request, context | {"why": texts["why"]}, kind, said, error=error, sent=sent)
    messages.success(request, _("It is proposed. A reviewer who is somebody else decides about it."))
    return redirect("proposal", made)


@for_whoever(identity.may_propose, "GET", "HEAD", "POST")
@sensitive_variables()
def change(request: HttpRequest, entry: UUID) -> HttpResponse:
    """`/knowledge/entries/<id>/change/`: what it says now, to be changed; posted to, the change is proposed."""
    request = cast(Request, request)
    now = entries.get(request.access, entry)
    home = spaces.get(request.access, now.space)
    context: dict[str, object] = {"space": home, "kind": now.kind, "now": now, "url": url_of(now), "base": now.number}
    if request.method != "POST":
        return _form(request, context, now.kind, contents.to_json(now.content))
    sent = EntryForm(request.POST)
    texts = sent.texts()
    said = saying.typed(now.kind, texts) | _fixed(now.content)
    try:
        said["citations"] = _chosen(sent)
        made = proposals.propose(
            request.access,
            space=now.space,
            kind=now.kind,
            action=Action.CHANGE,
            entry=entry,
            base=_base(sent),
            content=contents.parse(now.kind, said),
            why=texts["why"],
        )
    except (Refused, Outdated) as error:
        return _form(request, context | {"why": texts["why"]}, now.kind, said, error=error, sent=sent)
    messages.success(request, _("The change is proposed. Until somebody else approves it, what stands now counts."))
    return redirect("proposal", made)


@for_whoever(identity.may_propose, "GET", "HEAD", "POST")
@sensitive_variables()
def turn(request: HttpRequest, entry: UUID, action: str) -> HttpResponse:
    """`/knowledge/entries/<id>/deprecate/` and `…/restore/`: why it shall not count any more, or shall count again."""
    request = cast(Request, request)
    if action not in {Action.DEPRECATE, Action.RESTORE}:
        raise Http404
    now = entries.get(request.access, entry)
    context: dict[str, object] = {"row": rows(request, [now])[0], "action": action, "most": proposals.MAX_WHY}
    if request.method != "POST":
        return render(request, "knowledge/turn.html", context)
    sent = EntryForm(request.POST)
    why = sent.texts()["why"]
    try:
        made = proposals.propose(
            request.access, space=now.space, kind=now.kind, action=action, entry=entry, base=_base(sent), why=why
        )
    except (Refused, Outdated) as error:
        context |= {"refused": saying.told(error), "why": why}
        return render(request, "knowledge/turn.html", context, status=_status(error))
    messages.success(request, _("It is proposed. A reviewer who is somebody else decides about it."))
    return redirect("proposal", made)


@for_whoever(identity.may_propose, "GET", "HEAD")
def proposal(request: HttpRequest, proposal: UUID) -> HttpResponse:
    """`/knowledge/proposals/<id>/`: what is proposed beside what counts now, and what can be done about it."""
    return _proposal(cast(Request, request), proposal)


@for_whoever(identity.may_review, "POST")
@sensitive_variables()
def approve(request: HttpRequest, proposal: UUID) -> HttpResponse:
    """Let it count."""
    request = cast(Request, request)
    note = _note(request)
    try:
        entry = proposals.approve(request.access, proposal, note)
    except (Refused, Outdated) as error:
        return _proposal(request, proposal, error=error, note=note)
    messages.success(request, _("It counts from now on."))
    return redirect("entry", entry)


@for_whoever(identity.may_review, "POST")
@sensitive_variables()
def reject(request: HttpRequest, proposal: UUID) -> HttpResponse:
    """Say why it shall not count."""
    request = cast(Request, request)
    note = _note(request)
    try:
        proposals.reject(request.access, proposal, note)
    except Refused as error:
        return _proposal(request, proposal, error=error, note=note)
    messages.success(request, _("It is rejected, and its author sees your note."))
    return redirect("review")


@for_whoever(identity.may_propose, "POST")
def withdraw(request: HttpRequest, proposal: UUID) -> HttpResponse:
    """Take back one's own."""
    request = cast(Request, request)
    try:
        proposals.withdraw(request.access, proposal)
    except Refused as error:
        return _proposal(request, proposal, error=error)
    messages.success(request, _("Your proposal is withdrawn."))
    return redirect("own_proposals")


@for_whoever(identity.may_review, "GET", "HEAD")
def review(request: HttpRequest) -> HttpResponse:
    """`/knowledge/review/`: what waits for a reviewer, the oldest first."""
    request = cast(Request, request)
    offset = _offset(request)
    found = proposals.to_review(request.access, offset=offset)
    turn = turned(found.total, len(found.rows), offset, page=proposals.PAGE)
    return render(request, "knowledge/review.html", {"rows": found.rows} | turn | work(request))


@for_whoever(identity.may_propose, "GET", "HEAD")
def own(request: HttpRequest) -> HttpResponse:
    """`/knowledge/proposals/`: one's own, and what became of them."""
    request = cast(Request, request)
    offset = _offset(request)
    found = proposals.own(request.access, offset=offset)
    turn = turned(found.total, len(found.rows), offset, page=proposals.PAGE)
    return render(request, "knowledge/own.html", {"rows": found.rows} | turn | work(request))


@for_whoever(identity.may_propose, "GET", "HEAD")
def listed(request: HttpRequest) -> HttpResponse:
    """`/knowledge/affected/`: entries that cite something that does not hold any more."""
    request = cast(Request, request)
    found = affected.entries_of(request.access)
    context = {"rows": rows(request, found.rows), "more": found.total - len(found.rows)}
    return render(request, "knowledge/affected.html", context | work(request))


@for_whoever(identity.may_propose, "GET", "HEAD")
def use(request: HttpRequest) -> HttpResponse:
    """`/knowledge/use/?citation=<id>`: where a citation can be used: the concepts of every space."""
    request = cast(Request, request)
    form = UseForm(request.GET)
    if not form.is_valid() or not form.cleaned_data["citation"]:
        raise Unavailable
    cited = citations.get(request.access, form.cleaned_data["citation"])
    places = [
        (one.space, entries.named(request.access, Entry.Kind.CONCEPT, space=one.space.slug))
        for one in spaces.readable(request.access)
    ]
    return render(request, "knowledge/use.html", {"cited": cited, "places": places})


def _form(
    request: Request,
    context: Mapping[str, object],
    kind: str,
    said: Mapping[str, object],
    *,
    error: EvidenceError | None = None,
    sent: EntryForm | None = None,
) -> HttpResponse:
    home = context["space"]
    now = cast(Read | None, context.get("now"))
    field = str(error.values.get("field", "")) if error else ""
    shown = saying.inputs(kind, said, fixed=now is not None, error=error)
    page = {
        "inputs": shown,
        "concepts": _concepts(request, str(getattr(home, "slug", ""))) if kind == Entry.Kind.CLAIM and now is None else (),
        "concept": said.get("concept", ""),
        "choices": _choices(request, cast(Sequence[object], said.get("citations") or (_ticked(sent) if sent else ()))),
        "given": sent.data.get("given", "") if sent else "",
        "most": proposals.MAX_WHY,
        "most_citations": 1 if kind == Entry.Kind.TRANSLATION else contents.MAX_CITATIONS,
        "refused": saying.told(error) if error else "",
        "wrong": field,
        "elsewhere": bool(error) and field not in {one.name for one in shown},
    }
    status = _status(error) if error else HTTPStatus.OK
    return render(request, "knowledge/propose.html", {**context, **page}, status=status)


def _concepts(request: Request, space: str) -> Sequence[tuple[str, str, bool]]:
    """Short name and title of what a claim can be about, and whether that is only proposed."""
    counting = [(one.slug, one.title, False) for one in entries.named(request.access, Entry.Kind.CONCEPT, space=space)]
    waiting = [
        (str(getattr(one.content, "slug", "")), str(getattr(one.content, "title", "")), True)
        for one in proposals.open_in(request.access, space)
        if one.kind == Entry.Kind.CONCEPT and one.now is None
    ]
    return [*counting, *waiting]


def _choices(request: Request, chosen: Sequence[object]) -> Sequence[Choice]:
    """The chosen citations, successors of those that do not hold, and one's own latest."""
    ids = [one if isinstance(one, UUID) else UUID(str(one)) for one in chosen]
    mine = entries.cited_by(request.access, ids)
    lost = [one.superseded_by for one in mine.values() if one.superseded_by and one.superseded_by not in mine]
    heirs = entries.cited_by(request.access, lost)
    recent, _total = citations.own(request.access, limit=RECENT)
    found = [Choice(one, chosen=True) for one in mine.values()]
    found += [Choice(one, chosen=False, succeeds=True) for one in heirs.values()]
    known = {*mine, *heirs}
    return [*found, *(Choice(one, chosen=False) for one in recent if isinstance(one, Cited) and one.id not in known)]


def _ticked(sent: EntryForm) -> Sequence[UUID]:
    """The ids that were ticked; none when one of them is no id."""
    return [] if "citation" in sent.errors else sent.citations()


def _base(sent: EntryForm) -> int | None:
    """The revision that the person saw."""
    sent.is_valid()
    base: int | None = sent.cleaned_data.get("base")
    return base


def _chosen(sent: EntryForm) -> list[UUID]:
    """The ids that were ticked and pasted. Raises Refused for what is none."""
    given = pasted.read(str(sent.data.get("given", "")))
    if not all(isinstance(one, UUID) for one in given):
        message = gettext_noop("What was pasted is no link to a citation and no id of one.")
        raise Refused("citation_malformed", message, field="citations")
    return list(dict.fromkeys([*sent.citations(), *(one for one in given if isinstance(one, UUID))]))


def _fixed(content: Content) -> dict[str, object]:
    """What a change leaves as it is."""
    return {name: getattr(content, name) for name in ("slug", "concept") if hasattr(content, name)}


def _proposal(request: Request, proposal: UUID, *, error: EvidenceError | None = None, note: str = "") -> HttpResponse:
    found = proposals.get(request.access, proposal)
    beside = found.now if found.state == Proposal.State.OPEN else None
    context = {
        "found": found,
        "beside": rows(request, [beside])[0] if beside else None,
        "lines": saying.lines(found.kind, found.content, beside.content if beside else None),
        "concept": concept_of(request, found),
        "url": url_of(found) if found.now else "",
        "may_decide": proposals.may_decide(request.access, found),
        "most": proposals.MAX_WHY,
        "note": note,
        "refused": saying.told(error) if error else "",
    }
    return render(request, "knowledge/proposal.html", context | work(request), status=_status(error) if error else HTTPStatus.OK)


def _status(error: EvidenceError) -> HTTPStatus:
    return HTTPStatus.CONFLICT if isinstance(error, Outdated) else HTTPStatus.BAD_REQUEST


def _note(request: Request) -> str:
    form = NoteForm(request.POST)
    form.is_valid()
    return str(form.cleaned_data["note"])


def _offset(request: Request) -> int:
    form = OffsetForm(request.GET)
    form.is_valid()
    return form.cleaned_data.get("offset") or 0
