"""PDFs for tests: small ones made in memory, with a canvas or object by object."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pypdfium2
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from evidence.content import Content, SpanKind
from evidence.formats import FORMATS, extract
from evidence.formats.options import Options

Draw = Callable[[Canvas], object]
SIZE = (300.0, 200.0)


def read(data: bytes, password: str = "") -> Content:
    """What the format makes of a PDF."""
    return extract(FORMATS[".pdf"], data, Options(password=password))


def marked(content: Content, kind: SpanKind) -> Sequence[str]:
    """The texts of the spans of one kind."""
    return [content.text[span.start : span.end] for span in content.spans if span.kind is kind]


def pdf(*pages: Draw, size: tuple[float, float] = SIZE, **options: Any) -> bytes:
    """A PDF with a page for each of these functions, which draw on it."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=size, **options)
    for draw in pages:
        canvas.setFont("Helvetica", 12)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def words(*lines: str, rotation: int = 0) -> Draw:
    """Lines of text, one below the other."""

    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(rotation)
        for number, line in enumerate(lines):
            canvas.drawString(20, 160 - 20 * number, line)

    return draw


def coloured(text: str, grey: float, alpha: float = 1.0) -> Draw:
    """A line in a shade of grey (1: white), below one in black."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(20, 160, "Sichtbar steht hier.")
        canvas.setFillGray(grey)
        canvas.setFillAlpha(alpha)
        canvas.drawString(20, 140, text)

    return draw


def encrypted(draw: Draw, user: str, owner: str, strength: int = 128) -> bytes:
    """Opens with the user's password (empty: without); the owner forbids copying."""
    return pdf(draw, encrypt=StandardEncryption(user, owner, canPrint=0, canCopy=0, strength=strength))


def picture(size: tuple[int, int] = (40, 40), mode: str = "RGB", colour: Any = (120, 130, 140)) -> ImageReader:
    """A picture of one colour."""
    return ImageReader(Image.new(mode, size, colour))


def with_attachment(data: bytes) -> bytes:
    """The PDF with a file in it."""
    document = pypdfium2.PdfDocument(data)
    document.new_attachment("anlage.txt").set_data(b"steht nur in der Anlage")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def raw(content: bytes, objects: Mapping[int, bytes] | None = None, resources: bytes = b"", page: bytes = b"") -> bytes:
    """A PDF of one page, object by object: 1 catalog, 2 pages, 3 page, 4 content; others as given."""
    packed = zlib.compress(content)
    parts = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources <<"
        + resources
        + b">> "
        + page
        + b">>",
        4: b"<< /Filter /FlateDecode /Length %d >> stream\n" % len(packed) + packed + b"\nendstream",
        **(objects or {}),
    }
    file, places = io.BytesIO(), dict[int, int]()
    file.write(b"%PDF-1.7\n")
    for number, body in sorted(parts.items()):
        places[number] = file.tell()
        file.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")
    table = file.tell()
    count = max(parts) + 1
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % count)
    for number in range(1, count):
        file.write(b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n")
    file.write(b"trailer << /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF" % (count, table))
    return file.getvalue()


def lettered(codes: Sequence[int], names: Mapping[int, str], unicode: Mapping[int, str] | None = None) -> bytes:
    """A line of these codes in a font that gives them these names, and a character map if there is any."""
    differences = " ".join(f"{code} /{name}" for code, name in sorted(names.items())).encode()
    widths = b" ".join([b"500"] * 256)
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Eigen /FirstChar 0 /LastChar 255 /Widths [" + widths
    font += b"] /Encoding << /Type /Encoding /Differences [" + differences + b"] >> "
    objects = {}
    if unicode is not None:
        chars = "".join(f"<{code:02x}> <{text.encode('utf-16-be', 'surrogatepass').hex()}>\n" for code, text in unicode.items())
        cmap = f"begincmap 1 begincodespacerange <00> <ff> endcodespacerange {len(unicode)} beginbfchar\n{chars}endbfchar endcmap"
        objects[6] = b"<< /Length %d >> stream\n" % len(cmap) + cmap.encode() + b"\nendstream"
        font += b"/ToUnicode 6 0 R "
    objects[5] = font + b">>"
    text = b"BT /F 20 Tf 20 100 Td <" + bytes(codes).hex().encode() + b"> Tj ET"
    return raw(text, objects, b"/Font << /F 5 0 R >>")
