"""Workbooks: what each sheet shows, row by row, with every value in its column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import profile
from evidence.content import Content, Note
from evidence.errors import Refused
from evidence.formats import FORMATS, extract
from evidence.formats.xlsx import sheets
from evidence.tests.packages import NAMESPACES, marked, office, outline, package, relations

SHEETS = FORMATS[".xlsx"]
SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SPACES = f'xmlns="{SPACE}" {NAMESPACES}'


def xlsx(
    *inside: str,
    texts: str = "",
    styles: str = "",
    workbook: str = "",
    states: Mapping[int, str] | None = None,
    files: Mapping[str, str] | None = None,
    **said: str,
) -> bytes:
    """inside: of each worksheet. texts, styles: insides of those parts. states: of sheets by their places. said: of the file."""
    sheet = '<sheet name="Blatt {0}" r:id="s{0}" state="{1}"/>'
    named = "".join(sheet.format(at, (states or {}).get(at, "visible")) for at in range(len(inside)))
    parts = {f"xl/s{at}.xml": f"<worksheet {SPACES}>{one}</worksheet>" for at, one in enumerate(inside)}
    targets = {f"s{at}": f"worksheet s{at}.xml" for at in range(len(inside))}
    parts["xl/t.xml"], parts["xl/f.xml"] = f"<sst {SPACES}>{texts}</sst>", f"<styleSheet {SPACES}>{styles}</styleSheet>"
    parts["xl/_rels/w.xml.rels"] = relations({**targets, "t": "sharedStrings t.xml", "f": "styles f.xml"})
    parts |= {f"xl/{name}": text for name, text in (files or {}).items()}
    return office("xl/w.xml", f"<workbook {SPACES}>{workbook}<sheets>{named}</sheets></workbook>", **said, **parts)


def read(*inside: str, **parts: Any) -> Content:
    content = extract(SHEETS, xlsx(*inside, **parts))
    assert content.text == profile.normalise(content.text)
    return content


def c(at: str, value: object, kind: str = "n", style: int = 0) -> str:
    return f'<c r="{at}" t="{kind}" s="{style}"><v>{value}</v></c>'


def t(at: str, text: str, style: int = 0) -> str:
    return f'<c r="{at}" t="inlineStr" s="{style}"><is><t>{text}</t></is></c>'


def row(number: int, *cells: str, more: str = "") -> str:
    return f'<row r="{number}" {more}>{"".join(cells)}</row>'


def data(*rows: str, before: str = "", after: str = "") -> str:
    return f"{before}<sheetData>{''.join(rows)}</sheetData>{after}"


def styled(*codes: str, fonts: str = "<font/>", fills: str = "<fill/>", more: str = "") -> str:
    """Style 0, and one for each code of a number format."""
    formats = "".join(f'<numFmt numFmtId="{164 + at}" formatCode="{code}"/>' for at, code in enumerate(codes))
    forms = "".join(f'<xf numFmtId="{164 + at}" fontId="0" fillId="0"/>' for at in range(len(codes)))
    cells = f'<cellXfs><xf numFmtId="0"/>{forms}{more}</cellXfs>'
    return f"<numFmts>{formats}</numFmts><fonts>{fonts}</fonts><fills>{fills}</fills>{cells}"


def test_each_sheet_is_a_heading_and_its_rows() -> None:
    first = data(row(1, t("A1", "Name"), t("C1", "Betrag")), row(4, t("C4", "x"), t("F4", "y")), row(5, t("A5", " ")))
    assert outline(read(first, data(), data(row(9, c("ZZ9", 7))))) == [
        "h1 Blatt 0",
        "t Name\tBetrag",
        "t \tx\ty",
        "h1 Blatt 2",
        "t 7",
    ]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (c("A1", 1, "s"), "zwei Teile"),
        (c("A1", 99, "s"), ""),
        (c("A1", "Er_x0007_geb_xD800_nis_x000D_", "str"), "Ergebnis"),
        (c("A1", 1, "b"), "WAHR"),
        (c("A1", "#N/A", "e"), "#NV"),
        (c("A1", "#DIV/0!", "e"), "#DIV/0!"),
        (c("A1", "2026-05-01T12:00:00", "d", 2), "01.05.2026"),
        (c("A1", 1234.5, style=1), "1.234,50 €"),
        (c("A1", 46000, style=2), "09.12.2025"),
        (c("A1", 5, style=3), ""),
        (c("A1", 5, style=99), "5"),
        (c("A1", "5"), "5"),
        ("<c><v>7</v></c>", "7"),
        ("<c r='A1'><v>keine Zahl</v></c>", "keine Zahl"),
        ("<c r='A1'><v>1e999</v></c>", ""),
    ],
)
def test_values_are_shown_in_their_formats(cell: str, text: str) -> None:
    texts = "<si><t>eins</t></si><si><r><t>zwei</t></r><r><t> Teile</t></r><rPh><t>weg</t></rPh></si>"
    styles = styled("#,##0.00\\ &quot;€&quot;", "dd\\.mm\\.yyyy", ";;;")
    found = read(data(row(1, cell)), texts=texts, styles=styles)
    assert "".join(outline(found)[1:]).removeprefix("t ") == text


@pytest.mark.parametrize(
    ("properties", "code", "shown"),
    [
        ("", "0", ["1234,5", "FALSCH", "01.05.2026"]),
        ("<a><b>Worksheets</b></a>", "0", ["1234.5", "FALSE", "5/1/2026"]),
        ("<a><b>Worksheets</b></a>", "0 [$€-407]", ["1234,5", "FALSCH", "01.05.2026"]),
        ("<a><b>Worksheets</b></a>", "dd\\.mm\\.yyyy", ["1234,5", "FALSCH", "01.05.2026"]),
    ],
)
def test_numbers_are_german_unless_an_english_excel_wrote_them(properties: str, code: str, shown: list[str]) -> None:
    cells = row(1, c("A1", 1234.5), c("B1", 0, "b"), c("C1", 46143, style=2))
    content = read(data(cells), styles=styled(code, more='<xf numFmtId="14"/>'), properties=properties)
    assert content.text.split("\n")[-1].split("\t") == shown


def test_lines_of_a_cell_are_lines_and_tabs_are_spaces() -> None:
    assert outline(read(data(row(1, t("A1", "a\n\tb  c"), t("B1", "d")))))[1:] == ["t a\nb c\td"]


HEAD = row(1, t("A1", "Name"), t("B1", "Zahl"))
BELOW = row(2, t("A2", "a"), c("B2", 1)), row(3, t("A3", "b"), c("B3", 2))
TEXTS = row(2, t("A2", "a"), t("B2", "c")), row(3, t("A3", "b"), t("B3", "d"))


FROZEN = '<sheetViews><sheetView><pane ySplit="1" state="frozen"/></sheetView></sheetViews>'


@pytest.mark.parametrize(
    ("inside", "columns"),
    [
        (data(HEAD, *BELOW), [None, 1, 1]),
        (data(HEAD, *TEXTS), [None, None, None]),
        (
            data(HEAD, *TEXTS, before=FROZEN),
            [None, 1, 1],
        ),
        (data(HEAD, *TEXTS, after='<autoFilter ref="A1:B3"/>'), [None, 1, 1]),
        (data(HEAD, *TEXTS, after='<tableParts><tablePart r:id="t"/></tableParts>'), [None, 1, 1]),
        (data(HEAD.replace('s="0"', 's="1"'), *TEXTS), [None, 1, 1]),
        (data(row(1, c("A1", 5), t("B1", "x")), *BELOW), [None, None, None]),
    ],
)
def test_a_head_is_what_is_set_up_as_one_or_looks_like_one(inside: str, columns: list[int | None]) -> None:
    files = {"_rels/s0.xml.rels": relations({"t": "table t0.xml"}), "t0.xml": f'<table {SPACES} ref="A1:B3"/>'}
    styles = styled(fonts="<font/><font><b/></font>", more='<xf fontId="1"/>')
    assert [passage.columns for passage in read(inside, files=files, styles=styles).passages[1:]] == columns


def test_hidden_sheets_rows_and_columns_are_kept_and_marked() -> None:
    columns = '<cols><col min="2" max="2" hidden="1"/></cols>'
    first = data(row(1, t("A1", "da"), t("B1", "verdeckt")), row(2, t("A2", "weg"), more='hidden="1"'), before=columns)
    content = read(first, data(row(1, t("A1", "x"))), data(row(1, t("A1", "y"))), states={1: "hidden", 2: "veryHidden"})
    assert outline(content) == ["h1 Blatt 0", "t da\tverdeckt", "t weg", "h1 Blatt 1", "t x"]
    assert marked(content, "unseen") == ["verdeckt", "weg", "Blatt 1", "x"]
    assert content.notes == (Note.NOT_SHOWN, Note.UNSEEN_TEXT)


@pytest.mark.parametrize(
    ("fill", "after", "is_unseen"),
    [
        ("<fill/>", "", True),
        ('<fill><patternFill patternType="solid"/></fill>', "", False),
        ("<fill/>", "<conditionalFormatting/>", False),
    ],
)
def test_white_on_nothing_is_marked(fill: str, after: str, is_unseen: bool) -> None:
    styles = styled(fonts='<font/><font><color rgb="FFFFFFFF"/></font>', fills=fill, more='<xf fontId="1" fillId="0"/>')
    assert marked(read(data(row(1, t("A1", "weiß", 1)), after=after), styles=styles), "unseen") == (["weiß"] if is_unseen else [])


def test_formulas_without_results_are_said_to_be_missing() -> None:
    content = read(data(row(1, "<c r='A1'><f>B1</f><v>3</v></c>", "<c r='B1'><f>C1</f></c>")))
    assert (outline(content)[1:], content.notes) == (["t 3"], (Note.NOT_SHOWN,))


def test_links_and_words_on_top_of_a_sheet() -> None:
    words = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
    drawn = f"<x:txBody>{words.format('Kasten')}</x:txBody><x:cNvPr descr='ein Plan'/><c:chart r:id='c'/>"
    files = {
        "_rels/s0.xml.rels": relations({"h": "hyperlink https://example.org", "d": "drawing d.xml"}),
        "d.xml": f"<x:wsDr xmlns:x='x' {NAMESPACES}>{drawn}</x:wsDr>",
        "_rels/d.xml.rels": relations({"c": "chart c.xml"}),
        "c.xml": f"<c:chartSpace {NAMESPACES}><c:title>{words.format('Kosten')}</c:title></c:chartSpace>",
    }
    after = '<hyperlinks><hyperlink ref="A1" r:id="h"/></hyperlinks><drawing r:id="d"/><oleObjects><oleObject/></oleObjects>'
    content = read(data(row(1, t("A1", "da")), after=after), files=files)
    assert outline(content) == ["h1 Blatt 0", "t da", "p ein Plan", "p Kasten", "p Kosten"]
    assert [span.value for span in content.spans if span.kind == "link"] == ["https://example.org"]
    assert content.notes == (Note.ATTACHMENTS, Note.NOT_SHOWN)


def test_the_name_of_a_sheet_is_no_title() -> None:
    sheet = data(row(1, t("A1", "x")))
    assert (read(sheet).title, read(sheet, title="Fuhrpark").title, read(sheet, title="Mappe1").title) == ("", "Fuhrpark", "")


def test_an_empty_workbook_has_no_text() -> None:
    assert Note.NO_TEXT in read(data(), data()).notes


def test_dates_can_count_from_1904() -> None:
    cells = data(row(1, c("A1", 0, style=1)))
    assert outline(read(cells, styles=styled("yyyy"), workbook='<workbookPr date1904="1"/>'))[1:] == ["t 1904"]


def test_empty_rows_cost_nothing() -> None:
    rows = "".join(f'<row r="{at}" ht="15"><c r="A{at}" s="1"/></row>' for at in range(2, 20_000))
    assert outline(read(data(row(1, t("A1", "x")), rows, row(1_048_576, t("XFD1048576", "y")))))[1:] == ["t x", "t \ty"]


def test_cells_and_characters_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = row(1, t("A1", "abc"), t("D1", "abc")), row(2, t("B2", "abc"), t("C2", "abc"))
    monkeypatch.setattr(sheets, "MAX_CELLS", 8)
    monkeypatch.setattr(sheets, "MAX_CHARACTERS", 12)
    assert outline(read(data(*rows)))[1:] == ["t abc\t\t\tabc", "t \tabc\tabc"]
    monkeypatch.setattr(sheets, "MAX_CELLS", 6)
    with pytest.raises(Refused, match="more than 6 cells"):
        read(data(*rows))
    monkeypatch.setattr(sheets, "MAX_CHARACTERS", 11)
    with pytest.raises(Refused, match="more than 11 characters"):
        read(data(*rows))


def test_a_strict_workbook_is_read_like_any_other() -> None:
    strict = "http://purl.oclc.org/ooxml"
    parts = {
        "_rels/.rels": relations({"w": f"{strict}/officeDocument/relationships/officeDocument w.xml"}).replace(
            ' TargetMode="External"', ""
        ),
        "w.xml": f"<workbook xmlns='{strict}/spreadsheetml/main' xmlns:r='{strict}/officeDocument/relationships'>"
        "<sheets><sheet name='A' r:id='s'/></sheets></workbook>",
        "_rels/w.xml.rels": relations({"s": "worksheet s.xml"}),
        "s.xml": f"<worksheet xmlns='{strict}/spreadsheetml/main'>{data(row(1, t('A1', 'x'), c('B1', 5)))}</worksheet>",
    }
    assert outline(extract(SHEETS, package(parts))) == ["h1 A", "t x\t5"]


def test_a_sheet_that_is_named_twice_is_read_once() -> None:
    targets = relations({"s0": "worksheet s0.xml", "s1": "worksheet s0.xml"})
    content = read(data(row(1, t("A1", "a"))), data(row(1, t("A1", "b"))), files={"_rels/w.xml.rels": targets})
    assert outline(content) == ["h1 Blatt 0", "t a"]


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(Refused, match="holds <document>"):
        extract(SHEETS, office("a.xml", '<document xmlns="x"/>'))


LEAVES = st.sampled_from(
    ["5", "<v>1</v>", "<f/>", "<t>x</t>", '<c r="B7" t="s"><v>0</v></c>', '<row r="999999999"/>', '<c r="AAAA1"/>']
)
TAGS = st.sampled_from(["row", "c", "is", "sheetData", "cols", "col", "hyperlink", "drawing", "tablePart", "pane"])


@settings(deadline=None)
@given(st.recursive(LEAVES, lambda some: st.builds("<{0}>{1}</{0}>".format, TAGS, st.lists(some, max_size=3).map("".join))))
def test_any_elements_anywhere_are_content(inside: str) -> None:
    content = extract(SHEETS, xlsx(inside, texts="<si><t>x</t></si>"))
    assert content.text == profile.normalise(content.text)


@settings(deadline=None)
@given(st.binary(max_size=40), st.integers(0, 2_000))
def test_any_bytes_are_content_or_refused(bytes_: bytes, at: int) -> None:
    whole = xlsx(data(row(1, t("A1", "Text"))))
    try:
        extract(SHEETS, whole[:at] + bytes_ + whole[at + len(bytes_) :])
    except Refused as refused:
        assert refused.code != "parser_fault"
