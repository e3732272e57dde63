"""Reading: the whole text in one kept state, and the place that is marked."""

import hashlib
import json
from pathlib import Path
from uuid import uuid4

import pytest

from evidence import citations, viewer
from evidence.access import Access
from evidence.documents import neighbours
from evidence.errors import Refused, Unavailable
from evidence.presentation import Shown
from evidence.tests.builders import access, document, person, publish
from evidence.tests.papers import paper, trait
from evidence.viewer import Asked, Reading

pytestmark = pytest.mark.django_db

TEXT = """# Ventile

Das **Ventil** 🔧 täglich prüfen.

- eins
- zwei

| Typ | Grenze |
|---|---|
| A | 10 bar |
|  | 12 bar |
"""


@pytest.fixture
def eva() -> Access:
    return access(person("eva", ["alle"]))


def read(mine: Access, name: str = "a", **options: object) -> Reading:
    row = document(name)
    if "passage" in options:
        options = {"representation": row.current.public_id, **options}  # type: ignore[union-attr]
    return viewer.read(mine, row.public_id, **options)  # type: ignore[arg-type]


def shown(reading: Reading) -> list[Shown]:
    return [passage for block in reading.blocks for passage in block.passages]


def test_all_passages_together_are_the_text_with_its_hash(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    reading = read(access(person("eva", ["alle"])))
    text = "".join(piece.text for one in shown(reading) for part in one.parts for piece in part.pieces)
    assert text == "".join(one.text for one in shown(reading))
    assert hashlib.sha256(text.encode()).hexdigest() == reading.origin.state.text_sha256
    assert len(text) == reading.origin.length


def test_the_marked_passage_is_marked_exactly(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    reading = read(access(person("eva", ["alle"])), passage=1, asked=Asked("täglich"))
    assert reading.marked is not None
    cited = "".join(p.text for one in shown(reading) for part in one.parts if part.cited for p in part.pieces)
    found = [p.text for one in shown(reading) for part in one.parts for p in part.pieces if p.tag == "mark"]
    assert cited == reading.marked.exact == "Das Ventil 🔧 täglich prüfen."
    assert found == ["täglich"]


def test_cells_keep_their_places_even_when_empty(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    (table,) = [block for block in read(access(person("eva", ["alle"]))).blocks if block.kind == "table"]
    assert table.columns == 2
    assert [sum(part.cell for part in row.parts) for row in table.passages] == [2, 2, 2]
    assert [row.header for row in table.passages] == [True, False, False]


def test_what_the_browser_checks_holds_in_the_text(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": TEXT})
    marked = read(access(person("eva", ["alle"])), passage=1).marked
    assert marked is not None
    check = json.loads(json.dumps(marked.to_check()))
    assert set(check) == {"passage", "start", "end", "exact", "prefix", "suffix", "text_sha256"}
    assert marked.anchor is not None and marked.anchor.start == check["start"]


def test_words_that_stand_twice_are_marked_and_not_citable(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "\n\n".join(["weggefallen"] * 40)})
    marked = read(access(person("eva", ["alle"])), passage=20).marked
    assert marked is not None and marked.anchor is None


@pytest.mark.parametrize("number", [-1, 99, 1])
def test_a_passage_that_does_not_exist_or_is_empty_is_refused(tmp_path: Path, number: int) -> None:
    publish(tmp_path, {"a.txt": "Eins.\n\n\n\nDrei."})
    with pytest.raises(Refused, match="no passage number"):
        read(access(person("eva", ["alle"])), passage=number)


def test_a_passage_number_without_its_state_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Eins."})
    with pytest.raises(Refused, match="only together"):
        viewer.read(access(person("eva", ["alle"])), document("a").public_id, passage=0)


def test_an_older_state_says_that_it_is_not_current(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Alt."})
    old = document("a").current
    publish(tmp_path, {"a.txt": "Neu."})
    assert old is not None
    reading = read(access(person("eva", ["alle"])), representation=old.public_id)
    assert (reading.is_current, shown(reading)[0].text) == (False, "Alt.")
    assert reading.current == document("a").current.public_id  # type: ignore[union-attr]


def test_unknown_forbidden_withdrawn_and_foreign_are_one_answer(tmp_path: Path) -> None:
    publish(tmp_path / "x", {"a.txt": "Text.", "b.txt": "Text."}, source="x")
    mine, stranger = access(person("eva", ["alle"])), access(person("max", ["netz"]))
    known = document("a", source="x").public_id
    for who, which, state in ((mine, uuid4(), None), (stranger, known, None), (mine, known, uuid4())):
        with pytest.raises(Unavailable):
            viewer.read(who, which, representation=state)


def test_unknown_and_forbidden_cost_the_same_queries(tmp_path: Path, django_assert_num_queries: object) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    stranger = access(person("max", ["netz"]))
    for which in (uuid4(), document("a").public_id):
        with django_assert_num_queries(1), pytest.raises(Unavailable):  # type: ignore[operator]
            viewer.read(stranger, which)


def test_another_documents_state_is_not_shown(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text a.", "b.txt": "Text b."})
    other = document("b").current
    assert other is not None
    with pytest.raises(Unavailable):
        read(access(person("eva", ["alle"])), representation=other.public_id)


def test_neighbours_are_the_passages_around(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Eins.\n\nZwei.\n\n\n\nVier.\n\nFünf."})
    row = document("a")
    around = neighbours(access(person("eva", ["alle"])), row.public_id, row.current.public_id, 1)  # type: ignore[union-attr]
    assert [(one.number, one.text) for one in around] == [(0, "Eins."), (3, "Vier.")]


@pytest.mark.parametrize("number", [-1, 2, 2**63, 10**400])
def test_a_passage_that_is_none_has_no_neighbours(tmp_path: Path, number: int) -> None:
    publish(tmp_path, {"a.txt": "Eins.\n\nZwei."})
    row = document("a")
    with pytest.raises(Unavailable):
        neighbours(access(person("eva", ["alle"])), row.public_id, row.current.public_id, number)  # type: ignore[union-attr]


def test_reading_costs_the_same_queries_for_short_and_long_texts(tmp_path: Path, django_assert_num_queries: object) -> None:
    publish(tmp_path, {"a.txt": "Eins.", "b.txt": "\n\n".join(f"Absatz {number}." for number in range(300))})
    mine = access(person("eva", ["alle"]))
    for name in ("a", "b"):
        which = document(name).public_id
        with django_assert_num_queries(3):  # type: ignore[operator]
            viewer.read(mine, which)


def test_the_pages_of_the_mark_cost_one_query_more(tmp_path: Path, django_assert_num_queries: object) -> None:
    row = paper(tmp_path, ["Eins.\n\nZwei,", "und weiter.", "Drei."])
    mine = access(person("eva", ["alle"]))
    assert row.current is not None
    with django_assert_num_queries(5):  # type: ignore[operator]
        found = viewer.read(mine, row.public_id, representation=row.current.public_id, passage=1)
    assert found.panel is not None and [sheet.number for sheet in found.panel.sheets] == [1, 2, 3]
    assert all(sheet.rectangles for sheet in found.panel.sheets)


def test_pages_begin_where_they_do_and_change_no_text(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Eins.\n\nZwei,", "und weiter.", "\nDrei."], labels=["i", "ii", ""])
    reading = viewer.read(access(person("eva", ["alle"])), row.public_id)
    pieces = [piece for one in shown(reading) for part in one.parts for piece in part.pieces]
    text = "".join(piece.text for piece in pieces)
    length = [len("".join(one.text for one in pieces[:place])) for place in range(len(pieces))]
    begins = [(length[place], piece.name) for place, piece in enumerate(pieces) if piece.tag == "page"]
    assert begins == [(0, "i"), (text.index("und"), "ii"), (text.index("Drei") - 1, "3")]
    assert hashlib.sha256(text.encode()).hexdigest() == reading.origin.state.text_sha256


def test_a_cited_range_is_shown_on_its_pages(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Eins zwei", "drei vier."])
    mine, state = access(person("eva", ["alle"])), row.current
    assert state is not None
    made = citations.cite(mine, row.public_id, representation=state.public_id, start=5, end=14)
    anchor = citations.get(mine, made).anchor
    panel = viewer.read_cited(mine, row.public_id, anchor, representation=state.public_id).panel
    assert panel is not None and [(one.number, len(one.rectangles)) for one in panel.sheets] == [(1, 1), (2, 1)]


def test_unseen_words_and_letter_soup_are_told_of_the_marked_place(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Eins.\n\nZwei weiß.\n\nDrei wirr."])
    trait(row, "weiß", "unseen")
    trait(row, "wirr", "garbled")
    mine, state = access(person("eva", ["alle"])), row.current
    assert state is not None
    found = [viewer.read(mine, row.public_id, representation=state.public_id, passage=number).marked for number in range(3)]
    assert [(one.unseen, one.garbled, one.anchor is not None) for one in found if one] == [
        (False, False, True),
        (True, False, True),
        (False, True, False),
    ]


def test_a_page_is_turned_to_with_what_stands_of_the_range_on_it(tmp_path: Path) -> None:
    row = paper(tmp_path, ["Eins zwei", "drei vier.\n\nFünf.", "Sechs."])
    mine, state = access(person("eva", ["alle"])), row.current
    assert state is not None
    found = viewer.turn(mine, row.public_id, representation=state.public_id, page=2, start=5, end=14)
    assert (found.panel.sheets[0].number, len(found.panel.sheets[0].rectangles), found.passage) == (2, 1, 0)
    bare = viewer.turn(mine, row.public_id, representation=state.public_id, page=3)
    assert (bare.panel.sheets[0].rectangles, bare.panel.place, bare.passage) == ((), None, 1)


@pytest.mark.parametrize(("start", "end"), [(4, 4), (5, 2), (0, 10**6), (None, 3)])
def test_a_range_that_is_none_marks_nothing(tmp_path: Path, start: int | None, end: int) -> None:
    row = paper(tmp_path, ["Eins zwei"])
    assert row.current is not None
    mine = access(person("eva", ["alle"]))
    found = viewer.turn(mine, row.public_id, representation=row.current.public_id, page=1, start=start, end=end)
    assert found.panel.place is None


def test_who_may_not_read_turns_no_page(tmp_path: Path, django_assert_num_queries: object) -> None:
    row = paper(tmp_path, ["Eins."])
    stranger = access(person("max", ["netz"]))
    assert row.current is not None
    for document_id, page in ((row.public_id, 1), (row.public_id, 99), (uuid4(), 1)):
        with django_assert_num_queries(1), pytest.raises(Unavailable):  # type: ignore[operator]
            viewer.turn(stranger, document_id, representation=row.current.public_id, page=page)
