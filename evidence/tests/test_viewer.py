"""Reading: the whole text in one kept state, and the place that is marked."""

import hashlib
import json
from pathlib import Path
from uuid import uuid4

import pytest

from evidence import viewer
from evidence.access import Access
from evidence.documents import neighbours
from evidence.errors import Refused, Unavailable
from evidence.presentation import Shown
from evidence.tests.builders import access, document, person, publish
from evidence.viewer import Reading

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
    reading = read(access(person("eva", ["alle"])), passage=1, question="täglich")
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
        with django_assert_num_queries(2):  # type: ignore[operator]
            viewer.read(mine, which)
