"""A space as files that people edit by hand and compare: what each file says, read and written. No database, no folder.

    space.md                                  what the space is
    concepts/<slug>.md                        a concept: fields, its claims among them, and its text
    decisions/<slug>.md                       a decision: fields, and its text in three sections
    translations/<citation>-<language>.md     a translation of the words of one citation

A citation is written with its words and with what it takes to find them again elsewhere. Everything wrong in all files is
gathered, each with file, line and field, and never with what stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.knowledge import frontmatter
from evidence.knowledge.frontmatter import Fields, Items, Misread, Node, Plain, Text
from evidence.models import Entry

FORMAT: Final = "fundstelle-space-1"
SPACE_FILE: Final = "space.md"
FOLDERS: Final = {"concepts": Entry.Kind.CONCEPT, "decisions": Entry.Kind.DECISION, "translations": Entry.Kind.TRANSLATION}
DEPRECATED: Final = str(Entry.State.DEPRECATED)
ACCEPTED: Final = str(Entry.State.ACCEPTED)

_SECTIONS: Final = ("context", "decision", "rationale")
_HEADING: Final = re.compile(rf"(\\*)# ({'|'.join(one.title() for one in _SECTIONS)})")
_CITATION: Final = ("id", "source", "document", "revision", "exact", "prefix", "suffix")
_OWN: Final = {
    Entry.Kind.CONCEPT: ("title",),
    Entry.Kind.CLAIM: ("text", "subject", "property", "value", "valid_from", "valid_until"),
    Entry.Kind.DECISION: ("title", "status", "decided_on", "valid_from", "valid_until", "supersedes"),
    Entry.Kind.TRANSLATION: ("language", "translator"),
}
"""Fields that hold one text each."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A citation as a file has it. id: of the stored one; "" where somebody wrote it by hand. document: its id in its source."""

    source: str
    document: str
    exact: str
    prefix: str = ""
    suffix: str = ""
    revision: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where something stands: file, field and, where it is known, the line of each field that is below it."""

    file: str
    field: str = ""
    lines: Mapping[str, int] | None = None

    def at(self, field: str) -> str:
        """The same as people find it: file:line field."""
        lines = self.lines or {}
        names = (field.partition(".")[0], field.partition("[")[0], "")
        line = next((lines[name] for name in names if name in lines), 1)
        name = ".".join(part for part in (self.field, field) if part)
        return f"{self.file}:{line}" + (f" {name}" if name else "")


@dataclass(frozen=True, slots=True)
class Written:
    """An entry as files have it. id: of a claim or translation here, "" where there is none. content: all of it but citations."""

    kind: Entry.Kind
    content: Mapping[str, object]
    quotes: Sequence[Quoted] = ()
    state: str = ACCEPTED
    id: str = ""
    spot: Spot = Spot("")


@dataclass(frozen=True, slots=True)
class About:
    """What is said of the space itself."""

    slug: str
    title: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Whole:
    """A space: concepts before their claims, and nothing twice."""

    about: About
    entries: Sequence[Written]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong, and where."""

    where: str
    error: EvidenceError


class Faulty(EvidenceError):
    """Files that can't be taken as they are. All that is wrong in them; nothing was changed."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        message = gettext_noop("Nothing was imported. What is wrong: %(count)d.")
        super().__init__("files_faulty", message, count=len(faults))
        self.faults = faults


def write(whole: Whole) -> Mapping[str, str]:
    """The files of a space, by their paths."""
    head = {"format": FORMAT, "slug": whole.about.slug, "title": whole.about.title}
    files = {SPACE_FILE: frontmatter.write(head, whole.about.text)}
    claims: dict[object, list[Written]] = {}
    for one in whole.entries:
        if one.kind == Entry.Kind.CLAIM:
            claims.setdefault(one.content["concept"], []).append(one)
    for one in whole.entries:
        if one.kind == Entry.Kind.CONCEPT:
            files[f"concepts/{one.content['slug']}.md"] = _concept(one, claims.get(one.content["slug"], ()))
        elif one.kind == Entry.Kind.DECISION:
            files[f"decisions/{one.content['slug']}.md"] = _decision(one)
        elif one.kind == Entry.Kind.TRANSLATION:
            files[_free(files, f"translations/{one.quotes[0].id}-{one.content['language']}")] = _translation(one)
    return files


def read(files: Mapping[str, bytes]) -> Whole:
    """The space that these files are. Raises Faulty."""
    faults: list[Fault] = []
    about = About("", "")
    entries: list[Written] = []
    if SPACE_FILE not in files:
        faults.append(
            Fault(SPACE_FILE, Refused("space_missing", gettext_noop("This file is missing: it says what the space is.")))
        )
    for path in sorted(files):
        reader = _Reader(path, faults)
        try:
            parts = frontmatter.read(_decoded(files[path]))
            if path == SPACE_FILE:
                about = reader.about(parts.fields, parts.text)
            else:
                entries += reader.entries(parts)
        except Misread as error:
            faults.append(Fault(f"{path}:{error.line}", error))
    if faults:
        raise Faulty(faults)
    return Whole(about, entries)


def _decoded(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Misread("not_utf8", gettext_noop("The file is not UTF-8."), line=line) from None
    return text.replace("\r\n", "\n")


# Writing


def _concept(one: Written, claims: Iterable[Written]) -> str:
    fields = {**_own(one), "terms": _texts(one.content["terms"]), **_cited(one), "claims": [_claim(claim) for claim in claims]}
    return frontmatter.write(fields, str(one.content["text"]))


def _claim(one: Written) -> Plain:
    return {"id": one.id, **_own(one), **_cited(one)}


def _decision(one: Written) -> str:
    parts = [f"# {name.title()}\n\n{_guarded(str(one.content[name]))}" for name in _SECTIONS if one.content[name]]
    return frontmatter.write({**_own(one), **_cited(one)}, "\n\n".join(parts))


def _translation(one: Written) -> str:
    return frontmatter.write({"id": one.id, **_own(one), **_cited(one)}, str(one.content["text"]))


def _own(one: Written) -> dict[str, Plain]:
    found: dict[str, Plain] = {name: str(one.content.get(name) or "") for name in _OWN[one.kind]}
    return {**found, "state": "" if one.state == ACCEPTED else one.state}


def _cited(one: Written) -> dict[str, Plain]:
    return {"citations": [{name: getattr(quote, name) for name in _CITATION} for quote in one.quotes]}


def _texts(value: object) -> Sequence[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def _guarded(text: str) -> str:
    """A line that would be taken for the heading of a section gets a backslash, which Markdown does not show."""
    return "\n".join(f"\\{line}" if _HEADING.fullmatch(line) else line for line in text.split("\n"))


def _free(files: Mapping[str, str], path: str) -> str:
    """The path, with a number where there are several translations of the same words."""
    names = [f"{path}.md", *(f"{path}-{number}.md" for number in range(2, len(files) + 2))]
    return next(name for name in names if name not in files)


# Reading


class _Reader:
    """Reads the fields of one file, and gathers what is wrong with them."""

    def __init__(self, path: str, faults: list[Fault]) -> None:
        self._path = path
        self._faults = faults

    def about(self, fields: Fields, text: str) -> About:
        """What `space.md` says."""
        self._refuse_unknown(fields, "", {"format", "slug", "title"})
        if self._text(fields, "format", "") != FORMAT:
            self._fault(fields, "format", "", "format_unknown", gettext_noop("This must be “%(format)s”."), format=FORMAT)
        return About(self._text(fields, "slug", ""), self._text(fields, "title", ""), text)

    def entries(self, parts: frontmatter.Parts) -> Iterator[Written]:
        """What any other file says: one entry, and the claims of a concept."""
        folder, _, name = self._path.partition("/")
        kind = FOLDERS[folder]
        stem = name.removesuffix(".md")
        more: dict[str, object] = {} if kind is Entry.Kind.TRANSLATION else {"slug": stem}
        known: tuple[str, ...] = ("id",) if kind is Entry.Kind.TRANSLATION else ()
        if kind is Entry.Kind.CONCEPT:
            known = ("terms", "claims")
            more |= {"terms": self._list_of_texts(parts.fields, "terms", "")}
        if kind is Entry.Kind.DECISION:
            more |= self._sections(parts)
        else:
            more |= {"text": parts.text}
        yield self._entry(kind, parts.fields, "", more, known=known, text_line=parts.line)
        for number, claim in enumerate(self._each(parts.fields, "claims", ""), start=1):
            yield self._entry(Entry.Kind.CLAIM, claim, f"claims[{number}]", {"concept": stem}, known=("id",))

    def _entry(
        self,
        kind: Entry.Kind,
        fields: Fields,
        place: str,
        more: Mapping[str, object],
        *,
        known: Sequence[str],
        text_line: int | None = None,
    ) -> Written:
        self._refuse_unknown(fields, place, {*_OWN[kind], "state", "citations", *known})
        lines = {"": fields.line, **{name: node.line for name, node in fields.values.items()}}
        if text_line is not None:
            lines |= dict.fromkeys(("text", *_SECTIONS), text_line)
        cited = self._each(fields, "citations", place)
        lines |= {f"citations[{number}]": one.line for number, one in enumerate(cited, start=1)}
        content = {name: self._text(fields, name, place) for name in _OWN[kind]}
        return Written(
            kind=kind,
            content={**content, **more},
            quotes=[
                self._quoted(one, f"{place}{'.' if place else ''}citations[{number}]")
                for number, one in enumerate(cited, start=1)
            ],
            state=self._state(fields, place),
            id=self._text(fields, "id", place) if "id" in known else "",
            spot=Spot(self._path, place, lines),
        )

    def _state(self, fields: Fields, place: str) -> str:
        state = self._text(fields, "state", place) or ACCEPTED
        if state not in {ACCEPTED, DEPRECATED}:
            message = gettext_noop("This is accepted or deprecated, or left out. What is proposed needs no state.")
            self._fault(fields, "state", place, "state_unknown", message)
        return state

    def _quoted(self, fields: Fields, place: str) -> Quoted:
        self._refuse_unknown(fields, place, set(_CITATION))
        for name in ("source", "document", "exact"):
            if not self._text(fields, name, place):
                self._fault(fields, name, place, "field_missing", gettext_noop("“%(field)s” is missing."), field=name)
        return Quoted(**{name: self._text(fields, name, place) for name in _CITATION})

    def _sections(self, parts: frontmatter.Parts) -> Mapping[str, str]:
        """The text of a decision, by its headings; each stands once, and nothing before the first."""
        found: dict[str, list[str]] = {}
        current: list[str] | None = None
        for number, line in enumerate(parts.text.split("\n"), start=parts.line):
            heading = _HEADING.fullmatch(line)
            name = heading[2].lower() if heading else ""
            if heading and not heading[1] and name not in found:
                current = found.setdefault(name, [])
            elif heading and not heading[1]:
                message = gettext_noop("This heading stands here twice. Write a backslash before one that belongs to the text.")
                self._faults.append(Fault(f"{self._path}:{number}", Refused("section_twice", message)))
            elif current is not None:
                current.append(line.removeprefix("\\") if heading else line)
            elif line:
                message = gettext_noop("The text begins with one of the headings # Context, # Decision and # Rationale.")
                self._faults.append(Fault(f"{self._path}:{number}", Refused("section_missing", message)))
                break
        return {name: "\n".join(found.get(name, ())).strip("\n") for name in _SECTIONS}

    def _text(self, fields: Fields, name: str, place: str) -> str:
        node = fields.values.get(name)
        if node is None or isinstance(node, Text):
            return node.value if node else ""
        self._fault(fields, name, place, "not_a_text", gettext_noop("“%(field)s” must be a text."), field=name)
        return ""

    def _list(self, fields: Fields, name: str, place: str) -> Sequence[Node]:
        node = fields.values.get(name)
        if isinstance(node, Items):
            return node.values
        if node is not None and not (isinstance(node, Text) and not node.value):
            self._fault(fields, name, place, "not_a_list", gettext_noop("“%(field)s” must be a list."), field=name)
        return ()

    def _list_of_texts(self, fields: Fields, name: str, place: str) -> Sequence[str]:
        found = self._list(fields, name, place)
        if not all(isinstance(one, Text) for one in found):
            message = gettext_noop("“%(field)s” must be a list of texts.")
            self._fault(fields, name, place, "not_texts", message, field=name)
        return [one.value for one in found if isinstance(one, Text)]

    def _each(self, fields: Fields, name: str, place: str) -> Sequence[Fields]:
        found = self._list(fields, name, place)
        if not all(isinstance(one, Fields) for one in found):
            message = gettext_noop("Each of “%(field)s” must be fields with their names.")
            self._fault(fields, name, place, "not_fields", message, field=name)
        return [one for one in found if isinstance(one, Fields)]

    def _refuse_unknown(self, fields: Fields, place: str, known: set[str]) -> None:
        for name in fields.values:
            if name not in known:
                message = gettext_noop("There is no such field here. Known: %(known)s.")
                self._fault(fields, name[:40], place, "unknown_field", message, known=", ".join(sorted(known)))

    def _fault(self, fields: Fields, name: str, place: str, code: str, message: str, **values: object) -> None:
        node = next((one for field, one in fields.values.items() if field[:40] == name), fields)
        lines = {"": fields.line, name: node.line}
        self._faults.append(Fault(Spot(self._path, place, lines).at(name), Refused(code, message, **values)))
