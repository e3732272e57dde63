"""The tools for knowledge: what people have agreed on, each entry by one line, and the whole of one when it is asked for.

Reading only. What is disputed is told with every side, in the line already.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final
from uuid import UUID

from pydantic import Field

from evidence.access import Access
from evidence.knowledge import entries
from evidence.mcp import arguments
from evidence.mcp.results import Marked
from evidence.programs import knowledge
from evidence.programs.knowledge import Asked
from evidence.programs.links import Links, id_of
from evidence.programs.shapes import Shape

LINE: Final = 300
"""Characters of an entry in a list."""


class ConceptLine(Shape):
    """A concept by its title."""

    id: UUID
    state: str
    space: str
    slug: str
    title: str

    @classmethod
    def of(cls, whole: knowledge.Concept) -> ConceptLine:
        """From the whole of it."""
        return cls(**{name: getattr(whole, name) for name in cls.model_fields})


class SideLine(Shape):
    """A claim by its words, as they begin. `standing`: whether a citation of it holds now."""

    id: UUID
    state: str
    space: str
    concept: str
    text: str
    valid_from: date | None
    valid_until: date | None
    standing: bool

    @classmethod
    def of(cls, whole: knowledge.Side) -> SideLine:
        """From the whole of it."""
        same = {name: getattr(whole, name) for name in SideLine.model_fields}
        return cls(**{**same, "text": _line(whole.text)})


class ClaimLine(SideLine):
    """The same, with what contradicts it."""

    disputed_by: Sequence[SideLine] = Field((), description="The other sides. Give all of them, and pick none.")

    @classmethod
    def with_sides(cls, whole: knowledge.Claim) -> ClaimLine:
        """From the whole of it."""
        own = SideLine.of(whole)
        return cls(**dict(own), disputed_by=[SideLine.of(one) for one in whole.disputed_by])


class DecisionLine(Shape):
    """A decision by its title."""

    id: UUID
    state: str
    space: str
    slug: str
    title: str
    status: str
    decided_on: date | None
    valid_from: date | None
    valid_until: date | None

    @classmethod
    def of(cls, whole: knowledge.Decision) -> DecisionLine:
        """From the whole of it."""
        return cls(**{name: getattr(whole, name) for name in cls.model_fields})


class Concepts(Marked):
    """What concepts gives: lines; or `concept`, and lines of the claims about it."""

    total: int
    concepts: Sequence[ConceptLine] = ()
    concept: knowledge.Concept | None = None
    claims: Sequence[ClaimLine] = ()


class Claims(Marked):
    """What claims gives: lines; or `claim`, with its citations and every side of a dispute."""

    total: int
    claims: Sequence[ClaimLine] = ()
    claim: knowledge.Claim | None = None


class Decisions(Marked):
    """What decisions gives: lines; or `decision`."""

    total: int
    decisions: Sequence[DecisionLine] = ()
    decision: knowledge.WholeDecision | None = None


def concepts(access: Access, links: Links, asked: arguments.Concepts) -> Concepts:
    """As GET concepts and GET concepts/{id}."""
    if asked.id is None:
        found = knowledge.concepts(access, links, _asked(asked))
        return Concepts(total=found.total, concepts=[ConceptLine.of(one) for one in found.concepts])
    whole = knowledge.concept(access, links, id_of(asked.id))
    about = knowledge.claims(access, links, Asked(whole.space, "", entries.PAGE, 0), concept=whole.slug)
    return Concepts(total=1, concept=whole, claims=[ClaimLine.with_sides(one) for one in about.claims])


def claims(access: Access, links: Links, asked: arguments.Claims) -> Claims:
    """As GET claims and GET claims/{id}."""
    if asked.id is not None:
        return Claims(total=1, claim=knowledge.claim(access, links, id_of(asked.id)))
    found = knowledge.claims(access, links, _asked(asked), concept=asked.concept)
    return Claims(total=found.total, claims=[ClaimLine.with_sides(one) for one in found.claims])


def decisions(access: Access, links: Links, asked: arguments.Concepts) -> Decisions:
    """As GET decisions and GET decisions/{id}."""
    if asked.id is not None:
        return Decisions(total=1, decision=knowledge.decision(access, links, id_of(asked.id)))
    found = knowledge.decisions(access, links, _asked(asked))
    return Decisions(total=found.total, decisions=[DecisionLine.of(one) for one in found.decisions])


def _asked(asked: arguments.Concepts) -> Asked:
    return Asked(asked.space, asked.query, asked.limit, asked.offset)


def _line(text: str) -> str:
    """How it begins, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LINE else f"{line[:LINE]}…"
