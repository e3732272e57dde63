"""OpenDocument texts: what someone sees who has the document on paper, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import profile
from evidence.content import Content, Note
from evidence.errors import Refused
from evidence.formats import FORMATS, extract, flow
from evidence.formats.odt import reader
from evidence.tests.packages import marked, outline, package

TEXT = FORMATS[".odt"]
FAMILY = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "office": f"{FAMILY}:office:1.0",
        "text": f"{FAMILY}:text:1.0",
        "table": f"{FAMILY}:table:1.0",
        "draw": f"{FAMILY}:drawing:1.0",
        "style": f"{FAMILY}:style:1.0",
        "fo": f"{FAMILY}:xsl-fo-compatible:1.0",
        "svg": f"{FAMILY}:svg-compatible:1.0",
        "xlink": "http://www.w3.org/1999/xlink",
        "dc": "http://purl.org/dc/elements/1.1/",
        "loext": "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0",
    }.items()
)


def odt(body: str, *, own: str = "", common: str = "", pages: str = "", **others: str) -> bytes:
    """own, common: styles of the text and of the document. pages: master pages. others: more files, "_" for the dot."""
    inside = (
        f"<office:automatic-styles>{own}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body>"
    )
    masters = f"<office:styles>{common}</office:styles><office:master-styles>{pages}</office:master-styles>"
    parts = {
        "content.xml": f"<office:document-content {SPACES}>{inside}</office:document-content>",
        "styles.xml": f"<office:document-styles {SPACES}>{masters}</office:document-styles>",
    }
    return package({**parts, **{name.replace("_", "."): text for name, text in others.items()}})


def read(body: str, **parts: str) -> Content:
    content = extract(TEXT, odt(body, **parts))
    assert content.text == profile.normalise(content.text)
    return content


def p(inside: str, style: str = "", tag: str = "p", more: str = "") -> str:
    return f'<text:{tag} text:style-name="{style}" {more}>{inside}</text:{tag}>'


def h(inside: str, level: int = 1, more: str = "") -> str:
    return p(inside, tag="h", more=f'text:outline-level="{level}" {more}')


def span(inside: str, style: str) -> str:
    return f'<text:span text:style-name="{style}">{inside}</text:span>'


def style(name: str, inside: str, *, family: str = "text", based: str = "", more: str = "") -> str:
    on = f'style:parent-style-name="{based}"' if based else ""
    return f'<style:style style:name="{name}" style:family="{family}" {on} {more}>{inside}</style:style>'


def look(name: str, properties: str, **options: str) -> str:
    return style(name, f"<style:text-properties {properties}/>", **options)


def items(*inside: str, style: str = "L", more: str = "") -> str:
    named = f'text:style-name="{style}"' if style else ""
    listed = "".join(f"<text:list-item>{one if one.startswith('<') else p(one)}</text:list-item>" for one in inside)
    return f"<text:list {named} {more}>{listed}</text:list>"


def number(level: int, form: str = "1", more: str = 'style:num-suffix="."') -> str:
    return f'<text:list-level-style-number text:level="{level}" style:num-format="{form}" {more}/>'


def bullet(level: int, sign: str) -> str:
    return f'<text:list-level-style-bullet text:level="{level}" text:bullet-char="{sign}" style:num-suffix="."/>'


def list_style(*levels: str, name: str = "L") -> str:
    return f'<text:list-style style:name="{name}">{"".join(levels)}</text:list-style>'


def cell(inside: str, more: str = "") -> str:
    return f"<table:table-cell {more}>{inside if inside.startswith('<') or not inside else p(inside)}</table:table-cell>"


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(one if one.startswith('<') else cell(one) for one in cells)}</table:table-row>"


def table(*rows: str) -> str:
    return f"<table:table>{''.join(rows)}</table:table>"


def test_headings_titles_and_quotations_are_told_apart() -> None:
    common = style("P1", "", family="paragraph", based="Title") + style("P2", "", family="paragraph", based="Quotations")
    body = p("Satzung", "P1") + h("Teil", 1) + h("Absatz", 9) + p("Zitat", "P2") + p("Text")
    content = read(body, own=common)
    assert outline(content) == ["h1 Satzung", "h1 Teil", "h6 Absatz", "q Zitat", "p Text"]
    assert content.title == "Satzung"


def test_the_title_is_the_files_own_unless_a_program_made_it_up() -> None:
    meta = f"<office:document-meta {SPACES}><office:meta><dc:title>{{}}</dc:title></office:meta></office:document-meta>"
    assert [read(h("Teil"), meta_xml=meta.format(title)).title for title in ("Satzung", "Unbenannt")] == ["Satzung", "Teil"]


def test_lists_show_their_numbers() -> None:
    levels = number(1, "I"), number(2, "a", 'style:num-suffix=")"'), number(3, "1", 'text:display-levels="3"')
    inner = items(items("x", "y", style=""), style="")
    body = items("a", p("b") + p("ohne Nummer") + items("c", p("d") + items("e", style=""), style=""), "f") + items("g")
    assert outline(read(body + inner, own=list_style(*levels)))[:9] == [
        "l1 I. a",
        "l1 II. b",
        "p ohne Nummer",
        "l2 a) c",
        "l2 b) d",
        "l3 II.b.1 e",
        "l1 III. f",
        "l1 I. g",
        "p x",
    ]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (items("a", more='xml:id="x"') + p("-") + items("b", more='text:continue-list="x"'), "1. a - 2. b"),
        (items("a") + p("-") + items("b", more='text:continue-numbering="true"'), "1. a - 2. b"),
        (items("a") + items("b"), "1. a 1. b"),
        (
            '<text:list text:style-name="L"><text:list-item text:start-value="7">' + p("a") + "</text:list-item></text:list>",
            "7. a",
        ),
        (f'<text:list text:style-name="L"><text:list-header>{p("a")}</text:list-header></text:list>', "a"),
        (items(items("a", style=""), "b"), "1.1 a 2. b"),
        (
            f'<text:numbered-paragraph text:style-name="L" text:list-id="x" text:level="1">{p("a")}</text:numbered-paragraph>'
            * 2,
            "1. a 2. a",
        ),
        (items(p(""), p("")), "1. 2."),
        (items(h("a")), "1. a"),
    ],
)
def test_lists_go_on_begin_and_leave_out_as_they_say(body: str, text: str) -> None:
    levels = number(1), number(2, more='text:display-levels="2"')
    assert " ".join(read(body, own=list_style(*levels)).text.split()) == text


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (number(1, "A", 'style:num-prefix="Teil " style:num-suffix=":"'), "Teil A: a"),
        (number(1, "", 'style:num-suffix="."'), "a"),
        (number(1, "a", 'text:start-value="28"'), "ab a"),
        (number(1, "a", 'text:start-value="28" style:num-letter-sync="true"'), "bb a"),
        (number(1, "1", 'loext:num-list-format="§ %1%"'), "§ 1 a"),
        (number(1, "1", 'text:start-value="999999999"'), "32767 a"),
        (bullet(1, "–"), "– a"),
        (bullet(1, "\ue00c"), "• a"),
        ('<text:list-level-style-image text:level="1"/>', "• a"),
        ("", "a"),
    ],
)
def test_list_levels_write_their_numbers_and_bullets(level: str, text: str) -> None:
    assert read(items("a"), own=list_style(level)).text == text


def test_headings_are_numbered_by_the_outline_unless_they_refuse_it() -> None:
    level = '<text:outline-level-style text:level="{0}" style:num-format="1" text:display-levels="{0}"/>'
    common = f"<text:outline-style>{level.format(1)}{level.format(2)}</text:outline-style>"
    own = style("ohne", "", family="paragraph", more='style:list-style-name=""')
    body = h("a") + h("b", 2) + h("c", 2) + h("d", more='text:is-list-header="true"') + h("e")
    body += p("f", "ohne", "h", 'text:outline-level="1"') + h("g", more='text:restart-numbering="true" text:start-value="9"')
    assert outline(read(body, own=own, common=common)) == ["h1 1 a", "h2 1.1 b", "h2 1.2 c", "h1 d", "h1 2 e", "h1 f", "h1 9 g"]


def test_tables_have_their_rows_and_columns() -> None:
    covered = "<table:covered-table-cell/>"
    wide = cell("A", 'table:number-columns-spanned="2"')
    head = f"<table:table-header-rows>{row(wide, covered, 'B')}</table:table-header-rows>"
    body = table(
        head,
        row("1", cell("2", 'table:number-columns-repeated="2"')),
        row(cell("", 'table:number-columns-repeated="2"'), "3"),
        row("weg", more='table:visibility="collapse"'),
        row("", more='table:number-rows-repeated="1048576"'),
        row(cell(p("4") + table(row("5", "6"))), "7", more='table:number-rows-repeated="2"'),
    )
    content = read(body)
    assert outline(content) == ["t A\t\tB", "t 1\t2\t2", "t \t\t3", "t 4\n5\n6\t7", "t 4\n5\n6\t7"]
    assert [passage.columns for passage in content.passages] == [None, 0, 0, 0, 0]


def test_a_table_of_one_cell_is_only_a_frame() -> None:
    assert outline(read(table(row(cell(h("a") + p("b")))))) == ["h1 a", "p b"]


def test_repetitions_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_COPIES", 2)
    rows, columns = 'table:number-rows-repeated="{}"', 'table:number-columns-repeated="{}"'
    assert outline(read(table(row("a", "b", more=rows.format(3))))) == ["t a\tb"] * 3
    for copies in (row("a", "b", more=rows.format(4)), row(cell("a", columns.format(99_999)), "b")):
        with pytest.raises(Refused, match="repeated more than 2 times"):
            read(table(copies))


def test_empty_cells_do_not_grow_without_end() -> None:
    wide = row("a", cell("", 'table:number-columns-repeated="16384"'))
    assert len(read(table(*[wide] * 3_000)).text) < 10 * 3_000 + flow.MAX_FILLED


def test_notes_follow_the_passage_that_refers_to_them_with_their_numbers() -> None:
    note = "<text:note><text:note-citation {1}>{0}</text:note-citation><text:note-body>{2}</text:note-body></text:note>"
    first, second = note.format("1", "", p("erste")), note.format("*", 'text:label="*"', p("zweite"))
    body = p(f"a{first} b{second}") + table(row(cell(p(f"c{note.format('i', '', p('am Ende'))}")), "d")) + items(f"e{first}")
    assert outline(read(body, own=list_style(bullet(1, "•")))) == [
        "p a[1] b*",
        "p [1] erste",
        "p * zweite",
        "t c[i]\td",
        "p [i] am Ende",
        "l1 • e[1]",
        "p [1] erste",
    ]


def test_deletions_and_comments_are_out() -> None:
    region = f"<text:changed-region><text:deletion>{p('weg')}</text:deletion></text:changed-region>"
    comment = f"<office:annotation>{p('intern')}</office:annotation>"
    body = f"<text:tracked-changes>{region}</text:tracked-changes>" + p(
        f"alt<text:change/> {comment}<text:change-start/>neu<text:change-end/><office:annotation-end/>"
    )
    assert read(body).text == "alt neu"


@pytest.mark.parametrize(
    "body",
    [
        f'<text:section text:display="none">{p("weg")}</text:section>',
        f'<text:section text:display="condition" text:is-hidden="true">{p("weg")}</text:section>',
        p(span("weg", "H")),
        p("weg", "HP"),
        p('weg<text:hidden-paragraph text:is-hidden="true"/>'),
        p('<text:hidden-text text:is-hidden="true">weg</text:hidden-text>'),
        p('<text:variable-set text:display="none">weg</text:variable-set>'),
        p("<text:script>weg</text:script><text:number>weg</text:number>"),
    ],
)
def test_hidden_text_is_out(body: str) -> None:
    own = look("H", 'text:display="none"') + style("HP", '<style:text-properties text:display="none"/>', family="paragraph")
    assert read(body + p("da"), own=own).text == "da"


@pytest.mark.parametrize(
    ("properties", "is_unseen"),
    [
        ('fo:color="#ffffff"', True),
        ('fo:color="#ffffff" fo:background-color="#000080"', False),
        ('fo:color="#000000" fo:background-color="#000000"', True),
        ('fo:color="#ffffff" style:use-window-font-color="true"', False),
        ('fo:font-size="1pt"', True),
        ('fo:font-size="50%"', False),
    ],
)
def test_what_nobody_can_see_is_kept_and_marked(properties: str, is_unseen: bool) -> None:
    content = read(p(f"seht {span('nichts', 'U')}"), own=look("U", properties))
    assert content.text == "seht nichts"
    assert (marked(content, "unseen"), content.notes) == ((["nichts"], (Note.UNSEEN_TEXT,)) if is_unseen else ([], ()))


def test_white_in_a_coloured_cell_or_box_is_seen() -> None:
    blue = style("B", '<style:table-cell-properties fo:background-color="#0000ff"/>', family="table-cell")
    white = p(span("weiß", "W"))
    box = p(f"<draw:frame><draw:text-box>{white}</draw:text-box></draw:frame>")
    body = table(row(cell(white, 'table:style-name="B"'), "x")) + box
    assert marked(read(body, own=blue + look("W", 'fo:color="#ffffff"')), "unseen") == []


def test_emphasis_links_and_signs_of_symbol_fonts() -> None:
    own = (
        look("A", 'fo:font-weight="bold"')
        + look("B", 'fo:font-style="italic"', based="A")
        + look("C", 'style:font-name="Wingdings"')
    )
    link = '<text:a xlink:href="https://example.org">da</text:a> <text:a xlink:href="#x">dort</text:a>'
    content = read(p(f"{span('a' + span('b', 'B'), 'A')} {span(chr(0xFC), 'C')} {link}"), own=own)
    assert content.text == "ab ✓ da dort"
    assert (marked(content, "strong"), marked(content, "emphasis")) == (["ab"], ["b"])
    assert [span.value for span in content.spans if span.kind == "link"] == ["https://example.org"]


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ('a<text:s text:c="999999999"/>b<text:tab/>c<text:line-break/>d', "a b c\nd"),
        ("a\n   b", "a b"),
        ("Do\u00adnau<text:bookmark/>dampf<text:soft-page-break/>schiff", "Do\u00adnaudampfschiff"),
        ("Seite <text:page-number>3</text:page-number> vom <text:date>1. Mai</text:date>", "Seite 3 vom 1. Mai"),
        ("<text:ruby><text:ruby-base>火</text:ruby-base><text:ruby-text>ka</text:ruby-text></text:ruby>", "火(ka)"),
        ("<text:meta>a<text:unknown>b</text:unknown></text:meta>", "ab"),
    ],
)
def test_what_a_paragraph_holds(inside: str, text: str) -> None:
    assert read(p(inside)).text == text


def test_boxes_follow_their_paragraph_and_pictures_are_their_descriptions() -> None:
    picture = "<draw:frame><draw:image/><svg:title>Plan</svg:title><svg:desc>ein Plan</svg:desc></draw:frame>"
    box = f"<draw:frame><draw:text-box>{p('Kasten' + picture)}</draw:text-box></draw:frame>"
    shape = f"<draw:g><draw:custom-shape>{p('Form')}</draw:custom-shape></draw:g>"
    assert outline(read(p(f"vor {box}{shape}nach") + picture)) == [
        "p vor nach",
        "p Kasten Plan ein Plan",
        "p Form",
        "p Plan",
        "p ein Plan",
    ]


def test_embedded_objects_are_said_to_be_missing() -> None:
    content = read(p("Text<draw:frame><draw:object/><draw:image/></draw:frame>"))
    assert (content.text, content.notes) == ("Text", (Note.NOT_SHOWN,))


def test_indexes_are_what_they_show() -> None:
    shown = f"<text:index-body><text:index-title>{p('Inhalt')}</text:index-title>{p('1 Teil<text:tab/>3')}</text:index-body>"
    source = f"<text:table-of-content-source>{p('weg')}</text:table-of-content-source>"
    assert outline(read(f"<text:table-of-content>{source}{shown}</text:table-of-content>")) == ["p Inhalt", "p 1 Teil 3"]


def test_running_headers_and_footers_stand_once_and_under_no_heading() -> None:
    left = "<style:header-left style:display='false'>{1}</style:header-left>"
    parts = f"<style:header>{{0}}</style:header>{left}<style:footer>{{2}}</style:footer>"
    page = '<style:master-page style:name="{}" style:next-style-name="{}">{}</style:master-page>'
    pages = (
        page.format("Standard", "Folge", parts.format(p("Kopf"), p("links"), p("Fuß")))
        + page.format("Folge", "Folge", parts.format(p("Kopf"), p("links"), p("Fuß 2")))
        + page.format("Unbenutzt", "", parts.format(p("weg"), "", ""))
    )
    content = read(h("a"), pages=pages)
    assert outline(content) == ["p Kopf", "h1 a", "p Fuß", "p Fuß 2"]
    assert (marked(content, "running"), content.passages[-1].headings) == (["Kopf", "Fuß", "Fuß 2"], ())


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"mimetype": "x"}, "package_damaged"),
        ({"content.xml": f"<office:document-content {SPACES}/>"}, "package_other_kind"),
        (
            {"content.xml": f"<o:a {SPACES} xmlns:o='x'><office:body><office:spreadsheet/></office:body></o:a>"},
            "package_other_kind",
        ),
        ({"content.xml": "<!DOCTYPE a><a/>"}, "xml_doctype"),
        ({"content.xml": b"\x8f" * 99, "META-INF/manifest.xml": "<m:encryption-data/>"}, "file_encrypted"),
    ],
)
def test_other_files_are_refused_with_the_reason(parts: Mapping[str, str | bytes], code: str) -> None:
    with pytest.raises(Refused) as refused:
        extract(TEXT, package(parts))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("before", "after", "times"),
    [
        ("<text:section>", "</text:section>", 240),
        ('<text:list text:style-name="L"><text:list-item>', "</text:list-item></text:list>", 120),
        ("<table:table><table:table-row><table:table-cell>", "</table:table-cell></table:table-row></table:table>", 80),
        ("<text:p><draw:frame><draw:text-box>", "</draw:text-box></draw:frame></text:p>", 80),
        ("<text:p><text:note><text:note-body>", "</text:note-body></text:note></text:p>", 80),
    ],
)
def test_what_lies_as_deep_as_xml_may_is_read(before: str, after: str, times: int) -> None:
    assert "x" in read(before * times + p("x") + after * times).text


def test_spans_as_deep_as_xml_may_are_read() -> None:
    assert read(p("<text:span>" * 245 + "x" + "</text:span>" * 245)).text == "x"


LEAVES = st.sampled_from(["Wort", "<text:s text:c='5'/>", "<text:line-break/>", "<table:covered-table-cell/>", "<draw:image/>"])
TAGS = st.sampled_from(
    [f"text:{name}" for name in ("p", "h", "span", "list", "list-item", "note", "note-body", "section", "index-body", "a")]
    + ["table:table", "table:table-row", "table:table-cell", "draw:frame", "draw:text-box", "draw:g", "office:annotation"]
)


@settings(deadline=None)
@given(st.recursive(LEAVES, lambda some: st.builds("<{0}>{1}</{0}>".format, TAGS, st.lists(some, max_size=3).map("".join))))
def test_any_elements_anywhere_are_content_or_refused(body: str) -> None:
    content = extract(TEXT, odt(body))
    assert content.text == profile.normalise(content.text)


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(0, 2_000))
def test_any_bytes_are_content_or_refused(data: bytes, at: int) -> None:
    whole = odt(items("Text"), own=list_style(number(1)))
    try:
        extract(TEXT, whole[:at] + data + whole[at + len(data) :])
    except Refused as refused:
        assert refused.code != "parser_fault"
