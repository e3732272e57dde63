"""Formulas on one line."""

from __future__ import annotations

import pytest

from evidence.formats import omml, xml
from evidence.tests.packages import NAMESPACES


def r(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def e(inside: str, name: str = "e") -> str:
    return f"<m:{name}>{inside}</m:{name}>"


def read(formula: str) -> str:
    return omml.text(xml.parse(f"<m:oMath {NAMESPACES}>{formula}</m:oMath>".encode(), "a.xml"))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (r("a") + r("=") + r("b"), "a=b"),
        (e(e(r("1"), "num") + e(r("a+b"), "den"), "f"), "1/(a+b)"),
        (e(e(r("x")) + e(r("2"), "sup"), "sSup"), "x²"),
        (e(e(r("x")) + e(r("n+k"), "sup"), "sSup"), "x^(n+k)"),
        (e(e(r("x")) + e(r("max"), "sub"), "sSub"), "x_max"),
        (e(e(r("x")) + e(r("1"), "sub") + e(r("2"), "sup"), "sSubSup"), "x₁²"),
        (e(e("", "deg") + e(r("2")), "rad"), "√2"),
        (e(e(r("3"), "deg") + e(r("2")), "rad"), "³√2"),
        (e("<m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr>" + e(r("a")) + e(r("b")), "d"), "[a|b]"),
        (e("<m:naryPr><m:chr m:val='∑'/></m:naryPr>" + e(r("1"), "sub") + e(r("n"), "sup") + e(r("i")), "nary"), "∑₁ⁿ i"),
        (e(e(r("sin"), "fName") + e(r("x")), "func"), "sin x"),
        (e(e(e(r("a")) + e(r("b")), "mr") + e(e(r("c")), "mr"), "m"), "a b; c"),
        (f"<m:r><w:rPr/><m:t>a</m:t></m:r><w:del>{r('b')}</w:del>", "a"),
    ],
)
def test_formulas_are_written_on_one_line(formula: str, text: str) -> None:
    assert read(formula) == text


def test_what_lies_too_deep_is_its_signs_in_a_row() -> None:
    deep = r("x")
    for _ in range(80):
        deep = e(e(deep, "num") + e(r("y"), "den"), "f")
    assert read(deep) == "x" + "y" * 80
