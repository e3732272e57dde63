"""What the PDF documents have in common: fonts that come with reportlab, styles, and files that are the same each time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import reportlab
from reportlab import rl_config
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

SANS: Final = "Vera"
BOLD: Final = "VeraBd"
ITALIC: Final = "VeraIt"
FONTS: Final = Path(reportlab.__file__).with_name("fonts")
HYPHEN: Final = "|"
"""Stands in a word where it may be parted."""

rl_config.invariant = 1
for _name in (SANS, BOLD, ITALIC):
    pdfmetrics.registerFont(TTFont(_name, f"{_name}.ttf"))
pdfmetrics.registerFontFamily(SANS, normal=SANS, bold=BOLD, italic=ITALIC, boldItalic=BOLD)

WIDTH, HEIGHT = A4
BODY: Final = ParagraphStyle("body", fontName=SANS, fontSize=10.4, leading=15.6, spaceAfter=7)
JUSTIFIED: Final = ParagraphStyle(
    "justified", BODY, alignment=TA_JUSTIFY, embeddedHyphenation=1, hyphenationMinWordLength=5, hyphenationLang=""
)
HEADING: Final = ParagraphStyle("heading", fontName=BOLD, fontSize=10.6, leading=14, spaceBefore=7, spaceAfter=4, keepWithNext=1)
TITLE: Final = ParagraphStyle("title", fontName=BOLD, fontSize=17, leading=22, spaceAfter=6)
SMALL: Final = ParagraphStyle("small", fontName=SANS, fontSize=7.2, leading=9)


def paragraph(text: str, style: ParagraphStyle = BODY) -> Paragraph:
    """A paragraph of reportlab's markup, with its hyphenation points."""
    return Paragraph(text.replace(HYPHEN, "\u00ad"), style)


def canvas(stream: io.BytesIO, title: str, **options: object) -> Canvas:
    """An A4 canvas that names its title and the invented house."""
    made = Canvas(stream, pagesize=A4, pageCompression=1, **options)
    made.setTitle(title)
    made.setAuthor("Stadtwerke Lindenau (erfunden)")
    return made
