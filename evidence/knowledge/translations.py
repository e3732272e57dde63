"""Translations of passages: derived from the words of a citation, approved by a reviewer, and never citable themselves.

A citation always holds the words of its source; what is read here stands beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet

from evidence import identity
from evidence.access import Access
from evidence.citations import Cited, Place
from evidence.knowledge import contents, entries, proposals
from evidence.knowledge.entries import Read
from evidence.models import Citation, Document, Entry, EntryRevision, Proposal, Space

MAX_AT_PLACE: Final = 100
"""Translated citations that are looked at for one place: whoever reads a passage can take in fewer."""


def of_cited(access: Access, cited: Cited) -> Sequence[Read]:
    """The readable translations that count of exactly this citation's words in that state, by whichever citation they name them.

    One query where there is none.
    """
    anchor = cited.anchor
    rows = _translated(access, UUID(anchor.state.document), UUID(anchor.state.representation))
    return _of(access, rows.filter(start=anchor.start, end=anchor.end))


def of_place(access: Access, place: Place) -> Sequence[Read]:
    """The same of every citation that overlaps this place."""
    rows = _translated(access, place.document, place.representation)
    return _of(access, rows.filter(start__lt=place.end, end__gt=place.start))


def spaces_for(access: Access) -> Sequence[Space]:
    """Where this person may propose one; none for who may propose nothing."""
    return list(Space.objects.readable(access)) if identity.may_propose(access) else []


def propose(access: Access, citation: UUID, *, space: str, language: str, text: str, translator: str) -> UUID:
    """Propose a translation of this citation; gives the proposal's id. Raises what `proposals.propose` raises."""
    said = {"language": language, "text": text, "translator": translator, "citations": [str(citation)]}
    kind = Entry.Kind.TRANSLATION
    content = contents.parse(kind, said)
    return proposals.propose(access, space=space, kind=kind, action=Proposal.Action.CREATE, content=content)


def _translated(access: Access, document: UUID, representation: UUID) -> QuerySet[Citation]:
    """Citations in this state of a readable document that some translation names which this person may read: others leave no
    trace, not in how many are looked at either.
    """
    counting = entries.readable(access).filter(kind=Entry.Kind.TRANSLATION, state=Entry.State.ACCEPTED)
    naming = EntryRevision.citations.through.objects.filter(
        citation=OuterRef("pk"), entryrevision__entry__in=counting, entryrevision__number=F("entryrevision__entry__number")
    )
    rows = Citation.objects.filter(tenant=access.tenant, document__in=Document.objects.readable(access))
    return rows.filter(Exists(naming), document_public_id=document, representation=representation)


def _of(access: Access, rows: QuerySet[Citation]) -> Sequence[Read]:
    """Translations of these citations, in their order."""
    ids = list(rows.order_by("start", "id").values_list("public_id", flat=True)[:MAX_AT_PLACE])
    found = entries.translations(access, ids) if ids else ()
    return sorted(found, key=lambda read: ids.index(read.content.citations[0]))
