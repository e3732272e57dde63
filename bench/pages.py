"""Measure PDFs: `python -m bench.pages`. Pages a second with text, structure and boxes, against bare text extraction.

Each file in a process of its own, where both are timed in turn, the best of three; then once more in the confined child process
that an import uses. Pictures: from the call until the PNG is there, in a confined child process, one page after another.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Final

from bench.measure import Times, in_own_process, memory

TRICKY: Final = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "tricky" / "pdf"
FILES: Final = (
    "bgb_1800_seiten.pdf",
    "latex_geotopo_mathematik_de.pdf",
    "ubuntu_packaging_guide_de.pdf",
    "zweispaltig_mietrecht.pdf",
    "tabelle_mehrseitig_ustg.pdf",
    "pdfjs_tracemonkey_a11y.pdf",
)
ROUNDS: Final = 3
MOST_TIMES_BARE: Final = 2.0
PICTURES: Final = 40


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds for all pages, and what came out. memory: megabytes that reading the file took at most."""

    pages: int
    characters: int
    bare: float
    ours: float
    confined: float
    box_bytes: int
    memory: int


def main() -> None:
    """Read, compare, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=TRICKY, help="PDFs (default: %(default)s)")
    folder = parser.parse_args().folder
    files = [folder / name for name in FILES if (folder / name).exists()] or sorted(folder.glob("*.pdf"))
    if not files:
        print(f"no PDFs in {folder}; generated ones are measured")
    sources = {file.name: file.read_bytes() for file in files} or {"generated": _generated()}
    print(f"{'':<34}{'pages':>7}{'bare/s':>9}{'ours/s':>9}{'times':>7}{'confined/s':>12}{'boxes B/page':>14}{'MB/1000 p.':>12}")
    total = Measured(0, 0, 0.0, 0.0, 0.0, 0, 0)
    for name, data in sources.items():
        one = in_own_process(_measure, data)
        _print(name, one)
        total = Measured(
            total.pages + one.pages,
            total.characters + one.characters,
            total.bare + one.bare,
            total.ours + one.ours,
            total.confined + one.confined,
            total.box_bytes + one.box_bytes,
            max(total.memory, one.memory),
        )
    _print("all", total)
    reached = total.ours <= MOST_TIMES_BARE * total.bare
    print(f"{'reached' if reached else 'MISSED':<9}at most {MOST_TIMES_BARE:g} times bare extraction")
    times = in_own_process(_pictures, sources)
    print(f"\n{'pictures, ms':<24}{'p50':>10}{'p95':>10}{'p99':>10}{'worst':>10}")
    for what, some in times.items():
        print(f"{what:<24}{some.row()}")


def _print(name: str, one: Measured) -> None:
    print(
        f"{name:<34}{one.pages:>7}{one.pages / one.bare:>9.0f}{one.pages / one.ours:>9.0f}{one.ours / one.bare:>7.2f}"
        f"{one.pages / one.confined:>12.0f}{one.box_bytes / one.pages:>14.0f}{1000 * one.memory / one.pages:>12.1f}",
        flush=True,
    )


def _set_up() -> None:
    """Django, for its settings alone."""
    os.environ["FUNDSTELLE_DATA"] = tempfile.mkdtemp()
    os.environ["DJANGO_SETTINGS_MODULE"] = "evidence.settings"
    import django

    django.setup()


def _measure(data: bytes) -> Measured:
    _set_up()
    from evidence import parsing
    from evidence.formats import pdf
    from evidence.formats.options import NOTHING_SAID

    before = memory()
    content = pdf.extract(data, NOTHING_SAID)
    grown = memory() - before
    parsing.extract(".pdf", data, NOTHING_SAID)
    bare, ours, confined = [], [], []
    for _ in range(ROUNDS):
        bare.append(_seconds(lambda: _bare(data)))
        ours.append(_seconds(lambda: pdf.extract(data, NOTHING_SAID)))
        confined.append(_seconds(lambda: parsing.extract(".pdf", data, NOTHING_SAID)))
    boxes = sum(len(page.boxes) for page in content.pages)
    return Measured(len(content.pages), len(content.text), min(bare), min(ours), min(confined), boxes, grown)


def _bare(data: bytes) -> int:
    """What pypdfium2 needs for the text alone."""
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    characters = 0
    for page in document:
        text = page.get_textpage()
        characters += len(text.get_text_range())
        text.close()
        page.close()
    document.close()
    return characters


def _pictures(sources: dict[str, bytes]) -> dict[str, Times]:
    """Times of drawn pages, spread over the files by a fixed seed."""
    _set_up()
    import pypdfium2

    from evidence import confinement
    from evidence.pictures import Width

    def draw(name: str, page: int, width: Width) -> None:
        told = {"page": page + 1, "scale": width.scale(*sizes[name][page]), "password": ""}
        confinement.run("picture", told, sources[name], limits=confinement.PICTURE)

    sizes = {name: [page.get_size() for page in pypdfium2.PdfDocument(data)] for name, data in sources.items()}
    chance = random.Random(20261130)
    chosen = [(name, chance.randrange(len(sizes[name]))) for name in chance.choices(sorted(sources), k=PICTURES)]
    draw(*chosen[0], Width.SMALL)
    return {
        f"{width} pixels wide": Times([1000 * _seconds(partial(draw, name, page, width)) for name, page in chosen])
        for width in Width
    }


def _generated() -> bytes:
    """A PDF of 200 pages of running text."""
    from reportlab.pdfgen.canvas import Canvas

    target = BytesIO()
    canvas = Canvas(target)
    for page in range(200):
        lines = canvas.beginText(60, 780)
        for line in range(50):
            lines.textLine(f"Seite {page}, Zeile {line}: Die Frist läuft ab Zugang und endet nach {page * line % 97} Tagen.")
        canvas.drawText(lines)
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
