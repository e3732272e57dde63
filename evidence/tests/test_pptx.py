"""Presentations: the words on each slide in reading order, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import profile
from evidence.content import REPEATED, Content, Note
from evidence.errors import Refused
from evidence.formats import FORMATS, extract
from evidence.formats.pptx.bullets import Bullets
from evidence.tests.packages import NAMESPACES, marked, office, outline, relations

SLIDES = FORMATS[".pptx"]


def pptx(
    *slides: str, size: str = '<p:sldSz cx="9000" cy="6000"/>', more: str = "", files: Mapping[str, str] | None = None
) -> bytes:
    """slides: the insides of their shape trees, or whole slides. files: more files in the folder `ppt`."""
    names = "".join(f'<p:sldId r:id="s{at}"/>' for at in range(len(slides)))
    root = f"<p:presentation {NAMESPACES} {more}><p:sldIdLst>{names}</p:sldIdLst>{size}</p:presentation>"
    parts = {f"ppt/s{at}.xml": slide if slide.startswith("<p:sld ") else sheet(slide) for at, slide in enumerate(slides)}
    parts["ppt/_rels/presentation.xml.rels"] = relations({f"s{at}": f"slide s{at}.xml" for at in range(len(slides))})
    parts |= {f"ppt/{name}": text for name, text in (files or {}).items()}
    return office("ppt/presentation.xml", root, **parts)


def read(*slides: str, **parts: Any) -> Content:
    content = extract(SLIDES, pptx(*slides, **parts))
    assert content.text == profile.normalise(content.text)
    return content


def sheet(shapes: str, tag: str = "sld", *, more: str = "", after: str = "") -> str:
    return f"<p:{tag} {NAMESPACES} {more}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>{after}</p:{tag}>"


def p(text: str, properties: str = "", run: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:rPr {run}/><a:t>{text}</a:t></a:r></a:p>"


def frame(place: Sequence[int] | None, tag: str = "a:xfrm") -> str:
    if place is None:
        return ""
    left, top, width, height = place
    return f'<{tag}><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></{tag}>'


def shape(inside: str, place: Sequence[int] | None = None, kind: str = "", *, own: str = "", styles: str = "") -> str:
    """A shape; inside: paragraphs, or just words. place: left, top, width, height. kind: of its placeholder."""
    text = inside if inside.startswith("<") else p(inside)
    prepared = f"<p:ph {kind}/>" if kind else ""
    names = f"<p:nvSpPr><p:cNvPr {own}/><p:nvPr>{prepared}</p:nvPr></p:nvSpPr>"
    return f"<p:sp>{names}<p:spPr>{frame(place)}</p:spPr><p:txBody><a:lstStyle>{styles}</a:lstStyle>{text}</p:txBody></p:sp>"


TITLE, BODY, FOOTER, NUMBER = 'type="title"', 'type="body" idx="1"', 'type="ftr"', 'type="sldNum"'


def test_a_slide_is_read_from_its_title_down_and_from_left_to_right() -> None:
    shapes = [
        shape("rechts", (5000, 1020, 100, 100)),
        shape("unten", (0, 4000, 100, 100)),
        shape("links", (0, 1000, 100, 100)),
        shape("Titel", (0, 3000, 100, 100), TITLE),
        shape("Fuß", (0, 0, 100, 100), FOOTER),
    ]
    assert outline(read("".join(shapes))) == ["h1 Titel", "p links", "p rechts", "p unten", "p Fuß"]


def test_each_slide_is_a_page_and_begins_an_outline_of_its_own() -> None:
    content = read(shape("A", kind=TITLE) + shape("a"), shape("b"), "", shape("C", kind=TITLE), more='firstSlideNum="4"')
    assert [(page.label, content.text[page.start : page.end]) for page in content.pages] == [
        ("4", "A\n\na\n\n"),
        ("5", "b\n\n"),
        ("6", ""),
        ("7", "C"),
    ]
    assert [passage.headings for passage in content.passages] == [(), (0,), (), ()]
    assert content.title == "A"


def test_hidden_slides_and_shapes_outside_are_marked_and_hidden_shapes_are_out() -> None:
    hidden, tiny = sheet(shape("versteckt"), more='show="0"'), shape(p("klein", run='sz="100"'))
    content = read(shape("da") + shape("daneben", (9000, 0, 10, 10)) + shape("weg", own='hidden="1"') + tiny, hidden)
    assert outline(content) == ["p da", "p klein", "p daneben", "p versteckt"]
    assert (marked(content, "unseen"), content.notes) == (["klein", "daneben", "versteckt"], (Note.UNSEEN_TEXT,))


def test_groups_stay_together_and_count_places_for_themselves() -> None:
    inner = shape("zwei", (50_000, 900, 1, 1)) + shape("eins", (50_000, 100, 1, 1))
    group = f"<p:grpSp><p:nvGrpSpPr><p:cNvPr/></p:nvGrpSpPr><p:grpSpPr>{frame((0, 2000, 10, 10))}</p:grpSpPr>{inner}</p:grpSp>"
    content = read(group + shape("null", (0, 0, 1, 1)) + shape("drei", (0, 5000, 1, 1)))
    assert (outline(content), marked(content, "unseen")) == (["p null", "p eins", "p zwei", "p drei"], [])


def with_layout(*shapes: str, layout: str, master: str = "", styles: str = "") -> Content:
    files = {
        "_rels/s0.xml.rels": relations({"l": "slideLayout layout.xml"}),
        "layout.xml": sheet(layout, "sldLayout"),
        "_rels/layout.xml.rels": relations({"m": "slideMaster master.xml"}),
        "master.xml": sheet(master, "sldMaster", after=f"<p:txStyles>{styles}</p:txStyles>"),
    }
    return read("".join(shapes), files=files)


def test_places_come_from_the_layout_or_the_master() -> None:
    layout = shape("", (0, 5000, 1, 1), 'type="body" idx="7"') + shape("", None, 'type="subTitle" idx="8"')
    master = shape("", (0, 100, 1, 1), 'type="body"')
    places = shape("unten", kind='idx="7"') + shape("oben", kind='type="subTitle" idx="8"') + shape("Mitte", (0, 2000, 1, 1))
    assert outline(with_layout(places, layout=layout, master=master)) == ["p oben", "p Mitte", "p unten"]


def test_bullets_come_from_the_nearest_list_style() -> None:
    body = '<p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr></p:bodyStyle>'
    layout = shape("", None, BODY, styles='<a:lvl2pPr><a:buAutoNum type="alphaLcParenR"/></a:lvl2pPr>')
    text = p("a") + p("b", '<a:pPr lvl="1"/>') + p("c", '<a:pPr lvl="1"/>') + "<a:p/>" + p("d", "<a:pPr><a:buNone/></a:pPr>")
    content = with_layout(shape(text, kind=BODY), shape("frei"), layout=layout, styles=body)
    assert outline(content) == ["l1 • a", "l2 a) b", "l2 b) c", "p d", "p frei"]


@pytest.mark.parametrize(
    ("bullets", "markers"),
    [
        (['<a:buAutoNum type="arabicPeriod"/>'] * 2, ["1.", "2."]),
        (['<a:buAutoNum type="romanUcParenBoth" startAt="4"/>'] * 2, ["(IV)", "(V)"]),
        (['<a:buAutoNum type="arabicPlain"/>', "<a:buNone/>", '<a:buAutoNum type="arabicPlain"/>'], ["1", "", "1"]),
        (['<a:buAutoNum type="arabicMinus" startAt="99999"/>'], ["- 32767 -"]),
        (['<a:buAutoNum type="circleNumDbPlain"/>'], ["1."]),
        (['<a:buFont typeface="Wingdings"/><a:buChar char="§"/>'], ["▪"]),
        (['<a:buChar char="\uf0ff"/>', "<a:buBlip/>"], ["•", "•"]),
    ],
)
def test_bullets_are_those_that_are_shown(bullets: list[str], markers: list[str]) -> None:
    text = "".join(p("x", f"<a:pPr>{bullet}</a:pPr>") for bullet in bullets)
    found = [line[1:].strip().removesuffix("x").strip().removeprefix("1 ") for line in outline(read(shape(text)))]
    assert found == markers


def test_a_text_has_no_more_than_nine_levels() -> None:
    assert Bullets(()).next(None) == ("", 0)
    assert read(shape(p("a", '<a:pPr lvl="99"><a:buChar char="•"/></a:pPr>'))).passages[0].level == 9


def test_what_stands_on_every_slide_is_searched_once() -> None:
    slides = [shape(f"Text {at}") + shape("Stadtwerke", kind=FOOTER) + shape(str(at), kind=NUMBER) for at in (1, 2)]
    content = read(*slides)
    running = [(content.text[span.start : span.end], span.value) for span in content.spans if span.kind == "running"]
    assert running == [("Stadtwerke", ""), ("1", ""), ("Stadtwerke", REPEATED), ("2", REPEATED)]


def test_words_of_the_layout_stand_with_the_first_slide_that_shows_them() -> None:
    content = with_layout(shape("Text"), layout=shape("vertraulich") + shape("Titel hier", kind=TITLE), master=shape("Haus"))
    assert (outline(content), marked(content, "running")) == (["p Text", "p vertraulich", "p Haus"], ["vertraulich", "Haus"])


@pytest.mark.parametrize(("language", "name"), [('lang="de-DE"', "Notizen"), ('lang="en-GB"', "Notes"), ("", "Notizen")])
def test_speaker_notes_stand_under_a_heading_of_their_own(language: str, name: str) -> None:
    notes = sheet(shape(p("sagen", run=language), kind='type="body"') + shape("2", kind=NUMBER), "notes")
    files = {"_rels/s0.xml.rels": relations({"n": "notesSlide n.xml"}), "n.xml": notes}
    content = read(shape("A", kind=TITLE), shape("b"), files=files)
    assert outline(content) == ["h1 A", f"h2 {name}", "p sagen", "p b"]
    assert [passage.headings for passage in content.passages] == [(), (0,), (0, 1), ()]


def table(*rows: str, more: str = "") -> str:
    names = "<p:nvGraphicFramePr><p:cNvPr/></p:nvGraphicFramePr>"
    data = f"<a:graphicData><a:tbl><a:tblPr {more}/>{''.join(rows)}</a:tbl></a:graphicData>"
    return f"<p:graphicFrame>{names}<a:graphic>{data}</a:graphic></p:graphicFrame>"


def row(*cells: tuple[str, str]) -> str:
    return f"<a:tr>{''.join(f'<a:tc {more}><a:txBody>{p(text)}</a:txBody></a:tc>' for text, more in cells)}</a:tr>"


def test_tables_have_their_rows_and_columns() -> None:
    rows = row(("A", 'gridSpan="2"'), ("weg", 'hMerge="1"'), ("B", "")), row(("1", ""), ("2", ""), ("3", ""))
    content = read(table(*rows, row(("", 'vMerge="1"'), ("4", ""), ("", "")), more='firstRow="1"'))
    assert outline(content) == ["t A\t\tB", "t 1\t2\t3", "t \t4\t"]
    assert [passage.columns for passage in content.passages] == [None, 0, 0]


def test_marks_breaks_fields_and_links() -> None:
    link = '<a:r><a:rPr><a:hlinkClick r:id="x"/></a:rPr><a:t>da</a:t></a:r>'
    field = "<a:fld><a:rPr/><a:t>3</a:t></a:fld>"
    bold, raised = '<a:r><a:rPr b="1"/><a:t>fett </a:t></a:r>', '<a:r><a:rPr baseline="30000"/><a:t>2</a:t></a:r>'
    text = f"<a:p>{bold}{link}<a:br/>{field}{raised}</a:p>"
    files = {"_rels/s0.xml.rels": relations({"x": "hyperlink https://example.org"})}
    content = read(shape(text), files=files)
    assert (content.text, marked(content, "strong")) == ("fett da\n3²", ["fett"])
    assert [span.value for span in content.spans if span.kind == "link"] == ["https://example.org"]


def test_pictures_charts_and_embedded_files_say_what_they_can() -> None:
    picture = '<p:pic><p:nvPicPr><p:cNvPr descr="{}"/></p:nvPicPr></p:pic>'
    names = "<p:nvGraphicFramePr><p:cNvPr/></p:nvGraphicFramePr>"
    graphic = f"<p:graphicFrame>{names}<a:graphic><a:graphicData>{{}}</a:graphicData></a:graphic></p:graphicFrame>"
    chart = f"<c:chartSpace {NAMESPACES}><c:title>{p('Kosten')}</c:title></c:chartSpace>"
    diagram = f"<dgm:dataModel {NAMESPACES}><dgm:t>{p('Stufe')}</dgm:t></dgm:dataModel>"
    shapes = picture.format("ein Plan") + picture.format("bild.png") + graphic.format('<c:chart r:id="c"/>')
    shapes += graphic.format('<dgm:relIds r:dm="d"/>') * 2 + graphic.format("<p:oleObj/>")
    targets = {"c": "chart c.xml", "d": "diagramData d.xml"}
    content = read(shapes, files={"_rels/s0.xml.rels": relations(targets), "c.xml": chart, "d.xml": diagram})
    assert outline(content) == ["p ein Plan", "p Kosten", "p Stufe"]
    assert content.notes == (Note.NOT_SHOWN, Note.ATTACHMENTS)


def test_of_several_ways_to_show_a_shape_the_first_is_read() -> None:
    choice, fallback = f"<mc:Choice>{shape('a')}</mc:Choice>", f"<mc:Fallback>{shape('b')}</mc:Fallback>"
    both = f"<mc:AlternateContent>{choice}{fallback}</mc:AlternateContent>"
    assert read(both).text == "a"


def test_a_slide_that_is_named_twice_is_read_once() -> None:
    targets = relations({"s0": "slide s0.xml", "s1": "slide s0.xml"})
    content = read(shape("a"), shape("b"), files={"_rels/presentation.xml.rels": targets})
    assert (content.text, [page.label for page in content.pages]) == ("a", ["1", "2"])


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(Refused, match="holds <document>"):
        extract(SLIDES, office("a.xml", '<document xmlns="x"/>'))


def test_groups_as_deep_as_xml_may_are_read() -> None:
    before, after = "<p:grpSp><p:nvGrpSpPr><p:cNvPr/></p:nvGrpSpPr>", "</p:grpSp>"
    assert read(before * 240 + shape("x") + after * 240).text == "x"


NAMES = "<p:nvSpPr><p:cNvPr/></p:nvSpPr>"
LEAVES = st.sampled_from(["Wort", "<p:cNvPr/>", NAMES, "<a:br/>", '<p:ph type="title"/>', '<a:off x="1"/>'])
TAGS = st.sampled_from(["p:sp", "p:grpSp", "p:txBody", "p:spPr", "p:nvPr", "a:p", "a:r", "a:t", "a:tbl", "a:tr", "a:tc", "a:pPr"])


@settings(deadline=None)
@given(st.recursive(LEAVES, lambda some: st.builds("<{0}>{1}</{0}>".format, TAGS, st.lists(some, max_size=3).map("".join))))
def test_any_elements_anywhere_are_content(shapes: str) -> None:
    content = extract(SLIDES, pptx(shapes, shape(shapes) if shapes.startswith("<a:p>") else shapes))
    assert content.text == profile.normalise(content.text)


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(0, 2_000))
def test_any_bytes_are_content_or_refused(data: bytes, at: int) -> None:
    whole = pptx(shape("Text"))
    try:
        extract(SLIDES, whole[:at] + data + whole[at + len(data) :])
    except Refused as refused:
        assert refused.code != "parser_fault"
