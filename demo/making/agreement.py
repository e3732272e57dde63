"""A works agreement as a PDF: two columns, justified with hyphens, running header and footer, footnotes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, NextPageTemplate, PageTemplate

from demo.making.pdf import HEADING, HEIGHT, ITALIC, JUSTIFIED, SANS, SMALL, TITLE, WIDTH, canvas, paragraph

PAGES: Final = 3
_MARGIN: Final = 56
_GAP: Final = 20
_COLUMN: Final = (WIDTH - 2 * _MARGIN - _GAP) / 2
_FOOT: Final = 104
_TOP: Final = 742

_HEAD: Final = "Stadtwerke Lindenau – Betriebsvereinbarung Wechselschicht und Nachtarbeit"
_FOOTNOTES: Final = {
    1: (
        "<super>1</super> Leitstelle, Wasserwerk Auetal und Entstörung Gas. Der Bereitschaftsdienst ist keine Wechselschicht.",
        "<super>2</super> Als Feiertag gilt auch der Ostersonntag, obwohl er kein gesetzlicher Feiertag ist.",
    ),
    2: ("<super>3</super> Die Betriebsärztin ist unter 4455 zu erreichen; Termine liegen in der Arbeitszeit.",),
}
_TEXT: Final = Path(__file__).with_name("agreement.txt")


def agreement_2025() -> bytes:
    """The first state."""
    return _agreement(bonus="25", day="1. Juli 2025", signed="11. Juni 2025")


def agreement_2026() -> bytes:
    """The second state: another bonus, and the days."""
    return _agreement(bonus="30", day="1. Juli 2026", signed="9. Juni 2026")


def _agreement(**values: str) -> bytes:
    stream = io.BytesIO()
    document = BaseDocTemplate(stream, pageTemplates=[_template("first", _TOP - 76), _template("later", _TOP)])
    document.build(
        _story(_TEXT.read_text(encoding="utf-8").format(**values)),
        canvasmaker=lambda *_, **__: canvas(stream, _HEAD.partition(" – ")[2]),
    )
    return stream.getvalue()


def _template(name: str, top: float) -> PageTemplate:
    frames = [
        Frame(left, _FOOT, _COLUMN, top - _FOOT, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)
        for left in (_MARGIN, _MARGIN + _COLUMN + _GAP)
    ]
    return PageTemplate(name, frames, onPage=_around)


def _story(text: str) -> Sequence[Flowable]:
    story: list[Flowable] = [NextPageTemplate("later")]
    for block in text.split("\n\n"):
        head = block.removeprefix("## ")
        story.append(paragraph(head, HEADING if head != block else JUSTIFIED))
    return story


def _around(drawn: Canvas, document: BaseDocTemplate) -> None:
    """Title on the first page; running header, footnote and page number on each."""
    number = document.page
    if number == 1:
        title = paragraph("Betriebsvereinbarung<br/>Wechselschicht und Nachtarbeit", TITLE)
        title.wrapOn(drawn, WIDTH - 2 * _MARGIN, 80)
        title.drawOn(drawn, _MARGIN, _TOP - 54)
    drawn.setFont(ITALIC, 7.6)
    drawn.drawString(_MARGIN, HEIGHT - 48, _HEAD)
    drawn.line(_MARGIN, HEIGHT - 54, WIDTH - _MARGIN, HEIGHT - 54)
    notes = _FOOTNOTES.get(number, ())
    if notes:
        drawn.line(_MARGIN, _FOOT - 12, _MARGIN + 90, _FOOT - 12)
    for position, note in enumerate(notes):
        line = paragraph(note, SMALL)
        line.wrapOn(drawn, WIDTH - 2 * _MARGIN, 30)
        line.drawOn(drawn, _MARGIN, _FOOT - 26 - 12 * position)
    drawn.setFont(SANS, 7.6)
    drawn.drawCentredString(WIDTH / 2, 42, f"Seite {number} von {PAGES}")
