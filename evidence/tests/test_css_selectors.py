"""Which elements a style rule is for: the same as in a browser, and in little time."""

from __future__ import annotations

from time import perf_counter

import pytest
import tinycss2
from selectolax.lexbor import LexborHTMLParser

from evidence.formats.css.matching import Elements
from evidence.formats.css.selectors import parse_selectors

PAGE = """<html><head></head><body>
<div id=a class="x y"><p id=b class=x>1</p><p id=c>2<b id=d class=y>3</b></p><p id=e class="x z">4</p></div>
<ul id=f><li id=g>5<li id=h class=x>6<li id=i>7<li id=j>8</ul><a id=k href=x>9</a><input id=l type=checkbox checked><i id=m></i>
</body></html>"""


def fitting(css: str) -> str:
    """The ids of the elements, or "?" for a selector that is not understood."""
    tree = LexborHTMLParser(PAGE)
    elements = Elements(tree)
    identities = {elements.numbers[node.mem_id]: node.attributes["id"] or "" for node in tree.css("[id]")}
    found, understood = parse_selectors(tinycss2.parse_component_value_list(css), elements.names)
    numbers = {int(number) for selector in found for number in elements.fitting(selector)}
    return "".join(identities.get(number, "") for number in sorted(numbers)) if understood else "?"


@pytest.mark.parametrize(
    ("css", "identities"),
    [
        (".x", "abeh"),
        ("p.x.z", "e"),
        ("#a", "a"),
        ("P", "bce"),
        ("div .y", "d"),
        ("div > .y", ""),
        ("div>p>.y", "d"),
        (".x + p", "c"),
        (".x ~ p", "ce"),
        (".x .y .z", ""),
        ("body div p, li.x", "bceh"),
        ("[href]", "k"),
        ("[class~=y]:not(b)", "a"),
        (":is(.x, .y) b", "d"),
        (":where(#f) > :first-child", "g"),
        ("li:last-child", "j"),
        ("li:nth-child(2n+1)", "gi"),
        ("li:nth-child(-n+2).x", "h"),
        ("a:link", "k"),
        (":checked", "l"),
        ("i:empty", "m"),
        ("p:hover, a:visited, b::before, i:after", ""),
        ("*|p", "?"),
        ("p:has(b)", "?"),
        (":not(div p)", "?"),
        (":not(:not(p))", "?"),
        ("li:nth-child(2 of .x)", "?"),
        ("> p", "?"),
        ("p >", "?"),
        ("p..x", "?"),
        ("p !", "?"),
        ("", "?"),
        (" ".join(["p"] * 21), "?"),
    ],
)
def test_a_selector_fits_what_it_fits_in_a_browser(css: str, identities: str) -> None:
    assert fitting(css) == identities


@pytest.mark.parametrize(
    ("css", "specificity"),
    [("*", (0, 0, 0)), ("p", (0, 0, 1)), ("#a p.x[y]:link", (1, 3, 1)), (":is(#a, p) b", (1, 0, 1)), (":where(#a)", (0, 0, 0))],
)
def test_the_weight_of_a_selector(css: str, specificity: tuple[int, int, int]) -> None:
    assert parse_selectors(tinycss2.parse_component_value_list(css), {"p", "b", "#a", ".x"})[0][0].specificity == specificity


def test_a_selector_that_goes_back_again_and_again_costs_little() -> None:
    tree = LexborHTMLParser("<div class=x>" * 2000 + "<b>")
    started = perf_counter()
    elements = Elements(tree)
    css = "[y] " + "div " * 15 + "b, .x ~ .x ~ .x > .x + b"
    selectors, _ = parse_selectors(tinycss2.parse_component_value_list(css), elements.names)
    assert [len(elements.fitting(one)) for one in selectors] == [0, 0]
    assert perf_counter() - started < 5  # years, with a parser that tries every ancestor for every part
