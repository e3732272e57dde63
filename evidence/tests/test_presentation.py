"""Passages as they are shown."""

import time

import pytest

from evidence.models import Passage
from evidence.presentation import show

MANY = 50_000


@pytest.mark.parametrize("kind", ["cell", "strong"])
def test_a_passage_of_very_many_ranges_is_cut_in_a_moment(kind: str) -> None:
    text = "a " * MANY
    spans = [[kind, place, place + 1, ""] for place in range(0, 2 * MANY, 2)]
    row = Passage(kind="table_row", number=0, start=0, end=len(text), text=text, spans=spans)
    begun = time.process_time()
    shown = show(row, found=[(place, place + 1) for place in range(0, 2 * MANY, 2)])
    assert time.process_time() - begun < 10  # every range against every other took minutes
    assert "".join(piece.text for part in shown.parts for piece in part.pieces) == text
