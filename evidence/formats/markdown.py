"""Markdown: CommonMark with tables, strikethrough and raw HTML, made into HTML and read by the markup format.

A head of YAML between `---` lines is shown as it is (a passage of code) and may name the title; Pandoc's title block (first
lines that begin with "% ") is shown as a heading and paragraphs. Footnotes stay where they are written.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from typing import Final

import markdown_it
import selectolax
import tinycss2
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.reference import reference
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.front_matter import front_matter_plugin

from evidence.anchoring import Parser
from evidence.content import Content
from evidence.formats import markup
from evidence.formats.depth import too_deep
from evidence.formats.options import Options
from evidence.formats.text import decode

PARSER: Final = Parser(
    "markdown",
    f"2 markdown-it-py={markdown_it.__version__} selectolax={selectolax.__version__} tinycss2={tinycss2.__version__}",
    "encoding=bom,declared,utf-8 commonmark html table strikethrough front_matter title_block",
)
MAX_NESTING: Final = 40
"""Blocks inside one another; a list and its item are two. Brackets cost time in proportion to it: 20 KB of "[" 0.3 s."""

# A new name in each process, so that no document can forge it.
_DELIMITERS: Final = f"delimiters-{secrets.token_hex(16)}"
_TITLE_BLOCK: Final = re.compile(r"(?:%[ \t][^\n]*(?:\n|\Z))+")
_YAML_TITLE: Final = re.compile(r"^title:[ \t]*(?:![^\s]*[ \t]+)?([^\s>|].*(?:\n[ \t]+\S.*)*)", re.IGNORECASE | re.MULTILINE)
_SWALLOWING: Final = re.compile(
    r"<(/?)(script|style|title|textarea|xmp|iframe|noembed|noframes|template|plaintext)(?=[\s/>])", re.IGNORECASE
)


def extract(data: bytes, options: Options) -> Content:
    """The content of a Markdown file. Raises Refused: see `text.decode`, and nested too deep."""
    text = decode(data, options)
    block = _TITLE_BLOCK.match(text)
    try:
        tokens = _MARKDOWN.parse(text[block.end() :] if block else text)
        html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    except RecursionError as error:
        raise too_deep() from error
    head = _title_block(block[0]) if block else ""
    return markup.extract(_escape_unclosed(head + html), delimiters=_DELIMITERS, title=_yaml_title(tokens))


def _title_block(block: str) -> str:
    title, *others = (_MARKDOWN.renderInline(line[2:]) for line in block.splitlines())
    return f"<h1>{title}</h1>" + "".join(f"<p>{line}</p>" for line in others)


def _yaml_title(tokens: Sequence[Token]) -> str:
    """The title that a YAML head names in a plain or quoted way, else empty."""
    found = _YAML_TITLE.search(tokens[0].content) if tokens and tokens[0].type == "front_matter" else None
    if found is None:
        return ""
    title = " ".join(found[1].split())
    return title[1:-1] if len(title) > 1 and title[0] == title[-1] and title[0] in "'\"" else title


def _escape_unclosed(html: str) -> str:
    """Show a tag that would swallow the rest of the document, for want of its end, as the text that it then is."""
    ends = {match[2].lower(): match.start() for match in _SWALLOWING.finditer(html) if match[1]}

    def shown(match: re.Match[str]) -> str:
        swallows = not match[1] and match.start() > ends.get(match[2].lower(), -1)
        return f"&lt;{match[0][1:]}" if swallows or match[2].lower() == "plaintext" else match[0]

    html = _SWALLOWING.sub(shown, html)
    last = html.rfind("-->")
    return html[: last + 1] + html[last + 1 :].replace("<!--", "&lt;!--")


def _refuse_deep(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A block rule that matches nothing: without it, what lies deeper than the limit would be left out in silence."""
    if state.level >= MAX_NESTING:
        raise too_deep()
    return False


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Link definitions are not shown; a footnote of one word looks like one, and is."""
    if state.src.startswith("[^", state.bMarks[start] + state.tShift[start]):
        return False
    return reference(state, start, end, silent)


def _keep_delimiters(state: StateCore) -> None:
    """A list with "1)" keeps its bracket; HTML has no attribute for it."""
    for token in state.tokens:
        if token.type == "ordered_list_open":
            token.attrSet(_DELIMITERS, token.markup)


def _front_matter(self: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType) -> str:
    return f"<pre>\n{escapeHtml(tokens[index].content)}</pre>"


def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING + 2})
    markdown.enable(["table", "strikethrough"]).use(front_matter_plugin)
    markdown.block.ruler.at("reference", _reference)
    markdown.block.ruler.before("front_matter", "refuse_deep", _refuse_deep)
    markdown.core.ruler.push("keep_delimiters", _keep_delimiters)
    markdown.add_render_rule("front_matter", _front_matter)
    return markdown


_MARKDOWN: Final = _markdown()
