"""A citation as text that can be put elsewhere: plain, Markdown, HTML, JSON. Always with what it is worth, and when."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evidence.citations import Cited

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~&])")


@dataclass(frozen=True, slots=True)
class Copy:
    """One form of it. name: part of an element's id."""

    name: str
    label: StrPromise
    text: str


def copies(cited: Cited, *, link: str, proof: str) -> Sequence[Copy]:
    """Everything that can be copied; the quote itself only where it is proven. proof: the state and the time, in words."""
    quoting = [
        Copy("text", gettext_lazy("Text"), _text(cited, link, proof)),
        Copy("markdown", gettext_lazy("Markdown"), _markdown(cited, link, proof)),
        Copy("html", gettext_lazy("HTML"), _html(cited, link, proof)),
    ]
    anchor = json.dumps(cited.anchor.to_dict(), ensure_ascii=False, indent=2)
    proven = cited.resolution.quote is not None or cited.resolution.historical is not None
    return [
        *(quoting if proven else ()),
        Copy("json", gettext_lazy("Anchor (JSON)"), anchor),
        Copy("link", gettext_lazy("Link"), link),
    ]


def _text(cited: Cited, link: str, proof: str) -> str:
    return f"“{cited.anchor.exact}”\n{_origin(cited)}\n{proof}\n{link}\n"


def _markdown(cited: Cited, link: str, proof: str) -> str:
    quote = "\n".join(f"> {_escaped(line)}".rstrip() for line in cited.anchor.exact.split("\n"))
    return f"{quote}\n>\n> — [{_escaped(_origin(cited))}](<{link}>)  \n> {_escaped(proof)}\n"


def _html(cited: Cited, link: str, proof: str) -> str:
    lines = [line for line in cited.anchor.exact.split("\n") if line]
    context = {"lines": lines, "link": link, "origin": _origin(cited), "proof": proof}
    return render_to_string("citations/_copy.html", context).strip() + "\n"


def _origin(cited: Cited) -> str:
    card = cited.resolution.card
    title, source = (card.title, card.source_title) if card else ("", "")
    words = _("%(title)s, version %(version)s, %(source)s")
    return words % {"title": title, "version": cited.anchor.state.revision, "source": source}


def _escaped(line: str) -> str:
    """A line in which no character is Markdown."""
    return _MARKDOWN.sub(r"\\\1", line)
