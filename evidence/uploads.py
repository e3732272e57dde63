"""Uploads: files that a person brings, kept and read for that person alone until they are published or discarded.

No list, no search and no count of anybody else knows of them. What was read from a file is kept beside its bytes, so that what
is published is what was looked at. What becomes of it is for evidence.publishing to say.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from evidence import blobs, filenames, formats, identity, jobs, parsing, purged, removal, representations
from evidence.access import Access
from evidence.content import Content
from evidence.errors import EvidenceError, Refused, Unavailable, gettext_noop
from evidence.formats import FORMATS, Format
from evidence.formats.options import Options
from evidence.models import Document, Passage, Representation, Revision, Upload, UploadQuerySet
from evidence.profile import normalise

MAX_FILES: Final = 20
"""In one form; a browser with JavaScript sends each file in a form of its own."""
MAX_WAITING: Final = 200
"""Files of one person that are not published: more than anybody looks at, one by one."""
MAX_KEPT_BYTES: Final = 1_000_000_000
"""Of those files together."""
KEPT_FOR: Final = timedelta(days=14)
"""After it was brought or read again, a file that nobody publishes is removed: a holiday is no reason to lose it."""
PUBLISHING_TAKES: Final = timedelta(minutes=10)
"""Whoever began to publish longer ago than this has died over it."""
MAX_NAME: Final = 255
MAX_PASSWORD: Final = 200
SHOWN: Final = 200
"""Passages on one page of a preview: some ten pages of print."""
JOB: Final = "upload"
ENCODINGS: Final = (
    "utf-8",
    "windows-1252",
    "iso-8859-15",
    "cp850",
    "cp437",
    "macintosh",
    "windows-1250",
    "iso-8859-2",
    "windows-1251",
    "koi8-r",
    "windows-1253",
    "windows-1254",
    "utf-16le",
    "utf-16be",
    "shift_jis",
    "gb18030",
    "big5",
    "euc-kr",
)
"""What a person can choose from when a text does not say it: of Europe's and East Asia's those that old files still have."""


@dataclass(frozen=True, slots=True)
class Look:
    """A stretch of what was read from an upload. rows: passages that no table holds; content: all of it."""

    content: Content
    rows: Sequence[Passage]
    first: int


def form_of(name: str) -> Format:
    """How a file of this name is read. Raises Refused for an ending that is none of the formats'."""
    form = FORMATS.get(ending_of(name))
    if form is None:
        raise formats.unknown(name)
    return form


def ending_of(name: str) -> str:
    """The ending that names a file's format, lower case with its dot."""
    return PurePosixPath(name).suffix.lower()


def refuse_large(name: str, size: int) -> None:
    """Raises Refused when a file of this name is read only up to fewer bytes."""
    limit = form_of(name).max_bytes
    if size > limit:
        message = gettext_noop("This file is too large: files of its kind may have %(limit)d MB.")
        raise Refused("upload_too_large", message, limit=limit // 1_000_000)


def keep(access: Access, name: str, data: bytes, *, replaces: UUID | None = None) -> Upload:
    """Keep a file for this person and read it. What its own reader refuses stands in `problem` then, and can be mended.

    replaces: a document that may be read, which this is a new version of. Raises Refused for a name, a size, or too much.
    """
    user, tenant = owner(access)
    name = filenames.as_text(name, limit=MAX_NAME)
    refuse_large(name, len(data))
    if not data:
        raise Refused("upload_empty", gettext_noop("This file is empty."))
    with transaction.atomic():
        _refuse_more(user, len(data))
        chosen = None if replaces is None else _replaceable(access, replaces)
        row = Upload.objects.create(
            tenant_id=tenant,
            user_id=user,
            name=name,
            sha256=blobs.put(data),
            size=len(data),
            replaces=chosen,
            kept_until=timezone.now() + KEPT_FOR,
        )
        jobs.enqueue(JOB, [row.pk], not_before=row.kept_until)
    _read(row, data)
    return row


def waiting(access: Access) -> Sequence[Upload]:
    """What this person has brought and not published, the oldest first."""
    return list(own(access).waiting().select_related("replaces"))


def get(access: Access, upload: UUID) -> Upload:
    """One of this person's own uploads, published ones too. Raises Unavailable for any other."""
    row = own(access).filter(public_id=upload).select_related("replaces", "document").first()
    if row is None:
        raise Unavailable
    return row


def get_waiting(access: Access, upload: UUID) -> Upload:
    """One that is not published. Raises Unavailable for any other."""
    row = get(access, upload)
    if row.document_id is not None:
        raise Unavailable
    return row


def look(row: Upload, *, offset: int = 0) -> Look | None:
    """SHOWN passages of what was read from it, from number `offset` on; None where nothing was read."""
    if not row.content:
        return None
    content = content_of(row)
    first = min(max(offset, 0), max(len(content.passages) - 1, 0))
    rows = representations.passages(Representation(), content, first=first, count=SHOWN)
    return Look(content, list(rows), first)


def content_of(row: Upload) -> Content:
    """All that was read from it."""
    return Content.from_json(zlib.decompress(blobs.read(row.content)).decode())


def options_of(row: Upload) -> Options:
    """How the person says that it is to be read."""
    return Options(encoding=row.encoding, password=row.password)


def read_again(access: Access, upload: UUID, *, encoding: str = "", password: str = "") -> Upload:
    """Read it as the person now says. Raises Unavailable, and Refused for an encoding that is none of ENCODINGS."""
    row = get_waiting(access, upload)
    if encoding and encoding not in ENCODINGS:
        raise Refused("encoding_unknown", gettext_noop("This encoding can't be chosen."))
    if len(password) > MAX_PASSWORD:
        raise Refused("password_long", gettext_noop("A password has at most %(limit)d characters."), limit=MAX_PASSWORD)
    row.encoding, row.password = encoding, password
    _read(row, blobs.read(row.sha256))
    return row


def choose(access: Access, upload: UUID, document: UUID | None) -> None:
    """Say which document this is a new version of; None: of none. Raises Unavailable for one that can't have any from here."""
    row = get_waiting(access, upload)
    with transaction.atomic():
        chosen = None if document is None else _replaceable(access, document)
        if document is not None and chosen is None:
            raise Unavailable
        Upload.objects.filter(pk=row.pk).update(replaces=chosen)


def discard(access: Access, upload: UUID) -> None:
    """Remove an upload and its bytes. Raises Unavailable, and Refused while it is being published."""
    if not remove(get_waiting(access, upload).pk):
        raise Refused("upload_publishing", gettext_noop("This is being published at this moment."))


def expire(upload: int) -> None:
    """The job of an upload whose time is over: remove it, or wait again if it was read meanwhile."""
    row = Upload.objects.waiting().filter(pk=upload).first()
    if row is None:
        return
    if row.kept_until > timezone.now() or not remove(row.pk):
        jobs.enqueue(JOB, [row.pk], not_before=max(row.kept_until, timezone.now() + PUBLISHING_TAKES))


def remove(upload: int) -> bool:
    """Remove a waiting upload with what is kept for it; gives whether it was there and nobody was publishing it."""
    with transaction.atomic():
        found = Upload.objects.waiting().filter(unclaimed(), pk=upload)
        digests = found.select_for_update().digests()
        purged.note(*found.values_list("public_id", flat=True))
        removed, _ = found.delete()
        forget(digests)
        if removed:
            removal.wipe_soon()  # its name and title, of which the database's log has copies
    return bool(removed)


def published_as(row: Upload, document: Document) -> None:
    """Say what it was published as, and let go of what only publishing needed. Belongs into the transaction that published it.

    Raises Unavailable when it is not there any more.
    """
    kept = Upload.objects.waiting().filter(pk=row.pk)
    contents = set(kept.select_for_update().values_list("content", flat=True))
    done = {"document": document, "published_at": timezone.now(), "content": "", "password": "", "problem": {}}
    if not kept.update(**done):
        raise Unavailable
    forget(contents)


def replaceable(access: Access) -> QuerySet[Document]:
    """Documents that this person may read and that were brought here, so that a new version can be."""
    uploaded = Document.objects.readable(access).filter(uploads__isnull=False).distinct()
    return uploaded.select_related("source", "current__revision")


def unclaimed() -> Q:
    """Uploads that nobody is publishing now."""
    return Q(publishing_at=None) | Q(publishing_at__lt=timezone.now() - PUBLISHING_TAKES)


def forget(digests: set[str]) -> None:
    """Remove those bytes that nothing names any more, as soon as the transaction is committed that stopped naming them.

    Not within it: it could still be undone, and the bytes would not come back. Who dies in between leaves them to the next
    wiping; so does who comes while a backup is being made.
    """
    transaction.on_commit(partial(_forget, frozenset(digests - {""})), robust=True)


def _forget(digests: frozenset[str]) -> None:
    if not digests:
        return
    try:
        with blobs.alone():
            named = set(Revision.objects.filter(source_sha256__in=digests).values_list("source_sha256", flat=True))
            named |= Upload.objects.waiting().filter(Q(sha256__in=digests) | Q(content__in=digests)).digests()
            for digest in digests - named:
                blobs.remove(digest)
    except EvidenceError:
        removal.wipe_soon()


def _replaceable(access: Access, document: UUID) -> Document | None:
    """One of `replaceable`, which is not removed before the transaction ends that is open now."""
    found = replaceable(access).filter(public_id=document)
    locked = Document.objects.select_for_update(no_key=True).filter(pk__in=[row.pk for row in found])
    return found.first() if list(locked.values_list("pk")) else None


def owner(access: Access) -> tuple[int, int]:
    """Keys of the person and the tenant. Raises Refused for people whose role does not bring documents."""
    if access.user is None or access.tenant is None or not identity.may_upload(access):
        raise Refused("not_an_uploader", gettext_noop("Only editors and administrators may upload documents."))
    return access.user, access.tenant


def own(access: Access) -> UploadQuerySet:
    """Everything that this person brought to this tenant. Raises Refused for people whose role does not bring documents."""
    user, tenant = owner(access)
    return Upload.objects.filter(user=user, tenant=tenant)


def _refuse_more(user: int, size: int) -> None:
    """Raises Refused. Uploads of one person that come at once wait for one another's transactions here."""
    list(User.objects.select_for_update(no_key=True).filter(pk=user).values_list("pk"))
    kept = Upload.objects.waiting().filter(user=user).aggregate(count=Count("pk"), bytes=Sum("size", default=0))
    if kept["count"] >= MAX_WAITING:
        message = gettext_noop("%(limit)d files of yours wait to be published. Publish or discard some of them first.")
        raise Refused("too_many_uploads", message, limit=MAX_WAITING)
    if kept["bytes"] + size > MAX_KEPT_BYTES:
        message = gettext_noop(
            "With this file, those of yours that wait would be larger than %(limit)d MB. Publish or discard some of them first."
        )
        raise Refused("uploads_too_large", message, limit=MAX_KEPT_BYTES // 1_000_000)


def _read(row: Upload, data: bytes) -> None:
    """Read it in a confined process and keep what came of it; one that was discarded meanwhile leaves nothing."""
    content, packed, facts = None, b"", {"problem": {}, **_facts(Content("", ()))}
    try:
        content = parsing.extract(ending_of(row.name), data, options_of(row))
        packed = zlib.compress(content.to_json().encode(), 1)
        facts |= _facts(content)
    except EvidenceError as error:
        facts["problem"] = {"code": error.code, "template": error.template, "values": _plain(error.values)}
    facts |= {"encoding": row.encoding, "password": row.password, "kept_until": timezone.now() + KEPT_FOR}
    facts["parser"] = named(form_of(row.name), options_of(row))
    with transaction.atomic():
        kept = Upload.objects.waiting().filter(pk=row.pk)
        before = set(kept.select_for_update().values_list("content", flat=True))
        facts["content"] = blobs.put(packed) if packed else ""
        if not kept.update(**facts):
            forget({str(facts["content"])})
            return
        forget(before)
    for name, value in facts.items():
        setattr(row, name, value)


def named(form: Format, options: Options) -> str:
    """The parser as one text: what an upload was read by."""
    parser = form.parser_with(options)
    return f"{parser.name} {parser.version} {parser.configuration}"


def _facts(content: Content) -> dict[str, object]:
    return {
        "title": content.title[: representations.MAX_TITLE],
        "length": len(content.text),
        "passage_count": len(content.passages),
        "page_count": len(content.pages),
        "notes": list(content.notes),
    }


def _plain(values: dict[str, object]) -> dict[str, object]:
    """Numbers and texts as JSON: of a file that is refused anything may be repeated, and PostgreSQL's JSON knows no U+0000."""
    return {name: value if isinstance(value, int | float) else normalise(str(value)) for name, value in values.items()}
