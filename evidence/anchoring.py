"""Anchors: values that name one exact place. Make one, check one against a text. Pure: no database, no I/O.

Equality only, never similarity; nothing is repaired. All positions are code points of the representation text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from apsw.unicode import grapheme_next_break

from evidence.errors import Ambiguous, Refused, gettext_noop

T = TypeVar("T", str, int, dict[str, Any])

UNIT: Final = "unicode-codepoint"
MAX_CONTEXT: Final = 64
"""Code points of context a side, at most, when an anchor is made."""
MIN_CONTEXT: Final = 16
"""Code points of context a side even when fewer would do: enough to recognise the place, and to notice that it changed."""
_LOOK_BACK: Final = 1024
"""Where grapheme clusters are counted from: longer ones than this do not occur outside of tests."""


class State(StrEnum):
    """What checking an anchor can give. `RESOLVED` always means: in the current state."""

    RESOLVED = "resolved"
    UNAVAILABLE = "unavailable"
    INVALID_ANCHOR = "invalid_anchor"
    SOURCE_CHANGED = "source_changed"
    PARSER_CHANGED = "parser_changed"
    PROFILE_CHANGED = "profile_changed"
    TEXT_CHANGED = "text_changed"
    QUOTE_NOT_FOUND = "quote_not_found"
    AMBIGUOUS = "ambiguous"
    POSITION_MISMATCH = "position_mismatch"


@dataclass(frozen=True, slots=True)
class Parser:
    """Which parser made a text."""

    name: str
    version: str
    configuration: str = ""


@dataclass(frozen=True, slots=True)
class TextState:
    """Everything that fixes a text: the document's revision, its bytes, parser, profile and the text's own hash.

    document and representation are public ids; revision is the version label; hashes are lower case hex.
    """

    document: str
    revision: str
    representation: str
    source_sha256: str
    parser: Parser
    profile: str
    text_sha256: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """One exact place in one text state: `[start, end)` holds `exact`, between `prefix` and `suffix`."""

    state: TextState
    start: int
    end: int
    exact: str
    prefix: str = ""
    suffix: str = ""
    unit: str = UNIT

    def to_dict(self) -> dict[str, object]:
        """The anchor as JSON has it; `from_dict` gives an equal one."""
        cited = self.state
        return {
            "document": cited.document,
            "revision": cited.revision,
            "representation": cited.representation,
            "source_sha256": cited.source_sha256,
            "parser": {
                "name": cited.parser.name,
                "version": cited.parser.version,
                "configuration": cited.parser.configuration,
            },
            "profile": cited.profile,
            "text_sha256": cited.text_sha256,
            "unit": self.unit,
            "start": self.start,
            "end": self.end,
            "exact": self.exact,
            "prefix": self.prefix,
            "suffix": self.suffix,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, object]) -> Anchor:
        """The anchor in this JSON object. Raises Refused (`invalid_anchor`) naming what is missing or of a wrong type."""
        parser = _field(value, "parser", dict)
        return cls(
            state=TextState(
                document=_field(value, "document", str),
                revision=_field(value, "revision", str),
                representation=_field(value, "representation", str),
                source_sha256=_field(value, "source_sha256", str),
                parser=Parser(_field(parser, "name", str), _field(parser, "version", str), _field(parser, "configuration", str)),
                profile=_field(value, "profile", str),
                text_sha256=_field(value, "text_sha256", str),
            ),
            start=_field(value, "start", int),
            end=_field(value, "end", int),
            exact=_field(value, "exact", str),
            prefix=_field(value, "prefix", str),
            suffix=_field(value, "suffix", str),
            unit=_field(value, "unit", str),
        )


def make(text: str, start: int, end: int, *, state: TextState) -> Anchor:
    """The anchor of `text[start:end]`, with as much context as tells it from every other place in the text.

    Raises Refused (`anchor_range`, `anchor_inside_grapheme`) or Ambiguous (`anchor_ambiguous`).
    """
    _refuse_range(text, start, end)
    _refuse_cut_grapheme(text, start, end)
    prefix, suffix = context(text, start, end)
    return Anchor(state=state, start=start, end=end, exact=text[start:end], prefix=prefix, suffix=suffix)


def context(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after a range: the least of 16, 32 and 64 code points a side that makes it unique.

    Fewer where the text ends, or where a side would begin or end inside a grapheme cluster. Raises Ambiguous.
    """
    size = MIN_CONTEXT
    while size <= MAX_CONTEXT:
        first = _break_after(text, max(0, start - size))
        last = _break_before(text, min(len(text), end + size))
        if len(occurrences(text, text[min(first, start) : max(last, end)], cap=2)) == 1:
            return text[first:start], text[end:last]
        size *= 2
    raise Ambiguous(
        "anchor_ambiguous",
        gettext_noop("These words stand in this text more than once, with the same %(size)d characters before and after them."),
        size=MAX_CONTEXT,
    )


def check(anchor: Anchor, text: str, *, current: TextState) -> State:
    """What an anchor is worth against the current text and its state (access has been checked by the caller).

    The first rule that fails names the state; the text is searched only when everything else is equal.
    """
    return differs(anchor, current=current) or _place(anchor, text)


def differs(anchor: Anchor, *, current: TextState) -> State | None:
    """What tells without the text that an anchor does not hold; None if only the text can tell."""
    cited = anchor.state
    if not _well_formed(anchor):
        return State.INVALID_ANCHOR
    if (cited.document, cited.revision, cited.source_sha256) != (current.document, current.revision, current.source_sha256):
        return State.SOURCE_CHANGED
    if cited.parser != current.parser:
        return State.PARSER_CHANGED
    if cited.profile != current.profile:
        return State.PROFILE_CHANGED
    if cited.text_sha256 != current.text_sha256:
        return State.TEXT_CHANGED
    return None


def holds(anchor: Anchor, text: str) -> bool:
    """Whether a well-formed anchor's words stand in this text exactly once, exactly there."""
    return _well_formed(anchor) and _place(anchor, text) is State.RESOLVED


def occurrences(text: str, needle: str, cap: int) -> list[int]:
    """Where a (not empty) needle begins, overlapping places included, at most `cap` of them."""
    found: list[int] = []
    position = -1
    while len(found) < cap and (position := text.find(needle, position + 1)) >= 0:
        found.append(position)
    return found


def _field(value: Mapping[str, object], name: str, kind: type[T]) -> T:
    """A field of exactly this type: True is no position."""
    found = value.get(name)
    if type(found) is not kind:
        message = gettext_noop("The anchor has no valid field “%(field)s”.")
        raise Refused("invalid_anchor", message, field=name)
    return found


def _place(anchor: Anchor, text: str) -> State:
    found = occurrences(text, anchor.prefix + anchor.exact + anchor.suffix, cap=2)
    if not found:
        return State.QUOTE_NOT_FOUND
    if len(found) > 1:
        return State.AMBIGUOUS
    start = found[0] + len(anchor.prefix)
    here = (start, start + len(anchor.exact)) == (anchor.start, anchor.end)
    return State.RESOLVED if here else State.POSITION_MISMATCH


def _well_formed(anchor: Anchor) -> bool:
    return (
        anchor.unit == UNIT
        and 0 <= anchor.start < anchor.end
        and bool(anchor.exact)
        and _is_unicode(anchor.prefix + anchor.exact + anchor.suffix)
    )


def _is_unicode(text: str) -> bool:
    """False when there is a lone surrogate in it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_range(text: str, start: int, end: int) -> None:
    if not 0 <= start < end <= len(text):
        raise Refused(
            "anchor_range",
            gettext_noop("The range %(start)d to %(end)d is empty or not inside the text (%(length)d characters)."),
            start=start,
            end=end,
            length=len(text),
        )


def _refuse_cut_grapheme(text: str, start: int, end: int) -> None:
    whole = (_break_before(text, start), _break_after(text, end))
    if whole != (start, end):
        raise Refused(
            "anchor_inside_grapheme",
            gettext_noop(
                "The range cuts a character in two that is written with several code points; take %(start)d to %(end)d."
            ),
            start=whole[0],
            end=whole[1],
        )


def _break_before(text: str, position: int) -> int:
    """The last boundary between grapheme clusters at or before a position."""
    return _breaks(text, position)[0]


def _break_after(text: str, position: int) -> int:
    """The first boundary between grapheme clusters at or after a position."""
    return _breaks(text, position)[1]


def _breaks(text: str, position: int) -> tuple[int, int]:
    """Boundaries around a position, counted from the line's start: a line feed never belongs to a cluster."""
    earliest = max(0, position - _LOOK_BACK)
    before = after = max(earliest, text.rfind("\n", earliest, position) + 1)
    while after < position:
        before, after = after, grapheme_next_break(text, after)
    return (after, after) if after == position else (before, after)
