"""What a pushing system says of a document, its rights and its source: JSON -> checked values, with the limits of rules files.

Whatever is wrong is told for each field, and nothing is changed then. Nothing is filled in either: rights that are not stated are
no rights, and a time without its zone is none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, Final

import unicodedata2

from evidence import filenames, formats
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.formats import FORMATS
from evidence.formats.options import Options
from evidence.sources import Metadata, Rights, problems
from evidence.sources.rules import (
    DEFAULT_LABEL,
    checked_date,
    checked_encoding,
    checked_status,
    checked_text,
    is_principal,
    refuse_unknown_keys,
    text_of,
)

MAX_METADATA_BYTES: Final = 1_000_000
"""As many as a rules file may have."""
MAX_PRINCIPALS: Final = 5_000
"""In one list: more are a group that has no name yet."""
MAX_IDS: Final = 50_000
"""In one complete list of a source; larger sources are compared page by page."""
MAX_NAME: Final = 200
"""Characters of a file's name that are kept."""
CLOCKS_DIFFER: Final = timedelta(minutes=1)
"""How far in the future a time may be: a system whose clock is right within that is not refused."""
NO_ONE: Final = Rights(problem=problems.fill(problems.EMPTY_LIST, where="allowed"))

MEDIA_TYPES: Final[Mapping[str, str]] = {form.media_type: ending for ending, form in reversed(FORMATS.items())}
"""Media type -> the ending that stands for it."""

_TEXTS: Final = ("title", "version", "owner", "language", "kind", "sensitivity", "password")
_DATES: Final = ("date", "valid_from", "valid_until")
Check = Callable[[object, str], Any]


class Invalid(Refused):
    """Something that was sent can't be used. faults: name of a field -> what is wrong with it."""

    def __init__(self, faults: Mapping[str, EvidenceError]) -> None:
        super().__init__("invalid_fields", gettext_noop("Something is missing or wrong. Nothing was changed."))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Stated:
    """Rights apart from content. as_of: when the pushing system read them, where it says so."""

    rights: Rights
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class Described:
    """What is said with a document's content. rights: None where they stay as they are. rights_as_of: when they were read.

    media_type: empty where the name of the file says what it is.
    """

    label: str
    dated: date | None
    metadata: Metadata
    media_type: str
    options: Options
    rights: Rights | None
    rights_as_of: datetime | None

    def file_name(self, sent: str) -> str:
        """The name to keep, with an ending that says how the file is read. Raises Invalid."""
        name = filenames.as_text(sent, limit=MAX_NAME)
        ending = PurePosixPath(name).suffix.lower()
        if not self.media_type:
            if ending not in FORMATS:
                raise Invalid({"file": formats.unknown(name)})
            return name
        if ending not in FORMATS:
            return f"{name or 'file'}{MEDIA_TYPES[self.media_type]}"
        if FORMATS[ending].media_type != self.media_type:
            message = gettext_noop("%(where)s: the name of the file says that it is %(named)s.")
            differs = Refused("media_type_differs", message, where="media_type", named=FORMATS[ending].media_type)
            raise Invalid({"media_type": differs})
        return name


@dataclass(frozen=True, slots=True)
class Confirmation:
    """That the rights which were sent are complete as of then.

    documents: ids of all documents that there are, where that was said. restated: everything was sent again since a backup was
    restored here. allow_removals: a list that misses much is right.
    """

    as_of: datetime
    documents: frozenset[str] | None = None
    allow_removals: bool = False
    restated: bool = False


def external_id(text: str) -> str:
    """A document's id inside its source, in the one form in which it is kept. Raises Invalid."""
    try:
        return checked_text("id", _nfc(text, "external_id"), "external_id")
    except Refused as fault:
        raise Invalid({"external_id": fault}) from None


def described(raw: bytes) -> Described:
    """What the metadata of a document says. Raises Invalid."""
    found = _fields(raw, _DOCUMENT, "metadata")
    dated = found.get("date")
    texts = {name: found[name] for name in _TEXTS if name in found and name not in {"version", "password"}}
    days = {name: found[name] for name in ("valid_from", "valid_until") if name in found}
    if days.get("valid_from") and days.get("valid_until") and days["valid_from"] > days["valid_until"]:
        message = gettext_noop("This is before the day from which it is valid.")
        raise Invalid({"valid_until": Refused("validity_inverted", message)})
    return Described(
        label=found.get("version") or (dated.isoformat() if dated else DEFAULT_LABEL),
        dated=dated,
        metadata=Metadata(**texts, **days, origin=found.get("url", ""), status=found.get("status", "valid")),
        media_type=found.get("media_type", ""),
        options=Options(encoding=found.get("encoding", ""), password=found.get("password", "")),
        rights=_rights(found) if {"allowed", "denied"} & found.keys() else None,
        rights_as_of=found.get("rights_as_of"),
    )


def stated(raw: bytes) -> Stated:
    """What is said of rights alone. Raises Invalid."""
    found = _fields(raw, _RIGHTS, "body")
    return Stated(_rights(found), found.get("rights_as_of"))


def confirmation(raw: bytes) -> Confirmation:
    """What a confirmation says. Raises Invalid."""
    found = _fields(raw, _CONFIRMATION, "body")
    if "as_of" not in found:
        raise Invalid({"as_of": _missing("as_of")})
    return Confirmation(**found)


def _rights(found: Mapping[str, Any]) -> Rights:
    if "allowed" not in found:
        raise Invalid({"allowed": _missing("allowed")})
    return Rights(found["allowed"], found.get("denied", ())) if found["allowed"] else NO_ONE


def _fields(raw: bytes, known: Mapping[str, Check], where: str) -> dict[str, Any]:
    """The fields of a JSON object that are not null, checked; `where` names the whole."""
    table = _object(raw, where)
    faults: dict[str, EvidenceError] = {}
    found: dict[str, Any] = {}
    try:
        refuse_unknown_keys(table, tuple(known), where)
    except Refused as fault:
        faults[where] = fault
    for name in known.keys() & table.keys():
        if table[name] is None:
            continue
        try:
            found[name] = known[name](table[name], name)
        except Refused as fault:
            faults[name] = fault
    if faults:
        raise Invalid(dict(sorted(faults.items())))
    return found


def _object(raw: bytes, where: str) -> dict[str, object]:
    """A JSON object as its standard has it, with each key once: of two lists of rights nobody knows which one counts."""

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        table = dict(pairs)
        if len(table) < len(pairs):
            raise ValueError
        return table

    def refuse(constant: str) -> object:
        raise ValueError(constant)

    try:
        text = raw.decode()
        if "\N{REPLACEMENT CHARACTER}" in text:  # bytes that were no UTF-8, and that somebody on the way has replaced
            raise ValueError
        table = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        message = gettext_noop("%(where)s: this is not a JSON object in UTF-8 with each key once.")
        raise Invalid({where: Refused("json_malformed", message, where=where)})
    return table


def _nfc(raw: object, where: str) -> str:
    """A text in the form in which texts are kept."""
    text = text_of(raw, where)
    try:
        text.encode()
    except UnicodeEncodeError:
        message = gettext_noop("%(where)s: this holds half of a surrogate pair.")
        raise Refused("text_surrogate", message, where=where) from None
    return str(unicodedata2.normalize("NFC", text))


def _text(raw: object, where: str) -> str:
    return checked_text("origin" if where == "url" else where, _nfc(raw, where), where)


def _date(raw: object, where: str) -> date | None:
    return checked_date(_nfc(raw, where), where)


def _media_type(raw: object, where: str) -> str:
    text = _nfc(raw, where).partition(";")[0].strip().lower()
    known = {media_type.lower(): media_type for media_type in MEDIA_TYPES}
    if text not in known:
        message = gettext_noop("%(where)s: files of this type can't be read. Those that can: %(known)s.")
        raise Refused("media_type_unknown", message, where=where, known=", ".join(sorted(MEDIA_TYPES)))
    return known[text]


def _principals(raw: object, where: str) -> tuple[str, ...]:
    if not isinstance(raw, list) or len(raw) > MAX_PRINCIPALS:
        message = gettext_noop("%(where)s: this is a list of at most %(limit)d principals.")
        raise Refused("principals_list", message, where=where, limit=MAX_PRINCIPALS)
    texts = [_nfc(entry, where) for entry in raw]
    for text in texts:
        if not is_principal(text):
            message = gettext_noop("%(where)s: “%(value)s” is neither group:NAME nor user:NAME.")
            raise Refused("principal_malformed", message, where=where, value=text[:100])
    return tuple(dict.fromkeys(texts))


def _instant(raw: object, where: str) -> datetime:
    """A time with its zone, not in the future; one that is a little ahead of this clock is now."""
    try:
        found = datetime.fromisoformat(text_of(raw, where)).astimezone(UTC) if _has_zone(raw) else None
    except (ValueError, OverflowError):
        found = None
    if found is None:
        message = gettext_noop("%(where)s: this is not a time with its zone, such as 2026-03-01T12:30:00Z.")
        raise Refused("time_malformed", message, where=where)
    now = datetime.now(UTC)
    if found > now + CLOCKS_DIFFER:
        raise Refused("time_ahead", gettext_noop("%(where)s: this is in the future."), where=where)
    return min(found, now)


def _has_zone(raw: object) -> bool:
    return isinstance(raw, str) and datetime.fromisoformat(raw).tzinfo is not None


def _ids(raw: object, where: str) -> frozenset[str]:
    if not isinstance(raw, list) or len(raw) > MAX_IDS:
        message = gettext_noop("%(where)s: this is a list of at most %(limit)d ids.")
        raise Refused("ids_list", message, where=where, limit=MAX_IDS)
    return frozenset(checked_text("id", _nfc(entry, where), where) for entry in raw)


def _flag(raw: object, where: str) -> bool:
    if not isinstance(raw, bool):
        raise Refused("flag_malformed", gettext_noop("%(where)s: this is true or false."), where=where)
    return raw


def _missing(name: str) -> Refused:
    return Refused("field_missing", gettext_noop("%(where)s: this is missing."), where=name)


_RIGHTS: Final[Mapping[str, Check]] = {"allowed": _principals, "denied": _principals, "rights_as_of": _instant}
_DOCUMENT: Final[Mapping[str, Check]] = {
    **dict.fromkeys((*_TEXTS, "url"), _text),
    **dict.fromkeys(_DATES, _date),
    "status": lambda raw, where: checked_status(_nfc(raw, where), where),
    "encoding": lambda raw, where: checked_encoding(_nfc(raw, where), where),
    "media_type": _media_type,
    **_RIGHTS,
}
_CONFIRMATION: Final[Mapping[str, Check]] = {
    "as_of": _instant,
    "documents": _ids,
    "allow_removals": _flag,
    "restated": _flag,
}
