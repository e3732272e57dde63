"""Passages as they are shown."""

import time
from pathlib import Path

import pytest

from evidence.models import Passage
from evidence.presentation import PageStart, blocks, card, current, page_name_at, show, touched
from evidence.tests.builders import document, publish

MANY = 50_000


@pytest.mark.parametrize(
    ("owner", "contact", "whom"),
    [
        ("Wissensstelle", "Wissensstelle, Tel. 4400", ""),
        ("Wissen", "Wissensstelle, Tel. 4400", "Wissen"),
        ("Vertrieb (Nord)", "Vertrieb (Nord) im Haus 2", ""),
        ("", "Archiv, Tel. 1", "Handbuch"),
        ("Vertrieb", "", "Vertrieb"),
    ],
)
def test_whom_to_ask_is_named_once(tmp_path: Path, db: None, owner: str, contact: str, whom: str) -> None:
    publish(tmp_path, {"a.txt": "Frist."})
    row = document("a")
    row.owner, row.source.title, row.source.contact = owner, "Handbuch", contact
    assert card(row, current(row)).whom == whom


@pytest.mark.parametrize("kind", ["cell", "strong"])
def test_a_passage_of_very_many_ranges_is_cut_in_a_moment(kind: str) -> None:
    text = "a " * MANY
    spans = [[kind, place, place + 1, ""] for place in range(0, 2 * MANY, 2)]
    row = Passage(kind="table_row", number=0, start=0, end=len(text), text=text, spans=spans)
    begun = time.process_time()
    shown = show(row, found=[(place, place + 1, "") for place in range(0, 2 * MANY, 2)])
    assert time.process_time() - begun < 10  # every range against every other took minutes
    assert "".join(piece.text for part in shown.parts for piece in part.pieces) == text


def pieces(spans: list[list[object]], **options: object) -> list[tuple[str, str, str]]:
    row = Passage(kind="paragraph", number=0, start=10, end=26, text="ein weisses Wort\n\n", spans=spans)
    shown = show(row, whole=True, **options)  # type: ignore[arg-type]
    return [(piece.text, piece.tag, piece.trait) for part in shown.parts for piece in part.pieces]


def test_traits_lie_beside_every_other_look() -> None:
    spans = [["strong", 10, 21, ""], ["unseen", 14, 21, ""]]
    assert pieces(spans, found=[(4, 11, "")]) == [
        ("ein ", "strong", ""),
        ("weisses", "mark", "unseen"),
        (" Wort\n\n", "", ""),
    ]


@pytest.mark.parametrize("kinds", [("unseen", "garbled"), ("garbled", "unseen"), ("running", "unseen")])
def test_what_nobody_sees_is_told_first(kinds: tuple[str, str]) -> None:
    spans: list[list[object]] = [[kind, 14, 21, ""] for kind in kinds]
    assert [trait for text, _, trait in pieces(spans) if text == "weisses"] == ["unseen"]


@pytest.mark.parametrize(("kind", "tag"), [("hyphenation", "hyphen"), ("reference", "sup")])
def test_hyphens_of_line_ends_and_numbers_of_notes_have_a_look_of_their_own(kind: str, tag: str) -> None:
    assert pieces([[kind, 14, 15, ""]]) == [("ein ", "", ""), ("w", tag, ""), ("eisses Wort\n\n", "", "")]


def test_what_stands_between_two_cells_has_no_trait() -> None:
    spans = [["unseen", 0, 5, ""], ["cell", 0, 2, ""], ["cell", 3, 5, ""]]
    row = Passage(kind="table_row", number=0, start=0, end=5, text="ab\tcd\n", spans=spans)
    traits = [[piece.trait for piece in part.pieces] for part in show(row).parts]
    assert traits == [["unseen"], [""], ["unseen"]]


def test_a_page_begins_between_two_pieces() -> None:
    starts = [PageStart(3, "iii", 14), PageStart(4, "iv", 27)]
    assert [text or tag for text, tag, _ in pieces([], pages=starts)] == ["ein ", "page", "weisses Wort\n", "page", "\n"]


def test_a_page_begins_within_a_mark_and_within_a_cell() -> None:
    row = Passage(kind="table_row", number=0, start=0, end=5, text="ab\tcd\n", spans=[["cell", 0, 2, ""], ["cell", 3, 5, ""]])
    shown = show(row, whole=True, cited=(0, 5), pages=[PageStart(2, "2", 1), PageStart(3, "3", 3)])
    cells = [[piece.tag or piece.text for piece in part.pieces] for part in shown.parts if part.cell]
    assert cells == [["a", "page", "b"], ["page", "cd"]]


@pytest.mark.parametrize(("position", "name"), [(0, None), (5, "i"), (9, "i"), (10, "2"), (99, "2")])
def test_every_place_has_the_page_that_began_last(position: int, name: str | None) -> None:
    assert page_name_at([PageStart(1, "i", 5), PageStart(2, "2", 10)], position) == name


@pytest.mark.parametrize(("start", "end", "kinds"), [(0, 4, set()), (0, 5, {"unseen"}), (5, 6, {"unseen"}), (6, 9, set())])
def test_a_range_touches_what_shares_a_code_point_with_it(start: int, end: int, kinds: set[str]) -> None:
    assert touched([[["unseen", 4, 6, ""]]], start, end) == kinds


@pytest.mark.parametrize(
    ("columns", "heads"),
    [([None, 0], [True, False]), ([None, None], [False, False]), ([None, None, 1], [True, True, False]), ([None], [True])],
)
def test_rows_of_a_table_without_a_head_are_no_heads(columns: list[int | None], heads: list[bool]) -> None:
    rows = [Passage(kind="table_row", number=at, start=0, end=1, text="a", columns=one) for at, one in enumerate(columns)]
    assert [row.header for block in blocks([show(row) for row in rows]) for row in block.passages] == heads
