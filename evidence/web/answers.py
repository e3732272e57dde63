"""Checked answers: one's own, a form to have one checked, and one of them with the passages beside its sentences."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evidence.answers import formats, keeping, limits
from evidence.answers.findings import Judged, Verified, Weighed
from evidence.answers.keeping import PAGE, Kept
from evidence.answers.values import Support
from evidence.errors import Refused, gettext_noop
from evidence.knowledge.disputes import Dispute
from evidence.models import Answer
from evidence.programs.checked import Contradicted, contradictions, place_of
from evidence.web.errors import words
from evidence.web.forms import AnswerForm, OffsetForm
from evidence.web.request import Request

AROUND: Final = 400
"""Code points of a passage that are shown before and after the words that stand in it: a paragraph. The link shows all."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The passage around verified words. cut_before, cut_after: there is more of it. further: the words run on after it."""

    before: str
    words: str
    after: str
    cut_before: bool
    cut_after: bool
    further: bool


@dataclass(frozen=True, slots=True)
class Proof:
    """A place where words stand, as it is shown, and what contradicts it."""

    place: Verified
    excerpt: Excerpt
    disputes: Sequence[Dispute]


@dataclass(frozen=True, slots=True)
class Beside:
    """One citation of a sentence, with its proofs."""

    weighed: Weighed
    proofs: Sequence[Proof]


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence as it is shown. pieces: its text in runs, each with whether it stands in a document. before: another state that
    it had when it was last checked on purpose, else None. struck: a configured model wrote it, and it is not supported.
    """

    number: int
    judged: Judged
    pieces: Sequence[tuple[str, bool]]
    before: Support | None
    struck: bool
    beside: Sequence[Beside]


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables()
def own(request: HttpRequest) -> HttpResponse:
    """`/answers/`: one's own, and the form; posted to, an answer is checked and kept."""
    request = cast(Request, request)
    if request.method != "POST":
        return _listed(request)
    form = AnswerForm(request.POST)
    form.is_valid()
    given, question = form.cleaned_data["given"], form.cleaned_data["question"].strip()
    try:
        draft = formats.read(_sent(given, question), host=request.get_host())
        answer = keeping.keep(request.access, draft)
    except Refused as error:
        return _listed(request, refused=words(error), given=given, question=question)
    return redirect("answer", answer)


@require_safe
def page(request: HttpRequest, answer: UUID) -> HttpResponse:
    """`/answers/<id>/`: the sentences beside the passages, checked now."""
    request = cast(Request, request)
    kept = keeping.get(request.access, answer)
    context = {
        "kept": kept,
        "rows": rows(kept, contradictions(request.access, kept.checked.sentences)),
        "tally": kept.checked.tally,
        "generated": kept.origin == Answer.Origin.GENERATED,
    }
    return render(request, "answers/page.html", context)


@require_POST
def recheck(request: HttpRequest, answer: UUID) -> HttpResponse:
    """Check it on purpose, and say what has changed since the last time."""
    kept = keeping.recheck(cast(Request, request).access, answer)
    changed = [str(n) for n, (old, new) in enumerate(zip(kept.before, kept.checked.states, strict=True), 1) if old != new]
    if changed:
        told = _("Checked. Sentences with another state than before: %(numbers)s.") % {"numbers": ", ".join(changed)}
        messages.warning(request, told)
    else:
        messages.success(request, _("Checked. No sentence has another state than before."))
    return redirect("answer", answer)


@require_POST
def delete(request: HttpRequest, answer: UUID) -> HttpResponse:
    """Remove one's own, words and all."""
    keeping.delete(cast(Request, request).access, answer)
    messages.success(request, _("The answer is deleted."))
    return redirect("answers")


def rows(kept: Kept, contradicted: Contradicted) -> Sequence[Row]:
    """The sentences as they are shown."""
    generated = kept.origin == Answer.Origin.GENERATED
    return [
        Row(
            number=number,
            judged=judged,
            pieces=pieces(judged),
            before=before if before != judged.support else None,
            struck=generated and judged.support is not Support.SUPPORTED and not judged.withheld,
            beside=[
                Beside(one, [_proof(place, contradicted) for place in one.places])
                for one in (*judged.pointers, *judged.quotations)
            ],
        )
        for number, (judged, before) in enumerate(zip(kept.checked.sentences, kept.before, strict=True), 1)
    ]


def pieces(judged: Judged) -> Sequence[tuple[str, bool]]:
    """The text of a sentence in runs, each with whether it stands word for word in a document; blanks around it are left out."""
    text, found, position = judged.text.rstrip(), list[tuple[str, bool]](), 0
    for start, end in judged.words:
        found += [(text[position:start], False), (text[start:end], True)]
        position = end
    return [(run, is_quoted) for run, is_quoted in [*found, (text[position:], False)] if run]


def excerpt(place: Verified) -> Excerpt:
    """The part of the passage that is shown."""
    shown = place.passage
    start, end = place.start - shown.start, min(place.end, shown.end) - shown.start
    first, last = max(start - AROUND, 0), min(end + AROUND, len(shown.text))
    return Excerpt(
        before=shown.text[first:start],
        words=shown.text[start:end],
        after=shown.text[end:last],
        cut_before=first > 0,
        cut_after=last < len(shown.text),
        further=place.end > shown.end,
    )


def _proof(place: Verified, contradicted: Contradicted) -> Proof:
    return Proof(place, excerpt(place), contradicted.get(place_of(place), ()))


def _sent(given: str, question: str) -> Mapping[str, object]:
    """What was pasted: JSON, or a text. Raises Refused for JSON that is none."""
    if not given.lstrip().startswith("{"):
        return {"format": "text", "text": given, "question": question}
    try:
        sent = json.loads(given)
    except (ValueError, RecursionError):
        message = gettext_noop("This begins like JSON, but is none. Paste all of it, or a text.")
        raise Refused("answer_json", message) from None
    return {**sent, "question": sent.get("question") or question}


def _listed(request: Request, *, refused: str = "", given: str = "", question: str = "") -> HttpResponse:
    form = OffsetForm(request.GET)
    form.is_valid()
    offset = form.cleaned_data.get("offset") or 0
    found = keeping.own(request.access, offset=offset)
    context = {
        "rows": found.rows,
        "total": found.total,
        "first": offset + 1,
        "before": max(offset - PAGE, 0) if offset else None,
        "after": offset + PAGE if offset + PAGE < found.total else None,
        "refused": refused,
        "given": given,
        "question": question,
        "most_question": limits.MAX_QUESTION,
    }
    return render(request, "answers/own.html", context, status=HTTPStatus.BAD_REQUEST if refused else HTTPStatus.OK)
