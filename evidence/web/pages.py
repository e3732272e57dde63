"""Pages of originals: beside the text, alone, as a picture, and the original itself as a download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from evidence import documents, filenames, pictures, viewer
from evidence.errors import Unavailable
from evidence.pictures import Width
from evidence.sheets import Panel, Sheet
from evidence.web.forms import ZOOMS, PictureForm, SheetForm, StateForm
from evidence.web.request import Request, wants_fragment

_WIDTHS: Final = {1: (Width.SMALL, Width.MEDIUM), 2: (Width.MEDIUM, Width.LARGE), 3: (Width.MEDIUM, Width.LARGE)}
"""Zoom -> widths of which the browser takes the one that fits its window and screen."""
_SIZES: Final = {
    1: "(min-width: 62rem) 36rem, 100vw",
    2: "(min-width: 62rem) 58rem, 160vw",
    3: "(min-width: 62rem) 87rem, 240vw",
}
"""Zoom -> how wide css/sheet.css shows it."""
_ATTACHED: Final = {"Content-Security-Policy": "sandbox; default-src 'none'"}


@dataclass(frozen=True, slots=True)
class Picture:
    """A page with the addresses of its pictures; width and height are whole points, for the space that it takes.

    name: its label or number. rectangles: left, top, width, height, as the boxes count.
    """

    sheet: Sheet
    name: str
    rectangles: Sequence[tuple[int, int, int, int]]
    width: int
    height: int
    source: str
    sources: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """The pages that are shown, and the addresses that lead on from there; "" where there is nothing further.

    last: number of the last one, if there are several. printed: labels of those whose labels are not their numbers.
    folder, place: what stands before and after a page's number in its address.
    """

    panel: Panel
    pictures: Sequence[Picture]
    last: int | None
    printed: str
    zoom: int
    sizes: str
    folder: str
    place: str
    earlier: str
    later: str
    closer: str
    wider: str


def leaf(document: UUID, representation: UUID, panel: Panel | None, zoom: int = 1) -> Leaf | None:
    """What the templates need of these pages."""
    if panel is None:
        return None
    here = panel.sheets[0].number
    folder = reverse("page", args=[document, representation, here]).removesuffix(f"{here}/")
    address = {zoom: f"/{_query(panel, zoom)}" for zoom in ZOOMS}
    return Leaf(
        panel=panel,
        pictures=[_picture(folder, sheet, zoom) for sheet in panel.sheets],
        last=panel.sheets[-1].number if len(panel.sheets) > 1 else None,
        printed=", ".join(sheet.label for sheet in panel.sheets if sheet.label),
        zoom=zoom,
        sizes=_SIZES[zoom],
        folder=folder,
        place=f"/{_query(panel, 1)}",
        earlier="" if panel.earlier is None else f"{folder}{panel.earlier}{address[zoom]}",
        later="" if panel.later is None else f"{folder}{panel.later}{address[zoom]}",
        closer=f"{folder}{here}{address[zoom + 1]}" if zoom + 1 in address else "",
        wider=f"{folder}{here}{address[zoom - 1]}" if zoom - 1 in address else "",
    )


@require_safe
def page(request: HttpRequest, document: UUID, representation: UUID, number: int) -> HttpResponse:
    """`/documents/<id>/pages/<representation>/<number>/`: this page of the original, beside the text or alone."""
    request = cast(Request, request)
    form = SheetForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    asked = form.cleaned_data
    found = viewer.turn(
        request.access, document, representation=representation, page=number, start=asked["start"], end=asked["end"]
    )
    context = {
        "found": found,
        "leaf": leaf(document, representation, found.panel, int(asked["zoom"] or 1)),
        "card": found.card,
        "turned": True,
    }
    return render(request, "pages/_sheet.html" if wants_fragment(request) else "pages/page.html", context)


@require_safe
def picture(request: HttpRequest, document: UUID, representation: UUID, number: int) -> HttpResponse:
    """`/documents/<id>/pages/<representation>/<number>.png`: what the page looks like."""
    request = cast(Request, request)
    form = PictureForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    width = Width(int(form.cleaned_data["width"] or Width.MEDIUM))
    drawn = pictures.picture(request.access, document, representation=representation, page=number, width=width)
    return HttpResponse(drawn, content_type="image/png")


@require_safe
def original(request: HttpRequest, document: UUID) -> HttpResponse:
    """`/documents/<id>/original/`: the exact bytes, to be kept and never opened as a page of ours."""
    request = cast(Request, request)
    form = StateForm(request.GET)
    if not form.is_valid():
        raise Unavailable
    found = documents.original(request.access, document, representation=form.cleaned_data["representation"])
    headers = {**_ATTACHED, "Content-Disposition": filenames.attachment(found.name)}
    return HttpResponse(found.data, content_type=found.media_type, headers=headers)


def _query(panel: Panel, zoom: int) -> str:
    place = {} if panel.place is None else {"start": panel.place[0], "end": panel.place[1]}
    query = urlencode({**place, **({} if zoom == 1 else {"zoom": zoom})})
    return f"?{query}" if query else ""


def _picture(folder: str, sheet: Sheet, zoom: int) -> Picture:
    addresses = [(f"{folder}{sheet.number}.png?width={width:d}", width) for width in _WIDTHS[zoom]]
    return Picture(
        sheet=sheet,
        name=sheet.label or str(sheet.number),
        rectangles=[(one.left, one.top, one.right - one.left, one.bottom - one.top) for one in sheet.rectangles],
        width=round(sheet.width),
        height=round(sheet.height),
        source=addresses[0][0],
        sources=", ".join(f"{address} {width:d}w" for address, width in addresses),
    )
