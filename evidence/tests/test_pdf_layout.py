from __future__ import annotations

import pytest

from evidence.tests.typeset import column, page, texts

FULL = "Der Vermieter hat die Sache dem Mieter zu geben"


def test_line_ends_inside_a_paragraph_are_blanks() -> None:
    assert texts(page(*column(FULL, FULL, "und so weiter."))) == [f"{FULL} {FULL} und so weiter."]


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("der Gebrauch der gemieteten Miet-", "sache ist zu gestatten.", "Miet‐sache"),
        ("der Gebrauch der gemieteten Miet\u2010", "sache ist zu gestatten.", "Miet‐sache"),
        ("der Gebrauch der gemieteten Miet\xad", "sache ist zu gestatten.", "Miet‐sache"),
        ("Gemüse aller Arten und der Allium-", "Arten ist frisch.", "Allium-Arten"),
        ("der Flug mit einem Airbus der Serie A-", "380 ist lang.", "A-380"),
        ("die Regeln für alle Arbeits-", "und Ruhezeiten gelten.", "Arbeits- und"),
        ("die Regeln für alle Arbeits\u2010", "oder Ruhezeiten gelten.", "Arbeits- oder"),
        ("er sagte nach einer langen Pause -", "aber leise - nein.", "Pause - aber"),
    ],
)
def test_hyphen_at_a_line_end_is_what_it_means(first: str, second: str, joined: str) -> None:
    (words,) = texts(page(*column(first, second)))
    assert joined in words
