"""References to sections: how they are written, and what is none."""

from __future__ import annotations

import pytest

from evidence.language import abbreviates, mark
from evidence.language.references import abbreviation_key, asked_abbreviation_key, find


@pytest.mark.parametrize(
    ("text", "expected", "law"),
    [
        ("§ 622 BGB", "§622", ("bgb",)),
        ("§622 BGB", "§622", ("bgb",)),
        ("§\u00a0622\u00a0BGB", "§622", ("bgb",)),
        ("BGB 433", "§433", ("bgb",)),
        ("BGB § 433", "§433", ("bgb",)),
        ("§ 1a OZG", "§1a", ("ozg",)),
        ("§ 1 a OZG", "§1a", ("ozg",)),
        ("Art. 20 GG", "§20", ("gg",)),
        ("Art 20 GG", "§20", ("gg",)),
        ("Artikel 5 Grundgesetz", "§5", ("grundgesetz",)),
        ("Artikel 5 des Grundgesetzes", "§5", ("grundgesetzes",)),
        ("§ 87 Abs. 1 Nr. 6 BetrVG", "§87", ("betrvg",)),
        ("§ 14 Absatz 2 Satz 1 TzBfG", "§14", ("tzbfg",)),
        ("§§ 305 ff. BGB", "§305", ("bgb",)),
        ("Paragraf 242 StGB", "§242", ("stgb",)),
        ("paragraph 242 StGB", "§242", ("stgb",)),
        ("Was steht in Artikel 200 Grundgesetz?", "§200", ("grundgesetz",)),
        ("section 5 of the Employment Act", "§5", None),
        ("§ 622", "§622", None),
        ("Welche Strafe sieht § 999 StGB vor?", "§999", ("stgb",)),
    ],
)
def test_references_are_understood(text: str, expected: str, law: tuple[str, ...] | None) -> None:
    (found,) = find(text)
    assert found.mark == expected
    assert found.law == ((law,) if law else ())


@pytest.mark.parametrize(
    ("text", "book"),
    [("§ 44 SGB X", ("x", "10", "zehntes")), ("SGB 9 § 208", ("ix", "9", "neuntes")), ("§ 7 SGB II", ("ii", "2", "zweites"))],
)
def test_books_are_known_by_each_of_their_numbers(text: str, book: tuple[str, ...]) -> None:
    (found,) = find(text)
    assert found.law == (("sgb", "sozialgesetzbuch"), book)


@pytest.mark.parametrize(
    "text",
    [
        "Betrieb mit 50 Beschäftigten",
        "Which section of the Civil Code sets the limit?",
        "Weltmeisterschaft 2014",
        "Windows 11",
        "Welche Art von Stadt?",
        "Part 5",
        "§",
        "§ X",
        "Kapitel 3",
    ],
)
def test_what_is_no_reference_is_none(text: str) -> None:
    assert find(text) == ()


def test_a_name_with_a_number_is_not_sure() -> None:
    assert [one.sure for one in find("DIN 276 und § 5 VOB")] == [False, True]


def test_several_references_share_the_law_behind_them() -> None:
    assert [(one.mark, one.law) for one in find("§ 823 und § 826 BGB")] == [("§823", (("bgb",),)), ("§826", (("bgb",),))]


def test_positions_are_those_of_the_question() -> None:
    text = "Gilt 😀 § 622 BGB?"
    (found,) = find(text)
    assert text[found.start : found.end] == "§ 622 BGB"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Bürgerliches Gesetzbuch (BGB) § 622 Kündigungsfristen", "§622"),
        ("Grundgesetz\nArt 12a", "§12a"),
        ("Gesetz (Artikel 1 des Gesetzes vom 7. August) § 7 Form", "§7"),
        ("Handbuch Kapitel 3", None),
        ("", None),
    ],
)
def test_a_section_is_marked_by_its_last_heading(title: str, expected: str | None) -> None:
    assert mark(title) == expected


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("betrvg", "betriebsverfassungsgesetz"),
        ("gg", "grundgesetz"),
        ("hgb", "handelsgesetzbuch"),
        ("aktg", "aktiengesetz"),
        ("gewo", "gewerbeordnung"),
        ("urhg", "urheberrechtsgesetz"),
        ("burlg", "bundesurlaubsgesetz"),
        ("entgfg", "entgeltfortzahlungsgesetz"),
        ("stvo", "straßenverkehrsordnung"),
    ],
)
def test_laws_are_known_by_their_abbreviation(short: str, name: str) -> None:
    assert abbreviation_key(name) == asked_abbreviation_key(short)
    assert abbreviates(short, name)


@pytest.mark.parametrize(
    ("short", "name"),
    [("gg", "gaststättengesetz"), ("bgb", "bundesgebührenordnung"), ("g", "gesetz"), ("hgb", "handelsgesetz"), ("", "gesetz")],
)
def test_other_letters_abbreviate_nothing(short: str, name: str) -> None:
    assert not abbreviates(short, name)
