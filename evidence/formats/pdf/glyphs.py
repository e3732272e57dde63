"""Glyphs: the code points of a PDF's pages in the order in which pdfium gives them, each with its place and its look.

Layout makes blocks of them; nothing here knows of paragraphs. What a page looks like comes from the file alone, so that every
machine reads the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from evidence.boxes import FULL, GRID, Boxes
from evidence.formats.pdf import calls, characters, composed, pages, runs, shapes, unseen
from evidence.formats.pdf.calls import Numbers
from evidence.formats.pdf.characters import Characters, right_to_left
from evidence.formats.pdf.characters import Codes as Codes
from evidence.formats.pdf.characters import Flags as Flags
from evidence.formats.pdf.fonts import Fonts
from evidence.formats.pdf.pages import Page
from evidence.formats.pdf.runs import Runs
from evidence.formats.pdf.shapes import Places as Places
from evidence.formats.pdf.shapes import Shapes
from evidence.formats.pdf.soup import Soup
from evidence.formats.pdf.unseen import Letters

_LABEL_BYTES: Final = 256
_STEPS: Final = (GRID, 1, GRID, 1)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The code points of one page in the extractor's order. All arrays but `drawn` have one entry for each.

    label: the printed page number. width, height: points, as the page is looked at (rotation and crop box applied).
    codes: composed (NFC), ligatures as their letters. Line ends that the extractor put in are one LF each.
    boxes: zeros where a code point stands nowhere. A letter of a ligature has its share of the ligature's box.
    shares: the same in shares of the page's width and height, zeros off the page too.
    size: font size in points as looked at. font: number of the font in the document, -1 for none. angle: degrees as looked at
    (0: left to right, 90: downwards, 270: upwards).
    generated: spaces and line ends that the extractor put in. hyphen: at a line's end where a word goes on; its code is U+2010.
    unseen: nobody who looks at the page sees it. garbled: letter soup.
    drawn: boxes of paths and pictures, in the order in which they are drawn; thin ones are lines.
    """

    label: str
    width: float
    height: float
    codes: Codes
    boxes: characters.Places
    shares: Boxes
    size: npt.NDArray[np.float32]
    bold: Flags
    font: npt.NDArray[np.int16]
    angle: npt.NDArray[np.int16]
    generated: Flags
    hyphen: Flags
    unseen: Flags
    garbled: Flags
    drawn: Places


class Reader:
    """Reads a document's pages, each once. lost: pages that can't be loaded; they are empty.

    lacks_values: a form field holds a value that no page shows.
    """

    def __init__(self, document: pypdfium2.PdfDocument) -> None:
        self.lost = 0
        self.lacks_values = False
        self._document = document
        self._fonts = Fonts()
        self._soup = Soup()

    def pages(self) -> Iterator[Glyphs]:
        """One page after the other. Raises Refused: `pdf_page_too_full`."""
        number = 0
        while number < len(self._document):
            with pages.some(self._document, number) as loaded:
                self.lost += sum(page.lost for page in loaded)
                self.lacks_values |= any(page.lacks_values for page in loaded)
                batch = self._read(loaded)
            number += len(loaded)
            yield from batch

    def _read(self, loaded: Sequence[Page]) -> Sequence[Glyphs]:
        some = characters.read(loaded)
        drawn = np.flatnonzero(~some.generated)
        look = runs.found([page.text for page in loaded], some.page[drawn], some.number[drawn], _asked_alone(some, drawn))
        font, bold = self._fonts.known(look.font)
        garbled, unmapped = np.zeros((2, len(some.codes)), dtype=bool)
        garbled[drawn], unmapped[drawn] = self._soup.judged(font[look.of], some.codes[drawn], _asking(loaded, some, drawn))
        run = np.append(look.of, -1)[np.cumsum(~some.generated) - 1]
        some, kept = _composed(some, characters.cleaned(some, unmapped))
        if kept is not None:
            run, garbled = run[kept], garbled[kept]
        angle = _angle(loaded, some, look, run)
        composed.part(some.codes, some.places, angle)
        drawn = np.flatnonzero(~some.generated)
        composed.level(some.places, angle, drawn, run[drawn])
        composed.trim(some.places, angle, np.array([part.start for part in some.parts()]))
        drawings = shapes.of(loaded)
        hidden = self._unseen(loaded, drawings, some, look, run)
        some.places[some.generated] = 0
        shares = _shares(loaded, some)
        size = look.size.astype(np.float32)[run]
        font, bold = font.astype(np.int16)[run], (bold | look.outlined)[run]
        return [
            Glyphs(
                label=self._label(page.number),
                width=page.width,
                height=page.height,
                codes=some.codes[part],
                boxes=some.places[part],
                shares=shares[part],
                size=size[part],
                bold=bold[part],
                font=font[part],
                angle=angle[part],
                generated=some.generated[part],
                hyphen=some.hyphen[part],
                unseen=hidden[part],
                garbled=garbled[part],
                drawn=drawing.box,
            )
            for page, drawing, part in zip(loaded, drawings, some.parts(), strict=True)
        ]

    def _unseen(self, loaded: Sequence[Page], drawings: Sequence[Shapes], some: Characters, look: Runs, run: Numbers) -> Flags:
        exposed = unseen.blank_on_paper(look)
        result = exposed[run]
        for drawing, part in zip(drawings, some.parts(), strict=True):
            if unseen.could_hide(drawing):
                drawn = part.start + np.flatnonzero(~some.generated[part])
                hidden = unseen.hidden(self._document, Letters(some.places[drawn], run[drawn], look, exposed), drawing)
                if hidden is not None:
                    result[drawn] = hidden
        result |= unseen.blank(look)[run] | unseen.off(loaded, some.page, some.places)
        return np.asarray(result & ~some.generated)

    def _label(self, number: int) -> str:
        """The number that is printed on a page (counted from 0), or its place in the document."""
        text = ctypes.create_string_buffer(_LABEL_BYTES)
        size = pdfium.FPDF_GetPageLabel(self._document, number, text, _LABEL_BYTES)
        said = text.raw[: max(min(size, _LABEL_BYTES) - 2, 0)].decode("utf-16-le", errors="replace").strip()
        said = said.replace("\0", "\N{REPLACEMENT CHARACTER}")
        return said or str(number + 1)


def _asked_alone(some: Characters, drawn: Numbers) -> Flags:
    """Where a line starts among what is drawn, and every character of lines with right-to-left letters."""
    starts = some.line_starts()
    backwards = right_to_left(some.codes[drawn])
    if backwards.any():
        line = np.cumsum(starts)
        starts |= np.isin(line, line[backwards])
    return starts


def _asking(loaded: Sequence[Page], some: Characters, drawn: Numbers) -> Callable[[Numbers], Flags]:
    texts = [page.text for page in loaded]

    def unmapped(numbers: Numbers) -> Flags:
        places = drawn[numbers]
        return calls.map_errors([texts[page] for page in some.page[places].tolist()], some.number[places])

    return unmapped


def _composed(some: Characters, codes: Codes) -> tuple[Characters, Numbers | None]:
    """With these code points, composed, and the characters that they come from if others than before.

    No letter is composed over the end of a page.
    """
    if composed.is_composed(codes):
        return replace(some, codes=codes), None
    made = [(*composed.composed(codes[part], some.places[part]), part.start) for part in some.parts()]
    kept = np.concatenate([one[2] + one[3] for one in made])
    return some.taken(np.concatenate([one[0] for one in made]), np.concatenate([one[1] for one in made]), kept), kept


def _angle(loaded: Sequence[Page], some: Characters, look: Runs, run: Numbers) -> npt.NDArray[np.int16]:
    angle = np.round(look.angle).astype(np.int16)[run]
    if any(page.turns for page in loaded):
        angle += np.array([90 * page.turns for page in loaded], dtype=np.int16)[some.page]
    return np.asarray(angle % 360) if angle.any() else angle


def _shares(loaded: Sequence[Page], some: Characters) -> Boxes:
    """Boxes in shares of the page, zeros for what does not stand on it."""
    shares = np.empty(some.places.shape, dtype=np.uint16)
    for column, step in enumerate(_STEPS):
        sides = [page.height if column % 2 else page.width for page in loaded]
        scale = [FULL / step / side if side > 0 else 0.0 for side in sides]
        scaled = some.places[:, column] * (
            np.float32(scale[0]) if len(set(scale)) == 1 else np.array(scale, np.float32)[some.page]
        )
        np.clip(scaled, 0, FULL // step, out=scaled)
        shares[:, column] = np.rint(scaled, out=scaled).astype(np.uint16) * np.uint16(step)
    for low in (0, 1):
        edge = np.flatnonzero(shares[:, low] == shares[:, low + 2])
        edge = edge[(shares[edge, low] == 0) | (shares[edge, low] > FULL - GRID)]
        shares[edge] = 0
    return np.asarray(shares)
