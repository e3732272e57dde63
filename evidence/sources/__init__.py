"""Where documents come from: what a source lists, before anything is stored. I/O, but no database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from evidence.content import Content
from evidence.errors import EvidenceError
from evidence.formats.options import NOTHING_SAID, Options


@dataclass(frozen=True, slots=True)
class Rights:
    """Who may read, as the source states it: principals as "group:NAME" or "user:NAME".

    allowed is None where nothing is stated. Anything missing, empty, malformed or unknown means that nobody may read.
    problem: why a statement that was made could not be used (at most 300 characters); then nothing is allowed.
    """

    allowed: tuple[str, ...] | None = None
    denied: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What is said about a document beside its content. An empty title: the content's own title, else the file's name."""

    title: str = ""
    owner: str = ""
    origin: str = ""
    language: str = ""
    kind: str = ""
    status: str = "valid"
    valid_from: date | None = None
    valid_until: date | None = None
    sensitivity: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One state of one document at its source. `read` gives the exact bytes and may raise EvidenceError or OSError.

    options: how the bytes are to be read. content: what they hold, where they were read before.
    """

    external_id: str
    label: str
    dated: date | None
    path: str
    metadata: Metadata
    rights: Rights
    read: Callable[[], bytes] = field(compare=False)
    options: Options = NOTHING_SAID
    content: Content | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A path that was not taken in, and why. external_id: the document that it is a state of, where that is known.

    A document with a refused path is refused as a whole (an older state must not pass for the current one): none of its
    states is among the items of a listing.
    """

    path: str
    error: EvidenceError
    external_id: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What one run saw.

    items: grouped by document, each document's states in the order of their dates, the current one last.
    unread: file ending (lower case, with its dot; "" for none) -> how many files of a format that is not read.
    unnamed: paths that no rule names. unused: patterns of rules that no path fits.
    complete: whether everything at the source was seen; if not, nothing may be taken as removed or confirmed.
    """

    items: Sequence[Item]
    refusals: Sequence[Refusal] = ()
    unread: dict[str, int] = field(default_factory=dict)
    unnamed: Sequence[str] = ()
    unused: Sequence[str] = ()
    complete: bool = True


class Source(Protocol):
    """What each kind of source gives."""

    def list(self) -> Listing:
        """Everything that is there now. Raises EvidenceError when the source can't be listed at all."""
