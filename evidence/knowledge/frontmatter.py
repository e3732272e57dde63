"""YAML before a text, as people write it by hand: plain values alone, each with its line, and written the same way each time.

A scalar is text, whatever it looks like: a value of 1.10 stays that. Tags, anchors and aliases are refused: nothing is made of
what a file says but texts, lists and mappings. Knows nothing of what the fields mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import yaml

from evidence.errors import Refused, gettext_noop

MAX_DEPTH: Final = 8
"""Lists and mappings inside each other; a citation of a claim is at 4."""
MAX_VALUES: Final = 50_000
"""Texts, lists and mappings of one file: some thousand claims."""

FENCE: Final = "---"
_LOADER: Final = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # with libyaml it takes a tenth of the time
_EMPTY: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BREAKS: Final = re.compile("[\x85\u2028\u2029]")  # YAML takes them for ends of lines, and would make spaces of them
_UNKEPT: Final = re.compile("[\0\ud800-\udfff]")  # by an escape; no database keeps them
_NO_TEXT: Final = gettext_noop("The fields hold a character that can't stand in a text.")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the line of the file where it begins."""

    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    values: Sequence[Node]
    line: int


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping. No name stands in it twice."""

    values: Mapping[str, Node]
    line: int


Node = Text | Items | Fields
Plain = str | Sequence["Plain"] | Mapping[str, "Plain"]


@dataclass(frozen=True, slots=True)
class Parts:
    """A file: its fields, and the text after them without empty lines around it. line: where the text begins."""

    fields: Fields
    text: str
    line: int


class Misread(Refused):
    """A file that can't be read, and the line of it that says why."""

    def __init__(self, code: str, template: str, *, line: int, **values: object) -> None:
        super().__init__(code, template, **values)
        self.line = line


def read(file: str) -> Parts:
    """The parts of a file. Raises Misread."""
    lines = file.split("\n")
    if lines[0] != FENCE:
        message = gettext_noop("The file must begin with a line “---”, and fields after it.")
        raise Misread("front_matter_missing", message, line=1)
    try:
        end = lines.index(FENCE, 1)
    except ValueError:
        message = gettext_noop("The fields must end with a line “---”.")
        raise Misread("front_matter_open", message, line=len(lines)) from None
    body = lines[end + 1 :]
    skipped = next((number for number, line in enumerate(body) if line), 0)
    return Parts(_fields("".join(f"{line}\n" for line in lines[1:end])), "\n".join(body).strip("\n"), end + 2 + skipped)


def write(fields: Mapping[str, Plain], text: str) -> str:
    """A file that `read` reads so. Fields that are empty are left out."""
    written = yaml.dump(
        _filled(fields), Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=float("inf"), default_flow_style=False
    )
    return f"{FENCE}\n{written}{FENCE}\n" + (f"\n{text}\n" if text else "")


def _fields(front: str) -> Fields:
    try:
        _refuse_what_is_not_plain(front)
        node = yaml.compose(front, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = gettext_noop("This is no YAML: it can't be read from here on.")
        raise Misread("yaml_damaged", message, line=_line(mark)) from None
    except yaml.YAMLError:
        raise Misread("yaml_characters", _NO_TEXT, line=2) from None
    if node is None:
        return Fields({}, 2)
    found = _node(node)
    if not isinstance(found, Fields):
        raise Misread("yaml_no_fields", gettext_noop("Fields must stand here, each with its name."), line=found.line)
    return found


def _refuse_what_is_not_plain(front: str) -> None:
    """By the events, one after the other: nothing has been built of them yet."""
    depth = 0
    for number, event in enumerate(_events(front)):
        if number > MAX_VALUES:
            message = gettext_noop("A file can hold at most %(limit)d values.")
            raise Misread("yaml_too_many_values", message, line=_line(event.start_mark), limit=MAX_VALUES)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            message = gettext_noop("Anchors, aliases and tags (& * !) are not read. Put the value into quotation marks.")
            raise Misread("yaml_not_plain", message, line=_line(event.start_mark))
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            message = gettext_noop("Lists and fields can stand at most %(limit)d deep inside each other.")
            raise Misread("yaml_too_deep", message, line=_line(event.start_mark), limit=MAX_DEPTH)


def _events(front: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(front, Loader=_LOADER)


def _node(node: yaml.Node) -> Node:
    line = _line(node.start_mark)
    if isinstance(node, yaml.SequenceNode):
        return Items([_node(one) for one in node.value], line)
    if isinstance(node, yaml.MappingNode):
        return Fields(_named(node), line)
    if _UNKEPT.search(node.value):
        raise Misread("yaml_characters", _NO_TEXT, line=line)
    return Text("" if not getattr(node, "style", "") and node.value in _EMPTY else node.value, line)


def _named(node: yaml.MappingNode) -> Mapping[str, Node]:
    found: dict[str, Node] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value in found:
            message = gettext_noop("A field must have a name, and stand here once.")
            raise Misread("yaml_names", message, line=_line(key.start_mark))
        found[key.value] = _node(value)
    return found


def _line(mark: object) -> int:
    """Of the file: the fields begin in its second line."""
    return int(getattr(mark, "line", 0)) + 2


class _Dumper(yaml.SafeDumper):
    """Lists are indented, several lines stand as lines, and what only looks like a number stands in quotation marks."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represented(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    if _DATE.fullmatch(text):
        return dumper.represent_scalar("tag:yaml.org,2002:timestamp", text)
    as_lines = "\n" in text and text == text.strip() and not _BREAKS.search(text)  # editors strip what ends a line or a file
    style = "|" if as_lines else '"' if "\n" in text or _BREAKS.search(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represented)


def _filled(value: Plain) -> Plain:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {name: _filled(one) for name, one in value.items() if one}
    return [_filled(one) for one in value]
