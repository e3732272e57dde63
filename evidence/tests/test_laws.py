"""Quotes from laws of which two states are at hand: cited in the older one, checked and migrated in the newer one.

The quotes name what became of them (`fate`). All pairs of states are imported at once, each as a document of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from evidence import citations, succession
from evidence.access import Access
from evidence.anchoring import State, occurrences
from evidence.citations import Historical, Resolution
from evidence.errors import Ambiguous
from evidence.models import Document, Role
from evidence.presentation import text_of
from evidence.succession import Outcome, Proposal
from evidence.tests.builders import access, document, person, publish

LAWS = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "laws"
QUOTES = LAWS / "anchors" / "public.jsonl"

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not QUOTES.exists(), reason="the shared laws are not here"),
]

OUTCOMES = {
    "kept_same_offset": Outcome.PROPOSED,
    "kept_shifted": Outcome.PROPOSED,
    "kept_moved_section": Outcome.PROPOSED,
    "ambiguous": Outcome.AMBIGUOUS,
    "edited": Outcome.GONE,
    "removed": Outcome.GONE,
    "section_gone": Outcome.GONE,
    "whitespace_only": Outcome.GONE,
}
REFUSED = 5
"""Quotes that can't be cited: whole passages that the older state holds twice, word for word, with 64 equal characters around."""


@dataclass(frozen=True)
class Made:
    """A quote that was cited in the older state, and where it stands there."""

    fate: str
    quote: str
    id: UUID
    revision: str
    state: UUID
    start: int


@dataclass(frozen=True)
class Followed:
    """What a citation is worth in the newer state, and what succeeded it there."""

    made: Made
    new_text: str
    found: Resolution
    proposal: Proposal
    successor: Resolution | None


@dataclass(frozen=True)
class Outcomes:
    """What became of all quotes. refused: fate of each that can't be cited, and how often it stands in the older text."""

    followed: Sequence[Followed]
    refused: Sequence[tuple[str, int]]


@pytest.fixture(scope="module")
def outcomes(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Import, cite, import, check, migrate: once for all tests; the database is as before afterwards."""
    with django_db_blocker.unblock(), transaction.atomic():
        found = _follow(tmp_path_factory.mktemp("laws"))
        transaction.set_rollback(True)
    return found


def _follow(folder: Path) -> Outcomes:
    quotes = [json.loads(line) for line in QUOTES.read_text().splitlines()]
    publish(folder, {_file(one): _state(one["old_file"]) for one in quotes})
    editor = access(person("eva", ["alle"], role=Role.EDITOR))
    refused: list[tuple[str, int]] = []
    made = list(_cited(editor, quotes, refused))
    publish(folder, {_file(one): _state(one["new_file"]) for one in quotes})
    return Outcomes(list(_migrated(editor, made)), refused)


def _file(quote: Mapping[str, Any]) -> str:
    """The document of a pair of states: one for each pair, so that all old states are imported at once, then all new ones."""
    return f"{quote['law']}-{Path(quote['old_file']).stem}-{Path(quote['new_file']).stem}.md"


@cache
def _state(file: str) -> str:
    return (LAWS / file).read_text()


def _cited(editor: Access, quotes: Sequence[Mapping[str, Any]], refused: list[tuple[str, int]]) -> Iterator[Made]:
    text = cache(text_of)
    for quote in quotes:
        row = document(Path(_file(quote)).stem)
        assert row.current is not None
        start = _place(text(row.current.pk), quote)
        end = start + len(quote["quote"])
        try:
            id = citations.cite(editor, row.public_id, representation=row.current.public_id, start=start, end=end)
        except Ambiguous:
            refused.append((quote["fate"], len(occurrences(text(row.current.pk), quote["quote"], cap=9))))
        else:
            yield Made(quote["fate"], quote["quote"], id, row.current.revision.label, row.current.public_id, start)


def _place(text: str, quote: Mapping[str, Any]) -> int:
    """Where the quote stands in our text: the place of the same number as that of the file."""
    file = occurrences(_state(quote["old_file"]), quote["quote"], cap=99)
    ours = occurrences(text, quote["quote"], cap=99)
    assert len(ours) == len(file), "the words stand in our text as often as in the file"
    return ours[file.index(quote["old_offset"])]


def _migrated(editor: Access, made: Sequence[Made]) -> Iterator[Followed]:
    text = cache(text_of)
    found = {one.id: citations.get(editor, one.id) for one in made}
    proposals = {one.id: one for one in succession.propose(editor)}
    succession.approve(editor, [one.id for one in proposals.values() if one.outcome is Outcome.PROPOSED])
    for one in made:
        after = citations.get(editor, one.id)
        assert (after.anchor, after.resolution) == (found[one.id].anchor, found[one.id].resolution), "the old record stays"
        successor = citations.get(editor, after.superseded_by).resolution if after.superseded_by else None
        new_text = text(Document.objects.get(public_id=UUID(after.anchor.state.document)).current_id or 0)
        yield Followed(one, new_text, after.resolution, proposals[one.id], successor)


def test_every_quote_can_be_cited_but_those_that_no_context_tells_apart(outcomes: Outcomes) -> None:
    assert len(outcomes.followed) + len(outcomes.refused) == len(QUOTES.read_text().splitlines())
    assert len(outcomes.refused) <= REFUSED
    assert all(fate == "ambiguous" and places > 1 for fate, places in outcomes.refused)


def test_after_the_next_import_nothing_is_resolved_and_nothing_is_marked(outcomes: Outcomes) -> None:
    found = [(one.found.state, one.found.start, one.found.end, one.found.quote) for one in outcomes.followed]
    assert set(found) == {(State.SOURCE_CHANGED, None, None, None)}


def test_the_older_state_still_proves_every_one(outcomes: Outcomes) -> None:
    for one in outcomes.followed:
        made, kept = one.made, one.found.historical
        end = made.start + len(made.quote)
        assert kept == Historical(made.revision, made.state, made.start, end, made.quote)


def test_what_is_proposed_follows_from_the_fate(outcomes: Outcomes) -> None:
    """Without an exception: words that were edited, removed or set otherwise stand nowhere in the newer texts."""
    found = {(one.made.fate, one.proposal.outcome) for one in outcomes.followed}
    assert found == set(OUTCOMES.items())


def test_the_words_are_counted_in_the_newer_text(outcomes: Outcomes) -> None:
    for one in outcomes.followed:
        places = occurrences(one.new_text, one.made.quote, cap=2)
        assert one.proposal.outcome == (Outcome.GONE, Outcome.PROPOSED, Outcome.AMBIGUOUS)[len(places)]


def test_only_the_kept_ones_got_successors_and_these_resolve_where_the_words_stand(outcomes: Outcomes) -> None:
    for one in outcomes.followed:
        assert (one.successor is not None) == one.made.fate.startswith("kept")
        if one.successor is not None:
            start = one.new_text.index(one.made.quote)
            assert (one.successor.state, one.successor.start) == (State.RESOLVED, start)
            assert one.new_text[start : one.successor.end] == one.successor.quote == one.made.quote
