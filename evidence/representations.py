"""Representations: what a parser made of a revision, as rows. Immutable: another parser, profile or text is another one."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final
from uuid import uuid5

from django.db.models import QuerySet

from evidence.anchoring import Parser
from evidence.content import Content
from evidence.models import Document, Page, Passage, Representation, Revision, id_list
from evidence.profile import PROFILE

MAX_TITLE: Final = 500
MAX_PAGE_LABEL: Final = 50


def kept(revision: Revision, parser: Parser) -> Representation | None:
    """What this parser under this profile made of the revision before."""
    return revision.representations.filter(
        parser_name=parser.name, parser_version=parser.version, parser_configuration=parser.configuration, profile=PROFILE
    ).first()


def of(revisions: Collection[int]) -> QuerySet[Representation]:
    """What any parser under this profile made of these revisions before."""
    return Representation.objects.filter(revision__in=id_list(revisions, using="default"), profile=PROFILE)


def write(document: Document, revision: Revision, parser: Parser, content: Content) -> Representation:
    """Write a text, its passages and its pages."""
    text_sha256 = hashlib.sha256(content.text.encode()).hexdigest()
    parts = (revision.label, revision.source_sha256, parser.name, parser.version, parser.configuration, PROFILE, text_sha256)
    representation = Representation.objects.create(
        revision=revision,
        public_id=uuid5(document.public_id, "\0".join(parts)),
        parser_name=parser.name,
        parser_version=parser.version,
        parser_configuration=parser.configuration,
        profile=PROFILE,
        text_sha256=text_sha256,
        title=content.title[:MAX_TITLE],
        length=len(content.text),
        passage_count=len(content.passages),
        notes=list(content.notes),
    )
    rows = passages(representation, content)
    while some := list(islice(rows, 2_000)):  # all the rows of a long document at once would take a kilobyte each
        Passage.objects.bulk_create(some)
    Page.objects.bulk_create(_pages(representation, content), batch_size=500)
    return representation


def _pages(representation: Representation, content: Content) -> Iterable[Page]:
    for number, page in enumerate(content.pages, start=1):
        yield Page(
            representation=representation,
            number=number,
            label=page.label[:MAX_PAGE_LABEL],
            start=page.start,
            end=page.end,
            width=page.width,
            height=page.height,
            boxes=page.boxes,
        )


def passages(representation: Representation, content: Content, *, first: int = 0, count: int | None = None) -> Iterator[Passage]:
    """The rows of a text's passages from number `first` on, at most `count` of them."""
    found = enumerate(zip(content.pieces(), content.spans_by_passage(), strict=True))
    for number, ((passage, text), spans) in islice(found, first, None if count is None else first + count):
        yield Passage(
            representation=representation,
            number=number,
            kind=passage.kind,
            level=passage.level,
            start=passage.start,
            end=passage.end,
            text=text,
            headings=passage.headings,
            columns=passage.columns,
            spans=[[span.kind, span.start, span.end, span.value] for span in spans],
        )
