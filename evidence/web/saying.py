"""What entries of knowledge say, in words of a page: states, names of fields, fields of a form, what two states differ in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from evidence.comparison import Change, Row, Run, Side, compare
from evidence.errors import EvidenceError
from evidence.knowledge import contents
from evidence.knowledge.contents import Content, DecisionStatus
from evidence.knowledge.proposals import MAX_WHY
from evidence.models import Entry
from evidence.web.states import Words

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

FIELDS: Final[Mapping[str, StrPromise]] = {
    "title": _("Title"),
    "slug": _("Short name"),
    "text": _("Text"),
    "terms": _("Terms"),
    "concept": _("Concept"),
    "subject": _("Subject"),
    "property": _("Property"),
    "value": _("Value"),
    "context": _("Context"),
    "decision": _("Decision"),
    "rationale": _("Rationale"),
    "status": _("Status"),
    "decided_on": _("Decided on"),
    "valid_from": _("Valid from"),
    "valid_until": _("Valid until"),
    "supersedes": _("Supersedes"),
    "language": _("Language"),
    "translator": _("Translator"),
    "citations": _("Citations"),
    "why": _("Why"),
    "note": _("Note"),
}
STATES: Final[Mapping[str, Words]] = {
    "proposed": Words(_("Proposed"), _("Nobody has reviewed it yet."), "warn"),
    "accepted": Words(_("Accepted"), _("A reviewer has let it in."), "good"),
    "disputed": Words(
        pgettext_lazy("entry", "Disputed"), _("Something else that you may read contradicts it. Nothing picks a side."), "warn"
    ),
    "deprecated": Words(_("Deprecated"), _("It does not count any more."), "quiet"),
    "rejected": Words(_("Rejected"), _("A reviewer has not let it in."), "bad"),
    "loose": Words(_("Not standing"), _("None of its citations holds at the moment: what it stood on has changed."), "bad"),
}
PROPOSAL_STATES: Final[Mapping[str, Words]] = {
    "open": Words(_("To be reviewed"), _("Nobody has decided about it yet."), "warn"),
    "approved": Words(_("Approved"), _("It counts since then."), "good"),
    "rejected": Words(_("Rejected"), _("The reviewer says why."), "bad"),
    "withdrawn": Words(_("Withdrawn"), _("Its author has taken it back."), "quiet"),
}
STATUSES: Final[Mapping[str, StrPromise]] = {
    DecisionStatus.PROPOSED: pgettext_lazy("decision", "proposed"),
    DecisionStatus.ACCEPTED: pgettext_lazy("decision", "accepted"),
    DecisionStatus.SUPERSEDED: pgettext_lazy("decision", "superseded"),
    DecisionStatus.REJECTED: pgettext_lazy("decision", "rejected"),
}
KINDS: Final[Mapping[str, StrPromise]] = {
    "concept": _("Concept"),
    "claim": _("Claim"),
    "decision": _("Decision"),
    "translation": _("Translation"),
}
_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "concept": ("title", "text", "terms"),
    "claim": ("text", "subject", "property", "value", "valid_from", "valid_until"),
    "decision": (
        "title", "status", "context", "decision", "rationale", "decided_on", "valid_from", "valid_until", "supersedes",
    ),
    "translation": ("language", "text", "translator"),
}  # fmt: skip
_ASKED: Final[Mapping[str, Sequence[str]]] = {
    "concept": ("title", "slug", "text", "terms"),
    "claim": ("text", "subject", "property", "value", "valid_from", "valid_until"),
    "decision": (
        "title", "slug", "status", "context", "decision", "rationale", "decided_on", "valid_from", "valid_until", "supersedes",
    ),
    "translation": ("language", "text", "translator"),
}  # fmt: skip
_MOST: Final[Mapping[str, int]] = {
    "title": contents.MAX_TITLE,
    "slug": contents.MAX_SLUG,
    "subject": contents.MAX_MATTER,
    "property": contents.MAX_MATTER,
    "value": contents.MAX_VALUE,
    "translator": contents.MAX_TRANSLATOR,
    "why": MAX_WHY,
}
_ROWS: Final = {"text": 6, "context": 4, "decision": 4, "rationale": 4, "terms": 3}
_HINTS: Final[Mapping[str, StrPromise]] = {
    "slug": _("What stands in its address: small letters, digits and hyphens. Left empty, it is made of the title."),
    "terms": _("What people search for it by, one in each line. Whoever searches for one of them is shown the concept."),
    "subject": _("Subject, property and value together, or none of them: claims that give another value contradict each other."),
    "supersedes": _("The short name of the decision that it takes the place of."),
}
_NEEDED: Final = frozenset({"title", "decision", "language"})


@dataclass(frozen=True, slots=True)
class Input:
    """A field of a form. look: "line", "lines", "day" or "choice". options: of a choice, value and words."""

    name: str
    label: StrPromise
    look: str
    value: str
    hint: StrPromise | str = ""
    most: int | None = None
    rows: int = 0
    needed: bool = False
    fixed: bool = False
    error: str = ""
    options: Sequence[tuple[str, StrPromise]] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A field of an entry as it was and as it shall be, with the words that differ. rows: of the comparison. whole: too much
    differs to put it side by side.
    """

    name: str
    label: StrPromise
    rows: Sequence[Row]
    changed: bool
    whole: bool


def told(error: EvidenceError) -> str:
    """The error in the person's language, its field by the name that the page has for it."""
    field = str(error.values.get("field", ""))
    return gettext(error.template) % {**error.values, "field": str(FIELDS.get(field, field))}


def inputs(kind: str, said: Mapping[str, object], *, fixed: bool = False, error: EvidenceError | None = None) -> Sequence[Input]:
    """The fields of a form for an entry of this kind. said: what was typed, or what the entry says. fixed: its address stays."""
    wrong = {} if error is None else {str(error.values.get("field", "")): told(error)}
    return [_input(kind, name, said, fixed=fixed and name == "slug", error=wrong.get(name, "")) for name in _ASKED[kind]]


def lines(kind: str, content: Content, before: Content | None = None) -> Sequence[Line]:
    """What an entry says, field by field, beside what it said before; empty ones on both sides are left out."""
    old, new = ({} if one is None else contents.to_json(one) for one in (before, content))
    found = []
    for name in _SHOWN[kind]:
        was, now = (_paragraphs(name, one.get(name)) for one in (old, new))
        if was or now:
            found.append(_line(name, was, now))
    return found


def _line(name: str, was: Sequence[str], now: Sequence[str]) -> Line:
    found = compare(was, now)
    rows = found.rows
    if found.whole:  # each in one piece: thousands of paragraphs that were removed and added tell nobody more
        rows = [Row(Change.REMOVED, _side(was), None), Row(Change.ADDED, None, _side(now))]
    return Line(name, FIELDS[name], rows, changed=was != now, whole=found.whole)


def _side(paragraphs: Sequence[str]) -> Side:
    return Side(0, (Run("\n".join(paragraphs), changed=True),))


def typed(kind: str, sent: Mapping[str, str]) -> dict[str, object]:
    """What was typed into a form of this kind, as `contents.parse` takes it; the citations are read elsewhere."""
    said: dict[str, object] = {name: sent.get(name, "") for name in _ASKED[kind]}
    if kind == Entry.Kind.CONCEPT:
        said["terms"] = [one for one in str(said["terms"]).splitlines() if one.strip()]
    if "slug" in said and not str(said["slug"]).strip():
        said["slug"] = contents.slug_of(str(said["title"]))
    return said


def _input(kind: str, name: str, said: Mapping[str, object], *, fixed: bool, error: str) -> Input:
    value = said.get(name) or ""
    written = "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return Input(
        name=name,
        label=FIELDS[name],
        look=_look(name),
        value=written or (DecisionStatus.PROPOSED.value if name == "status" else ""),
        hint=_HINTS.get(name, ""),
        most=_MOST.get(name) or (contents.MAX_CLAIM if kind == Entry.Kind.CLAIM else contents.MAX_TEXT),
        rows=_ROWS.get(name, 0),
        needed=name in _NEEDED or (name == "text" and kind != Entry.Kind.CONCEPT),
        fixed=fixed,
        error=error,
        options=list(STATUSES.items()) if name == "status" else (),
    )


def _look(name: str) -> str:
    if name in _ROWS:
        return "lines"
    if name in {"valid_from", "valid_until", "decided_on"}:
        return "day"
    return "choice" if name == "status" else "line"


def _paragraphs(name: str, value: object) -> list[str]:
    if not value:
        return []
    if isinstance(value, list):
        return [str(one) for one in value]
    if name == "status":
        return [str(STATUSES[str(value)])]
    return [one for one in str(value).split("\n") if one.strip()]
