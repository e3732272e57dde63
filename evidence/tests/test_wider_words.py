"""The wider mode with people's own questions, over the embedded engine: what finds what, how, and what it is worth."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.content import searched
from evidence.index.questions import Answerability, How, Off, locate
from evidence.index.sqlite import SqliteEngine
from evidence.tests.entries import entry, places, wide

LAW = [
    entry(
        number,
        text,
        titles=[f"{law} § {number} {heading}"],
        sections=[0],
    )
    for number, law, heading, text in [
        (1, "Bürgerliches Gesetzbuch (BGB)", "Beginn", "Die Rechtsfähigkeit des Menschen beginnt mit der Geburt."),
        (2, "Bürgerliches Gesetzbuch (BGB)", "Eintritt", "Die Volljährigkeit tritt mit der Vollendung des 18. Lebensjahres ein."),
        (
            3,
            "Bürgerliches Gesetzbuch (BGB)",
            "Fristen",
            "Das Arbeitsverhältnis kann mit einer Frist von vier Wochen gekündigt werden.",
        ),
        (
            4,
            "Kündigungsschutzgesetz",
            "Klage",
            "Will ein Arbeitnehmer Klage gegen die Kündigung erheben, so muss er drei Wochen einhalten.",
        ),
        (5, "Kündigungsschutzgesetz", "Verfahren", "Die Kündigungsschutzklage ist beim Arbeitsgericht zu erheben."),
        (6, "Grundgesetz", "Freiheit", "Die Würde des Menschen ist unantastbar. Siehe auch § 2 BGB."),
        (7, "Straßenverkehrsordnung", "Strafen", "Das Bußgeld für Häuser auf der Straße beträgt 1.000 Euro."),
        (8, "Handbook", "Travel", "Travel expenses of the children were refunded by the university within fourteen days."),
    ]
]


@pytest.fixture(scope="module")
def law(tmp_path_factory: pytest.TempPathFactory) -> SqliteEngine:
    engine = SqliteEngine(tmp_path_factory.mktemp("law") / "index.sqlite3")
    engine.put(LAW)
    return engine


def _ways(law: SqliteEngine, question: str, document: int) -> set[tuple[str, How]]:
    """The words of a document that were found, and how."""
    terms = wide(law, question).terms
    text = LAW[document - 1].passages[0]
    return {(text[way.start : way.end], way.how) for way in locate(terms, searched(text, (), 0))}


@pytest.mark.parametrize(
    ("question", "document", "word", "how"),
    [
        ("Kündigungsschutzklage", 5, "Kündigungsschutzklage", How.EXACT),
        ("Kündigungsschutzklage", 4, "Klage", How.PART),
        ("Kündigungsschutzklage", 4, "Kündigung", How.PART),
        ("Klage", 5, "Kündigungsschutzklage", How.PART),
        ("Kündigung", 5, "Kündigungsschutzklage", How.PART),
        ("Kündigungen", 3, "gekündigt", How.FORM),
        ("kuendigung", 4, "Kündigung", How.SPELLING),
        ("Strasse", 7, "Straße", How.SPELLING),
        ("bussgelder", 7, "Bußgeld", How.FORM),
        ("Haus", 7, "Häuser", How.FORM),
        ("1000", 7, "1.000", How.FORM),
        ("unantastabr", 6, "unantastbar", How.SPELLING),
        ("child", 8, "children", How.FORM),
        ("refunding", 8, "refunded", How.FORM),
        ("14 days", 8, "fourteen", How.FORM),
    ],
)
def test_words_are_found_and_told_how(law: SqliteEngine, question: str, document: int, word: str, how: How) -> None:
    assert (document, 0) in places(wide(law, question))
    assert (word, how) in _ways(law, question, document)


@pytest.mark.parametrize(
    ("question", "document"),
    [("universe", 8), ("fördern", 3), ("Organ", 3), ("Lage", 5), ("Haut", 7), ("Bus", 7), ("Kundgebung", 4)],
)
def test_words_that_only_look_alike_are_not_found(law: SqliteEngine, question: str, document: int) -> None:
    assert (document, 0) not in places(wide(law, question))


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("§ 2 BGB", 2),
        ("BGB 2", 2),
        ("Paragraf 3 BGB", 3),
        ("§ 4 KSchG", 4),
        ("Art. 6 GG", 6),
        ("Artikel 6 Grundgesetz", 6),
        ("§ 7 Abs. 1 Satz 2 StVO", 7),
        ("Was steht in § 1 BGB?", 1),
    ],
)
def test_references_lead_to_their_section(law: SqliteEngine, question: str, document: int) -> None:
    found = wide(law, question)
    assert places(found)[0] == (document, 0)
    assert found.answerability is Answerability.ANSWERABLE


def test_what_cites_the_same_section_comes_after_it(law: SqliteEngine) -> None:
    assert places(wide(law, "§ 2 BGB")) == [(2, 0), (6, 0)]


@pytest.mark.parametrize("question", ["§ 999 BGB", "Was steht in Artikel 200 Grundgesetz?", "Welche Frist nennt § 3 DSGVO?"])
def test_sections_that_are_not_there_are_never_answers(law: SqliteEngine, question: str) -> None:
    assert wide(law, question).answerability is not Answerability.ANSWERABLE


@pytest.mark.parametrize(
    ("question", "state"),
    [
        ("Wann beginnt die Rechtsfähigkeit eines Menschen?", Answerability.ANSWERABLE),
        ("Mit welcher Frist kann ein Arbeitsverhältnis gekündigt werden?", Answerability.ANSWERABLE),
        ("Who refunded the travel expenses?", Answerability.ANSWERABLE),
        ("Welche Frist gilt für Gartenzäune in Niedersachsen?", Answerability.NEAR),
        ("Wie installiere ich PostgreSQL unter Debian?", Answerability.NOTHING),
        ("???", Answerability.NOTHING),
        ("", Answerability.NOTHING),
    ],
)
def test_no_answer_stays_no_answer(law: SqliteEngine, question: str, state: Answerability) -> None:
    assert wide(law, question).answerability is state


@pytest.mark.parametrize(
    ("question", "state", "lacking"),
    [
        ("Wie viele Wochen Frist hat das Arbeitsverhältnis?", Answerability.ANSWERABLE, ()),
        ("Hat das Arbeitsverhältnis eine Frist von vier Wochen?", Answerability.ANSWERABLE, ()),
        ("Hat das Arbeitsverhältnis eine Frist von 4 Wochen?", Answerability.ANSWERABLE, ()),
        ("Hat das Arbeitsverhältnis eine Frist von sechs Wochen?", Answerability.NEAR, ("sechs",)),
        ("Was war 1974 mit der Frist im Arbeitsverhältnis?", Answerability.NEAR, ("1974",)),
        ("Warum kann das Arbeitsverhältnis nicht gekündigt werden?", Answerability.NEAR, ("nicht",)),
        ("Kann das Arbeitsverhältnis gekündigt werden oder nicht?", Answerability.ANSWERABLE, ()),
        ("Who never refunded travel expenses?", Answerability.NEAR, ("never",)),
        ("Welche Frist gilt für Gartenzäune in Niedersachsen?", Answerability.NEAR, ("gartenzäune", "niedersachsen")),
        ("Welche Frist steht in § 999 BGB?", Answerability.NEAR, ("§ 999 BGB",)),
    ],
)
def test_what_is_lacking_for_an_answer_is_told(
    law: SqliteEngine, question: str, state: Answerability, lacking: tuple[str, ...]
) -> None:
    found = wide(law, question)
    assert (found.answerability, found.lacking) == (state, lacking)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Das Tor darf nachts nicht offen stehen.", Answerability.ANSWERABLE),
        ("Nachts ist es verboten, dass das Tor offen steht.", Answerability.ANSWERABLE),
        ("Das Tor darf nachts offen stehen.", Answerability.NEAR),
        ("Das Tor darf nachts offen stehen" + " und so weiter" * 4 + ", aber nicht allein.", Answerability.NEAR),
    ],
)
def test_not_is_answered_where_not_stands_near_what_is_asked(tmp_path: Path, text: str, state: Answerability) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, text)])
    assert wide(engine, "Darf das Tor nachts nicht offen stehen?").answerability is state


def test_not_is_looked_for_in_the_first_sections_and_not_in_the_best_alone(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put(
        [entry(1, "Was erstattet wird"), entry(2, "Trinkgelder und alles, was keine Ausgabe ist, werden nicht erstattet.")]
    )
    found = wide(engine, "Was wird nicht erstattet?")
    assert (places(found)[0], found.answerability) == ((1, 0), Answerability.ANSWERABLE)


@pytest.mark.parametrize(
    ("question", "state", "lacking"),
    [
        ("Kündigungsfrist nach § 622 BGB?", Answerability.ANSWERABLE, ()),
        ("§ 622 BGB", Answerability.ANSWERABLE, ()),
        ("Kündigungsfrist nach § 623 BGB?", Answerability.NEAR, ("§ 623 BGB",)),
        ("Kündigungsfrist nach § 622 HGB?", Answerability.NEAR, ("§ 622 HGB",)),
    ],
)
def test_what_cites_a_section_can_answer_where_the_section_is_not_there(
    tmp_path: Path, question: str, state: Answerability, lacking: tuple[str, ...]
) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "Die Kündigungsfrist nach § 622 Abs. 1 BGB beträgt vier Wochen.")])
    found = wide(engine, question)
    assert (found.answerability, found.lacking) == (state, lacking)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Die Wassermeisterin und ihr Meister", Answerability.NEAR),
        ("Die Bürger und ihr Meister", Answerability.ANSWERABLE),
        ("Das Bürgermeisteramt", Answerability.ANSWERABLE),
    ],
)
def test_one_part_of_a_compound_is_not_what_was_asked_for(tmp_path: Path, text: str, state: Answerability) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, text)])
    found = wide(engine, "Wer ist der Bürgermeister?")
    assert (found.answerability, found.lacking) == (state, ("bürgermeister",) if state is Answerability.NEAR else ())


def test_what_is_switched_off_does_not_come_back_as_something_less(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "Ein Passwort"), entry(2, "Viele Passwörter")])
    assert places(wide(engine, "Passwort", without=[Off("passwort", How.FORM, "passwörter")])) == [(1, 0)]
    assert places(wide(engine, "Passwort", without=[Off("passwort", How.FORM)])) == [(1, 0)]


def test_not_in_another_passage_far_away_in_the_file_answers_nothing(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "Das Tor darf nachts offen stehen.", "Nicht so die Tür.")])
    assert wide(engine, "Darf das Tor nachts nicht offen stehen?").lacking == ("nicht",)


def test_little_words_are_told_to_be_ignored(law: SqliteEngine) -> None:
    assert [(term.written, term.ignored) for term in wide(law, "Wann beginnt die Frist?").terms] == [
        ("wann", True),
        ("beginnt", False),
        ("die", True),
        ("frist", False),
    ]


def test_parts_can_be_switched_off(law: SqliteEngine) -> None:
    found = wide(law, "Kündigungsschutzklage", without=[Off("kündigungsschutzklage", How.PART)])
    assert places(found) == [(5, 0)]


def test_a_typing_error_is_guessed_from_what_may_be_read_only(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    engine.put([entry(1, "Die Volljährigkeit tritt ein."), entry(2, "Geheimvorhaben", access_class=2)])
    before = wide(engine, "Geheimvorhabem Volljährigkiet")
    engine.remove([2])
    assert wide(engine, "Geheimvorhabem Volljährigkiet") == before
    assert places(before) == [(1, 0)]


def test_a_heading_comes_after_what_stands_under_it(tmp_path: Path) -> None:
    engine = SqliteEngine(tmp_path / "index.sqlite3")
    passages = "Gasgeruch", "Bei Gasgeruch im Haus alle Fenster öffnen und kein Licht einschalten."
    engine.put(
        [entry(1, *passages, titles=["", "Gasgeruch"], sections=[1, 1], headings=[0]), entry(2, "Gasgeruch", headings=[0])]
    )
    assert places(wide(engine, "Gasgeruch"))[0] == (1, 1)
