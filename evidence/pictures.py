"""Pictures of pages: drawn from the original when somebody looks, in a confined process, and kept until it is removed.

A kept picture is never a substitute for the access check, which comes first.
"""

from __future__ import annotations

import struct
from datetime import timedelta
from enum import IntEnum
from importlib.metadata import version
from math import sqrt
from typing import Final
from uuid import UUID

from evidence import blobs, confinement, derived, documents
from evidence.access import Access
from evidence.errors import EvidenceError, Refused, Unavailable, gettext_noop
from evidence.models import Page, Revision

RENDERER: Final = f"1-pdfium-{version('pypdfium2')}"
"""Part of a kept picture's name: what another version draws is another picture."""
MAX_PIXELS: Final = 16_000_000
"""Of one picture: an A4 page in the largest width has eight million; a long strip of a page is drawn in a smaller scale."""
TRY_AGAIN_AFTER: Final = timedelta(minutes=10)
"""A page of which no picture could be made is not tried with every look at it: each try may take all the time there is."""
_PNG: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


class Width(IntEnum):
    """Pixels from left to right."""

    SMALL = 800
    MEDIUM = 1600
    LARGE = 2400

    def scale(self, width: float, height: float) -> float:
        """Pixels for each point of a page of this size in points; no page is taken for smaller than a point."""
        wide, high = max(width, 1), max(height, 1)
        return min(self / wide, sqrt(MAX_PIXELS / (wide * high)))


def picture(access: Access, document: UUID, *, representation: UUID, page: int, width: Width) -> bytes:
    """PNG of a page of a readable document in a kept state.

    Raises Unavailable, also for pages that have no picture, and Refused (`no_picture`) when none can be made.
    """
    state = documents.state_of(access, documents.get(access, document), representation=representation)
    found = Page.objects.filter(representation=state, number=page, width__gt=0, height__gt=0).defer("boxes").first()
    if found is None:
        raise Unavailable
    name = f"{RENDERER}-{page}-{width}.png"
    if kept := derived.read(state.revision, name):
        return kept
    failed = f"{name}.{state.revision.pk}.failed"  # others' looks at a document with the same bytes say nothing here
    if code := derived.read(state.revision, failed, younger_than=TRY_AGAIN_AFTER):
        raise _none(code.decode())
    try:
        drawn = _drawn(state.revision, found, width)
    except EvidenceError as error:
        if not isinstance(error, confinement.NoProcess):  # of which the page is innocent
            derived.put(state.revision, failed, error.code.encode())
        raise _none(error.code) from error
    derived.put(state.revision, name, drawn)
    return drawn


def _drawn(revision: Revision, page: Page, width: Width) -> bytes:
    told = {"page": page.number, "scale": width.scale(page.width, page.height), "password": revision.password}
    result = confinement.run("picture", told, blobs.read(revision.source_sha256), limits=confinement.PICTURE)
    _refuse_other_than_png(result.body)
    return result.body


def _refuse_other_than_png(data: bytes) -> None:
    """A hostile file may have written the answer: what a browser is given is a picture, and no larger than was asked for."""
    start = len(_PNG)
    size = struct.unpack(">II", data[start : start + 8]) if data.startswith(_PNG) and len(data) > start + 8 else (0, 0)
    if not 0 < size[0] * size[1] <= 1.1 * MAX_PIXELS:
        raise Refused("no_png", gettext_noop("What was drawn is no picture of the right size."))


def _none(code: str) -> Refused:
    message = gettext_noop("No picture can be made of this page (%(reason)s). Its text and the original are not touched by that.")
    return Refused("no_picture", message, reason=code)
