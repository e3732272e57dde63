"""A reading page without a server: the markup that the templates write, fulfilled by the browser's own router.

Only what the adapter relies on: #check with its sentences, #text with its passages, the anchor as JSON, the import map.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, Route

ROOT = Path(__file__).parent.parent
ORIGIN = "http://localhost"
SENTENCES = {
    "checked": "Checked in this view.",
    "no-hash": "Checked, except for the hash.",
    "refused-text": "The text does not fit.",
    "refused-hash": "The hash does not fit.",
    "changed": "The text was changed in this browser.",
}
MODULES = [path.stem for path in sorted((ROOT / "static/js").glob("*.js"))]
IMPORT_MAP = json.dumps({"imports": {f"fundstelle/{name}": f"/static/js/{name}.js" for name in MODULES}})
HEAD = """<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Reading</title>
<link rel="icon" href="data:,"><style>
  .text { white-space: pre-wrap }
  .passage { content-visibility: auto; contain-intrinsic-size: auto 6em }
</style>"""
STARTED = '<script type="module" src="/static/js/page.js"></script>'


@dataclass(frozen=True)
class Anchor:
    """What the adapter reads of an anchor."""

    start: int
    end: int
    exact: str
    prefix: str
    suffix: str
    text_sha256: str
    passage: int = 0


def anchor_at(text: str, start: int, end: int, context: int = 8) -> Anchor:
    """The true anchor of `[start, end)`."""
    prefix, suffix = text[max(0, start - context) : start], text[end : end + context]
    return Anchor(start, end, text[start:end], prefix, suffix, sha256(text))


def sha256(text: str) -> str:
    """Lower case hex over UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class ReadingPage:
    """One page; `marked` is the range that the server marks, by default the anchor's."""

    passages: tuple[str, ...]
    anchor: Anchor
    marked: tuple[int, int] | None = None
    head: str = STARTED

    @property
    def text(self) -> str:
        """The representation's text; each passage holds its own separator."""
        return "".join(self.passages)

    def without_script(self) -> ReadingPage:
        """The same page with nothing started."""
        return replace(self, head="")

    def html(self) -> str:
        """The document."""
        sentences = "".join(f' data-{name}="{words}"' for name, words in SENTENCES.items())
        source = json.dumps(asdict(self.anchor)).replace("<", "\\u003C")
        return (
            f'<!doctype html><html lang="en">{HEAD}'
            f'<script type="importmap">{IMPORT_MAP}</script>{self.head}'
            f'<section id="check" role="status" aria-live="polite" data-state="unchecked"{sentences}>Not yet checked.</section>'
            f'<div id="text" class="text" translate="no" lang="de" data-length="{len(self.text)}"'
            f' data-sha256="{sha256(self.text)}" data-anchor="anchor">{self._passages()}</div>'
            f'<script type="application/json" id="anchor">{source}</script></html>'
        )

    def _passages(self) -> str:
        pieces, position = [], 0
        for number, passage in enumerate(self.passages):
            pieces.append(f'<p id="p-{number}" data-s="{position}" class="passage">{self._marked(passage, position)}</p>')
            position += len(passage)
        return "".join(pieces)

    def _marked(self, passage: str, position: int) -> str:
        first, last = self.marked or (self.anchor.start, self.anchor.end)
        start, end = (min(max(edge - position, 0), len(passage)) for edge in (first, last))
        if not passage[start:end].strip("\n"):
            return escape(passage)
        return f'{escape(passage[:start])}<mark class="cited">{escape(passage[start:end])}</mark>{escape(passage[end:])}'


def show(page: Page, html: str, origin: str = ORIGIN) -> None:
    """Open this HTML as a page of `origin`, with the project's static files beside it."""

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path == "/":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        else:
            route.fulfill(path=ROOT / path.lstrip("/"))

    page.unroute_all()
    page.route(f"{origin}/**", answer)
    page.goto(f"{origin}/")


def wait_for_state(page: Page, state: str) -> None:
    """Until #check has this state."""
    page.locator(f'#check[data-state="{state}"]').wait_for(state="attached", timeout=10_000)
