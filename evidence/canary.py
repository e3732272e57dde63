"""The revocation drill: how long it takes until a right that is taken away is gone everywhere, measured with a canary.

A canary is a document in the source with an invented word, a group that only it names, and a person who alone is in that group:
an access class of its own, so that nobody else's hits, scores or counts change. The person can't sign in, is a member for the
seconds of the drill, and goes with the document and the group afterwards. What a killed drill leaves behind, the next one of this
source removes, or the worker (`sweep`); its name says what belongs together.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from evidence import citations, documents, identity, pictures, projection, removal, revocations, runs, search, tokens, viewer
from evidence.access import Access
from evidence.errors import EvidenceError, Refused, Unavailable, gettext_noop
from evidence.identity import Openness
from evidence.intake import Intake, Report
from evidence.models import (
    DRILL,
    PERSONAL_SCOPES,
    AccessClass,
    AuditEvent,
    Citation,
    Document,
    Group,
    Membership,
    Source,
    SourceKind,
    Token,
)
from evidence.pictures import Width
from evidence.sources import Item, Metadata, Rights, problems

WAITS: Final = 10.0
"""Seconds that a drill waits for a run of its source."""
WITHIN: Final = 30.0
"""Seconds in which the right must be gone: the next request is enough, so this is a fault and no slowness."""
LOOKS_EVERY: Final = 0.02
_LETTERS: Final = "bcdfghjklmnpqrstvwxz"
"""Of the invented word: no language makes words of these alone."""
BEGUN: Final = "drill.begun"
DONE: Final = "drill.done"
FAILED: Final = "drill.failed"
_NAME: Final = re.compile(rf"{DRILL}[0-9]+-[{_LETTERS}]{{16}}")
_WITHDRAWN: Final = Rights(problem=problems.DRILL)


class Surface(StrEnum):
    """Where a document can be seen."""

    SEARCH = "search"
    READING = "reading"
    PAGE = "page"
    CITATION = "citation"
    API = "api"


class Step(StrEnum):
    """What a drill has done so far."""

    MADE = "made"
    SEEN = "seen"
    WITHDRAWN = "withdrawn"
    GONE = "gone"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Drill:
    """What was measured. took: from the withdrawal until no surface gave anything; receipt: of the canary's removal."""

    took: timedelta
    surfaces: Mapping[Surface, timedelta]
    receipt: UUID


@dataclass(frozen=True, slots=True)
class _Canary:
    """What is looked for, and who looks. secret: of the person's token."""

    word: str
    user: User
    document: UUID
    representation: UUID
    citation: UUID
    secret: str


def drill(source: Source, *, actor: int | None = None, told: Callable[[Step], object] = lambda step: None) -> Drill:
    """Let a canary's right be withdrawn in this source, as its rights are, and measure. actor: the person who wants it.

    told: called after each step. Raises Refused, having left nothing behind, when the source is closed, a run of it goes on, or
    the canary is not seen before its right is withdrawn; EvidenceError `drill_failed` when it is still seen WITHIN afterwards.
    """
    with runs.alone(source, wait=WAITS):
        source.refresh_from_db()
        if identity.openness(source, now=timezone.now()) is not Openness.OPEN:
            raise Refused("drill_closed", gettext_noop("The source is closed: nobody reads anything of it, a canary neither."))
        _remove_all(_left_behind(source.pk))
        name = f"{DRILL}{source.pk}-{_letters(16)}"
        try:
            surfaces = _measured(source, name, actor, told)
        finally:
            receipt = _remove(name)
        told(Step.REMOVED)
    assert receipt is not None  # there was a document
    return Drill(max(surfaces.values()), surfaces, receipt)


def sweep() -> int:
    """Remove what killed drills have left behind; gives how many there were. One that goes on is left alone."""
    left = _left_behind()
    for key in {_source_of(name) for name in left}:
        mine = [name for name in left if _source_of(name) == key]
        source = Source.objects.filter(pk=key).first()
        if source is None:
            _remove_all(mine)
        else:
            with suppress(Refused), runs.alone(source):
                _remove_all(mine)
    return len(left)


def _measured(source: Source, name: str, actor: int | None, told: Callable[[Step], object]) -> Mapping[Surface, timedelta]:
    canary = _made(source, name, actor)
    told(Step.MADE)
    unseen = [surface for surface in Surface if not _gives(surface, canary)]
    if unseen:
        message = gettext_noop(
            "The canary was not seen before its right was withdrawn (%(where)s). The origin of a sensitive source, which is "
            "asked about each document, may know none."
        )
        raise Refused("drill_unseen", message, where=", ".join(unseen))
    told(Step.SEEN)
    at_origin, begun = timezone.now(), time.monotonic()
    _withdraw(source, name)
    told(Step.WITHDRAWN)
    surfaces = _until_gone(source, canary, begun, actor)
    with transaction.atomic():
        revocations.note(source, documents=1, at_origin=at_origin, drill=True)
        _event(source, DONE, actor, milliseconds=round(max(surfaces.values()) / timedelta(milliseconds=1)))
    told(Step.GONE)
    return surfaces


def _made(source: Source, name: str, actor: int | None) -> _Canary:
    """A person, a group and a document that only the two have to do with, in the index, cited, and with a token."""
    word = _letters(20)
    with transaction.atomic():
        user = User.objects.create_user(name, password=None)  # nobody can sign in with it
        group = Group.objects.create(tenant=source.tenant, name=name)
        membership = Membership.objects.create(user=user, tenant=source.tenant)
        membership.groups.add(group)
        _event(source, BEGUN, actor, user=user.pk, group=group.pk)
    projection.ensure()
    intake, report = _intake(source, name)
    intake.take(name, [_item(name, word)])
    for refusal in report.refusals:
        raise refusal.error
    projection.settle()
    row = Document.objects.select_related("current").get(source=source, external_id=name)
    assert row.current is not None  # it was not refused
    access = identity.for_user(user)
    try:
        citation = citations.cite_words(access, row.public_id, exact=word)
    except Unavailable:
        citation = row.public_id  # the id of no citation: it is told that the canary is not seen there
    secret = tokens.make(access, name=name, scopes=PERSONAL_SCOPES).secret
    return _Canary(word, user, row.public_id, row.current.public_id, citation, secret)


def _intake(source: Source, name: str) -> tuple[Intake, Report]:
    report = Report()
    return Intake(source, report, only=name), report


def _item(name: str, word: str) -> Item:
    page = _page(f"Revocation drill {word}")
    return Item(
        external_id=name,
        label="1",
        dated=None,
        path=f"{name}.pdf",
        metadata=Metadata(title=name),
        rights=Rights(allowed=(f"group:{name}",)),
        read=lambda: page,
    )


def _withdraw(source: Source, name: str) -> None:
    """Take the right away as it happens in this source: what a run no longer finds stated, or what another system pushes."""
    intake, _ = _intake(source, name)
    nobody = intake.grant(_WITHDRAWN)
    with transaction.atomic():
        if source.kind == SourceKind.PUSH:
            intake.give(name, nobody)
        else:
            intake.narrow({name: nobody})
    projection.settle_quickly()


def _until_gone(source: Source, canary: _Canary, begun: float, actor: int | None) -> Mapping[Surface, timedelta]:
    """Look at every surface until none gives the canary; how long each did. Each look is a request of its own."""
    gone: dict[Surface, timedelta] = {}
    while left := [surface for surface in Surface if surface not in gone]:
        for surface in left:
            if not _gives(surface, canary):
                gone[surface] = timedelta(seconds=time.monotonic() - begun)
            elif time.monotonic() - begun > WITHIN:
                _event(source, FAILED, actor)
                message = gettext_noop(
                    "The right was withdrawn, and %(seconds)d seconds later the canary is still seen (%(where)s)."
                )
                raise EvidenceError("drill_failed", message, seconds=WITHIN, where=surface)
        time.sleep(LOOKS_EVERY if len(gone) < len(Surface) else 0)
    return gone


def _gives(surface: Surface, canary: _Canary) -> bool:
    """Whether this surface gives the canary to its person now."""
    with suppress(Unavailable):
        if surface is Surface.API:
            bearer = identity.for_token(canary.secret)
            return bearer is not None and _LOOKS[surface](bearer.access, canary)
        return _LOOKS[surface](identity.for_user(canary.user), canary)
    return False


def _found(access: Access, canary: _Canary) -> bool:
    return search.search(access, canary.word).total > 0


def _read(access: Access, canary: _Canary) -> bool:
    return any(canary.word in passage.text for block in viewer.read(access, canary.document).blocks for passage in block.passages)


def _pictured(access: Access, canary: _Canary) -> bool:
    drawn = pictures.picture(access, canary.document, representation=canary.representation, page=1, width=Width.SMALL)
    return bool(drawn)


def _cited(access: Access, canary: _Canary) -> bool:
    return citations.get(access, canary.citation).anchor.exact == canary.word


def _answered(access: Access, canary: _Canary) -> bool:
    text = documents.whole(access, canary.document, representation=canary.representation).text
    return canary.word in text or _found(access, canary)


_LOOKS: Final[Mapping[Surface, Callable[[Access, _Canary], bool]]] = {
    Surface.SEARCH: _found,
    Surface.READING: _read,
    Surface.PAGE: _pictured,
    Surface.CITATION: _cited,
    Surface.API: _answered,
}


def _left_behind(source: int | None = None) -> Sequence[str]:
    """The names of canaries of this source, or of all, of which anything is there."""
    names: set[str] = set()
    names.update(User.objects.filter(username__startswith=DRILL).values_list("username", flat=True))
    names.update(Group.objects.filter(name__startswith=DRILL).values_list("name", flat=True))
    names.update(Document.objects.filter(external_id__startswith=DRILL).values_list("external_id", flat=True))
    ours = sorted(name for name in names if _NAME.fullmatch(name))
    return [name for name in ours if source is None or _source_of(name) == source]


def _source_of(name: str) -> int:
    return int(name.removeprefix(DRILL).partition("-")[0])


def _remove_all(names: Sequence[str]) -> None:
    for name in names:
        _remove(name)


def _remove(name: str) -> UUID | None:
    """Leave nothing of this canary, whatever there is of it; gives the receipt of its document. The person goes first.

    Wiping its words from the files is the worker's, as for every document. The caller holds the lock of the source.
    """
    people = User.objects.filter(username=name)
    with transaction.atomic():
        people.update(is_active=False)
        Membership.objects.filter(user__username=name).delete()
        Token.objects.filter(user__username=name).delete()
    receipt = None
    row = Document.objects.filter(external_id=name).select_related("source").first()
    if row is not None:
        receipt = removal.request_purge(row)
        removal.purge(receipt.pk)
    with transaction.atomic():
        Citation.objects.filter(author__username=name).delete()
        AccessClass.objects.filter(rules__group__name=name, documents=None).delete()
        Group.objects.filter(name=name).delete()
        people.delete()
    return None if receipt is None else receipt.public_id


def _event(source: Source, code: str, actor: int | None, **ids: int) -> None:
    AuditEvent.objects.create(tenant=source.tenant, actor_id=actor, code=code, ids={"source": source.pk, **ids})


def _letters(count: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(count))


def _page(text: str) -> bytes:
    """A PDF of one page with this line in ASCII: pages have pictures, which must be gone too."""
    drawn = f"BT /F 12 Tf 72 720 Td ({text}) Tj ET".encode()
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    file = b"%PDF-1.4\n"
    places = []
    for number, part in enumerate(parts, start=1):
        places.append(len(file))
        file += b"%d 0 obj%sendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return b"%sxref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        file,
        table,
        len(file),
    )
