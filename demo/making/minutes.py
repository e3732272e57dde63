"""Minutes as a word processor keeps them: changes that are tracked, a comment, numbered headings and lists, a footnote."""

from __future__ import annotations

from typing import Final

from demo.making.package import CORE, XML, content_types, core, package, relationships

_SPACES: Final = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_BY: Final = 'w:author="Katharina Ohlendorf" w:date="2026-12-11T09:00:00Z"'
DELETED: Final = "Die Werkstatt Ost wird zum 30. Juni 2027 geschlossen."
"""Struck out in the tracked changes: nobody may find it as what holds."""
_BOX: Final = "Vertraulich bis zur Unterrichtung des Betriebsrats am 17. Dezember 2026."
_TABLE: Final = (
    ("Maßnahme", "Kosten", "bis"),
    ("Hallentor 2 erneuern", "38.400 €", "März 2027"),
    ("Brückenkran, Seil und Endschalter", "21.750 €", "Februar 2027"),
    ("Absauganlage Schweißplatz", "64.900 €", "Juni 2027"),
)


def minutes() -> bytes:
    """The minutes of a meeting of the management, as a DOCX with everything that hides in one."""
    kind = "officedocument.wordprocessingml"
    parts = ("document", "styles", "numbering", "footnotes", "comments", "header1", "footer1")
    kinds = {f"word/{part}.xml": f"{kind}.{part.rstrip('1')}+xml" for part in parts} | {
        "word/document.xml": f"{kind}.document.main+xml",
        "docProps/core.xml": "package.core-properties+xml",
    }
    targets = {f"{part}.xml": part.rstrip("1") for part in parts[1:]}
    return package(
        {
            "[Content_Types].xml": content_types(kinds),
            "_rels/.rels": relationships({"word/document.xml": "officeDocument", "docProps/core.xml": CORE}),
            "docProps/core.xml": core("Leitungsrunde am 10. Dezember 2026", "Büro der Geschäftsführung"),
            "word/_rels/document.xml.rels": relationships(targets),
            "word/document.xml": _part("document", f"<w:body>{_body()}</w:body>"),
            "word/styles.xml": _part("styles", _STYLES),
            "word/numbering.xml": _part("numbering", _NUMBERING),
            "word/footnotes.xml": _part("footnotes", _FOOTNOTES),
            "word/comments.xml": _part("comments", _COMMENTS),
            "word/header1.xml": _part("hdr", _paragraph("Leitungsrunde · 10. Dezember 2026")),
            "word/footer1.xml": _part("ftr", _paragraph("Protokoll: Büro der Geschäftsführung, Tel. 4401")),
        }
    )


def _body() -> str:
    return "".join(
        (
            _paragraph("Leitungsrunde am 10. Dezember 2026", style="Title"),
            _paragraph("Anwesend: Dr. Ohlendorf, Yılmaz, Müller-Lüdenscheidt, Weiß. Entschuldigt: Okafor."),
            _box(_BOX),
            _paragraph("Zukunft der Werkstatt Ost", style="Heading1"),
            f"<w:p>{_run('Das Gutachten liegt vor. ')}"
            f'<w:del w:id="1" {_BY}><w:r><w:delText xml:space="preserve">{DELETED} </w:delText></w:r></w:del>'
            f'<w:ins w:id="2" {_BY}>{_run("Die Werkstatt Ost bleibt mit 38 Stellen bestehen. ")}</w:ins>'
            '<w:commentRangeStart w:id="0"/>'
            + _run("Der Mietvertrag für Halle 3 wird um fünf Jahre verlängert.")
            + '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
            + '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r></w:p>',
            _paragraph("Investitionen", style="Heading2"),
            _table(),
            _paragraph("Bedingungen", style="Heading2"),
            *(
                _paragraph(text, listed=1)
                for text in (
                    "Kein Auftrag über 50.000 € ohne drei Angebote.",
                    "Der Kran bleibt bis zum Seiltausch gesperrt.",
                    "Die Absauganlage wird nur mit Förderung gebaut.",
                )
            ),
            _paragraph("Transformator T1", style="Heading1"),
            f"<w:p>{_run('Die zweite Gasanalyse ergab ')}{_run('4 µl/l Acetylen', bold=True)}{_run('. ')}"
            f"{_run('Wortlaut für die Presse folgt.', hidden=True)}{_run('T1 bleibt mit höchstens 80 % Last am Netz.')}</w:p>",
            _paragraph("Nächste Messung: 15. März 2027", listed=2),
            _paragraph("Ersatz: Alster Transformatoren, Lieferung März 2028", listed=2),
            '<w:sectPr><w:headerReference w:type="default" r:id="rId5"/><w:footerReference w:type="default" r:id="rId6"/>'
            '<w:pgSz w:w="11906" w:h="16838"/></w:sectPr>',
        )
    )


def _part(root: str, inner: str) -> str:
    return f"{XML}<w:{root} {_SPACES}>{inner}</w:{root}>"


def _run(text: str, *, bold: bool = False, hidden: bool = False) -> str:
    properties = ("<w:b/>" if bold else "") + ("<w:vanish/>" if hidden else "")
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def _paragraph(text: str, *, style: str = "", listed: int = 0) -> str:
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    properties += f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{listed}"/></w:numPr>' if listed else ""
    return f"<w:p><w:pPr>{properties}</w:pPr>{_run(text)}</w:p>"


def _table() -> str:
    def cell(text: str) -> str:
        return f'<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>{_paragraph(text)}</w:tc>'

    rows = (
        f"<w:tr>{'<w:trPr><w:tblHeader/></w:trPr>' if number == 0 else ''}{''.join(map(cell, row))}</w:tr>"
        for number, row in enumerate(_TABLE)
    )
    grid = '<w:gridCol w:w="3000"/>' * 3
    return f'<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{"".join(rows)}</w:tbl>'


def _box(text: str) -> str:
    """A text box twice, as programs write it: the new way, and the old one for those that do not know the new."""
    content = f"<w:txbxContent>{_paragraph(text)}</w:txbxContent>"
    return (
        '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:inline><wp:extent cx="3600000" cy="540000"/>'
        '<wp:docPr id="1" name="Textfeld 1"/><a:graphic><a:graphicData '
        'uri="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:wsp><wps:spPr><a:xfrm><a:off x="0" y="0"/>'
        '<a:ext cx="3600000" cy="540000"/></a:xfrm><a:prstGeom prst="rect"/></wps:spPr>'
        f"<wps:txbx>{content}</wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:rect><v:textbox>{content}</v:textbox></v:rect></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )


_STYLES: Final = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/><w:rPr><w:sz w:val="44"/></w:rPr></w:style>'
    + "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/><w:basedOn w:val="Normal"/>'
        f'<w:pPr><w:numPr><w:ilvl w:val="{level - 1}"/><w:numId w:val="3"/></w:numPr><w:outlineLvl w:val="{level - 1}"/></w:pPr>'
        f'<w:rPr><w:b/><w:sz w:val="{34 - 4 * level}"/></w:rPr></w:style>'
        for level in (1, 2)
    )
)
_NUMBERING: Final = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/>'
    '<w:lvlText w:val="%1)"/></w:lvl></w:abstractNum>'
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/>'
    '<w:lvlText w:val="•"/></w:lvl></w:abstractNum>'
    '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    '<w:pStyle w:val="Heading1"/><w:lvlText w:val="TOP %1"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/>'
    '<w:numFmt w:val="decimal"/><w:pStyle w:val="Heading2"/><w:lvlText w:val="%1.%2"/></w:lvl></w:abstractNum>'
    + "".join(f'<w:num w:numId="{number}"><w:abstractNumId w:val="{number - 1}"/></w:num>' for number in (1, 2, 3))
)
_FOOTNOTES: Final = (
    '<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    '<w:footnote w:type="continuationSeparator" w:id="1"><w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>'
    '<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>'
    + _run(" Vermieter ist die Hafen- und Lagerhaus GmbH; die Miete steigt auf 6,10 € je Quadratmeter.")
    + "</w:p></w:footnote>"
)
_COMMENTS: Final = (
    f'<w:comment w:id="0" {_BY} w:initials="KO">'
    + _paragraph("Bitte noch nicht hinausgeben, der Vermieter hat nicht unterschrieben.")
    + "</w:comment>"
)
