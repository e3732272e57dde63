"""An ODT, a PPTX and an XLSX, each as small as an office program could make it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from demo.making.package import CORE, XML, content_types, core, package, relationships

Rows = Sequence[Sequence[str | int]]
"""A sheet's cells; none is empty."""
_OPEN: Final = "urn:oasis:names:tc:opendocument:xmlns"
_MAIN: Final = "http://schemas.openxmlformats.org"
_CLOTHES: Final = (
    ("Stück", "Anzahl", "Ersatz nach"),
    ("Latzhose, schwer entflammbar", "3", "24 Monaten"),
    ("Wetterjacke mit Reflexstreifen", "1", "36 Monaten"),
    ("Sicherheitsschuhe S3", "2 Paar", "12 Monaten"),
)
_SLIDES: Final = (
    (
        "Unterweisung 2026: Gasgeruch und Gaswarngerät",
        ("Für alle, die ein Haus betreten", "Dauer: 45 Minuten, danach Unterschrift"),
    ),
    ("Vor dem Einschalten", ("Plakette ansehen", "Funktionsprobe mit Prüfgas", "Pumpe mit dem Daumen zuhalten: Alarm?")),
    ("Drei Irrtümer", ("„Ich rieche nichts, also ist da nichts.“", "„Das Gerät piept immer.“", "„Der Keller reicht.“")),
)
_SPOKEN: Final = ("", "Hier von dem Fall in der Bahnhofstraße erzählen.", "")
"""Speaker's notes, one for each slide."""
_VEHICLES: Final = (
    ("Kennzeichen", "Fahrzeug", "Kilometer", "Nächste Prüfung"),
    ("LIN-SW 112", "Sprinter Strom", 148_210, "2027-02"),
    ("LIN-SW 114", "Sprinter Gas", 96_480, "2026-11"),
    ("LIN-SW 117", "Pritsche Wasser", 203_975, "2026-09"),
    ("LIN-SW 121", "Hubsteiger", 31_040, "2027-05"),
)
_LATER: Final = ("LIN-SW 117", "Pritsche Wasser", 211_330, "2027-09")
"""What the later state says in the place of the third."""
_FUEL: Final = (("Monat", "Diesel, Liter"), ("Januar", 2_914), ("Februar", 3_120), ("März", 2_677))


def clothes() -> bytes:
    """A handbook page as an ODT: headings, a list in a list, a table, a note, a change that was struck out."""
    head, *rows = (
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + "</table:table-row>"
        for row in _CLOTHES
    )
    table = f"<table:table-header-rows>{head}</table:table-header-rows>{''.join(rows)}"
    inner = (
        '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion><office:change-info>'
        "<dc:creator>Einkauf</dc:creator><dc:date>2026-02-20T10:00:00</dc:date></office:change-info>"
        "<text:p>Wer die Jacke verliert, zahlt sie selbst.</text:p></text:deletion></text:changed-region></text:tracked-changes>"
        '<text:h text:outline-level="1">Dienstkleidung</text:h>'
        "<text:p>Dienstkleidung gehört dem Betrieb und wird getragen, nicht gesammelt. "
        '<text:change text:change-id="c1"/>Gewaschen wird sie in der Wäscherei Auetal'
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
        "<text:p>Abholung dienstags an der Pforte.</text:p></text:note-body></text:note>.</text:p>"
        '<text:h text:outline-level="2">Ausstattung im Netzbetrieb</text:h>'
        f'<table:table table:name="Ausstattung"><table:table-column table:number-columns-repeated="3"/>{table}</table:table>'
        '<text:h text:outline-level="2">Rückgabe</text:h>'
        '<text:list text:style-name="L1"><text:list-item><text:p>beim Ausscheiden: alles</text:p></text:list-item>'
        "<text:list-item><text:p>beim Wechsel in die Verwaltung: alles außer den Schuhen</text:p></text:list-item></text:list>"
    )
    spaces = (
        f'xmlns:office="{_OPEN}:office:1.0" xmlns:text="{_OPEN}:text:1.0" xmlns:table="{_OPEN}:table:1.0" '
        f'xmlns:style="{_OPEN}:style:1.0" xmlns:manifest="{_OPEN}:manifest:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    )
    kind = "application/vnd.oasis.opendocument.text"
    bullets = (
        '<text:list-style style:name="L1"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>'
    )
    parts = ("content.xml", "meta.xml", "styles.xml")
    entries = "".join(f'<manifest:file-entry manifest:full-path="{part}" manifest:media-type="text/xml"/>' for part in parts)
    return package(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'{XML}<manifest:manifest {spaces} manifest:version="1.3"><manifest:file-entry '
            f'manifest:full-path="/" manifest:media-type="{kind}"/>{entries}</manifest:manifest>',
            "content.xml": f'{XML}<office:document-content {spaces} office:version="1.3"><office:automatic-styles>{bullets}'
            f"</office:automatic-styles><office:body><office:text>{inner}</office:text></office:body></office:document-content>",
            "meta.xml": f'{XML}<office:document-meta {spaces} office:version="1.3"><office:meta><dc:title>Dienstkleidung'
            "</dc:title></office:meta></office:document-meta>",
            "styles.xml": f'{XML}<office:document-styles {spaces} office:version="1.3"/>',
        },
        stored="mimetype",
    )


def slides() -> bytes:
    """Three slides with titles and points, one with speaker's notes."""
    numbers = range(1, len(_SLIDES) + 1)
    kind = "officedocument.presentationml"
    kinds = {"ppt/presentation.xml": f"{kind}.presentation.main+xml", "docProps/core.xml": "package.core-properties+xml"}
    kinds |= {f"ppt/slides/slide{number}.xml": f"{kind}.slide+xml" for number in numbers}
    parts: dict[str, str | bytes] = {
        "_rels/.rels": relationships({"ppt/presentation.xml": "officeDocument", "docProps/core.xml": CORE}),
        "docProps/core.xml": core("Unterweisung 2026: Gasgeruch", "Arbeitssicherheit"),
        "ppt/presentation.xml": _slide_part(
            "presentation",
            "<p:sldIdLst>"
            + "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in numbers)
            + '</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/>',
        ),
        "ppt/_rels/presentation.xml.rels": relationships({f"slides/slide{number}.xml": "slide" for number in numbers}),
    }
    for number, ((title, points), spoken) in enumerate(zip(_SLIDES, _SPOKEN, strict=True), 1):
        shapes = _shape("title", (title,)) + _shape("body", points)
        parts[f"ppt/slides/slide{number}.xml"] = _slide_part("sld", _tree(shapes))
        if spoken:
            kinds[f"ppt/notesSlides/notesSlide{number}.xml"] = f"{kind}.notesSlide+xml"
            parts[f"ppt/slides/_rels/slide{number}.xml.rels"] = relationships(
                {f"../notesSlides/notesSlide{number}.xml": "notesSlide"}
            )
            parts[f"ppt/notesSlides/notesSlide{number}.xml"] = _slide_part("notes", _tree(_shape("body", (spoken,))))
    return package({"[Content_Types].xml": content_types(kinds), **parts})


def _slide_part(root: str, inner: str) -> str:
    spaces = (
        f'xmlns:p="{_MAIN}/presentationml/2006/main" xmlns:a="{_MAIN}/drawingml/2006/main" '
        f'xmlns:r="{_MAIN}/officeDocument/2006/relationships"'
    )
    return f"{XML}<p:{root} {spaces}>{inner}</p:{root}>"


def _tree(shapes: str) -> str:
    head = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
    return f"<p:cSld><p:spTree>{head}{shapes}</p:spTree></p:cSld>"


def _shape(kind: str, lines: Sequence[str]) -> str:
    paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    number = 2 if kind == "title" else 3
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{kind}"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>"
    )


def vehicles(*, moved: bool = False) -> bytes:
    """Two visible sheets and a hidden one. moved: the later state, in which one vehicle stands elsewhere."""
    rows = (*_VEHICLES[:3], _LATER, *_VEHICLES[4:]) if moved else _VEHICLES
    sheets: Mapping[str, tuple[str, Rows]] = {
        "Fahrzeuge": ("visible", rows),
        "Verbrauch": ("visible", _FUEL),
        "Alt": ("hidden", (("LIN-SW 99", "verkauft"),)),
    }
    kind = "officedocument.spreadsheetml"
    kinds = {"xl/workbook.xml": f"{kind}.sheet.main+xml", "docProps/core.xml": "package.core-properties+xml"}
    kinds |= {f"xl/worksheets/sheet{number}.xml": f"{kind}.worksheet+xml" for number in range(1, len(sheets) + 1)}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" state="{state}" r:id="rId{number}"/>'
        for number, (name, (state, _)) in enumerate(sheets.items(), 1)
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": content_types(kinds),
        "_rels/.rels": relationships({"xl/workbook.xml": "officeDocument", "docProps/core.xml": CORE}),
        "docProps/core.xml": core("Fuhrpark", "Werkstatt Ost"),
        "xl/workbook.xml": _sheet_part("workbook", f"<sheets>{listed}</sheets>"),
        "xl/_rels/workbook.xml.rels": relationships({f"worksheets/sheet{n}.xml": "worksheet" for n in range(1, len(sheets) + 1)}),
    }
    for number, (_, content) in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{number}.xml"] = _sheet_part("worksheet", f"<sheetData>{_rows(content)}</sheetData>")
    return package(parts)


def _sheet_part(root: str, inner: str) -> str:
    spaces = f'xmlns="{_MAIN}/spreadsheetml/2006/main" xmlns:r="{_MAIN}/officeDocument/2006/relationships"'
    return f"{XML}<{root} {spaces}>{inner}</{root}>"


def _rows(rows: Rows) -> str:
    def cell(place: str, value: str | int) -> str:
        if isinstance(value, int):
            return f'<c r="{place}"><v>{value}</v></c>'
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'

    return "".join(
        f'<row r="{number}">' + "".join(cell(f"{'ABCD'[column]}{number}", value) for column, value in enumerate(row)) + "</row>"
        for number, row in enumerate(rows, 1)
    )
