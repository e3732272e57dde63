"""The rules file: who may read which document, and what is said about it. A TOML file beside the documents.

Each [[document]] names paths by a pattern and gives fields; every rule that fits a path contributes, in the order of the
file, and a later one replaces an earlier one field by field. What is wrong in the file itself stops a run before it begins.
What is wrong for one path only (a day that is none, an id that is too long) is raised when that value is read; rights that
can't be used become rights that allow nobody. The README's section on rules is the user's view of this module.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final, TypeVar

import unicodedata2

from evidence.errors import Refused, gettext_noop
from evidence.formats.encodings import canonical
from evidence.formats.options import Options
from evidence.sources import NOTHING_SET, Metadata, Rights, Settings, problems
from evidence.sources.patterns import KNOWN_PARTS, Pattern, Patterns, compile_pattern, fill, known_parts, unknown_placeholder

RULES_FILE: Final = "fundstelle.toml"
"""The name of the rules file beside the documents."""
MAX_RULES_BYTES: Final = 1_000_000
"""Some ten thousand rules: more is a mistake or belongs to another kind of source."""
MAX_PRINCIPAL: Final = 150
"""Django's longest user name."""
MAX_SLA: Final = timedelta(days=366)
DEFAULT_LABEL: Final = "1"
"""Version label of a document whose rules give neither a version nor a date: a new content is a new state of version 1."""
STATUSES: Final = ("draft", "valid", "expired")
KINDS: Final = ("local", "folder")

_TEXT_LIMITS: Final = {
    "id": 200,
    "version": 100,
    "title": 500,
    "owner": 200,
    "origin": 1000,
    "language": 20,
    "kind": 50,
    "sensitivity": 50,
    "encoding": 50,
    "password": 200,
}
_LITERAL: Final = ("password",)
"""May hold braces, and must not be shown for that."""
_COMMON_ENCODINGS: Final = ("utf-8", "windows-1252", "iso-8859-15", "macintosh", "cp850", "utf-16le")
_NEVER_EMPTY: Final = ("id", "version")
_DATES: Final = ("date", "valid_from", "valid_until")
_RIGHTS: Final = ("allowed", "denied")
_DOCUMENT_KEYS: Final = ("path", *_TEXT_LIMITS, *_DATES, "status", *_RIGHTS)
_SETTINGS_LIMITS: Final = {"title": 200, "contact": 200}
_SETTINGS_KEYS: Final = (*_SETTINGS_LIMITS, "kind", "revocation_sla", "announced_to", "leave_out")

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DURATION = re.compile(r"([0-9]{1,6})([mhd])")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
T = TypeVar("T")
_PRINCIPAL = re.compile(r"(?:group|user):\S(?:.*\S)?")


@dataclass(frozen=True, slots=True)
class DocumentRule:
    """One [[document]]: its place for messages, its pattern and its fields as they stand in the file."""

    where: str
    pattern: Pattern
    fields: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Value:
    """A field as one rule gives it, with the parts of the path that fill its placeholders."""

    where: str
    raw: object = field(repr=False)
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Described:
    """What the rules say of one path. Reading a value that is not valid for this path raises Refused."""

    path: str
    rules: tuple[DocumentRule, ...]
    _values: Mapping[str, _Value] = field(repr=False)

    @property
    def stated_id(self) -> str:
        """The id that a rule gives; empty where none does."""
        return self._text("id")

    @property
    def external_id(self) -> str:
        """The id that a rule gives, else the path without its ending."""
        return self.stated_id or checked_text("id", known_parts(self.path)["path"], f"{self.path}, id")

    @property
    def dated(self) -> date | None:
        """The day of this state."""
        return self._date("date")

    @property
    def label(self) -> str:
        """The version that a rule gives, else the day, else `DEFAULT_LABEL`."""
        return self._text("version") or (self.dated.isoformat() if self.dated else DEFAULT_LABEL)

    @property
    def metadata(self) -> Metadata:
        """Everything that is said beside content and rights."""
        return Metadata(
            title=self._text("title"),
            owner=self._text("owner"),
            origin=self._text("origin"),
            language=self._text("language"),
            kind=self._text("kind"),
            status=self._read("status", checked_status, "valid"),
            valid_from=self._date("valid_from"),
            valid_until=self._date("valid_until"),
            sensitivity=self._text("sensitivity"),
        )

    @property
    def options(self) -> Options:
        """How the file is to be read."""
        return Options(encoding=self._read("encoding", checked_encoding, ""), password=self._text("password"))

    @property
    def rights(self) -> Rights:
        """Who may read; nobody, with the problem named, when one of the lists can't be used."""
        allowed, denied = self._values.get("allowed"), self._values.get("denied")
        problem = _rights_problem("allowed", allowed) or _rights_problem("denied", denied)
        if problem or allowed is None:
            return Rights(problem=problem)
        return Rights(_principals(allowed), _principals(denied))

    def _text(self, key: str) -> str:
        return self._read(key, lambda text, where: checked_text(key, text, where), "")

    def _date(self, key: str) -> date | None:
        return self._read(key, checked_date, None)

    def _read(self, key: str, check: Callable[[str, str], T], default: T) -> T:
        value = self._values.get(key)
        if value is None:
            return default
        return check(str(value.raw) if key in _LITERAL else fill(str(value.raw), value.parts), value.where)


@dataclass(frozen=True, slots=True)
class Rules:
    """A rules file that has been read and found in order. Without a file there are no rules, and nobody may read."""

    settings: Settings = NOTHING_SET
    documents: tuple[DocumentRule, ...] = ()
    _described: Patterns = field(init=False, repr=False, compare=False)
    _left_out: Patterns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_described", Patterns(rule.pattern for rule in self.documents))
        object.__setattr__(self, "_left_out", Patterns(self.settings.leave_out))

    def leaves_out(self, path: str) -> bool:
        """Whether the file says that this path is no part of the source."""
        return any(True for _ in self._left_out.matches(path))

    def describe(self, path: str) -> Described:
        """What the rules that fit this path (relative, NFC, with `/`) say of it."""
        found: list[DocumentRule] = []
        values: dict[str, _Value] = {}
        known = known_parts(path)
        for number, captured in self._described.matches(path):
            rule = self.documents[number]
            found.append(rule)
            captured.update(known)
            values.update((key, _Value(f"{rule.where}, {key}", raw, captured)) for key, raw in rule.fields.items())
        return Described(path, tuple(found), values)


def parse(source: bytes, file: str) -> Rules:
    """The rules in these bytes; `file` is its name for messages. Raises Refused."""
    table = _toml(source, file)
    refuse_unknown_keys(table, ("source", "document"), file)
    settings, documents = table.get("source", {}), table.get("document", [])
    if not isinstance(settings, dict) or not isinstance(documents, list):
        raise _wrong("rules_type", gettext_noop("%(where)s: settings stand in [source], rules in [[document]]."), file)
    return Rules(
        _settings(settings, f"{file}, [source]"),
        tuple(_rule(entry, f"{file}, [[document]] {number}") for number, entry in enumerate(documents, start=1)),
    )


def checked_text(key: str, text: str, where: str) -> str:
    """A text that a document's field of this name may hold. Raises Refused, with `where` at the beginning of its message."""
    if not text and key in _NEVER_EMPTY:
        raise _wrong("rules_empty", gettext_noop("%(where)s: this can't be empty."), where)
    return _check_characters(text, _TEXT_LIMITS[key], where)


def checked_date(text: str, where: str) -> date | None:
    """The day, or None for an empty text, which takes an earlier rule's day away. Raises Refused."""
    if not text:
        return None
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    message = gettext_noop("%(where)s: “%(value)s” is not a day (YYYY-MM-DD).")
    raise Refused("rules_date", message, where=where, value=text[:40])


def checked_status(text: str, where: str) -> str:
    """One of STATUSES. Raises Refused."""
    return _choice("rules_status", text, STATUSES, where)


def checked_encoding(text: str, where: str) -> str:
    """The one name of an encoding of texts, or nothing, which takes an earlier rule's away. Raises Refused."""
    known = canonical(text)
    if text and known is None:
        message = gettext_noop("%(where)s: “%(value)s” is no encoding that is known here. Known are %(known)s and others.")
        raise Refused("rules_encoding", message, where=where, value=text[:40], known=", ".join(_COMMON_ENCODINGS))
    return known or ""


def checked_duration(text: str, where: str) -> timedelta:
    """A time as in 90m, 24h or 7d, at most MAX_SLA. Raises Refused."""
    found = _DURATION.fullmatch(text)
    duration = timedelta(**{_UNITS[found[2]]: int(found[1])}) if found else timedelta()
    if not timedelta() < duration <= MAX_SLA:
        message = gettext_noop("%(where)s: a time is a number with m, h or d, as in 90m, 24h or 7d, and at most %(limit)d days.")
        raise Refused("rules_duration", message, where=where, limit=MAX_SLA.days)
    return duration


def rules_too_large(file: str) -> Refused:
    """The file is no rules file any more."""
    message = gettext_noop("%(where)s: a rules file can hold %(limit)d bytes.")
    return Refused("rules_too_large", message, where=file, limit=MAX_RULES_BYTES)


def refuse_unknown_keys(table: Mapping[str, object], known: tuple[str, ...], where: str) -> None:
    """Raises Refused for a key that is none of those."""
    for key in table:
        if key not in known:
            message = gettext_noop("%(where)s: “%(key)s” is not known here. Known are: %(known)s.")
            raise Refused("rules_unknown_key", message, where=where, key=key[:40], known=", ".join(known))


def text_of(raw: object, where: str) -> str:
    """A value that must be a text. Raises Refused."""
    if not isinstance(raw, str):
        raise _wrong("rules_type", gettext_noop("%(where)s: this is a text in quotation marks."), where)
    return raw


def is_principal(entry: object) -> bool:
    """Whether this names a group or a person, as group:NAME or user:NAME."""
    if not isinstance(entry, str) or not entry.isprintable() or _PRINCIPAL.fullmatch(entry) is None:
        return False
    return len(entry.partition(":")[2]) <= MAX_PRINCIPAL


def _toml(source: bytes, file: str) -> dict[str, object]:
    if len(source) > MAX_RULES_BYTES:
        raise rules_too_large(file)
    try:
        return tomllib.loads(unicodedata2.normalize("NFC", source.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise _wrong("rules_not_utf8", gettext_noop("%(where)s: the file is not UTF-8."), file) from error
    except (ValueError, RecursionError) as error:
        message = gettext_noop("%(where)s is not valid TOML: %(reason)s")
        raise Refused("rules_syntax", message, where=file, reason=error) from error


def _settings(table: dict[str, object], where: str) -> Settings:
    refuse_unknown_keys(table, _SETTINGS_KEYS, where)
    texts = {key: text_of(table[key], f"{where}, {key}") for key in (*_SETTINGS_LIMITS, "kind", "revocation_sla") if key in table}
    for key, limit in _SETTINGS_LIMITS.items():
        _check_characters(texts.get(key, ""), limit, f"{where}, {key}")
    return Settings(
        title=texts.get("title"),
        contact=texts.get("contact"),
        kind=_kind(texts["kind"], f"{where}, kind") if "kind" in texts else None,
        revocation_sla=checked_duration(texts["revocation_sla"], f"{where}, revocation_sla")
        if "revocation_sla" in texts
        else None,
        announced_to=_groups(table["announced_to"], f"{where}, announced_to") if "announced_to" in table else None,
        leave_out=_patterns(table.get("leave_out", []), f"{where}, leave_out"),
    )


def _rule(entry: object, where: str) -> DocumentRule:
    if not isinstance(entry, dict):
        raise _wrong("rules_type", gettext_noop("%(where)s: a rule is a table that begins with [[document]]."), where)
    refuse_unknown_keys(entry, _DOCUMENT_KEYS, where)
    if "path" not in entry:
        raise _wrong("rules_missing_path", gettext_noop("%(where)s has no path."), where)
    pattern = compile_pattern(text_of(entry["path"], f"{where}, path"), f"{where}, path")
    parts = pattern.parts | KNOWN_PARTS
    fields = {key: _field(key, raw, parts, f"{where}, {key}") for key, raw in entry.items() if key != "path"}
    return DocumentRule(where, pattern, fields)


def _field(key: str, raw: object, parts: Set[str], where: str) -> object:
    """A field's value with its type and placeholders checked, and checked altogether where it is the same for all paths."""
    if key in _RIGHTS:
        for principal in raw if isinstance(raw, list) else []:
            _refuse_unknown_placeholder(str(principal), parts, where)
        return raw
    if key in _DATES and isinstance(raw, date) and not isinstance(raw, datetime):
        return raw.isoformat()
    text = text_of(raw, where)
    if key not in _LITERAL:
        _refuse_unknown_placeholder(text, parts, where)
    if key in _LITERAL or "{" not in text:
        _check(key, text, where)
    return text


def _check(key: str, text: str, where: str) -> None:
    if key in _DATES:
        checked_date(text, where)
    elif key == "status":
        checked_status(text, where)
    elif key == "encoding":
        checked_encoding(text, where)
    else:
        checked_text(key, text, where)


def _check_characters(text: str, limit: int, where: str) -> str:
    if len(text) > limit:
        message = gettext_noop("%(where)s: longer than %(limit)d characters.")
        raise Refused("rules_too_long", message, where=where, limit=limit)
    if not text.isprintable() and any(unicodedata2.category(character) == "Cc" for character in text):
        raise _wrong("rules_control", gettext_noop("%(where)s: holds a control character."), where)
    return text


def _kind(text: str, where: str) -> str:
    return _choice("rules_kind", text, KINDS, where)


def _choice(code: str, text: str, choices: tuple[str, ...], where: str) -> str:
    if text not in choices:
        message = gettext_noop("%(where)s: “%(value)s” is none of: %(choices)s.")
        raise Refused(code, message, where=where, value=text[:40], choices=", ".join(choices))
    return text


def _groups(raw: object, where: str) -> tuple[str, ...]:
    if not isinstance(raw, list) or not all(is_principal(entry) and entry.startswith("group:") for entry in raw):
        raise _wrong("rules_type", gettext_noop("%(where)s: this is a list of groups, each as group:NAME."), where)
    return tuple(dict.fromkeys(entry.removeprefix("group:") for entry in raw))


def _patterns(raw: object, where: str) -> tuple[Pattern, ...]:
    if not isinstance(raw, list):
        raise _wrong("rules_type", gettext_noop("%(where)s: this is a list of path patterns."), where)
    return tuple(compile_pattern(text_of(entry, where), where) for entry in raw)


def _principals(value: _Value | None) -> tuple[str, ...]:
    """The principals of a list that has no problem, each once."""
    if value is None or not isinstance(value.raw, list):
        return ()
    return tuple(dict.fromkeys(fill(entry, value.parts) for entry in value.raw))


def _rights_problem(key: str, value: _Value | None) -> str:
    """Why this list of principals can't be used; empty when it can, or when nothing is stated."""
    if value is None:
        return ""
    if not isinstance(value.raw, list):
        return problems.fill(problems.NO_LIST, where=value.where)
    if key == "allowed" and not value.raw:
        return problems.fill(problems.EMPTY_LIST, where=value.where)
    for entry in value.raw:
        if not is_principal(fill(entry, value.parts) if isinstance(entry, str) else entry):
            return problems.fill(problems.NO_PRINCIPAL, where=value.where, value=str(entry)[:100])
    return ""


def _refuse_unknown_placeholder(text: str, parts: Set[str], where: str) -> None:
    unknown = unknown_placeholder(text, parts)
    if unknown is not None:
        message = gettext_noop("%(where)s: “%(value)s” is no part of this path. Parts are: %(known)s.")
        raise Refused("rules_placeholder", message, where=where, value=unknown[:40], known=", ".join(sorted(parts)))


def _wrong(code: str, template: str, where: str) -> Refused:
    return Refused(code, template, where=where)
