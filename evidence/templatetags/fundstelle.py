"""Template tags of every page."""

from __future__ import annotations

import json

from django import template
from django.conf import settings
from django.template.context import RequestContext
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.inclusion_tag("_importmap.html", takes_context=True)
def importmap(context: RequestContext) -> dict[str, object]:
    """The import map: "fundstelle/NAME" is static/js/NAME.js under its hashed name, which no rewriting of imports would find."""
    return {"nonce": context["request"].csp_nonce, "importmap": _script_json({"imports": _modules()})}


def _modules() -> dict[str, str]:
    folder = settings.BASE_DIR / "static" / "js"
    return {f"fundstelle/{file.stem}": static(f"js/{file.name}") for file in sorted(folder.glob("*.js"))}


def _script_json(value: object) -> SafeString:
    """JSON for the inside of a script element, where no escape but JSON's own is understood."""
    return mark_safe(json.dumps(value, indent=0).replace("<", "\\u003c"))
