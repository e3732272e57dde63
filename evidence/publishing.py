"""Publishing: what a person says about an upload makes a document of it, or a new version of one; and taking that back.

A document that is brought has a random id in its source. People can't choose one: whether an id is free would tell of documents
that they may not read. Who wants to give a document a new version chooses it among those that they may read.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from itertools import chain, count
from pathlib import PurePosixPath
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from evidence import audit, blobs, ingest, removal, uploads
from evidence.access import Access
from evidence.errors import Refused, Unavailable, gettext_noop
from evidence.models import AccessRule, Document, Effect, Group, Membership, Source, SourceKind, Tenant, Upload
from evidence.sources import Item, Metadata, Rights
from evidence.sources.rules import DEFAULT_LABEL, checked_date, checked_status, checked_text

SOURCE: Final = "uploads"
"""Short name of the source that is made when a tenant has none to upload to."""
SOURCE_TITLE: Final = "Uploads"
MAX_CHOICES: Final = 200
"""Documents that are offered to be given a new version."""
MAX_SUGGESTED: Final = 3
PAGE: Final = 50
WAITS: Final = 30.0
"""Seconds that a second click on "publish" waits for what the first one does."""
TEXTS: Final = ("title", "version", "owner", "origin", "language", "kind", "sensitivity")
DATES: Final = ("date", "valid_from", "valid_until")
RECALLED: Final = "document.recalled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a person says about an upload, as it was typed.

    seen: digest of the text that was looked at, if that is known. document: of which one it is a new version. source: short name,
    for a document of its own. allowed, denied: keys of groups.
    unread: it is to be published though the person could not read it then.
    """

    title: str = ""
    version: str = DEFAULT_LABEL
    date: str = ""
    owner: str = ""
    origin: str = ""
    language: str = ""
    kind: str = ""
    status: str = "valid"
    valid_from: str = ""
    valid_until: str = ""
    sensitivity: str = ""
    seen: str = ""
    document: UUID | None = None
    source: str = SOURCE
    allowed: frozenset[int] = frozenset()
    denied: frozenset[int] = frozenset()
    unread: bool = False


class Incomplete(Refused):
    """A description that can't be published. faults: name of a field -> what is wrong with it (`where` is that name)."""

    def __init__(self, faults: Mapping[str, Refused]) -> None:
        super().__init__("description_incomplete", gettext_noop("Something is missing or wrong. Nothing was published."))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Published:
    """One page of the documents that a person published and may still read, the latest first."""

    documents: Sequence[Document]
    total: int


def publish(access: Access, upload: UUID, said: Description) -> Document:
    """Make a document of an upload, through the same intake as every import. Doing it twice changes nothing more.

    Raises Unavailable; Incomplete; Refused where nothing was read, or where the file would be read in another way by now.
    """
    row = uploads.get(access, upload)
    if row.document is None:
        _refuse_unread(access, row, said.seen)
    if not _claim(row):
        return _published_meanwhile(row)
    try:
        return _publish(access, row, said)
    except BaseException:
        Upload.objects.filter(pk=row.pk).update(publishing_at=None)
        raise


def suggested(access: Access, row: Upload) -> Description:
    """What is offered to be said about an upload: what was said of the version before, or what its file says itself.

    Language and source are those of what the person published last. Rights never are: they are chosen for each document.
    """
    old = None if row.replaces_id is None else uploads.replaceable(access).filter(pk=row.replaces_id).first()
    if old is None or old.current is None:
        title = row.title or PurePosixPath(row.name).stem
        last = published(access).documents[:1]
        return (
            Description(title=title, language=last[0].language, source=last[0].source.name) if last else Description(title=title)
        )
    rules = AccessRule.objects.filter(access_class=old.access_class_id).exclude(group=None).values_list("effect", "group_id")
    allowed, denied = (frozenset(group for effect, group in rules if effect == which) for which in (Effect.ALLOW, Effect.DENY))
    kept: dict[str, Any] = {name: getattr(old, name) for name in (*TEXTS, "status") if name != "version"}
    kept |= {name: _written(getattr(old, name)) for name in ("valid_from", "valid_until")}
    label = old.current.revision.label
    version = str(int(label) + 1) if label.isascii() and label.isdigit() else timezone.localdate().isoformat()
    return Description(**kept, version=version, document=old.public_id, allowed=allowed, denied=denied)


def groups(access: Access) -> Sequence[Group]:
    """The groups of the person's tenant."""
    return list(Group.objects.lasting().filter(tenant=access.tenant).order_by("name"))


def kinds(access: Access) -> Sequence[str]:
    """The kinds that documents have which this person may read, so that new ones can be given the same."""
    found = Document.objects.readable(access).exclude(kind="").order_by("kind").values_list("kind", flat=True)
    return list(found.distinct()[:PAGE])


def sources(access: Access) -> Sequence[tuple[str, str]]:
    """Short name and title of each source that can be uploaded to; the one that is made when there is none looks the same."""
    found = {row.name: row.title or row.name for row in _open_sources(access)}
    return list((found or {_free_name(access): SOURCE_TITLE}).items())


def choices(access: Access, row: Upload) -> Sequence[Document]:
    """Documents that this could be a new version of, by title; first those that were made of a file of the same name."""
    found = uploads.replaceable(access)
    same = list(found.filter(current__revision__path=row.name).order_by("title_key")[:MAX_SUGGESTED])
    others = list(found.exclude(pk__in=[one.pk for one in same]).order_by("title_key")[:MAX_CHOICES])
    chosen = [] if row.replaces_id is None else list(found.filter(pk=row.replaces_id))
    return list(dict.fromkeys([*same, *chosen, *others]))


def published(access: Access, *, offset: int = 0) -> Published:
    """What this person published and may read now, PAGE documents from number `offset` on."""
    rows = _published_by(access).annotate(at=Max("uploads__published_at")).order_by("-at", "-pk")
    return Published(list(rows[offset : offset + PAGE]), rows.count())


def mine(access: Access, document: UUID) -> Document | None:
    """A document that this person published, if it may be read now."""
    return _published_by(access).filter(public_id=document).first()


def recall(access: Access, document: UUID) -> None:
    """Withdraw a document that this person published. Raises Unavailable for any other."""
    row = mine(access, document)
    if row is None:
        raise Unavailable
    removal.withdraw(row, code=RECALLED, actor=access.user)


def _published_by(access: Access) -> QuerySet[Document]:
    mine = uploads.own(access).exclude(document=None)
    rows = Document.objects.readable(access).filter(pk__in=mine.values("document"))
    return rows.select_related("source", "current__revision")


def _refuse_unread(access: Access, row: Upload, seen: str) -> None:
    if not row.content:
        message = gettext_noop("Nothing could be read from this file, so it can't be published. Its page says what to do.")
        raise Refused("upload_unread", message)
    if seen and seen != row.content:
        raise Refused("upload_read_meanwhile", gettext_noop("This file was read again meanwhile. Look at the text, please."))
    if row.parser != uploads.named(uploads.form_of(row.name), uploads.options_of(row)):
        uploads.read_again(access, row.public_id, encoding=row.encoding, password=row.password)
        raise Refused(
            "upload_read_anew", gettext_noop("This kind of file is read in another way now. Look at the text again, please.")
        )


def _claim(row: Upload) -> bool:
    """Whether this caller is now the one who publishes it."""
    free = Upload.objects.waiting().filter(uploads.unclaimed(), pk=row.pk)
    return bool(free.update(publishing_at=timezone.now()))


def _published_meanwhile(row: Upload) -> Document:
    """What somebody else makes of it. Raises Refused when that takes too long or fails."""
    until = time.monotonic() + WAITS
    while time.monotonic() < until:
        found = Upload.objects.filter(pk=row.pk).select_related("document__source").first()
        if found is not None and found.document is not None:
            return found.document
        if found is None or found.publishing_at is None:
            break
        time.sleep(0.1)
    raise Refused("upload_publishing", gettext_noop("This is being published at this moment. Load the page again."))


def _publish(access: Access, row: Upload, said: Description) -> Document:
    """What was said is checked twice: before the file is fetched, and when no other run can change anything any more."""
    user, _ = uploads.owner(access)
    checked = _check(access, row, said)
    item, target = _item(row, checked), checked.target
    source = _source(access, said.source) if target is None else target.source
    return ingest.publish(
        source, item, actor=user, still=lambda: _check(access, row, said), also=lambda made: uploads.published_as(row, made)
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    """A description that can be published. target: the document that it is a new version of."""

    values: Mapping[str, Any]
    rights: Rights
    target: Document | None


def _check(access: Access, row: Upload, said: Description) -> _Checked:
    """Raises Incomplete."""
    target = None if said.document is None else uploads.replaceable(access).filter(public_id=said.document).first()
    names = {group.pk: group.name for group in groups(access)}
    values, faults = _values(said)
    faults |= _faults_of_dates(values) | _faults_of_version(row, said, target, values) | _faults_of_rights(access, said, names)
    if target is None and said.source not in dict(sources(access)):
        faults["source"] = Refused("source_unknown", gettext_noop("Choose one of the sources."))
    if faults:
        raise Incomplete(faults)
    return _Checked(values, Rights(_principals(said.allowed, names), _principals(said.denied, names)), target)


def _item(row: Upload, checked: _Checked) -> Item:
    """The upload as its source's item."""
    data, values = blobs.read(row.sha256), checked.values
    return Item(
        external_id=str(row.public_id) if checked.target is None else checked.target.external_id,
        label=values["version"],
        dated=values["date"],
        path=row.name,
        metadata=Metadata(**{one.name: values[one.name] for one in fields(Metadata)}),
        rights=checked.rights,
        read=lambda: data,
        options=uploads.options_of(row),
        content=uploads.content_of(row),
    )


def _principals(keys: frozenset[int], names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(f"group:{names[key]}" for key in sorted(keys))


def _values(said: Description) -> tuple[dict[str, Any], dict[str, Refused]]:
    """What was said, checked as rules files are, and what is wrong with the fields that have no value."""
    values: dict[str, Any] = {}
    faults: dict[str, Refused] = {}
    for name in (*TEXTS, *DATES, "status"):
        try:
            values[name] = _checked(name, getattr(said, name).strip())
        except Refused as fault:
            faults[name] = fault
    return values, faults


def _checked(name: str, text: str) -> object:
    if name in DATES:
        return checked_date(text, name)
    return checked_status(text, name) if name == "status" else checked_text(name, text, name)


def _faults_of_dates(values: Mapping[str, Any]) -> dict[str, Refused]:
    begins, ends = values.get("valid_from"), values.get("valid_until")
    if begins is None or ends is None or begins <= ends:
        return {}
    return {"valid_until": Refused("validity_inverted", gettext_noop("This is before the day from which it is valid."))}


def _faults_of_version(row: Upload, said: Description, target: Document | None, values: Mapping[str, Any]) -> dict[str, Refused]:
    """A new version needs a label of its own, and no older day than the one that it takes the place of."""
    if said.document is None:
        return {}
    if target is None or target.current is None:
        message = gettext_noop("The document that this was to be a new version of is not available to you.")
        return {"document": Refused("document_unavailable", message)}
    label, dated, before = values.get("version"), values.get("date"), target.current.revision.dated
    if target.revisions.filter(label=label).exclude(source_sha256=row.sha256).exists():
        message = gettext_noop("The document has another file under the version “%(label)s”. Give this one another name.")
        return {"version": Refused("version_taken", message, label=label)}
    if dated is not None and before is not None and dated < before:
        message = gettext_noop("The present version is of a later day, %(day)s.")
        return {"date": Refused("version_older", message, day=before.isoformat())}
    return {}


def _faults_of_rights(access: Access, said: Description, names: Mapping[int, str]) -> dict[str, Refused]:
    """At least one group, each of the tenant and on one side only; and the person, unless told otherwise."""
    if not said.allowed:
        message = gettext_noop("Choose at least one group: without one nobody can read or find this, not even you.")
        return {"allowed": Refused("nobody_may_read", message)}
    if not said.allowed | said.denied <= names.keys():
        return {"allowed": Refused("group_unknown", gettext_noop("One of the groups is gone. Choose again."))}
    if said.allowed & said.denied:
        message = gettext_noop("The group %(name)s can't be both: one that may read and one that may not.")
        return {"denied": Refused("group_both", message, name=names[min(said.allowed & said.denied)])}
    user, tenant = uploads.owner(access)
    mine = set(Membership.objects.filter(user=user, tenant=tenant).values_list("groups", flat=True))
    if not said.unread and (not mine & said.allowed or mine & said.denied):
        message = gettext_noop("You could not read this yourself, nor withdraw it. Confirm below that this is meant.")
        return {"unread": Refused("not_for_yourself", message)}
    return {}


def _source(access: Access, name: str) -> Source:
    """The source of this name, made if it is new."""
    user, key = uploads.owner(access)
    tenant = Tenant.objects.get(pk=key)
    with transaction.atomic():
        kept_here = {"title": SOURCE_TITLE, "kind": SourceKind.LOCAL}
        row, is_new = Source.objects.get_or_create(tenant=tenant, name=name, defaults=kept_here)
        if is_new:
            audit.record(row, "created", actor=User.objects.get(pk=user))
    return row


def _open_sources(access: Access) -> Sequence[Source]:
    """Sources that no run lists: what it does not find, it would withdraw."""
    return list(Source.objects.filter(tenant=access.tenant, kind=SourceKind.LOCAL, location="").order_by("title", "name"))


def _free_name(access: Access) -> str:
    """A short name that no source of the tenant has."""
    taken = set(Source.objects.filter(tenant=access.tenant).values_list("name", flat=True))
    return next(name for name in chain([SOURCE], (f"{SOURCE}-{number}" for number in count(2))) if name not in taken)


def _written(day: date | None) -> str:
    return "" if day is None else day.isoformat()
