"""The format of questions: what is read from a line, and what is told of a wrong one. Judged sets in other layouts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from evidence.errors import Refused
from evidence.evaluation import judged, questions
from evidence.evaluation.questions import Expected, Faulty, Question, State, parse
from evidence.index.questions import MAX_QUESTION
from evidence.tests.builders import write

A = '{"id": "a", "question": "Wie lang ist die Frist?", "person": "anna", "expect": ["frist"]}'


def lines(*tables: object) -> list[bytes]:
    return [(one if isinstance(one, str) else json.dumps(one)).encode() + b"\n" for one in tables]


def table(**fields: object) -> dict[str, object]:
    return {**json.loads(A), **fields}


def told(*tables: object) -> list[str]:
    """What is wrong."""
    with pytest.raises(Faulty) as caught:
        parse(lines(*tables))
    return [str(fault) for fault in caught.value.faults]


def test_a_document_is_expected_by_its_id_alone() -> None:
    assert parse(lines(A)) == [Question(1, "a", "Wie lang ist die Frist?", "anna", State.ANSWERABLE, (Expected("frist"),))]


def test_a_passage_is_expected_by_document_and_quote_with_source_and_grade() -> None:
    one = {"document": "frist", "source": "handbuch", "quote": "zwei Wochen", "grade": 2}
    (found,) = parse(lines(table(expect=[one, "andere"], date="2026-01-31")))
    assert found.expect == (Expected("frist", "handbuch", "zwei Wochen", 2), Expected("andere"))
    assert found.date == date(2026, 1, 31) and found.depends_on_state


def test_who_asks_can_be_told_for_all_at_once() -> None:
    nobody = {"id": "a", "question": "Wo?", "state": "unanswerable"}
    assert parse(lines(nobody, table(id="b")), person="ben")[0].person == "ben"
    assert parse(lines(table(id="b")), person="ben")[0].person == "anna"
    assert told(nobody) == ["line 1: who asks? Give it a person, or all questions one with --person"]


def test_empty_lines_and_a_mark_at_the_beginning_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "fragen.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + A.encode() + b"\r\n\r\n")
    found = questions.read(file)
    assert (found.name, [one.line for one in found.questions]) == ("fragen", [1])


def test_all_that_is_wrong_is_told_at_once_with_its_line() -> None:
    wrong = told(A, "{", "", table(id="b", state="perhaps"), table(id="c", question=""))
    assert [one.partition(":")[0] for one in wrong] == ["line 2", "line 4", "line 5"]


@pytest.mark.parametrize(
    ("one", "message"),
    [
        ("[1]", "it is not a JSON object"),
        ("\udcff", "it is not UTF-8"),
        ("[" * 30_000, "it is not JSON; each line is one object"),
        (table(id="zwei Wörter"), "id is 1 to 64 of the characters"),
        (table(id=7), "id is 1 to 64 of the characters"),
        (table(group="nicht gut"), "group is 1 to 64 of the characters"),
        (table(question=7), "question is a text"),
        (table(question="x" * (MAX_QUESTION + 1)), "question has 501 characters"),
        (table(question="\ud800"), "question holds half a character"),
        (table(antwort="x"), "'antwort' is not known"),
        (table(state="near"), "state is one of answerable, unanswerable, conflict, forbidden"),
        (table(expect="frist"), "expect is a list"),
        (table(expect=[]), "expect is missing"),
        (table(expect=[7]), "what is expected is the id of a document"),
        (table(expect=[{"quote": "x"}]), "document is missing"),
        (table(expect=[{"document": "a", "grade": True}]), "grade is a whole number from 1 to 10"),
        (table(expect=[{"document": "a", "grade": 0}]), "grade is a whole number from 1 to 10"),
        (table(expect=[{"document": "a", "text": "x"}]), "'text' is not known"),
        (table(expect=["a", "a"]), "expect names the same thing twice"),
        (table(expect=[str(number) for number in range(101)]), "expect names more than 100"),
        (table(state="unanswerable"), "an unanswerable question expects nothing"),
        (table(state="forbidden", expect=[]), "expect is missing"),
        (table(state="forbidden", expect=[{"document": "a", "quote": "x"}]), "what is forbidden is a document as a whole"),
        (table(state="forbidden", date="2026-01-31"), "they don't go with forbidden"),
        (table(date="2026-02-31"), "date is a day, as in 2026-01-31"),
        (table(date="20260131"), "date is a day, as in 2026-01-31"),
        (table(date="2026-01-31", revision="1"), "give revision or date, not both"),
    ],
)
def test_a_wrong_line_says_what_is_wrong(one: object, message: str) -> None:
    raw = one.encode("utf-8", "surrogateescape") if isinstance(one, str) else json.dumps(one).encode()
    with pytest.raises(Faulty) as caught:
        parse([raw])
    (fault,) = caught.value.faults
    assert fault.line == 1 and message in fault.message


def test_an_id_stands_once() -> None:
    assert told(A, table(), table(id="b")) == ["line 2: id 'a' stands in line 1 already"]


def test_a_line_that_is_too_long_is_refused() -> None:
    assert told(A + " " * questions.MAX_LINE) == ["line 1: it is longer than 65,536 bytes"]


def test_more_questions_than_a_file_may_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MAX_QUESTIONS", 2)
    assert told(A, table(id="b"), table(id="c")) == ["line 3: there are more than 2 questions; split the file"]


def test_a_file_without_a_question_is_refused() -> None:
    assert told("") == ["there is no question in it"]


def test_the_first_faults_are_told_and_the_rest_is_counted() -> None:
    with pytest.raises(Faulty) as caught:
        parse(lines(*(["{"] * 25)))
    assert str(caught.value).splitlines()[-2:] == ["line 20: it is not JSON; each line is one object", "... and 5 more"]


# Judged sets


def judged_set(folder: Path) -> Path:
    """A corpus of three documents with two questions, and one that it does not answer."""
    corpus = [{"id": f"GG Art {n}", "title": f"Titel {n}", "text": f"Absatz {n}\n\n- eins"} for n in (1, 2, 3)]
    asked = [
        {"id": "q1", "text": "Was?", "lang": "de", "answer_quote": "Absatz 1", "answer_doc": "GG Art 1"},
        {"id": "q2", "text": "Wer?", "answer": "eins", "answer_start": 12},
    ]
    judged_ = [
        {"query_id": "q1", "doc_id": "GG Art 1", "relevance": 2},
        {"query_id": "q1", "doc_id": "GG Art 2", "relevance": 1},
        {"query_id": "q2", "doc_id": "GG Art 3", "relevance": 1},
        {"query_id": "q2", "doc_id": "GG Art 2", "relevance": 0},
    ]
    none = [{"id": "u1", "text": "Wann?"}]
    files: dict[str, Sequence[object]] = {"corpus": corpus, "queries": asked, "qrels": judged_, "unanswerable": none}
    return write(folder / "kleine", {f"{name}.jsonl": b"".join(lines(*rows)) for name, rows in files.items()})


def test_a_corpus_with_judgements_becomes_questions(tmp_path: Path) -> None:
    found = judged.questions(judged_set(tmp_path))
    assert [one.group for one in found.questions] == ["de", "", ""]
    assert [(one.id, one.state, one.expect, one.person) for one in found.questions] == [
        ("q1", "answerable", (Expected("GG Art 1", quote="Absatz 1", grade=2), Expected("GG Art 2")), "evaluation-kleine"),
        ("q2", "answerable", (Expected("GG Art 3"),), "evaluation-kleine"),
        ("u1", "unanswerable", (), "evaluation-kleine"),
    ]


def test_a_corpus_becomes_documents_with_their_titles(tmp_path: Path) -> None:
    items = judged.listing(judged_set(tmp_path)).items
    assert [(item.external_id, item.metadata.title) for item in items][0] == ("GG Art 1", "Titel 1")
    assert items[0].read() == b"# Titel 1\n\nAbsatz 1\n\n- eins\n"


def test_for_somebody_who_reads_half_the_other_half_is_forbidden(tmp_path: Path) -> None:
    folder = judged_set(tmp_path)
    readable = {item.external_id for item in judged.listing(folder).items if "group:half" in (item.rights.allowed or ())}
    found = judged.questions(folder, divided=True)
    assert 0 < len(readable) < 3 and found.name == "kleine-half"
    for one in found.questions:
        named = {document.document for document in one.expect}
        assert one.state == "unanswerable" or (named <= readable) == (one.state == "answerable")
        assert one.state != "forbidden" or not named & readable


def test_a_line_of_a_judged_set_that_is_none_is_told(tmp_path: Path) -> None:
    folder = judged_set(tmp_path)
    (folder / "qrels.jsonl").write_text('{"query": 1}\n')
    with pytest.raises(Refused, match="a line is not what it should be"):
        judged.questions(folder)


def states_set(folder: Path) -> Path:
    """A law of two states, and a question that they answer differently, and one that only the older one answers."""
    old, new = "revisions/StAG/2021-08-24_232f6479.md", "current/StAG.md"
    first = {
        "id": "rev-1",
        "text": "Wie lange?",
        "states": [
            {"file": old, "answerable": True, "quote": "acht Jahre"},
            {"file": new, "answerable": True, "quote": "fünf Jahre"},
        ],
    }
    second = {
        "id": "rev-2",
        "text": "Wie kurz?",
        "states": [{"file": old, "answerable": False}, {"file": new, "answerable": False}],
    }
    asked = b"".join(lines(first, second))
    files: dict[str, str | bytes] = {old: "# § 10\n\nacht Jahre", new: "# § 10\n\nfünf Jahre"}
    return write(folder, {**files, "revision_questions/public.jsonl": asked}) / "revision_questions"


def test_questions_about_states_ask_for_each_state_that_answers(tmp_path: Path) -> None:
    found = judged.questions(states_set(tmp_path))
    assert [(one.id, one.state, one.date) for one in found.questions] == [
        ("rev-1@2021-08-24", "answerable", date(2021, 8, 24)),
        ("rev-1@current", "answerable", None),
        ("rev-2@current", "unanswerable", None),
    ]


def test_states_of_a_law_are_listed_as_one_document_the_current_one_last(tmp_path: Path) -> None:
    items = judged.listing(states_set(tmp_path)).items
    assert [(item.external_id, item.label) for item in items] == [("StAG", "2021-08-24"), ("StAG", "2026-08-19")]


def test_other_folders_are_no_judged_sets(tmp_path: Path) -> None:
    assert not judged.is_judged(tmp_path) and judged.is_judged(judged_set(tmp_path))
