"""Sheets as PDFs: a safety data sheet with a rotated page and a table over two pages, and a list that opens with a password."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Final

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Spacer,
    Table,
)

from demo.making.pdf import BODY, BOLD, HEADING, HEIGHT, SANS, TITLE, WIDTH, canvas, paragraph

PASSWORD: Final = "Entgeltrunde-2026"
"""Opens the list of pay; the rules file of the source knows it too."""
_MARGIN: Final = 60
_CELL: Final = ParagraphStyle("cell", BODY, fontSize=9.4, leading=12.6, spaceAfter=0)
_GRID: Final = (
    ("GRID", (0, 0), (-1, -1), 0.4, "#777777"),
    ("BACKGROUND", (0, 0), (-1, 0), "#e4e4e4"),
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
)
_LABELS: Final = ("i", "ii", "1", "2")

_HANDLING: Final = (
    ("Task", "Protection", "Limit", "If it goes wrong"),
    (
        "Taking delivery by tanker",
        "Visor, apron, nitrile gloves",
        "two people, daylight",
        "Close the foot valve, then sound the horn",
    ),
    ("Coupling the hose", "Visor, apron, nitrile gloves", "hose tested this year", "Step back, flush with 20 litres of water"),
    ("Taking a sample", "Goggles, gloves", "100 ml", "Rinse the bottle outside, not in the sink"),
    ("Measuring strength", "Goggles, gloves", "once a week", "Below 9 % order a new delivery"),
    (
        "Changing the dosing pump",
        "Visor, apron, mask with filter B2-P3",
        "line drained first",
        "Leave the room, ventilate for 15 minutes",
    ),
    ("Cleaning the bund", "Boots, apron, mask with filter B2-P3", "never alone", "Call the control room on 4470"),
    ("Diluting", "Goggles, gloves", "solution into water", "Stop at the first sign of heat"),
    ("Storing drums", "Gloves", "at most 8 weeks", "Vent the cap slowly, never strike it"),
    ("Storing beside acid", "forbidden", "forbidden", "Chlorine gas: leave against the wind, do not look back for tools"),
    ("Moving a drum", "Safety shoes, gloves", "drum truck only", "Cordon off 10 metres"),
    ("Disposing of rests", "Goggles, gloves", "up to 5 litres", "Neutralise with thiosulphate first"),
    ("Spill up to 1 litre", "Goggles, gloves", "one person", "Sand, then the yellow bin"),
    ("Spill of more than 1 litre", "Mask with filter B2-P3, boots", "fire brigade 112", "Close the drain with the red cushion"),
    ("Contact with skin", "–", "at once", "Rinse for 15 minutes, take off clothing"),
    ("Contact with eyes", "–", "at once", "Rinse for 15 minutes, then the eye clinic"),
    ("Breathing in", "–", "at once", "Fresh air, half sitting, call 112"),
    ("Swallowing", "–", "at once", "Rinse the mouth, no vomiting, poison line 030 23125112"),
    ("Fire nearby", "Breathing apparatus", "fire brigade 112", "Cool the tank with a spray jet from afar"),
    ("Work on the eye wash", "none", "monthly", "Out of order: no work with hypochlorite at all"),
    ("Painting the room", "none while dosing runs", "tank empty", "Paint thinner and hypochlorite ignite"),
    ("Visitors", "Goggles", "yellow line", "Visitors do not cross the yellow line"),
    ("Night shift", "as by day", "two people", "The second person waits outside the room"),
    ("Reading the level", "Goggles", "once a shift", "A fall of 5 cm without dosing is a leak"),
    ("Handing over", "–", "log book", "Write down open faults before you go"),
)
_APART: Final = (
    ("", "Hydrochloric acid", "Sodium hydroxide", "Iron chloride", "Diesel"),
    ("Hypochlorite 13 %", "never in one room", "own bund", "never in one room", "10 metres"),
    ("Hydrochloric acid", "–", "own bund", "own bund", "5 metres"),
    ("Sodium hydroxide", "own bund", "–", "own bund", "5 metres"),
    ("Iron chloride", "own bund", "own bund", "–", "5 metres"),
)
_PAY: Final = (
    ("Band", "Aufgaben", "von", "bis"),
    ("E 5", "Zählerwesen, Pforte", "2.960 €", "3.420 €"),
    ("E 7", "Netzmontage, Werkstatt", "3.280 €", "3.890 €"),
    ("E 9", "Schaltmeisterei, Leitstelle", "3.740 €", "4.610 €"),
    ("E 12", "Informationssicherheit, Planung", "4.480 €", "5.950 €"),
)


def safety_sheet() -> bytes:
    """Four pages with the labels i, ii, 1 and 2; the second lies on its side, the table runs over the last two."""
    stream = io.BytesIO()
    turned = PageTemplate("turned", [_frame(HEIGHT, WIDTH)], onPage=_turned, pagesize=(HEIGHT, WIDTH))
    turned.rotation = 90
    templates = [PageTemplate("upright", [_frame(WIDTH, HEIGHT)], onPage=_upright), turned]
    story: Sequence[Flowable] = (
        paragraph("Sodium hypochlorite solution, 13 % active chlorine", TITLE),
        paragraph("Safety data sheet for Workshop East and the Auetal waterworks. Revision 4, 2 March 2026."),
        paragraph("What it is", HEADING),
        paragraph(
            "A clear, yellowish liquid that smells of swimming pools. It disinfects drinking water. It loses strength by itself: "
            "in summer about one per cent in a week, which is why it is ordered in small drums."
        ),
        paragraph("What it does", HEADING),
        paragraph(
            "H314: causes severe burns of skin and eyes. H400: very toxic to water life. EUH031: with acids it gives off "
            "chlorine gas."
        ),
        paragraph("Who may work with it", HEADING),
        paragraph(
            "Only people who were briefed within the last twelve months, and never alone. Page ii says what is kept apart, "
            "pages 1 and 2 say what to do."
        ),
        NextPageTemplate("turned"),
        PageBreak(),
        paragraph("What must be kept apart", HEADING),
        _table(_APART, (120, 140, 130, 130, 90)),
        Spacer(1, 10),
        paragraph("Read the row, then the column. This page is turned on its side so that the chart fits."),
        NextPageTemplate("upright"),
        PageBreak(),
        paragraph("Handling, task by task", HEADING),
        _table(_HANDLING, (110, 130, 95, 140)),
    )
    _build(stream, templates, story, "Safety data sheet: sodium hypochlorite")
    return stream.getvalue()


def pay_bands() -> bytes:
    """One page that opens with PASSWORD only."""
    stream = io.BytesIO()
    locked = StandardEncryption(PASSWORD, ownerPassword=PASSWORD + "-Leitung", strength=128)
    story: Sequence[Flowable] = (
        paragraph("Entgeltbänder 2026", TITLE),
        paragraph("Nur für die Personalabteilung. Die Datei ist mit einem Kennwort verschlossen, wie sie verschickt wurde."),
        _table(_PAY, (60, 200, 80, 80)),
        Spacer(1, 10),
        paragraph("Über dem Band liegt die Leistungszulage, höchstens 6 v. H.; sie wird jedes Jahr im Oktober neu vereinbart."),
    )
    templates = [PageTemplate("upright", [_frame(WIDTH, HEIGHT)])]
    _build(stream, templates, story, "Entgeltbänder 2026", encrypt=locked)
    return stream.getvalue()


def _build(
    stream: io.BytesIO, templates: Sequence[PageTemplate], story: Sequence[Flowable], title: str, **options: object
) -> None:
    document = BaseDocTemplate(stream, pageTemplates=list(templates))
    document.build(list(story), canvasmaker=lambda *_, **__: canvas(stream, title, **options))


def _frame(width: float, height: float) -> Frame:
    return Frame(_MARGIN, _MARGIN, width - 2 * _MARGIN, height - 2 * _MARGIN - 20)


def _table(rows: Sequence[Sequence[str]], widths: Sequence[float]) -> Table:
    head = [[f"<b>{text}</b>" for text in rows[0]]]
    cells = [[paragraph(text, _CELL) for text in row] for row in (*head, *rows[1:])]
    return Table(cells, widths, repeatRows=1, style=list(_GRID))


def _upright(drawn: Canvas, document: BaseDocTemplate) -> None:
    _around(drawn, document.page, WIDTH, HEIGHT)


def _turned(drawn: Canvas, document: BaseDocTemplate) -> None:
    """The page is kept upright in the file and turned when it is shown, as scanners and office programs do."""
    drawn.translate(WIDTH, 0)
    drawn.rotate(90)
    _around(drawn, document.page, HEIGHT, WIDTH)


def _around(drawn: Canvas, number: int, width: float, height: float) -> None:
    if number == 1:
        drawn.addPageLabel(0, "ROMAN_LOWER", 1)
        drawn.addPageLabel(2, "ARABIC", 1)
    drawn.setFont(BOLD, 8)
    drawn.drawString(_MARGIN, height - 50, "Stadtwerke Lindenau · Occupational safety")
    drawn.setFont(SANS, 8)
    drawn.drawRightString(width - _MARGIN, 40, _LABELS[number - 1])
