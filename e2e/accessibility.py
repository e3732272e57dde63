"""What is asked of every page: axe finds nothing serious, wide and light, narrow and dark; and nothing scrolls sideways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from e2e.conftest import DESKTOP, PHONE

RUN = """options => axe.run(document, options).then(({ violations }) => violations
  .filter(({ id, impact }) => ["serious", "critical"].includes(impact) || ["page-has-heading-one", "region"].includes(id))
  .map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.html} ${node.failureSummary}`).slice(0, 3).join(" | ")}`))"""
OPTIONS = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
SCHEMES: tuple[Literal["light", "dark"], Literal["light", "dark"]] = ("light", "dark")
SIDEWAYS = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  const beyond = Array.from(document.querySelectorAll("body *"))
    .filter(one => one.getBoundingClientRect().right > clientWidth + 1);
  return scrollWidth > clientWidth ? [`${scrollWidth} > ${clientWidth}`, ...beyond.map(one => one.outerHTML.slice(0, 120))] : [];
}"""


def problems(page: Page, *, resized: Callable[[], object] = lambda: None) -> dict[str, Any]:
    """What is wrong with a page as it stands, by where it is wrong. resized: called whenever the window has another size."""
    page.evaluate(Axe().axe_script)
    found: dict[str, Any] = {}
    for window, scheme in zip((DESKTOP, PHONE), SCHEMES, strict=True):  # no rule of colours asks for a width
        page.set_viewport_size(window["viewport"])
        resized()
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found[f"{scheme} {window['viewport']['width']}"] = page.evaluate(RUN, OPTIONS)
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        found[f"sideways at {width}"] = page.evaluate(SIDEWAYS)[:4]
    return {where: what for where, what in found.items() if what}
