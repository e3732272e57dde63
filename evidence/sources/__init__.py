"""Where documents come from: what a source lists and what it says of rights, before anything is stored. I/O, but no database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final, Protocol

from evidence.content import Content
from evidence.errors import EvidenceError
from evidence.formats.options import NOTHING_SAID, Options
from evidence.sources.patterns import Pattern


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
class Settings:
    """What a source says about itself; None where it says nothing. announced_to: names of groups."""

    title: str | None = None
    contact: str | None = None
    kind: str | None = None
    revocation_sla: timedelta | None = None
    announced_to: tuple[str, ...] | None = None
    leave_out: tuple[Pattern, ...] = ()


NOTHING_SET: Final = Settings()


@dataclass(frozen=True, slots=True)
class Item:
    """One state of one document at its source. `read` gives the exact bytes and may raise EvidenceError or OSError.

    options: how the bytes are to be read. content: what they hold, where they were read before. stamp: an equal one, not empty,
    means the same bytes without reading them. state: what the source calls this state (a commit), shown as its origin.
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
    stamp: str = ""
    state: str = ""


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
    snapshot: whether no bytes are newer than the rights, whatever happens at the source before they are read.
    settings: what the source says about itself. stamp: names what stated these rights (`Source.stamp`). stated_at: when that
    was written, where the source knows.
    """

    items: Sequence[Item]
    refusals: Sequence[Refusal] = ()
    unread: dict[str, int] = field(default_factory=dict)
    unnamed: Sequence[str] = ()
    unused: Sequence[str] = ()
    complete: bool = True
    snapshot: bool = False
    settings: Settings = NOTHING_SET
    stamp: str = ""
    stated_at: datetime | None = None


class Source(Protocol):
    """What each kind of source gives that can be asked. Whatever can't be reached raises EvidenceError or OSError."""

    def list(self) -> Listing:
        """Everything that is there now. Raises EvidenceError when the source can't be listed at all."""

    def stamp(self) -> str:
        """Names what states the rights at this moment: an equal one means that they are stated as they were. Quick."""

    def rights(self, paths: Collection[str]) -> Mapping[str, Rights]:
        """What is stated now of each of these paths, as `Item.path` gives them. A path that is not in the answer is gone."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a source is and what reading it takes. location: a folder or an address, never with a password.

    rules: another place of the rules file, else empty. endings: of the formats that are read, lower case with the dot.
    options: what the operator keeps apart from the database for this source (credentials, an endpoint). cache: a folder of
    this source's own.
    """

    location: str
    rules: str
    endings: Collection[str]
    options: Mapping[str, str] = field(repr=False)
    cache: Path
