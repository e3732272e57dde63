"""What goes over the wire here alone: what is sent, and answers to systems that push. `programs.shapes` has the rest.

They are the OpenAPI document, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    Tag,
    WithJsonSchema,
)
from pydantic_core import CoreSchema

from evidence import models, paging, pushing
from evidence.programs.shapes import Anchor, Error, Range, Shape, Words

WholeNumber = Annotated[object, BeforeValidator(paging.typed), WithJsonSchema({"type": "integer", "minimum": 0})]
"""A number of the address. What was typed otherwise stays text, for the core to refuse."""


Exact = Annotated[
    datetime, PlainSerializer(datetime.isoformat, return_type=str), WithJsonSchema({"type": "string", "format": "date-time"})
]
"""A time to the microsecond: it is sent again, and compared. Others are told to the millisecond."""


class Faults(Error):
    """What is wrong, field by field. Nothing was changed."""

    fields: Mapping[str, str]


class Annotation(BaseModel):
    """An anchor as a W3C Web Annotation in JSON-LD; the module `evidence.annotation` writes and reads it."""

    model_config = ConfigDict(frozen=True, extra="allow")

    context: list[Any] = Field(alias="@context")
    id: str
    type: Literal["Annotation"]
    motivation: str
    created: datetime
    target: dict[str, Any]


class Anchors(Shape):
    """Anchors to check at once, or annotations. What is in the list may be anything: each has its own answer."""

    anchors: list[Any]


class Filters(BaseModel):
    """What hits can be narrowed to."""

    source: list[str] = []
    kind: list[str] = []
    language: list[str] = []
    status: list[str] = Field(
        [], description="The editorial one: draft, valid, expired. valid_from and valid_until don't count here."
    )


class Expansions(BaseModel):
    """What of the wider mode is switched off: `WRITTEN:HOW`, all of one kind, or `WRITTEN:HOW:WORD`."""

    without: list[str] = []


RANGE: Final = "range"
WORDS: Final = "words"
ONE: Final = "one"
SEVERAL: Final = "several"
FORMS: Final = frozenset({RANGE, WORDS, ONE, SEVERAL})
"""What the forms of a body are called in here; nobody sends these names."""


def _form(sent: Any) -> str:
    return WORDS if isinstance(sent, dict) and "exact" in sent else RANGE


ToCite = Annotated[Annotated[Range, Tag(RANGE)] | Annotated[Words, Tag(WORDS)], Discriminator(_form)]


class _DocumentedAsAnchor:
    """Tells in the OpenAPI document that an anchor or an annotation is expected, where all is taken and has its own state."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [handler(shape.__pydantic_core_schema__) for shape in (Anchor, Annotation)]}


def _number(sent: Any) -> str:
    return SEVERAL if isinstance(sent, dict) and "anchors" in sent else ONE


ToResolve = Annotated[
    Annotated[Anchors, Tag(SEVERAL)] | Annotated[dict[str, Any], _DocumentedAsAnchor(), Tag(ONE)],
    Discriminator(_number),
]


Principal = Annotated[str, Field(pattern=r"^(group|user):\S(.*\S)?$", max_length=156)]


class Rights(Shape):
    """Who may read: principals as `group:NAME` or `user:NAME`. An empty list of `allowed` lets nobody in."""

    allowed: list[Principal]
    denied: list[Principal] = []
    rights_as_of: datetime | None = Field(None, description="When the pushing system read them.")


class Metadata(Shape):
    """What is said of a document beside its content. Nothing is required."""

    title: str | None = Field(None, description="Else the title that the file gives itself, else its name.")
    version: str | None = Field(None, description="Else the date, else 1.")
    date: str | None = Field(None, description="Of this version: YYYY-MM-DD.")
    media_type: str | None = Field(None, description="Needed where the name of the file has no known ending.")
    encoding: str | None = Field(None, description="Of a text that is not in UTF-8.")
    password: str | None = Field(None, description="What opens the file.")
    owner: str | None = None
    language: str | None = None
    kind: str | None = None
    status: Literal["draft", "valid", "expired"] | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    sensitivity: str | None = None
    url: str | None = Field(None, description="Where the document is at its origin.")
    allowed: list[Principal] | None = Field(None, description="Without it, rights stay as they are.")
    denied: list[Principal] | None = None
    rights_as_of: datetime | None = Field(None, description="When the rights were read that this content belongs to.")


class Confirmation(Shape):
    """That all rights which changed before `as_of` have been sent."""

    as_of: datetime
    documents: list[str] | None = Field(None, description="The ids of all documents that there are.")
    allow_removals: bool = Field(False, description="The list is right, however much it leaves out.")
    restated: bool = Field(False, description="Everything was sent again since a backup was restored here.")


class Pushed(Shape):
    """A document that was sent, as it is here now. `state`: new, changed (content), updated (anything else) or unchanged.

    `readable`: whether anybody is let in; if not, `problem` says why.
    """

    id: UUID
    external_id: str
    state: str
    version: str
    sha256: str
    readable: bool
    problem: str | None
    rights_as_of: Exact | None
    notes: Sequence[str]

    @classmethod
    def of(cls, taken: pushing.Taken) -> Pushed:
        """From what was taken in."""
        row = taken.document
        assert row.current is not None  # without text there is no document
        return cls(
            id=row.public_id,
            external_id=row.external_id,
            state=taken.state,
            version=row.current.revision.label,
            sha256=row.current.revision.source_sha256,
            readable=not row.rights_problem,
            problem=row.rights_problem or None,
            rights_as_of=row.rights_as_of,
            notes=row.current.notes,
        )


class Held(Shape):
    """A document as it is held here."""

    id: UUID
    external_id: str
    version: str
    sha256: str
    readable: bool
    rights_as_of: Exact | None

    @classmethod
    def of(cls, row: models.Document) -> Held:
        """From the row of a document with its text."""
        assert row.current is not None
        return cls(
            id=row.public_id,
            external_id=row.external_id,
            version=row.current.revision.label,
            sha256=row.current.revision.source_sha256,
            readable=not row.rights_problem,
            rights_as_of=row.rights_as_of,
        )


class HeldPage(Shape):
    """A page of what is held. `next`: the `after` of the next page."""

    documents: Sequence[Held]
    next: str | None


class Removal(Shape):
    """A receipt: how far the removal of a document is. `counts`: what was removed. `traces`: what was found of it afterwards."""

    receipt: UUID
    document: UUID
    url: str
    requested_at: datetime
    invisible_at: datetime | None
    purged_at: datetime | None
    finished_at: datetime | None
    counts: Mapping[str, Any]
    traces: Mapping[str, Any]

    @classmethod
    def of(cls, row: models.Receipt, *, url: str) -> Removal:
        """From the receipt's row."""
        return cls(
            receipt=row.public_id,
            document=row.document,
            url=url,
            requested_at=row.requested_at,
            invisible_at=row.invisible_at,
            purged_at=row.purged_at,
            finished_at=row.finished_at,
            counts=row.counts,
            traces=row.traces,
        )


class Confirmed(Shape):
    """What a confirmation did. `unknown`: ids of the list that are not held here, the first of them."""

    as_of: Exact
    withdrawn: int
    unknown: Sequence[str]
    unknown_total: int


def json_body(shape: type[BaseModel], example: Mapping[str, Any]) -> dict[str, Any]:
    """How a body is documented that the core reads itself, to name everything that is wrong with it."""
    content = {"application/json": {"schema": shape.model_json_schema(), "example": dict(example)}}
    return {"requestBody": {"required": True, "content": content}}
