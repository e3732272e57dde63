"""Pictures of PDF pages: what a reader sees, in few bytes and not too many pixels."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image
from reportlab.lib.colors import red
from reportlab.pdfgen.canvas import Canvas

from evidence.errors import Refused
from evidence.formats.pdf import picture
from evidence.tests.pdfs import raw


def drawn(draw: Callable[[Canvas], object], size: tuple[float, float] = (200, 100)) -> bytes:
    """A PDF of one page."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=size)
    draw(canvas)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def opened(data: bytes, scale: float = 2) -> Image.Image:
    return Image.open(io.BytesIO(picture.render(data, 1, scale)))


def test_page_without_colours_is_grey() -> None:
    image = opened(drawn(lambda canvas: canvas.drawString(20, 50, "Hausordnung")))
    assert (image.mode, image.size) == ("L", (400, 200))


def test_colours_stay() -> None:
    def bar(canvas: Canvas) -> None:
        canvas.setFillColor(red)
        canvas.rect(0, 0, 200, 100, stroke=0, fill=1)

    assert opened(drawn(bar)).getpixel((100, 100)) == (255, 0, 0)


def test_picture_of_a_huge_page_is_scaled_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MAX_PIXELS", 5_000)
    assert opened(drawn(lambda canvas: canvas.rect(10, 10, 20, 20))).size == (100, 50)


def test_page_without_a_size_has_no_picture() -> None:
    with pytest.raises(Refused) as refused:
        picture.render(raw(b"", page=b"/CropBox [400 400 500 500] "), 1, 1)
    assert refused.value.code == "pdf_page_damaged"


@pytest.mark.parametrize("number", [0, 2])
def test_page_that_is_not_there_is_refused(number: int) -> None:
    with pytest.raises(Refused) as refused:
        picture.render(drawn(lambda canvas: canvas.rect(10, 10, 20, 20)), number, 1)
    assert refused.value.code == "pdf_no_such_page"
