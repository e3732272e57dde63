"""Knowledge: spaces, concepts with their claims, decisions, how an entry came to be. What may not be read is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from evidence import identity
from evidence.errors import Refused
from evidence.knowledge import disputes, entries, proposals, spaces
from evidence.knowledge.entries import PAGE, Named, Read
from evidence.knowledge.proposals import Proposed
from evidence.models import Entry
from evidence.web import saying
from evidence.web.forms import KnowledgeForm, OffsetForm
from evidence.web.request import Request
from evidence.web.saying import Line


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as it is listed. states: names of what is to be said about it. against: claims that contradict it."""

    read: Read
    url: str
    states: Sequence[str]
    against: Sequence[tuple[Read, str]] = ()


@dataclass(frozen=True, slots=True)
class State:
    """A state that an entry has had, and what it changed. lines: of all fields of the first one."""

    read: Read
    lines: Sequence[Line]
    cited_anew: bool


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """`/knowledge/`: the spaces that this person may read."""
    request = cast(Request, request)
    return render(request, "knowledge/list.html", {"rows": spaces.readable(request.access)} | work(request))


@require_safe
def space(request: HttpRequest, space: str) -> HttpResponse:
    """`/knowledge/<space>/`: its concepts and decisions, searched for words, and what waits for a reviewer."""
    request = cast(Request, request)
    here = spaces.get(request.access, space)
    form = KnowledgeForm(request.GET)
    form.is_valid()
    asked = form.cleaned_data
    context: dict[str, object] = {"space": here, "q": asked["q"], "kind": asked.get("kind", "")} | work(request)
    try:
        found = _found(request, space, asked)
    except Refused as error:
        return render(request, "knowledge/space.html", context | {"refused": saying.told(error)}, status=HTTPStatus.BAD_REQUEST)
    waiting = [one for one in proposals.open_in(request.access, space) if not one.now]
    return render(request, "knowledge/space.html", context | found | {"waiting": waiting})


@require_safe
def concept(request: HttpRequest, space: str, slug: str) -> HttpResponse:
    """`/knowledge/<space>/<concept>/`: what it is, what it is searched for by, and the claims about it."""
    request = cast(Request, request)
    offset = _offset(request)
    here = entries.by_slug(request.access, Entry.Kind.CONCEPT, space=space, slug=slug)
    found = entries.claims(request.access, space=space, concept=slug, offset=offset)
    context = {
        "row": rows(request, [here])[0],
        "claims": rows(request, found.rows),
        "waiting": proposals.open_in(request.access, space, concept=slug),
        "changes": proposals.open_in(request.access, space, entry=here.id),
    }
    return render(request, "knowledge/concept.html", context | turned(found.total, len(found.rows), offset) | work(request))


@require_safe
def decision(request: HttpRequest, space: str, slug: str) -> HttpResponse:
    """`/knowledge/<space>/decisions/<decision>/`: what was decided, when and why."""
    request = cast(Request, request)
    here = entries.by_slug(request.access, Entry.Kind.DECISION, space=space, slug=slug)
    context = {
        "row": rows(request, [here])[0],
        "superseding": entries.superseding(request.access, here),
        "changes": proposals.open_in(request.access, space, entry=here.id),
    }
    return render(request, "knowledge/decision.html", context | work(request))


@require_safe
def entry(request: HttpRequest, entry: UUID) -> HttpResponse:
    """`/knowledge/entries/<id>/`: a claim or translation with what it stands on; other entries have addresses with names."""
    request = cast(Request, request)
    here = entries.get(request.access, entry)
    if (address := url_of(here)) != request.path:
        return redirect(address)
    context = {
        "row": rows(request, [here])[0],
        "concept": concept_of(request, here),
        "changes": proposals.open_in(request.access, here.space, entry=here.id),
    }
    return render(request, "knowledge/entry.html", context | work(request))


@require_safe
def history(request: HttpRequest, entry: UUID) -> HttpResponse:
    """`/knowledge/entries/<id>/history/`: every state of it, who wrote it, who let it in, when, why, and what it changed."""
    request = cast(Request, request)
    told = entries.history(request.access, entry)
    here = entries.get(request.access, entry)
    before: Sequence[Read | None] = [*told[1:], None]
    states = [_state(read, earlier) for read, earlier in zip(told, before, strict=True)]
    return render(request, "knowledge/history.html", {"row": rows(request, [here])[0], "states": states})


def rows(request: Request, reads: Sequence[Read]) -> Sequence[Row]:
    """These entries with what is to be said about them."""
    against = disputes.of_entries(request.access, [read for read in reads if read.kind == Entry.Kind.CLAIM])
    return [_row(read, against.get(read.id, ())) for read in reads]


def url_of(one: Read | Proposed) -> str:
    """The page of an entry that counts."""
    slug = getattr(one.content, "slug", "")
    if one.kind == Entry.Kind.CONCEPT:
        return reverse("concept", args=[one.space, slug])
    if one.kind == Entry.Kind.DECISION:
        return reverse("decision", args=[one.space, slug])
    return reverse("entry", args=[one.id if isinstance(one, Read) else one.entry])


def concept_of(request: Request, one: Read | Proposed) -> Named | None:
    """What a claim is about; None for what is no claim, or about nothing that this person may read."""
    if one.kind != Entry.Kind.CLAIM:
        return None
    slug = getattr(one.content, "concept", "")
    return entries.called(request.access, Entry.Kind.CONCEPT, space=one.space, slug=slug)


def work(request: Request) -> dict[str, object]:
    """What this person may do about knowledge."""
    return {"may_propose": identity.may_propose(request.access), "may_review": identity.may_review(request.access)}


def turned(total: int, shown: int, offset: int, *, page: int = PAGE) -> dict[str, object]:
    """Where in a list this page is."""
    return {
        "total": total,
        "first": offset + 1,
        "last": offset + shown,
        "before": max(offset - page, 0) if offset else None,
        "after": offset + page if offset + page < total else None,
    }


def _found(request: Request, space: str, asked: Mapping[str, object]) -> dict[str, object]:
    """What stands in the space: all kinds, or further ones of one kind."""
    kind, offset = asked.get("kind") or "", asked.get("offset") or 0
    kinds = {"concept": entries.concepts, "decision": entries.decisions} | ({"claim": entries.claims} if asked["q"] else {})
    chosen = {name: ask for name, ask in kinds.items() if kind in {"", name}}
    asking = {"space": space, "q": str(asked["q"])}
    found = {name: ask(request.access, **asking, offset=offset if kind else 0) for name, ask in chosen.items()}
    lists = [(name, rows(request, page.rows), page.total, page.total > len(page.rows)) for name, page in found.items()]
    only = next(iter(found.values())) if kind and found else None
    turn = turned(only.total, len(only.rows), int(str(offset))) if only else {}
    return {"lists": lists, "nothing": not any(page.total for page in found.values())} | turn


def _row(read: Read, against: Sequence[Read]) -> Row:
    counts = "disputed" if against and read.state == Entry.State.ACCEPTED else read.state
    states = [counts] if read.standing else [counts, "loose"]
    return Row(read, url_of(read), states, [(one, url_of(one)) for one in against])


def _state(read: Read, earlier: Read | None) -> State:
    lines = saying.lines(read.kind, read.content, earlier.content if earlier else None)
    cited_anew = earlier is not None and set(read.content.citations) != set(earlier.content.citations)
    return State(read, [line for line in lines if line.changed], cited_anew)


def _offset(request: Request) -> int:
    form = OffsetForm(request.GET)
    form.is_valid()
    return form.cleaned_data.get("offset") or 0
