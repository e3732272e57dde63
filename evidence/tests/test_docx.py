"""Word files: what a reader of the printed page sees, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import profile
from evidence.content import Note
from evidence.errors import Refused
from evidence.formats import extract, flow
from evidence.tests.packages import NAMESPACES, marked, office, outline, package
from evidence.tests.word import WORD, cell, docx, item, level, lists, nested, paragraph, read, row, run, style, table

TRICKY = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tricky"


def test_headings_are_found_by_outline_through_what_a_style_is_based_on() -> None:
    styles = (
        style("A", '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>')
        + style("B", based="A")
        + style("C", '<w:pPr><w:outlineLvl w:val="9"/></w:pPr>', based="B")
        + style("berschrift3", named="heading 3")
        + style("Titel", named="Title")
        + style("Zitat", named="Quote")
    )
    names = ("Titel", "A", "B", "C", "berschrift3", "Zitat", "Heading1")
    body = "".join(paragraph(name, style=name) for name in names) + paragraph("D", '<w:outlineLvl w:val="7"/>', style="C")
    assert outline(read(body, styles=styles)) == [
        "h1 Titel",
        "h2 A",
        "h2 B",
        "p C",
        "h3 berschrift3",
        "q Zitat",
        "h1 Heading1",
        "h6 D",
    ]


def test_styles_that_are_based_on_themselves_end() -> None:
    ring = (
        style("A", based="C")
        + style("B", based="A")
        + style("C", "<w:rPr><w:vanish/></w:rPr>", based="B")
        + style("D", based="D")
    )
    assert outline(read(paragraph("a", style="A") + paragraph("d", style="D"), styles=ring)) == ["p d"]


def test_tracked_changes_are_accepted() -> None:
    gone = '<w:del w:id="1">{}</w:del><w:moveFrom w:id="2">{}</w:moveFrom>'.format(run("weg"), run("woanders"))
    come = '<w:ins w:id="3">{}</w:ins><w:moveTo w:id="4">{}</w:moveTo>'.format(run("neu"), run(" hier"))
    was = "<w:pPrChange><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr></w:pPrChange>"
    content = read(paragraph(run("alt ") + gone + come, was), numbering=lists(level(0, "%1.")))
    assert outline(content) == ["p alt neu hier"]


@pytest.mark.parametrize("mark", ["<w:del w:id='1'/>", "<w:moveFrom w:id='1'/>", "<w:vanish/>"])
def test_a_paragraph_whose_end_is_gone_goes_on_in_the_next(mark: str) -> None:
    end = f"<w:rPr>{mark}</w:rPr>"
    styles = style("A", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
    joined = (
        paragraph("eins ", end, style="A")
        + paragraph("zwei ", end)
        + paragraph("drei")
        + paragraph("vier", end)
        + table(row("x", "y"))
    )
    assert outline(read(joined, styles=styles)) == ["p eins zwei drei", "p vier", "t x\ty"]


def test_deleted_rows_and_cells_are_out() -> None:
    rows = (
        row("a", "b", properties="<w:del w:id='1'/>"),
        row("c", "d", properties="<w:ins w:id='2'/>"),
        row("e", properties="<w:hidden/>"),
    )
    assert outline(read(table(*rows, row("f", cell("g", "<w:cellDel w:id='3'/>"))))) == ["t c\td", "t f\t"]


def test_paragraphs_that_are_hidden_with_their_ends_count_in_no_list() -> None:
    styles = style("H", "<w:rPr><w:vanish/></w:rPr>")
    hidden = paragraph("weg", '<w:numPr><w:numId w:val="1"/></w:numPr>', style="H")
    body = item("a") + hidden + item("b") + hidden + table(row("c", "d"))
    assert outline(read(body, styles=styles, numbering=lists(level(0, "%1.")))) == ["l1 1. a", "l1 2. b", "t c\td"]


def test_comments_are_out() -> None:
    body = (
        '<w:commentRangeStart w:id="0"/>' + run("Text") + '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
    )
    assert read(paragraph(body), comments=f'<w:comment w:id="0">{paragraph("intern")}</w:comment>').text == "Text"


def test_hidden_text_is_out_also_by_its_style() -> None:
    styles = (
        style("Geheim", "<w:rPr><w:vanish/></w:rPr>", kind="character")
        + style("Absatz", "<w:rPr><w:vanish/></w:rPr>")
        + style("Netz", "<w:rPr><w:webHidden/></w:rPr>", kind="character")
    )
    named = '<w:rStyle w:val="{}"/>'
    runs = (
        run("a", "<w:vanish/>")
        + run("b", named.format("Geheim"))
        + run("c", named.format("Geheim") + '<w:vanish w:val="0"/>')
        + run("d", named.format("Netz"))
    )
    body = paragraph(runs) + paragraph("e", style="Absatz") + paragraph(run("f", named.format("Geheim")), style="Absatz")
    assert outline(read(body, styles=styles)) == ["p cd", "p f"]


@pytest.mark.parametrize(
    ("properties", "around", "is_unseen"),
    [
        ('<w:color w:val="FFFFFF"/>', "", True),
        ('<w:color w:val="fdfdfd"/>', "", True),
        ('<w:color w:val="EEEEEE"/>', "", False),
        ('<w:color w:val="auto"/>', "", False),
        ('<w:sz w:val="1"/>', "", True),
        ('<w:sz w:val="0.5pt"/>', "", True),
        ('<w:sz w:val="12"/>', "", False),
        ('<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000080"/>', "", False),
        ('<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>', "", False),
        ('<w:color w:val="000000"/><w:highlight w:val="black"/>', "", True),
        ('<w:color w:val="000000"/><w:shd w:val="solid" w:color="000000" w:fill="FFFFFF"/>', "", True),
        ('<w:color w:val="FFFFFF"/>', '<w:shd w:val="clear" w:fill="000080"/>', False),
        ('<w:color w:val="FFFFFF"/>', '<w:shd w:val="clear" w:fill="auto"/>', True),
    ],
)
def test_what_nobody_can_see_is_kept_and_marked(properties: str, around: str, is_unseen: bool) -> None:
    content = read(paragraph(run("seht ") + run("nichts", properties) + run("mehr", properties), around))
    assert content.text == "seht nichtsmehr"
    assert (marked(content, "unseen"), content.notes) == ((["nichtsmehr"], (Note.UNSEEN_TEXT,)) if is_unseen else ([], ()))


def test_white_in_a_coloured_cell_or_styled_table_or_box_is_seen() -> None:
    white = paragraph(run("weiß", '<w:color w:val="FFFFFF"/>'))
    styles = style(
        "T",
        '<w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="4472C4"/></w:tcPr></w:tblStylePr>',
        kind="table",
    )
    blue = cell(white, '<w:shd w:val="clear" w:fill="0000FF"/>')
    shape = f"<w:r><w:pict><v:textbox><w:txbxContent>{white}</w:txbxContent></v:textbox></w:pict></w:r>"
    body = table(row(blue, "x")) + table(row(cell(white), "y"), properties='<w:tblStyle w:val="T"/>') + paragraph(shape)
    assert marked(read(body, styles=styles), "unseen") == []
    assert marked(read(table(row(cell(white), "z"))), "unseen") == ["weiß"]


FIELD = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
CODE = "<w:r><w:instrText>CODE</w:instrText></w:r>"
BEGIN, MIDDLE, END = (FIELD.format(kind) for kind in ("begin", "separate", "end"))


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (BEGIN + CODE + MIDDLE + run("Ergebnis") + END + run(" danach"), "Ergebnis danach"),
        (BEGIN + CODE + END + run("danach"), "danach"),
        (BEGIN + CODE + BEGIN + CODE + MIDDLE + run("innen") + END + MIDDLE + run("außen") + END, "außen"),
        (BEGIN + CODE + run("ohne Ende"), "ohne Ende"),
        (MIDDLE + END + run("ohne Anfang"), "ohne Anfang"),
        (f"<w:del>{BEGIN}</w:del>" + run("a") + END, "a"),
        (BEGIN + CODE + MIDDLE + "</w:p><w:p>" + run("über Absätze") + "</w:p><w:p>" + END, "über Absätze"),
        ('<w:fldSimple w:instr="CODE">' + run("7") + "</w:fldSimple>", "7"),
    ],
)
def test_results_of_fields_are_text_and_their_codes_are_not(runs: str, text: str) -> None:
    assert read(f"<w:p>{runs}</w:p>").text == text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>', "☒"),
        ('<w:checkBox><w:default w:val="0"/></w:checkBox>', "☐"),
        ('<w:ddList><w:result w:val="1"/><w:listEntry w:val="ja"/><w:listEntry w:val="nein"/></w:ddList>', "nein"),
        ('<w:ddList><w:result w:val="9"/><w:listEntry w:val="ja"/></w:ddList>', ""),
    ],
)
def test_form_fields_show_what_is_chosen(data: str, text: str) -> None:
    begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'
    assert read(paragraph(begin + CODE + END)).text == text


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<w:t>a</w:t><w:tab/><w:t>b</w:t>", "a b"),
        ("<w:t>a</w:t><w:br/><w:t>b</w:t><w:cr/><w:t>c</w:t>", "a\nb\nc"),
        ("<w:t>a</w:t><w:softHyphen/><w:t>b</w:t><w:noBreakHyphen/><w:t>c</w:t>", "a\u00adb\u2011c"),
        ('<w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="Symbol" w:char="F061"/>', "✓α"),
        ('<w:sym w:font="Hausschrift" w:char="F041"/><w:sym w:font="Arial" w:char="20AC"/>', "\ufffd€"),
        ('<w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr><w:t>J</w:t>', "☺"),
        ('<w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t>', "²"),
        ("<w:ruby><w:rt><w:r><w:t>ka</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>火</w:t></w:r></w:rubyBase></w:ruby>", "火(ka)"),
        ("<w:delText>weg</w:delText><w:t>שלום</w:t>", "שלום"),
        (
            "<mc:AlternateContent><mc:Choice><w:new/></mc:Choice><mc:Fallback><w:t>☺</w:t></mc:Fallback></mc:AlternateContent>",
            "☺",
        ),
    ],
)
def test_what_a_run_holds(inside: str, text: str) -> None:
    assert read(paragraph(f"<w:r>{inside}</w:r>")).text == text


def test_a_word_over_several_runs_and_wrappers_is_one_word() -> None:
    wrapped = f"<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>{run('gungs', '<w:b/>')}</w:sdtContent></w:sdt>"
    smart = f"<w:smartTag><w:customXml>{run('schutz', '<w:b/>')}</w:customXml></w:smartTag>"
    content = read(f"<w:sdt><w:sdtContent>{paragraph(run('Kün') + run('di', '<w:b/>') + wrapped + smart)}</w:sdtContent></w:sdt>")
    assert content.text == "Kündigungsschutz"
    assert marked(content, "strong") == ["digungsschutz"]


def test_a_large_initial_begins_its_word() -> None:
    assert read(paragraph("D", '<w:framePr w:dropCap="drop"/>') + paragraph("ie Satzung")).text == "Die Satzung"


def test_emphasis_is_what_differs_from_the_paragraphs_style() -> None:
    styles = style("A", "<w:rPr><w:b/></w:rPr>") + style("Stark", "<w:rPr><w:b/><w:i/></w:rPr>", kind="character")
    body = paragraph(run("a ") + run("b", '<w:rStyle w:val="Stark"/>') + run(" c", '<w:i w:val="true"/>'), style="A")
    content = read(body, styles=styles)
    assert (marked(content, "strong"), marked(content, "emphasis")) == (["b"], ["b c"])


def test_links_have_their_address_and_are_never_followed() -> None:
    outside = f'<w:hyperlink r:id="x" w:anchor="b">{run("hier")}</w:hyperlink>'
    body = paragraph(f'{outside}<w:hyperlink w:anchor="y">{run(" dort")}</w:hyperlink>')
    content = read(body, links={"x": "hyperlink https://example.org/a"})
    assert [(span.kind.value, span.value) for span in content.spans] == [("link", "https://example.org/a#b")]
    assert content.text == "hier dort"


def test_every_cell_stands_in_its_own_column() -> None:
    restart, goes_on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    content = read(
        table(
            row(cell("A", restart), cell("B", '<w:gridSpan w:val="2"/>'), properties="<w:tblHeader/>"),
            row(cell("", goes_on), "C", "D", properties="<w:tblHeader/>"),
            row("a", cell(paragraph("b") + table(row("c", "d")) + paragraph("e")), "f"),
            row("g", properties='<w:gridBefore w:val="1"/>'),
        )
    )
    assert outline(content) == ["t A\tB\t", "t \tC\tD", "t a\tb\nc\nd\ne\tf", "t \tg"]
    assert [passage.columns for passage in content.passages] == [None, None, 0, 0]


@pytest.mark.parametrize(
    ("looks", "columns"),
    [('w:firstRow="1"', [None, 0]), ('w:firstRow="0"', [None, None]), ('w:val="04A0"', [None, 0]), ('w:val="?"', [None, None])],
)
def test_a_first_row_that_looks_different_names_the_columns(looks: str, columns: list[int | None]) -> None:
    styles = style("T", '<w:tblStylePr w:type="firstRow"/>', kind="table") + style("U", kind="table", based="T")
    content = read(table(row("A", "B"), row("1", "2"), properties=f'<w:tblStyle w:val="U"/><w:tblLook {looks}/>'), styles=styles)
    assert [passage.columns for passage in content.passages] == columns


def test_a_table_of_one_cell_is_only_a_frame() -> None:
    styles = style("A", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>')
    assert outline(read(table(row(cell(paragraph("a", style="A") + paragraph("b")))), styles=styles)) == ["h1 a", "p b"]


NOTE = '<w:r><w:{}Reference w:id="{}"/></w:r>'


def test_notes_follow_the_passage_that_refers_to_them_with_their_numbers() -> None:
    note = '<w:{0} w:id="{1}">' + paragraph("<w:r><w:{0}Ref/></w:r>" + run(" {2}")) + "</w:{0}>"
    footnotes = (
        '<w:footnote w:type="separator" w:id="-1"/>' + note.format("footnote", 1, "erste") + note.format("footnote", 2, "zweite")
    )
    body = (
        paragraph(run("a") + NOTE.format("footnote", 2) + run(" b") + NOTE.format("endnote", 4))
        + table(row(cell(paragraph(run("c") + NOTE.format("footnote", 1))), "d"))
        + paragraph(run("e") + NOTE.format("footnote", 2))
    )
    assert outline(read(body, footnotes=footnotes, endnotes=note.format("endnote", 4, "am Ende"))) == [
        "p a[1] b[i]",
        "p [1] zweite",
        "p [i] am Ende",
        "t c[2]\td",
        "p [2] erste",
        "p e[1]",
    ]


def test_numbers_of_notes_begin_and_look_as_the_section_says() -> None:
    notes = "".join(f'<w:footnote w:id="{name}">{paragraph("n")}</w:footnote>' for name in (1, 2, 3))
    section = '<w:sectPr><w:footnotePr><w:numFmt w:val="lowerLetter"/><w:numRestart w:val="eachSect"/></w:footnotePr></w:sectPr>'
    first, second, last = (NOTE.format("footnote", name) for name in (1, 2, 3))
    content = read(paragraph(first + second, section) + paragraph(last) + section, footnotes=notes)
    assert [line for line in outline(content) if not line.endswith("n")] == ["p [a][b]", "p [a]"]


def test_a_mark_of_ones_own_replaces_the_number() -> None:
    body = paragraph(run("a") + '<w:r><w:footnoteReference w:id="1" w:customMarkFollows="1"/><w:t>*</w:t></w:r>')
    assert outline(read(body, footnotes=f'<w:footnote w:id="1">{paragraph("* Anmerkung")}</w:footnote>')) == [
        "p a*",
        "p * Anmerkung",
    ]


def test_notes_that_refer_to_each_other_end() -> None:
    notes = f'<w:footnote w:id="1">{paragraph(run("x") + NOTE.format("footnote", 1) + NOTE.format("footnote", 2))}</w:footnote>'
    assert outline(read(paragraph(NOTE.format("footnote", 1)), footnotes=notes)) == ["p [1]", "p [1] x[1][2]"]


def test_running_headers_and_footers_stand_once_and_under_no_heading() -> None:
    reference = '<w:{}Reference w:type="{}" r:id="{}"/>'
    first = (
        reference.format("header", "default", "header1")
        + reference.format("header", "even", "header2")
        + reference.format("footer", "default", "footer1")
    )
    second = reference.format("header", "default", "header3") + reference.format("header", "first", "header4")
    body = (
        paragraph("a", f"<w:sectPr>{first}</w:sectPr>")
        + paragraph("b", f"<w:sectPr>{second}</w:sectPr>", style="Heading1")
        + f"<w:sectPr>{first}</w:sectPr>"
    )
    parts = {"header1": "Kopf", "header2": "gerade", "header3": "Kopf", "header4": "erste", "footer1": "Fuß"}
    content = read(body, **{name: paragraph(words) for name, words in parts.items()})
    assert outline(content) == ["p Kopf", "p a", "h1 b", "p Fuß"]
    assert (marked(content, "running"), content.passages[-1].headings) == (["Kopf", "Fuß"], ())


def test_first_and_even_pages_have_their_headers_where_that_is_switched_on() -> None:
    references = "".join(
        f'<w:headerReference w:type="{kind}" r:id="header{at}"/>' for at, kind in enumerate(("first", "even", "default"))
    )
    headers = {f"header{at}": paragraph(words) for at, words in enumerate(("erste", "gerade", "Kopf"))}
    content = read(f"<w:sectPr>{references}<w:titlePg/></w:sectPr>", settings="<w:evenAndOddHeaders/>", **headers)
    assert outline(content) == ["p erste", "p Kopf", "p gerade"]


BOX = "<w:txbxContent>{}</w:txbxContent>"


def test_a_text_box_follows_its_paragraph_once() -> None:
    box = BOX.format(paragraph("Kasten") + table(row("x", "y")))
    choice = f"<mc:Choice Requires='wps'><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>"
    fallback = f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
    both = f"<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>"
    assert outline(read(paragraph(run("vor ") + f"<w:r>{both}</w:r>" + run("nach")))) == ["p vor nach", "p Kasten", "t x\ty"]
    assert outline(read(table(row(cell(paragraph(f"<w:r>{both}</w:r>")), "z")))) == ["t Kasten\nx\ny\tz"]


def test_boxes_inside_boxes_come_after_them() -> None:
    inner = f"<w:r><w:drawing>{BOX.format(paragraph('innen'))}</w:drawing></w:r>"
    assert outline(read(paragraph(f"<w:r><w:drawing>{BOX.format(paragraph(run('außen') + inner))}</w:drawing></w:r>"))) == [
        "p außen",
        "p innen",
    ]


def test_pictures_are_their_descriptions() -> None:
    names = '<wp:docPr descr="ein Plan" name="Bild 1"/><pic:cNvPr descr="ein Plan"/><pic:cNvPr descr="C:\\Bilder\\bild 1.PNG"/>'
    drawing = f"<w:r><w:drawing>{names}</w:drawing></w:r>"
    water_mark = '<w:r><w:pict><v:shape alt="Logo"><v:textpath string="ENTWURF"/></v:shape></w:pict></w:r>'
    assert outline(read(paragraph(run("vor") + drawing + run("nach")) + paragraph(water_mark))) == [
        "p vor ein Plan nach",
        "p Logo",
        "p ENTWURF",
    ]


def test_pictures_are_never_unpacked() -> None:
    bomb = "\0" * 5_000_000
    assert read(paragraph("Text"), files={"media/image1.png": bomb}, links={"p": "image media/image1.png"}).text == "Text"


def test_diagrams_and_charts_say_their_words() -> None:
    words = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
    points = f"<dgm:pt><dgm:t>{words.format('Stufe')}</dgm:t></dgm:pt>"
    names = "<c:ser><c:tx><c:v>2026</c:v></c:tx><c:cat><c:v>A</c:v><c:v>B</c:v></c:cat></c:ser>"
    chart = f"<c:title>{words.format('Kosten')}</c:title>{names}"
    files = {
        "d.xml": f"<dgm:dataModel {NAMESPACES}>{points}</dgm:dataModel>",
        "c.xml": f"<c:chart {NAMESPACES}>{chart}</c:chart>",
    }
    drawn = '<w:r><w:drawing><dgm:relIds r:dm="d"/><c:chart r:id="c"/></w:drawing></w:r>'
    content = read(paragraph(drawn), links={"d": "diagramData d.xml", "c": "chart c.xml"}, files=files)
    assert outline(content) == ["p Stufe", "p Kosten", "p 2026", "p A; B"]
    assert content.notes == (Note.NOT_SHOWN,)


@pytest.mark.parametrize(
    "inside", ["<w:altChunk r:id='x'/>", "<w:p><w:r><w:object><o:OLEObject r:id='x'/></w:object></w:r></w:p>"]
)
def test_embedded_files_are_not_read_and_that_is_said(inside: str) -> None:
    content = read(inside + paragraph("Text"))
    assert (content.text, content.notes) == ("Text", (Note.ATTACHMENTS,))


@pytest.mark.parametrize(("title", "expected"), [("Satzung", "Satzung"), ("Dokument1", "Kapitel"), (None, "Kapitel")])
def test_the_title_is_the_files_own_unless_a_program_made_it_up(title: str | None, expected: str) -> None:
    assert read(paragraph("Kapitel", style="Heading1"), title=title).title == expected


def test_a_strict_file_is_read_like_any_other() -> None:
    strict = '<w:document xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:body><w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r></w:p></w:body></w:document>'
    assert extract(WORD, office("a.xml", strict)).text == "b"


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(Refused, match="holds <workbook>") as refused:
        extract(WORD, office("a.xml", '<workbook xmlns="x"/>'))
    assert refused.value.code == "package_other_kind"
    with pytest.raises(Refused) as refused:
        extract(WORD, package({"a.xml": "<a/>"}))
    assert refused.value.code == "package_damaged"


@pytest.mark.parametrize(
    "body",
    [
        nested("<w:sdt><w:sdtContent>", paragraph("x"), "</w:sdtContent></w:sdt>", 120),
        paragraph(nested("<w:ins>", run("x"), "</w:ins>", 245)),
        nested("<w:tbl><w:tr><w:tc>", paragraph("x"), "</w:tc></w:tr></w:tbl>", 82),
        nested("<w:p><w:r><w:drawing><w:txbxContent>", paragraph("x"), "</w:txbxContent></w:drawing></w:r></w:p>", 61),
        paragraph(f"<m:oMath>{nested('<m:e>', '<m:r><m:t>x</m:t></m:r>', '</m:e>', 240)}</m:oMath>"),
    ],
)
def test_what_lies_as_deep_as_xml_may_is_read(body: str) -> None:
    assert read(body).text == "x"


def test_deeper_tables_are_refused() -> None:
    with pytest.raises(Refused, match="too deep"):
        read(nested("<w:tbl><w:tr><w:tc>", paragraph("x"), "</w:tc></w:tr></w:tbl>", 1_000))


def test_wide_cells_do_not_grow_without_end() -> None:
    wide = row(cell("x", '<w:gridSpan w:val="999999"/>'), "y")
    assert len(read(table(*[wide] * 3_000)).text) < 10 * 3_000 + flow.MAX_FILLED


LEAVES = st.sampled_from(["Wort", "<w:fldChar w:fldCharType='begin'/>", "<w:br/>", "<w:vMerge/>", "<w:vanish/>", "<w:del/>"])
TAGS = st.sampled_from(["p", "r", "t", "tbl", "tr", "tc", "tcPr", "pPr", "rPr", "sdt", "ins", "txbxContent", "drawing", "sectPr"])


@settings(deadline=None)
@given(st.recursive(LEAVES, lambda some: st.builds("<w:{0}>{1}</w:{0}>".format, TAGS, st.lists(some, max_size=3).map("".join))))
def test_any_elements_anywhere_are_content_or_refused(body: str) -> None:
    try:
        content = extract(WORD, docx(body))
    except Refused as refused:
        assert refused.code != "parser_fault"
    else:
        assert content.text == profile.normalise(content.text)


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(0, 3_000))
def test_any_bytes_are_content_or_refused(data: bytes, at: int) -> None:
    whole = docx(item("Text"), numbering=lists(level(0, "%1.")))
    try:
        extract(WORD, whole[:at] + data + whole[at + len(data) :])
    except Refused as refused:
        assert refused.code != "parser_fault"


# What the list calls "1 2 3" are three cells; where it has "Ouch.", a reference to a note stands before the full stop.
_REFERENCE = re.compile(r"\[[0-9ivx]+\]")


@pytest.mark.skipif(not TRICKY.exists(), reason="the shared tricky files are not here")
def test_tricky_word_files_end_as_their_list_says() -> None:
    for entry in json.loads((TRICKY / "manifest.json").read_text("utf-8")):
        if entry["kind"] != "docx":
            continue
        data = (TRICKY / entry["file"]).read_bytes()
        if entry["expected"] == "rejected":
            with pytest.raises(Refused):
                extract(WORD, data)
            continue
        content = extract(WORD, data)
        spaced = " ".join(_REFERENCE.sub("", content.text.replace("\u00ad", "")).split())
        assert (Note.NO_TEXT in content.notes) == (entry["expected"] == "no_text"), entry["file"]
        assert all(words in spaced for words in (*entry["must_contain"], *entry.get("normalised", []))), entry["file"]
        assert not any(words in content.text for words in entry.get("must_not_contain", [])), entry["file"]
        for words in ("Verschobener Satz", "Datum plane"):
            assert content.text.count(words) == (words in entry.get("note", "")), entry["file"]
