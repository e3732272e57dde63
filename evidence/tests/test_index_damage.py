"""A damaged index gives no answer instead of a wrong one, and is built anew."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from evidence import projection, removal, worker
from evidence.errors import IndexFault
from evidence.index.query import parse
from evidence.index.sqlite import SqliteEngine
from evidence.search import search
from evidence.tests.builders import access, document, person, publish
from evidence.tests.entries import entry, wide

FLIPPED = "UPDATE {table} SET {column} = CAST(substr({column}, 1, length({column}) - 1) || x'7f' AS BLOB)"
DAMAGES = {
    "slots": FLIPPED.format(table="posting", column="slots"),
    "a longer list of slots": "UPDATE posting SET slots = CAST(slots || x'0900' AS BLOB)",
    "counts": "UPDATE posting SET counts = x'0202' WHERE word = 'alpha'",
    "positions": FLIPPED.format(table="posting", column="positions"),
    "a posting of another word": "DELETE FROM posting WHERE word = 'beta'; UPDATE posting SET word = 'beta' WHERE word = 'gamma'",
    "class": "UPDATE document SET class = 8 WHERE id = 2",
    "attributes": "UPDATE document SET attributes = replace(attributes, 'H', 'K') WHERE id = 1",
    "lengths": FLIPPED.format(table="document", column="lengths"),
    "public id": FLIPPED.format(table="document", column="public"),
    "a document that is lost": "DELETE FROM document WHERE id = 2",
    "next slot": "UPDATE meta SET value = 1 WHERE name = 'next_slot'",
    "a number that is none": "UPDATE meta SET value = 'x' WHERE name = 'next_slot'",
    "a table that is lost": "DROP TABLE document",
}

WIDER_DAMAGES = {
    "slots": DAMAGES["slots"],
    "counts": DAMAGES["counts"],
    "class": DAMAGES["class"],
    "a document that is lost": DAMAGES["a document that is lost"],
    "places of words above sections": FLIPPED.format(table="title", column="slots"),
    "sections of passages": FLIPPED.format(table="outline", column="sections"),
    "number of sections": "UPDATE outline SET number = 3 WHERE document = 2",
    "first section": "UPDATE outline SET first_section = first_section + 1 WHERE document = 2",
    "next section": "UPDATE meta SET value = 1 WHERE name = 'next_section'",
    "an outline that is lost": "DELETE FROM outline WHERE document = 2",
    "an outline of another document": "DELETE FROM outline WHERE document = 2; UPDATE outline SET document = 2",
    "a word that is looked up": "UPDATE form SET word = 'gamma' WHERE word = 'alphas'",
    "a size": "UPDATE form SET size = 9 WHERE word = 'alphas'",
    "a table that is lost": "DROP TABLE form",
}
MORE_LOST = {
    "a posting": "DELETE FROM posting WHERE word = 'beta'",
    "words above sections": "DELETE FROM title WHERE word = 'delta'",
    "what is looked up": "DELETE FROM form WHERE word = 'alphas'",
    "a word": "DELETE FROM word WHERE word = 'alphas'",
    "a word that has no place": "INSERT INTO word VALUES ('omega', 0, '')",
}


def found(engine: SqliteEngine) -> int:
    asked = parse('"alpha beta"')
    return engine.search(asked, classes={7}, excluded=(), filters={}, limit=10, offset=0).total


@pytest.fixture
def path(tmp_path: Path) -> Path:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    two = entry(2, "alpha beta", "alphas", access_class=7, titles=["delta", "delta epsilon"], sections=[0, 1])
    engine.put([entry(1, "alpha beta", "alpha gamma", access_class=7, kind="Handbuch"), two])
    assert found(engine) == 2
    assert wide(engine, "alpha delta", classes=[7]).total == 4
    return tmp_path / "index.sqlite3"


def damage(path: Path, statement: str) -> None:
    with apsw.Connection(str(path)) as connection:
        connection.execute(statement)
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'")


@pytest.mark.parametrize("statement", DAMAGES.values(), ids=DAMAGES)
def test_nobody_is_answered_from_damage(path: Path, statement: str) -> None:
    damage(path, statement)
    told: list[str] = []
    engine = SqliteEngine(path, damaged=lambda: told.append("damaged"))
    with pytest.raises(IndexFault) as fault:
        found(engine)
    assert (fault.value.code, told) == ("index_format", ["damaged"])


@pytest.mark.parametrize("statement", WIDER_DAMAGES.values(), ids=WIDER_DAMAGES)
def test_nobody_is_answered_widely_from_damage(path: Path, statement: str) -> None:
    damage(path, statement)
    with pytest.raises(IndexFault) as fault:
        wide(SqliteEngine(path), "alpha delta", classes=[7])
    assert fault.value.code == "index_format"


def test_damaged_positions_tell_nothing_of_a_question_that_is_turned_round(path: Path) -> None:
    damage(path, DAMAGES["positions"])
    assert wide(SqliteEngine(path), "alpha beta", classes=[7]).total
    with pytest.raises(IndexFault):
        wide(SqliteEngine(path), "not alpha beta", classes=[7])


@pytest.mark.parametrize("statement", [*DAMAGES.values(), *WIDER_DAMAGES.values(), *MORE_LOST.values()])
def test_a_look_at_everything_finds_damage(path: Path, statement: str) -> None:
    SqliteEngine(path).check()
    damage(path, statement)
    with pytest.raises(IndexFault):
        SqliteEngine(path).check()


@pytest.mark.parametrize("content", [b"", b"not an index\n" * 1_000], ids=["emptied", "something else"])
def test_a_file_that_is_no_index_is_not_made_one(path: Path, content: bytes) -> None:
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    path.write_bytes(content)
    with pytest.raises(IndexFault):
        found(SqliteEngine(path, may_create=False))


@pytest.mark.django_db
def test_a_damaged_index_is_closed_for_everybody_until_the_worker_has_built_it_anew(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Die Pumpe läuft."})
    anna = person("anna", ["alle"])
    damage(Path(projection._current()), DAMAGES["slots"])
    with pytest.raises(IndexFault) as first:
        search(access(anna), "Pumpe")
    projection._engines.clear()  # as another process, which has met no damage itself
    with pytest.raises(IndexFault) as second:
        search(access(anna), "läuft")
    worker.run_due()
    assert (first.value.code, second.value.code) == ("index_format", "index_damaged")
    assert search(access(anna), "Pumpe").total == 1


@pytest.mark.django_db
def test_damage_that_no_question_meets_is_found_by_the_regular_look(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Die Pumpe läuft."})
    anna = person("anna", ["alle"])
    damage(Path(projection._current()), "DELETE FROM posting WHERE word = 'pumpe'")
    projection.check()
    assert search(access(anna), "Pumpe").total == 1


@pytest.mark.django_db
def test_an_index_that_takes_no_changes_still_answers_and_leaves_out_what_changed(tmp_path: Path, data_folder: Path) -> None:
    publish(tmp_path, {"a.txt": "Die Pumpe läuft.", "b.txt": "Die Pumpe steht."})
    anna = person("anna", ["alle"])
    lock = data_folder / "index" / "lock"
    lock.unlink()
    lock.mkdir()  # nobody can open it, root neither
    removal.withdraw(document("b"))
    assert (search(access(anna), "Pumpe").total, search(access(anna), "steht").total) == (1, 0)
    with pytest.raises(IndexFault) as fault:
        projection.settle()
    assert fault.value.code == "index_unwritable"
