"""Remains: what is still there of what was removed. Rows, places in the index, files by their digests, and bytes in any file.

Looking changes nothing. What other documents legitimately have in common with a removed one is no remains of it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.db.models import Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from evidence import blobs, derived, needles, projection, sifting
from evidence.errors import EvidenceError, gettext_noop
from evidence.index.tokens import words
from evidence.models import (
    Answer,
    Citation,
    Conflict,
    Document,
    Entry,
    EntryRevision,
    Page,
    Passage,
    Proposal,
    Representation,
    Revision,
    Run,
    SearchTrace,
    Source,
    Space,
    Upload,
    id_list,
)
from evidence.needles import Needles

logger = logging.getLogger(__name__)

Traces = Mapping[str, int | None]
"""Place -> how many were found there; None where nothing could be looked for."""


class Place(StrEnum):
    """Where remains are looked for. ORIGIN_CACHES: kept of an origin, and not removed because a run was using it. FILES: every
    file of the data folder that is none of the others.
    """

    ROWS = "rows"
    INDEX_ENTRIES = "index_entries"
    INDEX_WORDS = "index_words"
    INDEX_FILES = "index_files"
    ORIGINALS = "originals"
    PAGE_IMAGES = "page_images"
    ORIGIN_CACHES = "origin_caches"
    DATABASE_FILES = "database_files"
    FILES = "files"


ENDINGS_OF_SQLITE: Final = ("", "-wal", "-shm", "-journal")
NOT_SEARCHED: Final[Traces] = dict.fromkeys(Place)


class Unsearched(StrEnum):
    """Why nothing was looked for in a place. NOTHING: no piece or word of the document would show that it is a trace."""

    NOTHING = "nothing_to_look_for"
    OUT_OF_REACH = "out_of_reach"
    FORGOTTEN = "not_searched"


def unsearched(traces: Traces) -> Mapping[str, Unsearched]:
    """The places of a receipt in which nothing was looked for. Rows are counted whenever it is known what to look for."""
    known = traces.get(Place.ROWS) is not None
    out_of_reach = known and traces.get(Place.FILES) is not None
    why = Unsearched.NOTHING if known else Unsearched.FORGOTTEN
    return {
        place: Unsearched.OUT_OF_REACH if out_of_reach and place == Place.DATABASE_FILES else why
        for place, count in traces.items()
        if count is None
    }


def search(wanted: Mapping[int, Needles], *, kept: Collection[str]) -> Mapping[int, Traces]:
    """What is left of each removed document, by the key that it came under. kept: digests that something else still names.

    Raises EvidenceError when not every file could be read.
    """
    in_files = _Files.sifted(wanted, kept=kept)
    searches = in_searches(wanted)
    traces: dict[int, Traces] = {}
    for key, one in wanted.items():
        rows = sum(found.count() for found in _rows(one)) + len(searches.get(key, ()))
        traces[key] = {Place.ROWS.value: rows} | _index_and_files(one, kept=kept) | in_files.traces(key, one)
    return traces


def of_paths(paths: Collection[str]) -> Q:
    """Runs whose problems name any of these paths. Needs `problems_text` (see `with_problems`)."""
    found = Q(pk__in=[])
    for path in paths:
        for form in {json.dumps(path), json.dumps(path, ensure_ascii=False)}:
            found |= Q(problems_text__contains=form)
    return found


def with_problems() -> QuerySet[Run]:
    """Runs with their problems as a text, as the database keeps it."""
    return Run.objects.annotate(problems_text=Cast("problems", TextField()))


def in_searches(wanted: Mapping[int, Needles]) -> Mapping[int, set[int]]:
    """The search traces in which each removed document was shown, by the key that it came under. Reads all traces once."""
    owner = {state: key for key, one in wanted.items() for state in one.representations}
    found: dict[int, set[int]] = {}
    if owner:
        for trace, passages in SearchTrace.objects.values_list("pk", "passages").iterator(chunk_size=2_000):
            for state, _number in passages:
                if state in owner:
                    found.setdefault(owner[state], set()).add(trace)
    return found


def _index_and_files(wanted: Needles, *, kept: Collection[str]) -> dict[str, int | None]:
    index = projection.engine()
    gone = set(wanted.digests) - set(kept)
    return {
        Place.INDEX_ENTRIES.value: len(index.representations(wanted.states)),
        Place.INDEX_WORDS.value: index.strays(wanted.words) if wanted.words else None,
        Place.ORIGINALS.value: sum(blobs.exists(digest) for digest in gone),
        Place.PAGE_IMAGES.value: sum(derived.kept_of(digest) for digest in gone),
    }


def _rows(wanted: Needles) -> Iterator[QuerySet[Model]]:
    """Every row that belonged to it."""
    yield Document.objects.filter(pk=wanted.document)
    yield Revision.objects.filter(Q(document=wanted.document) | Q(pk__in=id_list(wanted.revisions, using="default")))
    representations = id_list(wanted.representations, using="default")
    yield Representation.objects.filter(pk__in=representations)
    yield Passage.objects.filter(representation__in=representations)
    yield Page.objects.filter(representation__in=representations)
    yield Upload.objects.filter(document=wanted.document)
    yield Citation.objects.filter(pk__in=id_list(wanted.citations, using="default")).exclude(exact="", prefix="", suffix="")
    yield Answer.objects.filter(pk__in=id_list(wanted.answers, using="default"))
    yield EntryRevision.objects.filter(pk__in=id_list(wanted.entry_revisions, using="default")).exclude(content={})
    yield Proposal.objects.filter(pk__in=id_list(wanted.proposals, using="default")).exclude(content={})


@dataclass(frozen=True, slots=True)
class _Asked:
    """A byte string that is looked for: whose it is, and the piece or word that it is a form of."""

    key: int
    text: str
    is_word: bool


class _Files:
    """What files hold of pieces and words."""

    def __init__(self, found: Mapping[Path, Collection[_Asked]], place_of: Mapping[Path, Place]) -> None:
        self._found = found
        self._place_of = place_of
        self._places = {Place.FILES, Place.INDEX_FILES, *place_of.values()}
        self._explained: dict[str, bool] = {}

    @classmethod
    def sifted(cls, wanted: Mapping[int, Needles], *, kept: Collection[str]) -> _Files:
        """Read every file once for all of them."""
        asked = [(form, one) for key, needles in wanted.items() for form, one in _forms(key, needles)]
        place_of = dict(_files(kept))
        try:
            sifted = sifting.sift([form for form, _ in asked], place_of)
        except sifting.Failed:
            message = gettext_noop("Not every file could be searched for remains.")
            raise EvidenceError("remains_unsearched", message) from None
        found = {path: {asked[number][1] for number in numbers} for path, numbers in sifted.strings.items()}
        return cls(found, place_of)

    def traces(self, key: int, needles: Needles) -> dict[str, int | None]:
        """How many of its pieces and words each place holds beyond what others explain."""
        here: dict[Place, set[str]] = {}
        for path, some in self._found.items():
            place = self._place_of[path]
            left = {one.text for one in some if one.key == key and self._is_remnant(one, place)}
            if left:
                logger.error("removal: receipt %s: something is left in %s", key, _shown(path))
                here.setdefault(place, set()).update(left)
        traces: dict[str, int | None] = {}
        for place in (Place.INDEX_FILES, Place.DATABASE_FILES, Place.FILES):
            looked = needles.pieces or (needles.words and place == Place.INDEX_FILES)
            traces[place.value] = len(here.get(place, ())) if looked and place in self._places else None
        return traces

    def _is_remnant(self, asked: _Asked, place: Place) -> bool:
        if asked.is_word and place != Place.INDEX_FILES:
            return False
        if asked.text not in self._explained:
            self._explained[asked.text] = _others_have(asked.text, is_word=asked.is_word)
        return not self._explained[asked.text]


def _forms(key: int, needles: Needles) -> Iterator[tuple[bytes, _Asked]]:
    """The bytes that pieces and words are stored as: UTF-8, and as a text within JSON."""
    for piece in needles.pieces:
        for form in {piece, json.dumps(piece)[1:-1]}:
            yield form.encode(), _Asked(key, piece, is_word=False)
    for word in needles.words:
        yield word.encode(), _Asked(key, word, is_word=True)


def _files(kept: Collection[str]) -> Iterator[tuple[Path, Place]]:
    """Every file, and what it is. Left out: needles, and originals that something names, which are known by their digest."""
    hidden = set(needles.folder_files())
    for path in Path(settings.DATA_DIR).rglob("*"):
        if path not in hidden and blobs.digest_of(path) not in kept and path.is_file():
            yield path, Place.FILES
    for path in Path(settings.INDEX_DIR).rglob("*"):
        yield path, Place.INDEX_FILES
    if connection.vendor == "sqlite":
        database = Path(connection.settings_dict["NAME"])
        for ending in ENDINGS_OF_SQLITE:
            yield database.with_name(database.name + ending), Place.DATABASE_FILES


def _others_have(text: str, *, is_word: bool) -> bool:
    """Whether something that is there by right holds this text."""
    index = projection.engine()
    if is_word:
        return bool(index.containing(text))
    parts = words(text)
    if parts and needles.occurs(parts):
        return True
    return any(rows.exists() for rows in _holding(text))


def _holding(text: str) -> Iterator[QuerySet[Model]]:
    """Rows in which the text may stand."""
    yield Passage.objects.filter(text__contains=text)
    yield Document.objects.filter(_any_contains(text, ("title", "title_key", "external_id", "origin", "owner")))
    yield Revision.objects.filter(path__contains=text)
    yield Representation.objects.filter(title__contains=text)
    yield Upload.objects.filter(_any_contains(text, ("name", "title")))
    yield Citation.objects.filter(_any_contains(text, ("exact", "prefix", "suffix")))
    yield Source.objects.filter(_any_contains(text, ("location", "rules_location", "title")))
    yield SearchTrace.objects.filter(query__contains=text)
    yield _with_sentences().filter(
        Q(as_text__contains=json.dumps(text)[1:-1]) | Q(as_text__contains=text) | Q(question__contains=text)
    )
    yield Space.objects.filter(_any_contains(text, ("title", "text")))
    yield Conflict.objects.filter(_any_contains(text, ("matter", "note", "settlement")))
    yield Proposal.objects.filter(_any_contains(text, ("why", "note")))
    for rows in (
        Entry.objects.annotate(as_text=Cast("terms", TextField())),
        _with_content(Proposal),
        _with_content(EntryRevision),
    ):
        yield rows.filter(Q(as_text__contains=json.dumps(text)[1:-1]) | Q(as_text__contains=text))
    yield Entry.objects.filter(_any_contains(text, ("title", "subject", "property", "value")))
    yield with_problems().filter(Q(problems_text__contains=json.dumps(text)[1:-1]) | Q(problems_text__contains=text))


def _with_sentences() -> QuerySet[Answer]:
    """Answers with their sentences as a text, as the database keeps it."""
    return Answer.objects.annotate(as_text=Cast("sentences", TextField()))


def _with_content(model: type[Proposal] | type[EntryRevision]) -> QuerySet[Any]:
    """Rows with what they say as a text, as the database keeps it."""
    return model.objects.annotate(as_text=Cast("content", TextField()))


def _any_contains(text: str, fields: Iterable[str]) -> Q:
    found = Q(pk__in=[])
    for field in fields:
        found |= Q(**{f"{field}__contains": text})
    return found


def is_clean(traces: Traces) -> bool:
    """Whether nothing was found."""
    return not any(traces.values())


def _shown(path: Path) -> str:
    """A file as logs may name it: of what stands deeper in the data folder, a name could be a document's."""
    folder = Path(settings.DATA_DIR)
    return "/".join(path.relative_to(folder).parts[:2]) if path.is_relative_to(folder) else path.name
