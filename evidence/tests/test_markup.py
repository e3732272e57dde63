"""The HTML tree as a reader sees it: tables, lists and marks that Markdown does not make."""

from __future__ import annotations

import pytest

from evidence.content import Content, PassageKind, SpanKind
from evidence.formats import markup
from evidence.formats.markers import numeral


def rows(content: Content) -> list[tuple[str, int | None]]:
    kind = PassageKind.TABLE_ROW
    return [(content.text[row.start : row.end], row.columns) for row in content.passages if row.kind is kind]


def test_every_cell_stands_in_its_own_column() -> None:
    content = markup.extract(
        "<table><thead><tr><th rowspan=2>Jahr<th colspan=2>Alter<tr><th>Jahre<th>Monate</thead>"
        "<tbody><tr><td rowspan=2>1947<td>65<td>1<tr><td>66<td>2<tr><td>1949</table>"
    )
    assert rows(content) == [("Jahr\tAlter\t", None), ("\tJahre\tMonate", None), ("1947\t65\t1", 0), ("\t66\t2", 0), ("1949", 0)]
    assert [content.text[span.start : span.end] for span in content.spans[3:6]] == ["", "Jahre", "Monate"]


def test_a_cell_ends_with_its_row_group() -> None:
    assert rows(markup.extract("<table><tbody><tr><td rowspan=9>a<td>b</tbody><tbody><tr><td>c</table>")) == [
        ("a\tb", None),
        ("c", None),
    ]


def test_a_row_of_headers_names_the_columns_below_it() -> None:
    content = markup.extract("<table><tr><td>x<tr><th>A<th>B<tr><td>1<td>2<tr><th>C<th>D<tr><th>3<td>4</table>")
    assert rows(content) == [("x", None), ("A\tB", None), ("1\t2", 1), ("C\tD", None), ("3\t4", 3)]


def test_rows_without_words_are_left_out() -> None:
    content = markup.extract("<table><tr><th><th><tr><td><img src=x><td><tr><td>a<td></table>")
    assert rows(content) == [("a\t", None)]


def test_blocks_in_a_cell_are_its_lines() -> None:
    content = markup.extract(
        "<table><tr><td><p>a</p><ul><li>b<li>c</ul><pre>d  e\n</pre><h2>f</h2><td>"
        "<table><tr><td>g<td>h</table><blockquote>i</blockquote><br></table>"
    )
    assert rows(content) == [("a\n• b\n• c\nd  e\nf\tg\nh\ni", None)]
    assert [span.kind for span in content.spans] == [SpanKind.CELL, SpanKind.CELL]


def test_a_mark_goes_on_from_block_to_block() -> None:
    content = markup.extract("<b>a<p> b </p><i>c<b>d</b></i></b>e")
    assert [(span.kind.value, content.text[span.start : span.end]) for span in content.spans] == [
        ("strong", "a"),
        ("strong", "b"),
        ("strong", "cd"),
        ("emphasis", "cd"),
    ]


def test_white_space_between_words_is_outside_a_mark() -> None:
    content = markup.extract("a<b> b </b>c <i> </i>d")
    assert content.text == "a b c d"
    assert [(span.start, span.end) for span in content.spans] == [(2, 3)]


def test_ranges_are_counted_after_the_profile() -> None:
    content = markup.extract("<p>e&#769;<b>u&#776;</b>&#776;<i>x</i><p>y")
    assert content.text == "éü\u0308x\n\ny"
    assert [content.text[span.start : span.end] for span in content.spans] == ["ü", "x"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ol type=a start=27><li>x<li>y</ol>", "aa. x\nab. y"),
        ("<ol type=I start=3><li value=9>x<li>y</ol>", "IX. x\nX. y"),
        ("<ol reversed><li>x<li>y</ol>", "2. x\n1. y"),
        ("<ol start=zwei><li>x</ol>", "1. x"),
        ("<ul style='list-style: none'><li>x</ul>", "x"),
        ("<ol><li>x<ol><li>y</ol><li>z</ol>", "1. x\n1. y\n2. z"),
        ("<li>stray", "• stray"),
        ("<ol after=')'><li>x</ol>", "1) x"),
    ],
)
def test_list_markers_are_those_of_a_browser(html: str, text: str) -> None:
    assert markup.extract(html, delimiters="after").text == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<pre>  <b>a</b>\n\n b\n</pre>", "  a\n\n b"),
        ("<pre> \n </pre>c", "c"),
        ("<table><tr><td><ol><li><pre> a</pre></ol><td>b</table>", "1.  a\tb"),
        ("<p>a\n<pre>b<br>c</pre>d", "a\n\nb\nc\n\nd"),
    ],
)
def test_verbatim_text_keeps_its_white_space(html: str, text: str) -> None:
    assert markup.extract(html).text == text


@pytest.mark.parametrize(
    ("number", "style", "written"),
    [
        (1, "a", "a"),
        (26, "A", "Z"),
        (703, "a", "aaa"),
        (0, "a", "0"),
        (-2, "i", "-2"),
        (1994, "i", "mcmxciv"),
        (4000, "I", "4000"),
        (7, "?", "7"),
    ],
)
def test_numerals(number: int, style: str, written: str) -> None:
    assert numeral(number, style) == written


@pytest.mark.parametrize(
    "html", ["<svg><tr><td>a</td></tr></svg>", "<td>a", "<table>a</table>", "<table><caption>a</table>", "a</table></td></b>"]
)
def test_misplaced_elements_lose_no_words(html: str) -> None:
    assert markup.extract(html).text == "a"


def test_covered_places_do_not_grow_without_end() -> None:
    content = markup.extract("<table>" + "<tr><td colspan=9999 rowspan=9999>x" * 2000)
    assert content.text.count("x") == 2000
    assert len(content.text) < 3 * 2000 + markup.MAX_FILLED
