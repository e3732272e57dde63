"""PDF: what is read, what is marked, what is refused, and boxes that hold what they are said to hold."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from reportlab.lib.colors import black, white
from reportlab.pdfgen.canvas import Canvas

from evidence import boxes
from evidence.content import Content, Note, SpanKind
from evidence.errors import Refused
from evidence.formats import pdf as pdf_format
from evidence.formats.pdf import pages as pdf_pages
from evidence.tests import pdfs
from evidence.tests.pdfs import Draw, coloured, lettered, marked, pdf, raw, read, words

TRICKY = Path(__file__).parents[3] / "shared" / "data" / "tricky"
SECRET = "Geheime Zahl 4711"
SOUP = [3, 0x30, 0x2F, 3, 0x48, 5, 6, 3, 7] * 3
A, B, C = 0x41, 0x42, 0x43
NAMELESS = {code: f"g{code}" for code in range(256)}


def box(content: Content, text: str, page: int = 0) -> tuple[int, int, int, int]:
    """Where a text stands: left, top, right, bottom in thousandths of the page."""
    one = content.pages[page]
    start = content.text.index(text, one.start) - one.start
    (area,) = boxes.rectangles(boxes.unpack(one.boxes, one.end - one.start), start, start + len(text))
    left, top, right, bottom = (round(edge * 1000 / boxes.FULL) for edge in (area.left, area.top, area.right, area.bottom))
    return left, top, right, bottom


# --- characters and where they stand ---


def test_text_and_pages_are_read() -> None:
    content = read(pdf(words("Erste Seite"), words("Zweite Seite")))
    assert [content.text[page.start : page.end].strip() for page in content.pages] == ["Erste Seite", "Zweite Seite"]
    assert [(page.label, page.width, page.height) for page in content.pages] == [("1", 300, 200), ("2", 300, 200)]


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [(0, (67, 143)), (90, (524, 100)), (180, (849, 787)), (270, (429, 773))],  # a word 25 by 14 points
)
def test_box_is_where_the_word_is_looked_at(rotation: int, expected: tuple[int, int]) -> None:
    left, top, _, _ = box(read(pdf(words("Wort", rotation=rotation))), "Wort")
    assert (left, top) == pytest.approx(expected, abs=3)


def test_box_counts_from_the_crop_box() -> None:
    content = read(
        raw(b"BT /F 20 Tf 120 100 Td (Wort) Tj ET", {5: HELVETICA}, b"/Font << /F 5 0 R >>", b"/CropBox [100 50 300 150]")
    )
    assert (content.pages[0].width, content.pages[0].height) == (200, 100)
    assert box(content, "Wort")[0] == 100


HELVETICA = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def test_letters_of_a_ligature_share_its_box() -> None:
    content = read(lettered([A, 1, B], {A: "A", 1: "fi", B: "B"}))
    assert content.text == "AfiB"
    f, i = box(content, "f"), box(content, "i")
    assert 100 == f[0] < f[2] == i[0] < i[2]


def test_accent_is_part_of_its_letter_and_of_its_box() -> None:
    content = read(lettered([A, B, C], {A: "A", B: "B", C: "C"}, {A: "a", B: "\u0308", C: "b"}))
    assert content.text == "äb"
    assert box(content, "ä")[0] == 67
    assert box(content, "ä")[2] == box(content, "b")[0] == 133


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("\U0001f600", "\U0001f600"),
        ("\ud800", "\ufffd"),
        ("\0", "\ufffd"),
        ("\x07", "\ufffd"),
        ("\u212b", "Å"),
        ("\ufb03", "ffi"),
    ],
)
def test_code_points_are_as_the_profile_has_them(given: str, text: str) -> None:
    assert read(lettered([A, B, C], {A: "A", B: "B", C: "C"}, {A: "a", B: given, C: "b"})).text == f"a{text}b"


def test_line_ends_in_hyphens_are_told_from_hyphens_in_words() -> None:
    content = read(pdf(words("Die Verwal-", "tung hat eine E-Mail-Adresse", "und ein Haus.")))
    assert marked(content, SpanKind.HYPHENATION) == ["\u2010"]
    assert "E-Mail-Adresse" in content.text


@pytest.mark.parametrize(
    "matrix", ["1e30 0 0 1e30 0 0", "0 0 0 0 0 0", "-1 0 0 1 100 100", "1 0 0 1 1e30 -1e30", "0 1e-30 1 0 5 5"]
)
@pytest.mark.parametrize("size", ["12", "-12", "1e20", "0"])
def test_sizes_and_places_beyond_all_bounds_break_nothing(matrix: str, size: str) -> None:
    text = f"BT /F 12 Tf 20 20 Td (Wort) Tj ET BT /F {size} Tf {matrix} Tm (Fern) Tj ET".encode()
    assert "Wort" in read(raw(text, {5: HELVETICA}, b"/Font << /F 5 0 R >>")).text


# --- what nobody sees ---


def bar(canvas: Canvas) -> None:
    canvas.drawString(20, 160, "Name:")
    canvas.drawString(80, 160, SECRET)
    canvas.rect(70, 150, 150, 25, stroke=0, fill=1)


def thick_line(canvas: Canvas) -> None:
    canvas.drawString(20, 160, SECRET)
    canvas.setLineWidth(20)
    canvas.line(10, 164, 250, 164)


def white_box(canvas: Canvas) -> None:
    canvas.drawString(20, 160, SECRET)
    canvas.setFillColor(white)
    canvas.rect(10, 150, 250, 25, stroke=0, fill=1)


def black_on_black(canvas: Canvas) -> None:
    canvas.rect(10, 150, 250, 25, stroke=0, fill=1)
    canvas.drawString(20, 160, SECRET)


def small_picture(canvas: Canvas) -> None:
    canvas.drawString(20, 160, SECRET)
    canvas.drawImage(pdfs.picture(), 10, 150, 150, 25)


def tiny(canvas: Canvas) -> None:
    canvas.setFont("Helvetica", 0.5)
    canvas.drawString(20, 160, SECRET)


def invisible(canvas: Canvas) -> None:
    canvas.drawString(20, 160, SECRET, mode=3)


@pytest.mark.parametrize(
    "draw",
    [
        bar,
        thick_line,
        white_box,
        black_on_black,
        small_picture,
        tiny,
        invisible,
        coloured(SECRET, 1),
        coloured(SECRET, 0.97),
        coloured(SECRET, 0, alpha=0),
        lambda canvas: canvas.drawString(20, 240, SECRET),
        lambda canvas: canvas.drawString(-200, 100, SECRET),
    ],
)
def test_text_that_nobody_sees_is_marked(draw: Draw) -> None:
    content = read(pdf(draw))
    assert marked(content, SpanKind.UNSEEN) == [SECRET]
    assert Note.UNSEEN_TEXT in content.notes


def table_head(canvas: Canvas) -> None:
    canvas.rect(10, 150, 250, 25, stroke=0, fill=1)
    canvas.setFillColor(white)
    canvas.drawString(20, 160, "Kopf der Tabelle")


def highlighted(canvas: Canvas) -> None:
    canvas.drawString(20, 160, "Wichtig")
    canvas.setFillColorRGB(1, 1, 0)
    canvas.setFillAlpha(0.4)
    canvas.rect(10, 150, 250, 25, stroke=0, fill=1)


def struck_and_underlined(canvas: Canvas) -> None:
    canvas.drawString(20, 160, "Gestrichen")
    canvas.rect(20, 163, 100, 0.8, stroke=0, fill=1)
    canvas.line(20, 158, 120, 158)


def in_a_frame(canvas: Canvas) -> None:
    canvas.drawString(60, 160, "Im Rahmen")
    path = canvas.beginPath()
    path.rect(10, 100, 250, 90)
    path.rect(30, 120, 210, 60)
    canvas.drawPath(path, stroke=0, fill=1, fillMode=0)


def beside_a_clipped_bar(canvas: Canvas) -> None:
    canvas.drawString(20, 160, "Neben dem Balken")
    path = canvas.beginPath()
    path.rect(0, 0, 300, 100)
    canvas.clipPath(path, stroke=0, fill=0)
    canvas.rect(0, 0, 300, 200, stroke=0, fill=1)


def scan(canvas: Canvas) -> None:
    canvas.drawImage(pdfs.picture(), 0, 0, 300, 200)
    canvas.drawString(20, 160, "Erkannter Text", mode=3)


def scan_over_text(canvas: Canvas) -> None:
    canvas.drawString(20, 160, "Erkannter Text")
    canvas.drawImage(pdfs.picture(), 0, 0, 300, 200)


def stamped(canvas: Canvas) -> None:
    canvas.drawString(20, 160, "Gestempelt")
    canvas.drawImage(pdfs.picture(mode="RGBA", colour=(200, 0, 0, 60)), 10, 150, 100, 30, mask="auto")


def white_on_a_picture(canvas: Canvas) -> None:
    canvas.drawImage(pdfs.picture(), 10, 100, 200, 90)
    canvas.setFillColor(white)
    canvas.drawString(20, 160, "Auf dem Bild")


def outlined(canvas: Canvas) -> None:
    canvas.setStrokeColor(black)
    canvas.drawString(20, 160, "Umrandet", mode=2)


@pytest.mark.parametrize(
    "draw",
    [
        words("Gewöhnlich"),
        coloured("Grau", 0.6),
        table_head,
        highlighted,
        struck_and_underlined,
        in_a_frame,
        beside_a_clipped_bar,
        scan,
        scan_over_text,
        stamped,
        white_on_a_picture,
        outlined,
    ],
)
def test_text_that_a_reader_sees_is_not_marked(draw: Draw) -> None:
    content = read(pdf(draw))
    assert content.text
    assert not marked(content, SpanKind.UNSEEN)
    assert Note.UNSEEN_TEXT not in content.notes


# --- letter soup ---


def test_font_without_a_map_is_letter_soup() -> None:
    content = read(lettered(SOUP, NAMELESS))
    assert Note.LETTER_SOUP in content.notes
    assert marked(content, SpanKind.GARBLED)


def test_font_without_a_map_that_keeps_to_the_usual_letters_is_text() -> None:
    content = read(lettered([ord(letter) for letter in "Die Ruhezeit dauert bis sechs"], NAMELESS))
    assert not marked(content, SpanKind.GARBLED)


def test_letters_moved_by_29_are_letter_soup_even_without_spaces() -> None:
    content = read(lettered([ord(letter) - 29 for letter in "Mietvertragsverlangensfrist"], NAMELESS))
    assert Note.LETTER_SOUP in content.notes


# --- what else a document says ---


def test_labels_are_what_is_printed() -> None:
    def labelled(canvas: Canvas) -> None:
        canvas.addPageLabel(0, style="ROMAN_LOWER", start=1)
        canvas.addPageLabel(1, style="ARABIC", start=17, prefix="B-")

    assert [page.label for page in read(pdf(labelled, words("zwei"))).pages] == ["i", "B-17"]


def test_values_of_form_fields_are_text_where_they_stand() -> None:
    def form(canvas: Canvas) -> None:
        canvas.drawString(20, 160, "Name")
        canvas.acroForm.textfield(name="name", value="Jürgen Weiß", x=80, y=150, width=120, height=20)

    content = read(pdf(form))
    assert box(content, "Weiß")[0] > box(content, "Name")[2]
    assert Note.FORM_VALUES not in content.notes


def test_value_without_a_picture_is_noted() -> None:
    field = b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (n) /V (Weiss) /Rect [20 20 120 40] /P 3 0 R >>"
    root = b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R] >> >>"
    assert Note.FORM_VALUES in read(raw(b"", {1: root, 5: field}, page=b"/Annots [5 0 R] ")).notes


def test_files_inside_are_counted_and_not_read() -> None:
    content = read(pdfs.with_attachment(pdf(words("Seite"))))
    assert (content.text, content.notes) == ("Seite", (Note.ATTACHMENTS,))


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Hausordnung 2026", "Hausordnung 2026"),
        ("Microsoft Word - haus.doc", ""),
        ("haus.docx", ""),
        ("untitled", ""),
        ("  ", ""),
    ],
)
def test_title_is_one_that_somebody_gave(said: str, title: str) -> None:
    assert read(pdf(lambda canvas: canvas.setTitle(said))).title == title


def test_letter_soup_is_no_title() -> None:
    assert read(lettered(SOUP, NAMELESS)).title == ""


@pytest.mark.parametrize("draw", [lambda canvas: None, lambda canvas: canvas.drawImage(pdfs.picture(), 0, 0, 300, 200)])
def test_page_without_characters_has_a_size_and_no_text(draw: Draw) -> None:
    content = read(pdf(draw))
    assert (content.text, content.pages[0].width, content.notes) == ("", 300, (Note.NO_TEXT,))


# --- what is refused ---


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "pdf_empty"),
        (b"<!DOCTYPE html><title>404</title>", "not_a_pdf"),
        (pdf(words("abgeschnitten"))[:300], "pdf_damaged"),
        (b"%PDF-1.7\n" + bytes(range(256)), "pdf_damaged"),
        (pdfs.encrypted(words("verschlossen"), "auf", "chef"), "pdf_password"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refused:
        read(data)
    assert refused.value.code == code


def test_wrong_password_is_told_from_none() -> None:
    with pytest.raises(Refused) as refused:
        read(pdfs.encrypted(words("verschlossen"), "auf", "chef"), "zu")
    assert refused.value.code == "pdf_wrong_password"


@pytest.mark.parametrize("strength", [40, 128])
def test_password_opens(strength: int) -> None:
    assert read(pdfs.encrypted(words("verschlossen"), "auf", "chef", strength), "auf").text == "verschlossen"


def test_text_that_the_owner_forbids_to_copy_is_read() -> None:
    assert read(pdfs.encrypted(words("offen"), "", "chef")).text == "offen"


def test_file_with_a_wrong_table_is_read_and_noted() -> None:
    content = read(pdf(words("gerettet")).replace(b"startxref\n", b"startxref\n9"))
    assert (content.text, content.notes) == ("gerettet", (Note.REPAIRED,))


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_format, "MAX_PAGES", 1)
    with pytest.raises(Refused) as refused:
        read(pdf(words("eins"), words("zwei")))
    assert refused.value.code == "pdf_too_many_pages"


@pytest.mark.parametrize("limit", ["MAX_CHARACTERS", "MAX_OBJECTS"])
def test_page_with_too_much_on_it_is_refused(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_pages, limit, 1)
    with pytest.raises(Refused) as refused:
        read(pdf(words("eins", "zwei")))
    assert refused.value.code == "pdf_page_too_full"


def test_pages_that_are_not_read_together_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pdf(*(words(f"Seite {number}", "Verwal-", "tung", rotation=90 * (number % 4)) for number in range(9)))
    together = read(data)
    monkeypatch.setattr(pdf_pages, "BATCH", 1)
    assert read(data) == together


def test_every_process_reads_the_same() -> None:
    pages = [words(f"Kapitel {number}        {number}", "1 0 x", "Text der Seite", f"Seite {number}") for number in range(1, 5)]
    program = (
        "import hashlib, sys; from evidence.formats import FORMATS, extract; "
        "print(hashlib.sha256(extract(FORMATS['.pdf'], sys.stdin.buffer.read()).to_json().encode()).hexdigest())"
    )
    run = partial(subprocess.run, [sys.executable, "-c", program], input=pdf(*pages), capture_output=True, check=True)
    assert len({run(env={**os.environ, "PYTHONHASHSEED": str(seed)}).stdout for seed in (1, 4)}) == 1


# --- rectangles ---


BUILT = {
    "lines": pdf(words("Erste Zeile", "zweite Zeile", "dritte"), words("Noch eine Seite")),
    "rotated": pdf(*(words("Erste Zeile", "zweite Zeile", rotation=rotation) for rotation in (0, 90, 180, 270))),
    "ligature": lettered([A, 1, B, 2, A], {A: "A", 1: "fi", 2: "ffl", B: "B"}),
    "hidden": pdf(bar, white_box),
    "soup": lettered(SOUP, NAMELESS),
}


def unequal(content: Content, chance: random.Random) -> int:
    """How many of 200 random ranges have rectangles with other code points in them than their own."""
    found = 0
    pages = [page for page in content.pages if page.end > page.start]
    for _ in range(200):
        page = chance.choice(pages)
        start, end = sorted(chance.sample(range(page.end - page.start + 1), 2))
        some = boxes.unpack(page.boxes, page.end - page.start)
        areas = boxes.rectangles(some, start, end)
        found += not np.array_equal(boxes.inside(some, areas), boxes.placed(some, start, end))
    return found


@pytest.mark.parametrize("name", BUILT)
def test_rectangles_of_random_ranges_hold_these_ranges_and_nothing_else(name: str) -> None:
    assert unequal(read(BUILT[name]), random.Random(1)) == 0


SUPERIMPOSED = {
    "arabisch_habibi.pdf": 131,  # one word for the other, on the same spot
    "gedreht_habibi_0_90_180_270.pdf": 137,
    "pdfjs_ThuluthFeatures.pdf": 179,  # calligraphy: letters stand on top of each other
    "latex_geotopo_mathematik_de.pdf": 2,  # signs that are put together of two, and the name of LaTeX
}
"""Of 200 random ranges, those that can't have rectangles of their own, because their letters stand where others stand."""


def real_pdfs() -> Sequence[tuple[str, str]]:
    """Name and password of the PDFs that can be read."""
    if not TRICKY.exists():
        return []
    entries = json.loads((TRICKY / "manifest.json").read_text())
    return [
        (entry["file"], entry.get("password", ""))
        for entry in entries
        if entry["kind"] == "pdf" and entry["expected"] != "rejected"
    ]


@pytest.mark.skipif(not TRICKY.exists(), reason="the real PDFs are not here")
@pytest.mark.parametrize(("name", "password"), real_pdfs())
def test_rectangles_in_real_pdfs_hold_their_ranges(name: str, password: str) -> None:
    content = read((TRICKY / name).read_bytes(), password)
    if content.text:
        assert unequal(content, random.Random(1)) <= SUPERIMPOSED.get(Path(name).name, 0)
