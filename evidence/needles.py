"""Needles: what is looked for after a removal, chosen before it, and kept in a file of its own until that is done.

Random pieces of the text that occur nowhere else, words that the index would hold of it, digests of files and ids of rows. They
are content while they last: nobody else may read the file, and it goes as soon as the receipt is finished.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from random import SystemRandom
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from evidence import blobs, projection
from evidence.index.query import Query
from evidence.index.tokens import MAX_WORD_LENGTH, tokenise
from evidence.models import AccessClass, Document, EntryRevision, Passage, Proposal, Receipt, Representation, Upload
from evidence.projection import ARCHIVED, Versions

MAX_PIECES: Final = 16
"""Pieces of one text. One that SQLite cut at the end of a page is not found; of sixteen, some always are."""
MAX_WORDS: Final = 16
PIECE_WORDS: Final = 6
"""Words of a piece: few sentences share six in a row."""
LONGEST_PIECE: Final = 80
"""Code points."""
LOOKED_AT: Final = 64
"""Passages that pieces are taken from."""
SHORTEST: Final = 12
"""Code points of what is looked for: shorter ones stand in many places by chance."""
SHORTEST_WORD: Final = 8
KEPT_FOR: Final = timedelta(days=7)
"""How long what was found again is looked for, each day; pieces of the text are not kept longer for it."""

WRITTEN_WITHIN: Final = timedelta(minutes=10)
"""A part of a file that is older belonged to a writer that was killed."""

_random: Final = SystemRandom()


@dataclass(frozen=True, slots=True)
class Needles:
    """What is looked for of one document. states: its ids in the index. digests: of its originals and of what was read from
    uploads. pieces: of its text, its title and its names. words: as the index holds them. answers: that quote it.
    entry_revisions, proposals: of knowledge, that cite it.
    """

    document: int
    revisions: tuple[int, ...]
    representations: tuple[int, ...]
    states: tuple[int, ...]
    citations: tuple[int, ...]
    digests: tuple[str, ...]
    pieces: tuple[str, ...]
    words: tuple[str, ...]
    answers: tuple[int, ...] = ()
    entry_revisions: tuple[int, ...] = ()
    proposals: tuple[int, ...] = ()


def choose(document: Document) -> Needles:
    """What to look for once this document, which is withdrawn and out of the index, is removed."""
    representations = tuple(Representation.objects.filter(revision__document=document).values_list("pk", flat=True))
    revisions = tuple(document.revisions.values_list("pk", flat=True))
    passages = _some_passages(representations)
    rare = _rare_words(passages)
    return Needles(
        document=document.pk,
        revisions=revisions,
        representations=representations,
        states=(document.pk, *(one + ARCHIVED for one in representations)),
        citations=tuple(document.citations.values_list("pk", flat=True)),
        digests=tuple(sorted(_digests(document))),
        pieces=tuple(dict.fromkeys([*_pieces(passages), *_names(document), *_long(rare)])),
        words=tuple(word for word, _ in rare),
        answers=tuple(document.answers.values_list("pk", flat=True)),
        entry_revisions=tuple(EntryRevision.objects.filter(citations__document=document).distinct().values_list("pk", flat=True)),
        proposals=tuple(Proposal.objects.filter(citations__document=document).distinct().values_list("pk", flat=True)),
    )


def keep(receipt: Receipt, needles: Needles) -> None:
    """Keep them until `forget`, over a crash too."""
    _folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    blobs.write_whole(_path(receipt.public_id), json.dumps(asdict(needles)).encode())  # mode 600, as every file made so


def read(receipt: Receipt) -> Needles | None:
    """Those that were kept; None where there are none any more."""
    try:
        kept: dict[str, Any] = json.loads(_path(receipt.public_id).read_bytes())
    except FileNotFoundError:
        return None
    document = kept.pop("document")
    return Needles(document, **{name: tuple(values) for name, values in kept.items()})


def forget(receipt: Receipt) -> None:
    """Let go of them."""
    _path(receipt.public_id).unlink(missing_ok=True)


def forget_others() -> None:
    """Let go of what no open receipt needs, of what was looked for long enough, and of parts that killed writers left."""
    too_old = timezone.now() - KEPT_FOR
    needed = Receipt.objects.filter(finished_at=None).exclude(purged_at__lt=too_old)
    names = {str(one) for one in needed.values_list("public_id", flat=True)}
    for path in folder_files():
        if path.name not in names and not _is_being_written(path):
            path.unlink(missing_ok=True)


def folder_files() -> Sequence[Path]:
    """The files that hold them: no trace, and the one place where they may be."""
    return [path for path in _folder().glob("*") if path.is_file()]


def occurs(words: Sequence[str]) -> bool:
    """Whether any living passage has these words in a row, whoever may read it. For removals: no reader asks this."""
    every = AccessClass.objects.values_list("pk", flat=True)
    found = projection.engine().search(
        Query("", (tuple(words),)),
        classes=projection.classes(set(every), versions=Versions.EARLIER_TOO),
        excluded=(),
        filters={},
        limit=1,
        offset=0,
    )
    return found.total > 0


def _some_passages(representations: Sequence[int]) -> Sequence[Passage]:
    ids = list(Passage.objects.filter(representation__in=representations).exclude(text="").values_list("pk", flat=True))
    some = _random.sample(ids, min(LOOKED_AT, len(ids)))
    rows = list(Passage.objects.filter(pk__in=some))
    _random.shuffle(rows)
    return rows


def _pieces(passages: Iterable[Passage]) -> Iterator[str]:
    """One random piece of each passage, of those that no living passage has."""
    count = 0
    for row in passages:
        piece, words = _piece(row.quote)
        if len(piece) >= SHORTEST and words and not occurs(words):
            yield piece
            count += 1
            if count == MAX_PIECES:
                return


def _piece(quote: str) -> tuple[str, Sequence[str]]:
    """Some words in a row as they stand there, and as the index knows them."""
    tokens = list(tokenise(quote))
    first = _random.randrange(max(len(tokens) - PIECE_WORDS, 0) + 1)
    chosen = tokens[first : first + PIECE_WORDS]
    while chosen and (chosen[-1][1] - chosen[0][0] > LONGEST_PIECE or len(chosen[-1][2]) > MAX_WORD_LENGTH):
        chosen.pop()
    if not chosen or any(len(word) > MAX_WORD_LENGTH for _, _, word in chosen):
        return "", ()
    return quote[chosen[0][0] : chosen[-1][1]], [word for _, _, word in chosen]


def _names(document: Document) -> Iterator[str]:
    """Its title and what its source calls it."""
    paths = document.revisions.values_list("path", flat=True).distinct()
    names = [document.title, document.title_key, document.external_id, document.origin, *paths]
    names += [name for pair in document.uploads.values_list("name", "title") for name in pair]
    yield from (name for name in names if len(name) >= SHORTEST)


def _long(rare: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Those that are long enough to be looked for in any file, as they are written."""
    yield from (written for _, written in rare if len(written) >= SHORTEST)


def _rare_words(passages: Iterable[Passage]) -> Sequence[tuple[str, str]]:
    """Words that the index holds nowhere now, so that any place of them would be a trace: as it holds them, and as written."""
    found: dict[str, str] = {}
    for row in passages:
        text = row.searched.text
        found.update((word, text[start:end]) for start, end, word in tokenise(text) if _is_distinctive(word))
    some = _random.sample(sorted(found), min(4 * MAX_WORDS, len(found)))
    known = projection.engine().known(some)
    return [(word, found[word]) for word in some if word not in known][:MAX_WORDS]


def _is_distinctive(word: str) -> bool:
    return SHORTEST_WORD <= len(word) <= MAX_WORD_LENGTH


def _digests(document: Document) -> set[str]:
    uploads = Upload.objects.filter(document=document).digests()
    return uploads | set(document.revisions.values_list("source_sha256", flat=True))


def _is_being_written(path: Path) -> bool:
    with suppress(FileNotFoundError):
        return path.name.startswith(blobs.PART) and time.time() - path.stat().st_mtime < WRITTEN_WITHIN.total_seconds()
    return False


def _folder() -> Path:
    return Path(settings.DATA_DIR) / "receipts"


def _path(receipt: UUID) -> Path:
    return _folder() / str(receipt)
