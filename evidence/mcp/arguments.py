"""What tools take: one shape each, which is the schema that assistants see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, StrictInt, StrictStr

from evidence import search
from evidence.index.query import MAX_LENGTH, MAX_WORDS
from evidence.knowledge import entries
from evidence.programs.shapes import Shape

MOST_PASSAGES = 100
"""Passages that are read at once."""
FEW_PASSAGES = 20

Document = Annotated[StrictStr, Field(description="Id of a document, as find_passages gives it.")]
State = Annotated[
    StrictStr | None, Field(description="Id of one text of the document (representation). The current one if left out.")
]
Values = Annotated[list[StrictStr], Field(max_length=50)]


class Search(Shape):
    """Of the tool search."""

    query: StrictStr = Field(
        description=f"Words or a question, in the language of the documents; at most {MAX_LENGTH} characters."
    )


class Fetch(Shape):
    """Of the tool fetch."""

    id: StrictStr = Field(description="An id that search gave, or the id of a document.")


class FindPassages(Shape):
    """Of the tool find_passages."""

    query: StrictStr = Field(
        description=f'At most {MAX_LENGTH} characters and {MAX_WORDS} different words. "Quoted words" stand next to each other.'
    )
    mode: search.Mode = Field(
        search.Mode.EXACT,
        description="exact: passages that hold every word as it is written. wider: any of the words, in other forms too.",
    )
    without: Values = Field([], description="Of the wider mode: expansions to switch off, as `interpretation` gives them.")
    source: Values = Field([], description="Only from these sources.")
    kind: Values = Field([], description="Only of these kinds.")
    language: Values = Field([], description="Only in these languages.")
    status: Values = Field(
        [], description="Only with these editorial states: draft, valid, expired. valid_from and valid_until don't count here."
    )
    limit: StrictInt = Field(search.DEFAULT_LIMIT, description=f"1 to {search.MAX_LIMIT}.")
    offset: StrictInt = Field(0, description="Hits to skip.")


class Read(Shape):
    """Of the tool read."""

    document: Document
    representation: State = None
    first: StrictInt = Field(0, ge=0, le=2**31 - 1, description="Number of the first passage.")
    count: StrictInt = Field(FEW_PASSAGES, ge=1, le=MOST_PASSAGES, description=f"Passages, 1 to {MOST_PASSAGES}.")
    whole: bool = Field(False, description="The whole text instead; refused for one that is too long.")


class Named(Shape):
    """Of tools that are asked about a document."""

    document: Document


class Cite(Shape):
    """Of the tool cite: either representation, start and end, or exact."""

    document: Document
    representation: StrictStr | None = Field(
        None, description="The text that start and end count in; it must be the current one."
    )
    start: StrictInt | None = Field(None, description="First code point of the words.")
    end: StrictInt | None = Field(None, description="The code point after them.")
    exact: StrictStr | None = Field(None, description="Or: the words, exactly as they stand there once.")
    prefix: StrictStr | None = Field(None, description="What stands before them, if they stand there more than once.")
    suffix: StrictStr | None = Field(None, description="What stands after them.")


class Resolve(Shape):
    """Of the tool resolve: one of both."""

    citation: StrictStr | None = Field(None, description="Id of a citation.")
    anchor: Mapping[str, Any] | None = Field(None, description="A whole anchor, as cite or the REST API gave it.")


Space = Annotated[StrictStr | None, Field(description="Only in the space of knowledge with this short name.")]
OneOf = Annotated[StrictStr | None, Field(description="Id of one: the whole of it, and nothing else is asked.")]
Query = Annotated[StrictStr, Field(description="Words that stand there next to each other, in any case. All if left out.")]
Few = Annotated[StrictInt, Field(description=f"1 to {entries.PAGE}.")]
FEW_ENTRIES = 10


class Concepts(Shape):
    """Of the tools concepts and decisions."""

    id: OneOf = None
    space: Space = None
    query: Query = ""
    limit: Few = FEW_ENTRIES
    offset: StrictInt = Field(0, description="Entries to skip.")


class Claims(Concepts):
    """Of the tool claims."""

    concept: StrictStr | None = Field(None, description="Only about the concept with this short name.")
