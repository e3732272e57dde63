"""Numbers, dates and texts of workbooks, as Excel shows them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.formats.xlsx import values
from evidence.formats.xlsx.codes import MAX_CODE
from evidence.formats.xlsx.manners import ENGLISH, GERMAN


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (1234.5, "#,##0.00", "1.234,50"),
        (-1234.567, "#,##0.00", "-1.234,57"),
        (1234567, "#,##0", "1.234.567"),
        (123, "#,##0", "123"),
        (1234567, "#,##0,", "1.235"),
        (1234567, '0.0,,"M"', "1,2M"),
        (2.5, "0", "3"),
        (0.285, "0.00", "0,29"),
        (-0.001, "0.00", "-0,00"),
        (5, "000", "005"),
        (0, "#", ""),
        (5, "0.#", "5,"),
        (5.25, "0.0#", "5,25"),
        (12, "???0", "  12"),
        (0.5, "0%", "50%"),
        (0.1234, "0.00%", "12,34%"),
        (123456789, "000-00-0000", "123-45-6789"),
        (4500, '0" kWh"', "4500 kWh"),
        (1e300, "0", "1" + "0" * 300),
    ],
)
def test_digits_stand_in_their_places(value: float, code: str, shown: str) -> None:
    assert values.number(value, code, GERMAN) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (-5, "0;(0)", "(5)"),
        (0, '0;-0;"null"', "null"),
        (5.5, "0.00_);[Red](0.00)", "5,50 "),
        (-5.5, "0.00_);[Red](0.00)", "(5,50)"),
        (5, ";;;", ""),
        (-5, "0;", ""),
        (1500, "[>1000]#,##0;0.0", "1.500"),
        (15, "[>1000]#,##0;0.0", "15,0"),
        (-3, "[<0]0.0;0", "-3,0"),
        (1234.5, '#,##0.00\\ "€"', "1.234,50 €"),
        (1234.5, "#,##0.00\\ [$€-407]", "1.234,50 €"),
        (1234.5, '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', " 1.234,50 € "),
        (5, "@", "5"),
        (5, 'General" km"', "5 km"),
        (5, "#;#;0;;;;", "5"),
    ],
)
def test_the_right_part_of_a_format_is_used(value: float, code: str, shown: str) -> None:
    assert values.number(value, code, GERMAN) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (39.5, "39,5"),
        (-7, "-7"),
        (1 / 3, "0,333333333"),
        (0.1 + 0.2, "0,3"),
        (12345678901, "12345678901"),
        (123456789012, "1,23457E+11"),
        (1e-10, "1E-10"),
        (-1234.56789012, "-1234,56789"),
        (0, "0"),
        (-0.0, "0"),
    ],
)
def test_a_number_without_a_format_has_eleven_characters_at_most(value: float, shown: str) -> None:
    assert values.number(value, "General", GERMAN) == shown


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (46000, "dd.mm.yyyy", "09.12.2025"),
        (46000.75, "dd/mm/yyyy hh:mm", "09.12.2025 18:00"),
        (46000.5, "dddd, d. mmmm yyyy", "Dienstag, 9. Dezember 2025"),
        (46000, "[$-407]ddd d. mmm yy;@", "Di 9. Dez 25"),
        (46000, "mmmmm", "D"),
        (1, "dd.mm.yyyy", "01.01.1900"),
        (59, "d.m.yy", "28.2.00"),
        (60, "dd.mm.yyyy", "29.02.1900"),
        (61, "d.m.yy", "1.3.00"),
        (2_958_465, "yyyy", "9999"),
        (2_958_466, "yyyy", "2958466"),
        (-1, "yyyy", "-1"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (0.0, "h AM/PM", "12 AM"),
        (0.75, "h A/P", "6 P"),
        (0.52, "hh:mm:ss", "12:28:48"),
        (0.520001, "mm:ss.0", "28:48,1"),
        (1.5, "[h]:mm", "36:00"),
        (1.5, "[mm]", "2160"),
        (0.999999999, "d hh:mm:ss", "1 00:00:00"),
    ],
)
def test_dates_and_times(value: float, code: str, shown: str) -> None:
    assert values.number(value, code, GERMAN) == shown


def test_dates_can_count_from_1904() -> None:
    assert values.number(0, "dd.mm.yyyy", GERMAN, from_1904=True) == "01.01.1904"
    assert values.number(2_958_465, "yyyy", GERMAN, from_1904=True) == "9999"


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (12345, "0.00E+00", "1,23E+04"),
        (0.00012345, "##0.0E+0", "123,5E-6"),
        (999.96, "0.0E+0", "1,0E+3"),
        (0, "0.0E-0", "0,0E0"),
        (1.5, "# ?/?", "1 1/2"),
        (0.333, "# ??/??", "1/3"),
        (2.75, "# ?/4", "2 3/4"),
        (2, "# ?/?", "2"),
        (0, "# ?/?", "0"),
        (0.25, "?/?", "1/4"),
    ],
)
def test_powers_and_fractions(value: float, code: str, shown: str) -> None:
    assert values.number(value, code, GERMAN) == shown


@pytest.mark.parametrize(
    ("text", "code", "shown"),
    [
        ("a", "General", "a"),
        ("a", "0.00", "a"),
        ("a", '"Nr. "@', "Nr. a"),
        ("a", ";;;", ""),
        ("a", '0;0;0;"<"@">"', "<a>"),
        ("a", "@@", "aa"),
    ],
)
def test_formats_of_texts(text: str, code: str, shown: str) -> None:
    assert values.text(text, code) == shown


def test_an_english_hand_writes_points_and_strokes() -> None:
    shown = [values.number(46000.5, code, ENGLISH) for code in ("#,##0.00", "m/d/yyyy", "dddd", ENGLISH.forms[14])]
    assert shown == ["46,000.50", "12/9/2025", "Tuesday", "12/9/2025"]


def test_a_long_code_is_cut() -> None:
    assert len(values.number(1, "0" * 9_999, GERMAN)) == MAX_CODE


SIGNS = st.sampled_from([*"0#?.,%;@/yYmdhsE+-_*\\ ", "General", "AM/PM", "[h]", "[Red]", "[>5]", '"x"', "[$€-407]", "E+0"])


@settings(deadline=None)
@given(st.lists(SIGNS, max_size=12).map("".join), st.floats(), st.booleans())
def test_any_number_is_shown_in_any_format(code: str, value: float, from_1904: bool) -> None:
    assert isinstance(values.number(value, code, GERMAN, from_1904=from_1904), str)
    assert isinstance(values.text("x", code), str)
