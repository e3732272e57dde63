"""Translations of passages: derived from the words of a citation, approved by a reviewer, and never citable themselves.

A citation always holds the words of its source; what is read here stands beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final
from uuid import UUID

from evidence import identity
from evidence.access import Access
from evidence.citations import Place
from evidence.knowledge import contents, entries, proposals
from evidence.knowledge.entries import Read
from evidence.models import Citation, Document, Entry, Proposal, Space

MAX_AT_PLACE: Final = 100
"""Translated citations that are looked at for one place: whoever reads a passage can take in fewer."""


def of_citations(access: Access, cited: Collection[UUID]) -> Mapping[UUID, Sequence[Read]]:
    """The readable translations that count of each of these citations; one query where there is none."""
    found: dict[UUID, list[Read]] = {}
    for read in entries.translations(access, cited) if cited else ():
        found.setdefault(read.content.citations[0], []).append(read)
    return found


def of_place(access: Access, place: Place) -> Sequence[Read]:
    """The same of every citation that overlaps this place."""
    rows = Citation.objects.filter(
        tenant=access.tenant,
        document__in=Document.objects.readable(access),
        document_public_id=place.document,
        representation=place.representation,
        start__lt=place.end,
        end__gt=place.start,
        entry_revisions__entry__kind=Entry.Kind.TRANSLATION,
    )
    ids = rows.order_by("start", "id").values_list("public_id", flat=True).distinct()[:MAX_AT_PLACE]
    found = of_citations(access, list(ids))
    return [read for cited in ids for read in found.get(cited, ())]


def spaces_for(access: Access) -> Sequence[Space]:
    """Where this person may propose one; none for who may propose nothing."""
    return list(Space.objects.readable(access)) if identity.may_propose(access) else []


def propose(access: Access, citation: UUID, *, space: str, language: str, text: str, translator: str) -> UUID:
    """Propose a translation of this citation; gives the proposal's id. Raises what `proposals.propose` raises."""
    said = {"language": language, "text": text, "translator": translator, "citations": [str(citation)]}
    kind = Entry.Kind.TRANSLATION
    content = contents.parse(kind, said)
    return proposals.propose(access, space=space, kind=kind, action=Proposal.Action.CREATE, content=content)
