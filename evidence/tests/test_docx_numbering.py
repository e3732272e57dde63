"""Numbers that Word shows and a file does not hold."""

from __future__ import annotations

import pytest

from evidence.formats.docx import numbering
from evidence.tests.packages import outline
from evidence.tests.word import item, level, lists, paragraph, read, style


def test_numbers_are_those_that_word_shows() -> None:
    numbers = lists(level(0, "%1.", "upperRoman"), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter"))
    body = "".join(
        item(words, at) for words, at in [("a", 0), ("b", 1), ("c", 2), ("d", 2), ("e", 1), ("f", 2), ("g", 0), ("h", 1)]
    )
    assert outline(read(body, numbering=numbers)) == [
        "l1 I. a",
        "l2 I.1 b",
        "l3 (a) c",
        "l3 (b) d",
        "l2 I.2 e",
        "l3 (a) f",
        "l1 II. g",
        "l2 II.1 h",
    ]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([level(0, "%1)"), level(1, "%1.%2")], ["1.1", "1.2", "2)", "2.1"]),
        ([level(0, "%1)"), level(1, "%1.%2", inside='<w:lvlRestart w:val="0"/>')], ["1.1", "1.2", "2)", "2.3"]),
        ([level(0, "%1", "upperRoman"), level(1, "%1.%2", inside="<w:isLgl/>")], ["1.1", "1.2", "II", "2.1"]),
        ([level(0, "%1"), level(1, "§ %2", inside='<w:start w:val="7"/>')], ["§ 7", "§ 8", "2", "§ 7"]),
        ([level(0, "-", "bullet"), level(1, "%1.%2")], [".1", ".2", "-", ".1"]),
        ([level(0, "%1", "none"), level(1, "x%2")], ["x1", "x2", "x1"]),
        ([level(0, "%1."), level(1, "%2", inside="<w:rPr><w:vanish/></w:rPr>")], ["2."]),
    ],
)
def test_levels_count_restart_and_refer_to_those_above(levels: list[str], expected: list[str]) -> None:
    body = "".join(item("", at) for at in (1, 1, 0, 1))
    assert read(body, numbering=lists(*levels)).text.split("\n") == expected


def test_lists_of_one_definition_count_together_unless_one_starts_anew() -> None:
    more = "".join(
        f'<w:num w:numId="{number}"><w:abstractNumId w:val="0"/>{inside}</w:num>'
        for number, inside in (
            (2, ""),
            (3, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>'),
            (4, f'<w:lvlOverride w:ilvl="0">{level(0, "Nr. %1", "decimalZero")}</w:lvlOverride>'),
        )
    )
    body = "".join(item("x", number=number) for number in (1, 2, 3, 3, 1, 4, 9, 0))
    content = read(body, numbering=lists(level(0, "%1."), more=more))
    assert [line.removesuffix("x").strip() for line in content.text.split() if line != "x"] == [
        "1.",
        "2.",
        "5.",
        "6.",
        "7.",
        "Nr.",
        "08",
    ]


def test_a_style_brings_its_number_and_a_paragraph_can_refuse_it() -> None:
    numbers = lists(level(0, "Teil %1", inside='<w:pStyle w:val="A"/>'), level(1, "§ %2", inside='<w:pStyle w:val="B"/>'))
    outlined = '<w:pPr><w:outlineLvl w:val="{}"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = style("A", outlined.format(0)) + style("B", outlined.format(1)) + style("C", based="B")
    body = "".join(paragraph(name.lower(), style=name) for name in "ABBC")
    body += paragraph("d", '<w:numPr><w:numId w:val="0"/></w:numPr>', style="B")
    assert outline(read(body, numbering=numbers, styles=styles)) == ["h1 Teil 1 a", "h2 § 1 b", "h2 § 2 b", "h2 § 3 c", "h2 d"]


def test_a_list_style_stands_for_its_list_and_a_ring_of_them_for_none() -> None:
    link = (
        '<w:abstractNum w:abstractNumId="{0}"><w:numStyleLink w:val="{1}"/></w:abstractNum>'
        '<w:num w:numId="{0}"><w:abstractNumId w:val="{0}"/></w:num>'
    )
    numbers = lists(level(0, "%1."), more=link.format(5, "L") + link.format(6, "M"))
    styles = "".join(
        style(name, f'<w:pPr><w:numPr><w:numId w:val="{number}"/></w:numPr></w:pPr>', kind="numbering")
        for name, number in (("L", 1), ("M", 6))
    )
    body = item("a", number=5) + item("b", number=6) + item("c")
    assert outline(read(body, numbering=numbers, styles=styles)) == ["l1 1. a", "p b", "l1 2. c"]


def test_words_own_list_styles_say_how_deep_they_are() -> None:
    numbered = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = style("X", numbered, named="List Bullet") + style("Y", numbered, named="List Bullet 3")
    font = '<w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr>'
    numbers = lists(level(0, "\uf0b7", "bullet", font))
    body = paragraph("a", style="X") + paragraph("b", style="Y")
    assert outline(read(body, styles=styles, numbering=numbers)) == ["l1 • a", "l3 • b"]


@pytest.mark.parametrize(
    ("number", "form", "written"),
    [
        (3, "decimal", "3"),
        (28, "lowerLetter", "bb"),
        (781, "lowerLetter", "781"),
        (4, "upperRoman", "IV"),
        (7, "decimalZero", "07"),
        (2, "ordinal", "2."),
        (2, "numberInDash", "- 2 -"),
        (6, "chicago", "††"),
        (12, "decimalEnclosedCircle", "⑫"),
        (5, "ideographDigital", "5"),
        (5, "none", ""),
    ],
)
def test_number_forms(number: int, form: str, written: str) -> None:
    assert numbering.written(number, form) == written


def test_giant_starts_and_patterns_are_limited() -> None:
    numbers = lists(level(0, "%1" * 5_000, "lowerLetter", '<w:start w:val="999999999"/>'))
    assert len(read(item("x"), numbering=numbers).text) < 1_000
