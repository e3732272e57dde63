"""References: numbers of notes behind words, and what only looks like them."""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas

from evidence.content import SpanKind
from evidence.tests.pdfs import marked, pdf, read


def raised(*runs: tuple[str, float, float]) -> bytes:
    """A page with one line of these runs: text, size, and how many points it is raised."""

    def draw(canvas: Canvas) -> None:
        line = canvas.beginText(60, 700)
        for text, size, rise in runs:
            line.setFont("Helvetica", size)
            line.setRise(rise)
            line.textOut(text)
        canvas.drawText(line)

    return pdf(draw)


@pytest.mark.parametrize(
    ("runs", "found"),
    [
        ([("an Feiertagen", 12, 0), ("2", 7, 5), (" gilt", 12, 0)], ["2"]),
        ([("an Feiertagen", 12, 0), ("12", 7, 5), (" gilt", 12, 0)], ["12"]),
        ([("an Feiertagen2 gilt", 12, 0)], []),
        ([("CO", 12, 0), ("2", 7, -3), (" entsteht", 12, 0)], []),
        ([("zehn m", 12, 0), ("2", 7, 5), (" Raum", 12, 0)], []),
        ([("Teil", 12, 0), ("3", 7, 0), (" der Liste", 12, 0)], []),
    ],
)
def test_small_and_high_digits_behind_a_word_are_a_reference(runs: list[tuple[str, float, float]], found: list[str]) -> None:
    assert list(marked(read(raised(*runs)), SpanKind.REFERENCE)) == found


def test_a_page_without_glyphs_has_none() -> None:
    assert not read(pdf(lambda canvas: None)).spans
