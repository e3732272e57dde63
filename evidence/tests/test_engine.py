"""What every engine does. A new engine is one more line in `ENGINES`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import apsw
import numpy as np
import pytest

from evidence.errors import IndexFault
from evidence.index import Engine, Entry, Result, Wider
from evidence.index.meaning import MOST_EXPRESSIONS, MOST_SYNONYMS
from evidence.index.postings import SEGMENT_SLOTS, joined, pack, unpack, without
from evidence.index.questions import Answerability, How, Off, Synonym
from evidence.index.sqlite import SqliteEngine
from evidence.index.storage import rows
from evidence.tests.entries import ask, entry, places, wide

ENGINES: dict[str, Callable[[Path], Engine]] = {"sqlite": lambda folder: SqliteEngine(folder / "index.sqlite3")}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    yield ENGINES[request.param](tmp_path)


def scores(result: Result) -> list[float]:
    return [hit.score for hit in result.hits]


def test_all_words_must_stand_in_one_passage(engine: Engine) -> None:
    engine.put([entry(1, "alpha beta", "alpha", "beta")])
    assert places(ask(engine, "beta alpha")) == [(1, 0)]


def test_hit_carries_the_numbers_that_were_given(engine: Engine) -> None:
    engine.put([entry(7, "", "alpha", access_class=3, representation=9)])
    (hit,) = ask(engine, "alpha", classes=[3]).hits
    assert (hit.document, hit.representation, hit.access_class, hit.passage) == (7, 9, 3, 1)
    assert hit.score > 0


@pytest.mark.parametrize("query", ["", "alp", "alph*", "Älpha", "gamma"])
def test_nothing_but_whole_equal_words_is_found(engine: Engine, query: str) -> None:
    engine.put([entry(1, "alpha")])
    assert ask(engine, query).total == 0


def test_umlauts_are_not_folded(engine: Engine) -> None:
    engine.put([entry(1, "Prüfung"), entry(2, "Straße")])
    assert ask(engine, "Prufung").hits == ask(engine, "Strasse").hits == ()
    assert places(ask(engine, "PRÜFUNG")) == [(1, 0)]


def test_phrase_needs_its_words_next_to_each_other(engine: Engine) -> None:
    engine.put([entry(1, "alpha beta", "beta alpha", "alpha x beta", "alpha beta")])
    assert sorted(places(ask(engine, '"alpha beta"'))) == [(1, 0), (1, 3)]


def test_phrase_does_not_reach_into_the_next_passage(engine: Engine) -> None:
    engine.put([entry(1, "x alpha", "beta y")])
    assert ask(engine, '"alpha beta"').total == 0


def test_ties_come_by_public_id_then_by_passage(engine: Engine) -> None:
    entries = [entry(number, "alpha", "alpha") for number in range(20)]
    engine.put(entries)
    order = [item.document for item in sorted(entries, key=lambda item: item.public_id)]
    assert places(ask(engine, "alpha")) == [(document, number) for document in order for number in (0, 1)]


def test_pages_of_hits_follow_one_another(engine: Engine) -> None:
    engine.put([entry(number, "alpha", "alpha beta") for number in range(20)])
    whole = ask(engine, "alpha")
    parts = [ask(engine, "alpha", limit=7, offset=offset) for offset in range(0, 42, 7)]
    assert [hit for part in parts for hit in part.hits] == list(whole.hits)
    assert {part.total for part in parts} == {40}


def test_no_class_finds_nothing(engine: Engine) -> None:
    engine.put([entry(1, "alpha")])
    assert ask(engine, "alpha", classes=[]) == Result()


def test_class_without_documents_finds_nothing(engine: Engine) -> None:
    engine.put([entry(1, "alpha")])
    assert ask(engine, "alpha", classes=[2]) == Result(frequencies=(0,))


def test_unreadable_documents_change_nothing(engine: Engine) -> None:
    engine.put([entry(1, "alpha beta", "alpha"), entry(3, "gamma " * 5)])
    before = ask(engine, "alpha")
    engine.put([entry(2, "alpha " * 5000, *["alpha"] * 50, access_class=2), entry(4, "", access_class=3)])
    assert ask(engine, "alpha") == before


def test_excluded_document_is_as_if_it_were_not_there(engine: Engine) -> None:
    engine.put([entry(1, "alpha beta", "alpha"), entry(3, "gamma " * 5)])
    before = ask(engine, "alpha beta")
    engine.put([entry(2, "alpha beta", "beta", kind="note")])
    assert ask(engine, "alpha beta", excluded=[2, 99]) == before


def test_frequencies_count_readable_passages_in_the_order_of_the_query(engine: Engine) -> None:
    engine.put([entry(1, "alpha beta", "alpha", ""), entry(2, "beta gamma", access_class=2)])
    assert ask(engine, 'gamma beta alpha "alpha beta" alpha').frequencies == (0, 1, 2, 1, 2)


def test_each_attribute_is_counted_with_the_filters_of_the_others(engine: Engine) -> None:
    engine.put([entry(1, "alpha", "alpha", kind="law", language="de"), entry(2, "alpha", kind="note", language="en")])
    found = ask(engine, "alpha", filters={"kind": ["law"]})
    assert found.total == 2
    assert found.counts["kind"] == {"law": 2, "note": 1}
    assert found.counts["language"] == {"de": 2}


def test_several_filters_narrow_together(engine: Engine) -> None:
    engine.put([entry(1, "alpha", kind="law", language="de"), entry(2, "alpha", kind="law", language="en")])
    found = ask(engine, "alpha", filters={"kind": ["law", "note"], "language": ["en"]})
    assert places(found) == [(2, 0)]
    assert found.counts["language"] == {"de": 1, "en": 1}
    assert found.counts["kind"] == {"law": 1}


def test_filters_change_no_score(engine: Engine) -> None:
    engine.put([entry(1, "alpha", kind="law"), entry(2, "alpha beta", kind="note"), entry(3, "x")])
    assert scores(ask(engine, "alpha", filters={"kind": ["note"]})) == scores(ask(engine, "alpha"))[1:]


def test_unknown_filter_value_finds_nothing(engine: Engine) -> None:
    engine.put([entry(1, "alpha", kind="law")])
    found = ask(engine, "alpha", filters={"kind": ["poem"]})
    assert (found.total, found.counts["kind"], found.counts["language"]) == (0, {"law": 1}, {})


def test_replaced_document_has_only_its_new_words(engine: Engine) -> None:
    engine.put([entry(1, "alpha", "beta"), entry(2, "beta")])
    engine.put([entry(1, "gamma beta")])
    assert ask(engine, "alpha").frequencies == (0,)
    assert places(ask(engine, "gamma")) == [(1, 0)]
    assert ask(engine, "beta").total == 2


def test_putting_twice_changes_no_answer(engine: Engine) -> None:
    entries = [entry(1, "alpha", "beta"), entry(2, "alpha beta")]
    engine.put(entries)
    before = ask(engine, "alpha")
    engine.put(entries)
    engine.put(reversed([*entries, *entries]))
    assert ask(engine, "alpha") == before


def test_removed_document_is_found_no_more(engine: Engine) -> None:
    engine.put([entry(1, "alpha"), entry(2, "alpha beta")])
    engine.remove([1, 99])
    engine.remove([1])
    assert places(ask(engine, "alpha")) == [(2, 0)]


def test_moved_document_has_its_new_class_and_attributes(engine: Engine) -> None:
    engine.put([entry(1, "alpha", kind="law")])
    engine.reclass({1: (2, {"kind": "note"}), 99: (2, {})})
    assert ask(engine, "alpha", classes=[1]).total == 0
    assert ask(engine, "alpha", classes=[2]).counts["kind"] == {"note": 1}


def test_documents_are_listed_as_they_are(engine: Engine) -> None:
    engine.put([entry(9, "alpha", "", kind="law"), entry(4, access_class=2)])
    listed = [(d.document, d.representation, d.access_class, d.passages, d.attributes) for d in engine.documents()]
    assert listed == [(4, 4, 2, 0, {}), (9, 9, 1, 2, {"kind": "law"})]


def test_document_without_words_counts_as_passages(engine: Engine) -> None:
    engine.put([entry(1), entry(2, "", "…"), entry(3, "alpha")])
    with_empty = scores(ask(engine, "alpha"))
    engine.remove([2])
    assert scores(ask(engine, "alpha")) != with_empty


def test_index_of_empty_passages_finds_nothing(engine: Engine) -> None:
    engine.put([entry(1, "", "")])
    assert ask(engine, "alpha") == Result(frequencies=(0,))


def test_word_too_long_to_ask_for_still_has_length_and_position(engine: Engine) -> None:
    engine.put([entry(1, f"alpha {'x' * 41} beta", "alpha x beta", "gamma")])
    first, second = scores(ask(engine, "alpha beta"))
    assert first == second
    assert ask(engine, '"alpha beta"').total == 0


def test_word_that_stands_very_often_or_very_late_is_found(engine: Engine) -> None:
    engine.put([entry(1, "alpha " * 300 + "beta " * 70_000 + "alpha gamma", "alpha")])
    engine.put([entry(2, "alpha " * 400, "beta")])
    assert ask(engine, "alpha").total == 3
    assert places(ask(engine, '"alpha gamma"')) == places(ask(engine, '"beta alpha"')) == [(1, 0)]
    assert ask(engine, '"alpha beta alpha"').total == 0


def test_documents_reach_over_segments(engine: Engine) -> None:
    engine.put([entry(1, *["alpha"] * (SEGMENT_SLOTS - 2))])
    engine.put([entry(2, *["beta"] * 5, "alpha"), entry(3, *["beta alpha"] * (SEGMENT_SLOTS + 5))])
    assert ask(engine, "beta").total == SEGMENT_SLOTS + 10
    engine.remove([3])
    assert (ask(engine, "beta").total, ask(engine, "alpha").total) == (5, SEGMENT_SLOTS - 1)


# the wider mode (test_wider_oracle.py compares it with its formula)


def scored(found: Wider) -> dict[tuple[int, int], float]:
    return {(hit.document, hit.passage): hit.score for hit in found.hits}


def alternatives(found: Wider) -> list[tuple[str, How, int, bool]]:
    return [(" ".join(one.words), one.how, one.passages, one.off) for term in found.terms for one in term.alternatives]


def test_any_of_the_words_is_enough(engine: Engine) -> None:
    engine.put([entry(1, "frist", "klage", "anderes")])
    assert sorted(places(wide(engine, "klage frist"))) == [(1, 0), (1, 1)]


def test_more_of_the_words_come_first(engine: Engine) -> None:
    engine.put([entry(1, "frist"), entry(2, "klage"), entry(3, "klage frist"), entry(4, "anderes")])
    assert places(wide(engine, "klage frist"))[0] == (3, 0)


def test_other_forms_are_found_and_told(engine: Engine) -> None:
    engine.put([entry(1, "Klagen"), entry(2, "klage", "klagen")])
    found = wide(engine, "Klage")
    assert found.total == 3
    assert alternatives(found) == [("klage", How.EXACT, 1, False), ("klagen", How.FORM, 2, False)]


def test_what_is_switched_off_is_told_and_counts_for_nothing(engine: Engine) -> None:
    engine.put([entry(1, "klagen"), entry(2, "klage")])
    for off in (Off("klage", How.FORM), Off("klage", How.FORM, "klagen")):
        found = wide(engine, "klage", without=[off])
        assert places(found) == [(2, 0)]
        assert alternatives(found) == [("klage", How.EXACT, 1, False), ("klagen", How.FORM, 1, True)]
    assert wide(engine, "klage", without=[Off("klage", How.FORM, "andere"), Off("andere", How.FORM)]).total == 2


def test_words_above_a_section_raise_its_passages_and_find_none(engine: Engine) -> None:
    engine.put(
        [entry(1, "frist", "frist", "anderes", titles=["", "klage"], sections=[0, 1, 1]), entry(2, "sonst", titles=["klage"])]
    )
    found = scored(wide(engine, "klage frist"))
    assert found.keys() == {(1, 0), (1, 1)}
    assert found[1, 1] > found[1, 0]


def test_document_without_sections_is_one_without_a_title(engine: Engine) -> None:
    engine.put([entry(1, "frist", "klage")])
    engine.put([entry(2, "frist", "klage", titles=[""], sections=[0, 0])])
    found = scored(wide(engine, "frist klage"))
    assert (found[1, 0], found[1, 1]) == (found[2, 0], found[2, 1])


@pytest.mark.parametrize(("titles", "sections"), [([""], [0]), ([""], [0, 1]), ([], [0, 1])])
def test_sections_that_do_not_fit_are_refused(engine: Engine, titles: list[str], sections: list[int]) -> None:
    with pytest.raises(ValueError, match="section"):
        engine.put([entry(1, "frist", "klage", titles=titles, sections=sections)])


def test_unreadable_words_are_no_alternatives(engine: Engine) -> None:
    engine.put([entry(1, "klage"), entry(3, "frist")])
    before = wide(engine, "klage")
    engine.put([entry(2, *["klagen"] * 200, access_class=2, titles=["klage"])])
    assert wide(engine, "klage") == before


def test_the_most_frequent_readable_alternatives_are_taken(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evidence.index.looking.MOST", 2)
    engine.put([entry(1, "klage", *["klagen"] * 3, *["klager"] * 2, "klages")])
    engine.put([entry(2, *["klages"] * 300, *["klags"] * 99, access_class=2)])
    assert [word for word, *_ in alternatives(wide(engine, "klage"))] == ["klage", "klagen", "klager"]
    assert [word for word, *_ in alternatives(wide(engine, "klage", classes=[1, 2]))] == ["klage", "klages", "klags"]


def test_a_word_that_hidden_passages_make_frequent_does_not_keep_another_one_out(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evidence.index.looking.MOST", 1)
    engine.put([entry(1, *["klages"] * 3, *["klagen"] * 8), entry(2, *["klages"] * 30, access_class=2)])
    assert [word for word, *_ in alternatives(wide(engine, "klage"))] == ["klage", "klagen"]


def test_of_what_a_mistyped_word_may_have_meant_the_most_frequent_readable_words_are_taken(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evidence.index.looking.MOST", 2)
    engine.put([entry(1, "qorbax", "qorbay", *["qorbaz"] * 2), entry(2, *["qorbay"] * 5, "qorbaw", access_class=2)])
    assert [word for word, *_ in alternatives(wide(engine, "qorbai"))] == ["qorbai", "qorbaz", "qorbax"]


def test_a_synonym_is_found_by_forms_with_another_first_letter(engine: Engine) -> None:
    engine.put([entry(1, "Mediziner")])
    assert wide(engine, "Ärzte", synonyms=[Synonym((("arzt",), ("mediziner",)))]).total == 1


def test_the_first_synonyms_of_a_word_count(engine: Engine) -> None:
    engine.put([entry(1, *(f"wort{number} dort" for number in range(MOST_SYNONYMS + 1)))])
    words = [(f"wort{number}",) for number in range(MOST_SYNONYMS + 1)]
    assert wide(engine, "klage", synonyms=[Synonym((("klage",), word)) for word in words]).total == MOST_SYNONYMS - 1
    expressions = [Synonym((("klage",), (*word, "dort"))) for word in words]
    assert wide(engine, "klage", synonyms=expressions).total == MOST_EXPRESSIONS


def test_question_without_a_word_or_a_class_finds_nothing(engine: Engine) -> None:
    engine.put([entry(1, "klage")])
    assert wide(engine, "!").total == wide(engine, "klage", classes=[]).total == 0
    assert wide(engine, "klage", classes=[2]).answerability is Answerability.NOTHING


def test_reclassed_document_is_found_widely_where_it_is_now(engine: Engine) -> None:
    engine.put([entry(1, "klagen", titles=["frist"])])
    engine.reclass({1: (2, {})})
    assert (wide(engine, "klage").total, wide(engine, "klage", classes=[2]).total) == (0, 1)


# the file of the embedded engine


def in_files(folder: Path, word: str) -> bool:
    return any(word.encode() in file.read_bytes() for file in folder.iterdir())


def test_removed_words_are_in_no_file(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    texts = [(f"secret{number:03} shared words", f"secret{number:03}titled") for number in range(300)]
    engine.put([entry(number, text, "more words", titles=[title]) for number, (text, title) in enumerate(texts)])
    assert all(in_files(tmp_path, f"secret{number:03}") for number in range(300))
    engine.remove(range(0, 300, 2))
    engine.compact()
    assert [number for number in range(300) if in_files(tmp_path, f"secret{number:03}")] == list(range(1, 300, 2))


def test_pages_that_were_split_keep_no_removed_word_once_compacted(tmp_path: Path) -> None:
    dice = Random(3)
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    texts = [" ".join(f"w{number:03}x{dice.randbytes(4).hex()}" for _ in range(100)) for number in range(200)]
    for number in dice.sample(range(200), 200):
        engine.put([entry(number, texts[number], titles=[texts[number][:100]])])
    for number in range(0, 200, 2):
        engine.remove([number])
    left = [number for number in range(0, 200, 2) if in_files(tmp_path, f"w{number:03}x")]
    engine.compact()
    assert left  # where this SQLite leaves nothing, `compact` may not be needed any more
    assert [number for number in range(200) if in_files(tmp_path, f"w{number:03}x")] == list(range(1, 200, 2))


def test_rows_of_removed_and_replaced_documents_are_in_no_file(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, *["alpha beta gamma"] * 100), entry(2, "alpha")])
    connection = apsw.Connection(str(tmp_path / "index.sqlite3"))
    stored = rows(connection, "SELECT slots FROM posting WHERE word = 'beta'")
    stored += rows(connection, "SELECT words FROM document WHERE id = 1")
    connection.close()
    engine.put([entry(1, "gamma")])
    files = [file.read_bytes() for file in tmp_path.iterdir()]
    assert not any(blob in file for (blob,) in stored for file in files)
    assert not any(b"beta" in file for file in files)


def test_removal_leaves_no_row_for_a_word_that_is_gone(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "alpha beta"), entry(2, "beta")])
    engine.remove([1])
    connection = apsw.Connection(str(tmp_path / "index.sqlite3"))
    for table in ("posting", "word", "form"):
        assert rows(connection, f"SELECT DISTINCT word FROM {table}") == [("beta",)]


def test_word_above_a_section_goes_with_its_last_place(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "alpha", titles=["gamma"]), entry(2, "gamma", titles=["beta"])])
    engine.remove([1])
    assert engine.known({"alpha", "beta", "gamma"}) == {"beta", "gamma"}
    engine.remove([2])
    connection = apsw.Connection(str(tmp_path / "index.sqlite3"))
    assert [rows(connection, f"SELECT * FROM {table}") for table in ("title", "outline", "word", "form")] == [[]] * 4
    assert rows(connection, "SELECT name, value FROM meta WHERE name IN ('documents', 'outlines', 'forms') AND value <> 0") == []


@pytest.mark.parametrize("content", [b"no database at all, but long enough for a header" * 50, None])
def test_file_of_another_format_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "index.sqlite3"
    if content is None:
        apsw.Connection(str(path)).execute("CREATE TABLE other (x)")
    else:
        path.write_bytes(content)
    with pytest.raises(IndexFault) as caught:
        ask(SqliteEngine(path), "alpha")
    assert caught.value.code == "index_format"


def test_index_of_another_tokeniser_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite3"
    SqliteEngine(path).put([entry(1, "alpha")])
    apsw.Connection(str(path)).execute("UPDATE meta SET value = 'postings 0' WHERE name = 'format'")
    with pytest.raises(IndexFault, match="rebuilt"):
        ask(SqliteEngine(path), "alpha")


def test_index_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    with pytest.raises(IndexFault) as caught:
        ask(SqliteEngine(tmp_path), "alpha")
    assert caught.value.code == "index_unreachable"


def test_failed_change_changes_nothing(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "alpha")])

    class Broken(Exception):
        pass

    def passages() -> Iterator[Entry]:
        yield entry(1, "beta")
        raise Broken

    with pytest.raises(Broken):
        engine.put(passages())
    assert ask(engine, "alpha").total == 1


def test_busy_index_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evidence.index.storage.BUSY_MILLISECONDS", 1)
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "alpha")])
    other = apsw.Connection(str(tmp_path / "index.sqlite3"))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(IndexFault) as caught:
        engine.remove([1])
    assert caught.value.code == "index_busy"


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    engines = [SqliteEngine(tmp_path / "index.sqlite3") for _ in range(2)]

    def write(number: int) -> None:
        for document in range(number * 100, number * 100 + 20):
            engines[number].put([entry(document, "alpha", f"only{document}")])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ask(engines[0], "alpha").total == 40
    assert ask(engines[0], "only119").total == 1
    assert wide(engines[1], "alpha only19").total == 41
    engines[0].check()


def test_those_that_make_the_file_at_once_wait_for_one_another(tmp_path: Path) -> None:
    for number in range(20):
        engines = [SqliteEngine(tmp_path / f"{number}.sqlite3") for _ in range(3)]
        with ThreadPoolExecutor(3) as pool:
            made = pool.map(lambda engine: engine.representations([]), engines)
            assert list(made) == [{}] * 3


def test_other_engine_sees_changes_at_once(tmp_path: Path) -> None:
    writer, reader = (SqliteEngine(tmp_path / "index.sqlite3") for _ in range(2))
    for document in range(1, 4):
        writer.put([entry(document, "alpha")])
        assert ask(reader, "alpha").total == document
        assert wide(reader, "alpha").total == document


def test_searches_go_on_in_threads_while_documents_come(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(0, "alpha")])
    totals: list[list[int]] = [[] for _ in range(4)]

    def search(seen: list[int]) -> None:
        seen.extend(ask(engine, "alpha").total for _ in range(50))

    threads = [threading.Thread(target=search, args=(seen,)) for seen in totals]
    for thread in threads:
        thread.start()
    for document in range(1, 20):
        engine.put([entry(document, "alpha")])
    for thread in threads:
        thread.join()
    assert all(len(seen) == 50 and seen == sorted(seen) for seen in totals)


def test_forked_process_has_a_connection_of_its_own(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "alpha")])
    child = os.fork()
    if child == 0:
        os._exit(wide(engine, "alpha").total)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    engine.put([entry(2, "alpha")])
    assert ask(engine, "alpha").total == 2


# posting rows


@pytest.mark.parametrize("count", [1, 2, 300])
@pytest.mark.parametrize("position", [5, 70_000])
def test_row_keeps_what_was_packed(count: int, position: int) -> None:
    slots, counts = np.array([3, 9]), np.array([1, count])
    positions = np.arange(1 + count) + position
    unpacked = unpack(pack(slots, counts, positions))
    assert [part.tolist() for part in unpacked] == [slots.tolist(), counts.tolist(), positions.tolist()]


def test_rows_of_different_widths_are_joined_and_cut() -> None:
    narrow = pack(np.array([1]), np.array([1]), np.array([7]))
    wide = pack(np.array([2, 5]), np.array([300, 1]), np.arange(301) + 70_000)
    both = joined(narrow, wide)
    gone = np.zeros(SEGMENT_SLOTS, np.bool_)
    gone[[2, 5]] = True
    assert without(both, gone) == narrow
    assert without(both, ~gone) == wide
    assert without(both, ~np.zeros(SEGMENT_SLOTS, np.bool_)) is None
    assert without(narrow, gone) is narrow


def test_known_words_are_those_with_a_place(engine: Engine) -> None:
    engine.put([entry(1, "alpha beta")])
    assert engine.known(["alpha", "alph", "gamma"]) == {"alpha"}
    assert engine.containing("lph") == {"alpha"}
    engine.remove([1])
    assert (engine.known(["alpha"]), engine.containing("lph")) == (set(), set())


def test_places_that_belong_to_no_document_are_counted(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "alpha beta", "alpha"), entry(2, "alpha")])
    assert engine.strays(["alpha", "beta", "gamma"]) == 0
    with apsw.Connection(str(tmp_path / "index.sqlite3")) as connection:
        for table, key in (("document", "id"), ("outline", "document")):
            lost = f"FROM {table} WHERE {key} = 1"
            connection.execute(f"UPDATE meta SET value = value - (SELECT sum {lost}) WHERE name = '{table}s'; DELETE {lost}")
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'epoch'")
    assert engine.strays(["alpha", "beta", "gamma"]) == 3
