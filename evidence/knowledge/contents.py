"""What an entry says, as values: a concept, a claim, a decision or a translation; read from JSON and written to it.

No database here. Whether a slug is taken and whether a citation may be read is for `proposals` to say. What is refused names
its field, so that a form can show it there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final
from uuid import UUID

import unicodedata2

from evidence.errors import Refused, gettext_noop
from evidence.index.query import REFUSED_CATEGORIES
from evidence.models import Entry

MAX_SLUG: Final = 100
MAX_TITLE: Final = 200
MAX_TEXT: Final = 20_000
"""Characters of a concept's text, of each part of a decision, and of a translation: several pages."""
MAX_CLAIM: Final = 2_000
"""Characters of one claim: a paragraph. More is several claims."""
MAX_MATTER: Final = 200
"""Characters of a claim's subject, and of its property."""
MAX_VALUE: Final = 300
MAX_TERMS: Final = 30
MAX_TERM: Final = 100
MAX_CITATIONS: Final = 20
"""Citations of one entry: more than anybody checks."""
MAX_TRANSLATOR: Final = 200

_SLUG: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LANGUAGE: Final = re.compile(r"[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8})*")
_LONGEST_LANGUAGE: Final = 20
_LINES: Final = frozenset("\n\t")


class DecisionStatus(StrEnum):
    """How far a decision is, as the people who made it say."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    SUPERSEDED = "superseded"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Concept:
    """What something is. terms: what people search for it by, besides its title."""

    slug: str
    title: str
    text: str = ""
    terms: tuple[str, ...] = ()
    citations: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence that holds of a concept (its slug). Two contradict that give the same property of the same subject another
    value; a claim without them is compared with none.
    """

    concept: str
    text: str
    citations: tuple[UUID, ...]
    subject: str = ""
    property: str = ""
    value: str = ""
    valid_from: date | None = None
    valid_until: date | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, in which situation, and why. supersedes: slug of the decision that it takes the place of."""

    slug: str
    title: str
    context: str = ""
    decision: str = ""
    rationale: str = ""
    status: DecisionStatus = DecisionStatus.PROPOSED
    decided_on: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    supersedes: str = ""
    citations: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Translation:
    """The words of one citation in another language. It is derived from them and never takes their place."""

    language: str
    text: str
    citations: tuple[UUID, ...]
    translator: str = ""


Content = Concept | Claim | Decision | Translation


def key(text: str) -> str:
    """What is compared: NFC, casefold, white space collapsed."""
    return _nfc(" ".join(_nfc(text).casefold().split()))


def parse(kind: str, value: Mapping[str, object]) -> Content:
    """The content of an entry of this kind; what is left out is empty. Raises Refused: its value `field` names the field."""
    if kind not in _READERS:
        raise Refused("unknown_kind", gettext_noop("An entry is a concept, a claim, a decision or a translation."))
    unknown = sorted(set(map(str, value)) - _FIELDS[kind])
    if unknown:
        message = gettext_noop("“%(field)s” is no field of such an entry.")
        raise Refused("unknown_field", message, field=unknown[0][:MAX_SLUG])
    return _READERS[kind](_Fields(value))


def to_json(content: Content) -> dict[str, object]:
    """The same as JSON has it: what `parse` reads."""
    return {name: _plain(getattr(content, name)) for name in content.__slots__}


def kind_of(content: Content) -> Entry.Kind:
    """Which kind of entry has such a content."""
    return _KINDS[type(content)]


def slug_of(title: str) -> str:
    """A short name for addresses made of a title; "" where it has no letter that could stand in one."""
    spelled = title.casefold().translate(_SPELLED)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_SLUG].strip("-")


def search_keys(content: Content) -> Sequence[str]:
    """The keys of everything that an entry is found by within its space."""
    match content:
        case Concept():
            found: Sequence[str] = (content.title, *content.terms, content.text)
        case Claim():
            found = (content.text, content.subject, content.property, content.value)
        case Decision():
            found = (content.title, content.context, content.decision, content.rationale)
        case Translation():
            found = (content.text,)
    return [key(one) for one in found]


def words(text: str, field: str, most: int, *, needed: bool = False) -> str:
    """A text of several lines as it is kept: NFC, without blanks at its ends. Raises Refused."""
    return _text(text, field, most, needed=needed, lines=_LINES)


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    return value if value is None else str(value)


class _Fields:
    """Reads the fields of one JSON object, and refuses by name."""

    def __init__(self, value: Mapping[str, object]) -> None:
        self._value = value

    def text(self, field: str, most: int, *, needed: bool = False) -> str:
        """A text of several lines, without blanks at its ends."""
        return _text(self._value.get(field), field, most, needed=needed, lines=_LINES)

    def line(self, field: str, most: int, *, needed: bool = False) -> str:
        """A text of one line, which its key must not be longer than either: keys are kept."""
        return _line(self._value.get(field), field, most, needed=needed)

    def lines(self, field: str, most: int, longest: int) -> tuple[str, ...]:
        """Different texts of one line each, in their order."""
        found = {key(text): text for one in self._list(field) if (text := _line(one, field, longest))}
        _refuse_many(field, len(found), most)
        return tuple(found.values())

    def slug(self, field: str, *, needed: bool = True) -> str:
        """A short name as addresses have it."""
        found = _line(self._value.get(field), field, MAX_SLUG, needed=needed)
        if found and not _SLUG.fullmatch(found):
            message = gettext_noop("“%(field)s” may hold small letters a to z, digits, and single hyphens between them.")
            raise Refused("slug_malformed", message, field=field)
        return found

    def day(self, field: str) -> date | None:
        """A date, or none."""
        value = self._value.get(field)
        if isinstance(value, date):
            return value
        found = _line(value, field, MAX_SLUG)
        try:
            return date.fromisoformat(found) if found else None
        except ValueError:
            raise Refused("date_malformed", gettext_noop("“%(field)s” is no date like 2026-11-30."), field=field) from None

    def days(self) -> tuple[date | None, date | None]:
        """From when until when it holds."""
        first, last = self.day("valid_from"), self.day("valid_until")
        if first and last and last < first:
            message = gettext_noop("It can't hold until a day before the one from which it holds.")
            raise Refused("validity_inverted", message, field="valid_until")
        return first, last

    def citations(self, *, least: int = 0, most: int = MAX_CITATIONS) -> tuple[UUID, ...]:
        """Different ids of stored citations, in their order."""
        found = tuple(dict.fromkeys(_citation(one) for one in self._list("citations")))
        if len(found) < least:
            message = gettext_noop("This needs at least one citation: without one it can't stand.")
            raise Refused("citations_missing", message, field="citations")
        _refuse_many("citations", len(found), most)
        return found

    def language(self) -> str:
        """A tag such as en or de-CH."""
        found = _line(self._value.get("language"), "language", _LONGEST_LANGUAGE, needed=True)
        if not _LANGUAGE.fullmatch(found):
            message = gettext_noop("“%(field)s” is no language tag such as en or de-CH.")
            raise Refused("language_malformed", message, field="language")
        return found

    def status(self) -> DecisionStatus:
        """How far a decision is."""
        value = self._value.get("status") or DecisionStatus.PROPOSED
        try:
            return DecisionStatus(str(value))
        except ValueError:
            message = gettext_noop("A decision is proposed, accepted, superseded or rejected.")
            raise Refused("status_unknown", message, field="status") from None

    def _list(self, field: str) -> Sequence[object]:
        value = self._value.get(field) or ()
        if not isinstance(value, list | tuple):
            raise Refused("not_a_list", gettext_noop("“%(field)s” must be a list."), field=field)
        return value


def _concept(fields: _Fields) -> Concept:
    return Concept(
        title=fields.line("title", MAX_TITLE, needed=True),
        slug=fields.slug("slug"),
        text=fields.text("text", MAX_TEXT),
        terms=fields.lines("terms", MAX_TERMS, MAX_TERM),
        citations=fields.citations(),
    )


def _claim(fields: _Fields) -> Claim:
    first, last = fields.days()
    claim = Claim(
        concept=fields.slug("concept"),
        text=fields.text("text", MAX_CLAIM, needed=True),
        subject=fields.line("subject", MAX_MATTER),
        property=fields.line("property", MAX_MATTER),
        value=fields.line("value", MAX_VALUE),
        valid_from=first,
        valid_until=last,
        citations=fields.citations(least=1),
    )
    compared = (claim.subject, claim.property, claim.value)
    if any(compared) and not all(compared):
        message = gettext_noop(
            "Give subject, property and value together, or none of them: only then two claims can be compared."
        )
        raise Refused("matter_incomplete", message, field="subject")
    return claim


def _decision(fields: _Fields) -> Decision:
    first, last = fields.days()
    decision = Decision(
        title=fields.line("title", MAX_TITLE, needed=True),
        slug=fields.slug("slug"),
        context=fields.text("context", MAX_TEXT),
        decision=fields.text("decision", MAX_TEXT, needed=True),
        rationale=fields.text("rationale", MAX_TEXT),
        status=fields.status(),
        decided_on=fields.day("decided_on"),
        valid_from=first,
        valid_until=last,
        supersedes=fields.slug("supersedes", needed=False),
        citations=fields.citations(),
    )
    if decision.supersedes == decision.slug:
        raise Refused("supersedes_itself", gettext_noop("A decision can't supersede itself."), field="supersedes")
    return decision


def _translation(fields: _Fields) -> Translation:
    return Translation(
        language=fields.language(),
        text=fields.text("text", MAX_TEXT, needed=True),
        translator=fields.line("translator", MAX_TRANSLATOR),
        citations=fields.citations(least=1, most=1),
    )


def _text(value: object, field: str, most: int, *, needed: bool, lines: frozenset[str] = frozenset()) -> str:
    if value is not None and not isinstance(value, str):
        raise Refused("not_a_text", gettext_noop("“%(field)s” must be a text."), field=field)
    found = _nfc((value or "").replace("\r\n", "\n").strip())
    if needed and not found:
        raise Refused("field_missing", gettext_noop("“%(field)s” is missing."), field=field)
    if len(found) > most:
        message = gettext_noop("“%(field)s” has at most %(limit)d characters.")
        raise Refused("field_long", message, field=field, limit=most)
    if any(unicodedata.category(one) in REFUSED_CATEGORIES for one in found if one not in lines):
        message = gettext_noop("“%(field)s” holds a control character or a line end that can't stand there. Please remove it.")
        raise Refused("field_control_character", message, field=field)
    return found


def _line(value: object, field: str, most: int, *, needed: bool = False) -> str:
    found = _text(value, field, most, needed=needed)
    if len(key(found)) > most:
        message = gettext_noop("“%(field)s” has at most %(limit)d characters.")
        raise Refused("field_long", message, field=field, limit=most)
    return found


def _nfc(text: str) -> str:
    return str(unicodedata2.normalize("NFC", text))


def _citation(value: object) -> UUID:
    if isinstance(value, UUID):
        return value
    try:
        return UUID(value if isinstance(value, str) else "")
    except ValueError:
        message = gettext_noop("One of the citations is no id of a citation.")
        raise Refused("citation_malformed", message, field="citations") from None


def _refuse_many(field: str, count: int, most: int) -> None:
    if count > most:
        message = gettext_noop("“%(field)s” holds at most %(limit)d; these are %(count)d.")
        raise Refused("field_many", message, field=field, limit=most, count=count)


_READERS: Final[Mapping[str, Callable[[_Fields], Content]]] = {
    Entry.Kind.CONCEPT.value: _concept,
    Entry.Kind.CLAIM.value: _claim,
    Entry.Kind.DECISION.value: _decision,
    Entry.Kind.TRANSLATION.value: _translation,
}
_KINDS: Final[Mapping[type, Entry.Kind]] = {
    Concept: Entry.Kind.CONCEPT,
    Claim: Entry.Kind.CLAIM,
    Decision: Entry.Kind.DECISION,
    Translation: Entry.Kind.TRANSLATION,
}
_FIELDS: Final = {kind.value: frozenset(content.__slots__) for content, kind in _KINDS.items()}  # type: ignore[attr-defined]
_SPELLED: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "ł": "l"})
