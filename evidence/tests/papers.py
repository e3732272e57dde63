"""Papers: small PDFs whose every character stands where the builder put it, stored as documents with pages."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from evidence import blobs, boxes
from evidence.models import Document, Page, Passage, Revision, Tenant
from evidence.tests.builders import document, publish

WIDTH, HEIGHT = A4
SIZE: Final = 12
ADVANCE: Final = SIZE * 0.6
"""Of every character in Courier."""
LEFT, TOP, LINE = 72, 72, 18


def pdf(pages: Sequence[str]) -> bytes:
    """A PDF with these pages, line by line, in Courier."""
    file = BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True)
    for page in pages:
        canvas.setFont("Courier", SIZE)
        for number, line in enumerate(page.split("\n")):
            canvas.drawString(LEFT, HEIGHT - TOP - SIZE - number * LINE, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def places(page: str) -> boxes.Boxes:
    """Where each of its code points stands; blanks and line feeds stand nowhere."""
    found = []
    for number, line in enumerate(page.split("\n")):
        top = TOP + number * LINE
        for place, one in enumerate(f"{line}\n"):
            left = LEFT + place * ADVANCE
            found.append((left, top, left + ADVANCE, top + SIZE * 1.2) if one.strip() else (0, 0, 0, 0))
    shares = np.array(found) / (WIDTH, HEIGHT, WIDTH, HEIGHT)
    return np.asarray((shares * boxes.FULL).round(), dtype=np.uint16)


def paper(
    folder: Path,
    pages: Sequence[str],
    *,
    name: str = "papier",
    labels: Sequence[str] = (),
    source: str = "handbuch",
    allowed: str = '["group:alle"]',
    of: Tenant | None = None,
    notes: Sequence[str] = (),
) -> Document:
    """A document with these pages. A paragraph goes on over a page's end; an empty line ends it."""
    publish(folder, {f"{name}.txt": "\n".join(pages)}, allowed=allowed, source=source, of=of)
    row = document(name, source=source, of=of)
    state = row.current
    assert state is not None
    digest = blobs.put(pdf(pages))
    Revision.objects.filter(pk=state.revision_id).update(source_sha256=digest, media_type="application/pdf", path=f"{name}.pdf")
    state.notes = list(notes)
    state.save()
    start = 0
    for number, page in enumerate(pages, start=1):
        end = min(start + len(page) + 1, state.length)
        Page.objects.create(
            representation=state,
            number=number,
            label=labels[number - 1] if labels else "",
            start=start,
            end=end,
            width=WIDTH,
            height=HEIGHT,
            boxes=boxes.pack(places(page)[: end - start]),
        )
        start = end
    return document(name, source=source, of=of)


def trait(row: Document, words: str, kind: str, value: str = "") -> None:
    """Give these words a span of this kind."""
    passage = Passage.objects.get(representation=row.current, text__contains=words)
    start = passage.start + passage.text.index(words)
    passage.spans = sorted([*passage.spans, [kind, start, start + len(words), value]], key=lambda span: span[1])
    passage.save()
