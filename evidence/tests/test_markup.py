"""The HTML tree as a reader sees it: tables, lists, fields and marks that Markdown does not make."""

from __future__ import annotations

import pytest

from evidence.content import Content, Note, PassageKind, SpanKind
from evidence.errors import Refused
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
        "<table border=1><tr><td><p>a</p><ul><li>b<li>c</ul><pre>d  e\n</pre><h2>f</h2><td>"
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


@pytest.mark.parametrize(
    "table",
    [
        "<table role=presentation><tr><td>a<td>b</table>",
        "<table><tr><td>a<p>b</table>",
        "<table><tr><td><h1>a</h1><td>b</table>",
        "<table><tr><td>a<td><table><tr><td>b</table></table>",
        "<table border=0><tr><td><table><tr><td>a<tr><td>b</table></table>",
    ],
)
def test_a_table_that_only_arranges_is_none(table: str) -> None:
    content = markup.extract(table)
    assert content.text in ("a\n\nb", "a\nb")
    assert not [span for span in content.spans if span.kind is SpanKind.CELL and span.end > 3]


@pytest.mark.parametrize("table", ["<table border=1><tr><td>a<h2>b</h2></table>", "<table><tr><th>a<h2>b</h2></table>"])
def test_a_table_with_a_border_or_headers_is_one(table: str) -> None:
    assert rows(markup.extract(table)) == [("a\nb", None)]


@pytest.mark.parametrize(
    ("html", "passages"),
    [
        ("<dl><dt>Frist<dd>zwei Wochen<dt>Klage<dd>keine</dl>", ["Frist\nzwei Wochen", "Klage\nkeine"]),
        ("<dl><dt>1.<dd>a<dl><dt>a)<dd>b<dt>aa)<dd><p>c<p>d</dl></dl>", ["1. a", "a) b", "aa) c", "d"]),
        ("<dl><dt>§ 5<dd>a<dt>(2)</dt> <dd>b<dt>–<dd>c</dl>", ["§ 5 a", "(2) b", "– c"]),
        ("<dl><dt><b>A</b><dt>B<dd>c<dd>d</dl>", ["A\nB\nc", "d"]),
        ("<dl><div><dt>A<dd>b</div><div><dt>C<dd>d</div></dl>", ["A\nb", "C\nd"]),
        ("<dl><dt>A<dd><ul><li>b</ul><dt>C<dd><pre>d</pre><dt>E</dl>f", ["A", "• b", "C", "d", "E", "f"]),
        ("<dl><dt><dd>a<dt>b</dl><dd>c", ["a", "b", "c"]),
        ("<table border=1><tr><td><dl><dt>1.<dd>a<dt>B<dd>c</dl></table>", ["1. a\nB\nc"]),
    ],
)
def test_a_term_and_its_definition_are_one_passage(html: str, passages: list[str]) -> None:
    content = markup.extract(html)
    assert [content.text[one.start : one.end] for one in content.passages] == passages


def test_terms_are_items_of_a_list_with_their_depth() -> None:
    content = markup.extract("<dl><dt>1.<dd>a<dl><dt>a)<dd>b</dl></dl>")
    assert [(one.kind, one.level) for one in content.passages] == [(PassageKind.LIST_ITEM, 1), (PassageKind.LIST_ITEM, 2)]
    assert content.text == "1. a\na) b"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("Name <input value=Eva><input type=hidden value=no><input type=password value=no>", "Name Eva"),
        ("<input type=checkbox checked>ja<input type=checkbox>nein<input type=RADIO checked>x", "☑ ja ☐ nein ◉ x"),
        ("<input type=submit value=Senden><button>Weg</button><input type=image alt=Los>", "Senden Weg Los"),
        ("<textarea>\na\n b\n\nc</textarea>", "a\nb\n\nc"),
        ("<select><option>a<option selected>b</select>c", "b c"),
        ("<select><option disabled>a<optgroup label=x><option label=L>b</select>", "L"),
        ("<select multiple><optgroup label=x><option>a<option label=L>b</select>", "x\n\na\n\nL"),
        ("<select size=2><option>a<option>b</select>", "a\n\nb"),
        ("<select></select><meter>no</meter><progress>no</progress><datalist><option>no</datalist>", ""),
    ],
)
def test_fields_show_what_is_in_them(html: str, text: str) -> None:
    assert markup.extract(f"<form>{html}</form>").text == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字", "漢(kan)字"),
        ("<ruby>漢<rt>kan</rt></ruby>字", "漢 kan 字"),
        ("<q>a <q>b</q></q>", "“a ‘b’”"),
        ("<html lang=de-AT><q>a <q>b</q></q>", "„a ‚b‘“"),
        ("<svg><title>no</title><desc>no</desc><defs><text>no</text></defs><text>a</text><text>b</text></svg>", "a\n\nb"),
        ("<svg><text><tspan>a</tspan>b<tspan x=1 y=2>c</tspan></text></svg>", "ab c"),
        ("<math><mi>x</mi><annotation>no</annotation></math>", "x"),
        ("<img alt=a><img alt=b>c", "a b c"),
        ("<table><caption>a</caption><tr><td>b<td>c</table>", "a\n\nb\tc"),
    ],
)
def test_small_things_read_well(html: str, text: str) -> None:
    assert markup.extract(html).text == text


@pytest.mark.parametrize(
    ("html", "notes"),
    [
        ("<iframe src=x></iframe>a", (Note.NOT_SHOWN,)),
        ("<object data=x>no</object>a", (Note.NOT_SHOWN,)),
        ("<frameset><frame src=x><noframes>no</noframes></frameset>", (Note.NOT_SHOWN,)),
        ("<iframe width=1 height=1></iframe><p hidden><iframe></iframe></p><iframe style='display:none'></iframe>a", ()),
        ("<audio>no</audio><video>no</video><canvas>no</canvas>a", ()),
    ],
)
def test_other_files_are_not_loaded_but_told_of(html: str, notes: tuple[Note, ...]) -> None:
    content = markup.extract(html)
    assert (content.text, content.notes) == ("" if "frameset" in html else "a", notes)


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 200_000,
        "<p>" + "".join(f"<b a={number}>" for number in range(3000)) + "<p>x" * 3000,
        "<table><tr><td>" * 60_000,
    ],
    ids=["elements", "formatting that begins again", "tables"],
)
def test_what_would_take_minutes_or_gigabytes_is_refused(html: str) -> None:
    with pytest.raises(Refused) as refusal:
        markup.extract(html)
    assert refusal.value.code == "markup_too_deep"


def test_a_target_is_kept_as_far_as_it_is_an_address() -> None:
    content = markup.extract(f"<a href='data:text/html,{'x' * 5000}'>a</a><a href=' javascript:b()'>b</a>")
    assert [len(span.value) for span in content.spans] == [markup.MAX_TARGET, len(" javascript:b()")]


def test_unclosed_formatting_that_is_alike_is_no_trouble() -> None:
    content = markup.extract("<p>" + "<font size=2>a<p>" * 20_000)
    assert content.text.count("a") == 20_000


def test_covered_places_do_not_grow_without_end() -> None:
    content = markup.extract("<table>" + "<tr><td colspan=9999 rowspan=9999>x" * 2000)
    assert content.text.count("x") == 2000
    assert len(content.text) < 3 * 2000 + markup.MAX_FILLED
