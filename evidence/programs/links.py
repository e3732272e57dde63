"""Addresses of pages for people, and ids in what programs send."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from evidence.citations import NOTHING


def id_of(text: str) -> UUID:
    """The id. Text that is none names nothing, and is looked up all the same, so that it costs what other unknown ids cost."""
    try:
        return UUID(text)
    except ValueError:
        return NOTHING


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses at one place. base: scheme and host, as the program knows them."""

    base: str

    @classmethod
    def of(cls, request: HttpRequest) -> Links:
        """Where this request came to."""
        return cls(f"{request.scheme}://{request.get_host()}")

    def document(self, document: UUID, *, representation: UUID | None = None, passage: int | None = None) -> str:
        """The page where the document is read, in this state, with this passage marked."""
        place = {
            name: str(value) for name, value in (("representation", representation), ("passage", passage)) if value is not None
        }
        query = f"?{urlencode(place)}" if place else ""
        mark = "" if passage is None else f"#p-{passage}"
        return f"{self.base}{reverse('document', args=[document])}{query}{mark}"

    def citation(self, citation: UUID) -> str:
        """The page of a citation."""
        return f"{self.base}{reverse('citation', args=[citation])}"

    def conflict(self, conflict: UUID) -> str:
        """The page of two that a person marked as contradicting each other."""
        return f"{self.base}{reverse('conflict', args=[conflict])}"

    def claims(self, one: UUID, other: UUID) -> str:
        """The page of two claims that contradict each other."""
        return f"{self.base}{reverse('disputed_claims', args=[one, other])}"

    def concept(self, space: str, slug: str) -> str:
        """The page of a concept."""
        return f"{self.base}{reverse('concept', args=[space, slug])}"

    def decision(self, space: str, slug: str) -> str:
        """The page of a decision."""
        return f"{self.base}{reverse('decision', args=[space, slug])}"

    def entry(self, entry: UUID) -> str:
        """The page of a claim."""
        return f"{self.base}{reverse('entry', args=[entry])}"

    def answer(self, answer: UUID) -> str:
        """The page of a checked answer."""
        return f"{self.base}{reverse('answer', args=[answer])}"

    @property
    def host(self) -> str:
        """The host of all these, with its port."""
        return self.base.partition("://")[2]

    def receipt(self, source: str, receipt: UUID) -> str:
        """What to call to see how far a removal is."""
        return f"{self.base}{reverse('api:receipt', args=[source, receipt])}"
