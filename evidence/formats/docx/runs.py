"""Runs: the text of a paragraph, with what hangs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from evidence.content import Note, SpanKind
from evidence.formats import omml, symbols
from evidence.formats.docx.fields import CHARACTER, Fields, form_field
from evidence.formats.docx.looks import look
from evidence.formats.docx.names import W, value
from evidence.formats.docx.notes import Notes
from evidence.formats.docx.styles import Styles
from evidence.formats.drawn import ALTERNATE, Drawn
from evidence.formats.flow import Flow
from evidence.formats.omml import M
from evidence.formats.opc import MAX_TARGET, RELATION, Relationship
from evidence.formats.sight import Look, is_unseen
from evidence.formats.xml import Element

THROUGH: Final = tuple(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
"""Elements around blocks, rows, cells or runs that change nothing about them."""

_MARKS: Final = (SpanKind.UNSEEN, SpanKind.STRONG, SpanKind.EMPHASIS)
_SOFT_HYPHEN: Final = "\u00ad"
_FIRM_HYPHEN: Final = "\u2011"


@dataclass(slots=True)
class Story:
    """A text of its own: the body, the footnotes, a header. targets: what its part refers to."""

    targets: Mapping[str, Relationship]
    fields: Fields


@dataclass(slots=True)
class Hanging:
    """What belongs after a paragraph. notes: (kind, id, marker)."""

    drawn: Drawn = field(default_factory=Drawn)
    notes: list[tuple[str, str, str]] = field(default_factory=list)


class Runs:
    """Writes the text of paragraphs into the passage or cell that is open."""

    def __init__(self, flow: Flow, styles: Styles, numbers: Mapping[str, Notes]) -> None:
        self.found: dict[Note, None] = {}
        self._flow = flow
        self._styles = styles
        self._numbers = numbers
        self._hanging = Hanging()
        self._base = styles.base
        self._ground: str | None = None
        self._look = styles.base
        self._story = Story({}, Fields(None))

    def write(self, paragraphs: Iterable[tuple[Element, Look]], story: Story, ground: str | None) -> Hanging:
        """The text of paragraphs that have become one, each with how its style shows it. ground: the colour behind them."""
        self._story, self._ground = story, ground
        self._hanging = Hanging()
        for paragraph, base in paragraphs:
            self._base = base
            self._inline(paragraph)
        self._flow.mark(())
        return self._hanging

    def _inline(self, parent: Element) -> None:
        for child in parent:
            step = _INLINE.get(child.tag)
            if step is not None:
                step(self, child)

    def _run(self, run: Element) -> None:
        shown = self._shown(run.find(f"{W}rPr"))
        for child in run:
            step = _RUN.get(child.tag)
            if step is not None and (child.tag == CHARACTER or not (shown.hidden or self._story.fields.in_code)):
                step(self, child)

    def _shown(self, properties: Element | None) -> Look:
        """How a run looks. Its style's toggles turn those of the paragraph's style round, as ISO 29500-1, 17.7.3 says."""
        named = self._styles.get(value(properties, "rStyle")).look
        direct = look(properties)
        own = direct.over(named)
        shown = own.over(self._base)
        if direct.hidden is None:
            shown = replace(shown, hidden=bool(named.hidden) != bool(self._base.hidden))
        unseen = is_unseen(shown, self._ground)
        wanted = zip(_MARKS, (unseen, own.bold, own.italic), strict=True)
        self._look = shown
        self._flow.mark([kind for kind, is_wanted in wanted if is_wanted])
        return shown

    def _hyperlink(self, element: Element) -> None:
        target = self._story.targets.get(element.get(f"{RELATION}id", ""))
        address = target.target if target is not None and target.external else ""
        anchor = element.get(f"{W}anchor", "")
        if address and anchor and "#" not in address and len(anchor) <= MAX_TARGET:
            address = f"{address}#{anchor}"
        self._flow.mark(())
        if address:
            self._flow.writer.begin_mark(SpanKind.LINK, address)
        self._inline(element)
        self._flow.mark(())
        if address:
            self._flow.writer.end_mark(SpanKind.LINK)

    def _formula(self, element: Element) -> None:
        if not self._story.fields.in_code:
            self._flow.writer.write(f" {omml.text(element)} ")

    def _ruby(self, element: Element) -> None:
        """A word with its pronunciation above it."""
        for name, before, after in (("rubyBase", "", ""), ("rt", "(", ")")):
            part = element.find(f"{W}{name}")
            if part is not None:
                self._flow.writer.write(before)
                self._inline(part)
                self._flow.writer.write(after)

    def _text(self, element: Element) -> None:
        self._flow.text(element.text or "", self._look)

    def _space(self, element: Element) -> None:
        self._flow.writer.write(" ")

    def _break(self, element: Element) -> None:
        self._flow.writer.break_line()

    def _soft_hyphen(self, element: Element) -> None:
        self._flow.writer.write(_SOFT_HYPHEN)

    def _firm_hyphen(self, element: Element) -> None:
        self._flow.writer.write(_FIRM_HYPHEN)

    def _symbol(self, element: Element) -> None:
        self._flow.writer.write(symbols.sign(element.get(f"{W}char", ""), element.get(f"{W}font", "")))

    def _field(self, element: Element) -> None:
        was_code = self._story.fields.in_code
        self._story.fields.meet(element)
        if not was_code and not self._look.hidden:
            self._flow.writer.write(form_field(element))

    def _note(self, element: Element) -> None:
        kind = "footnote" if element.tag == f"{W}footnoteReference" else "endnote"
        name, marker = element.get(f"{W}id", ""), ""
        if element.get(f"{W}customMarkFollows", "0") in ("0", "false", "off"):
            marker = f"[{self._numbers[kind].number(name)}]"
            self._flow.writer.write(marker)
        self._hanging.notes.append((kind, name, marker))

    def _drawing(self, element: Element) -> None:
        here = Drawn()
        here.take(element)
        for description in here.descriptions:
            self._flow.writer.write(f" {description} ")
        if here.embeds:
            self.found[Note.ATTACHMENTS] = None
        if here.charts:
            self.found[Note.NOT_SHOWN] = None
        self._hanging.drawn.add(here)

    def _alternative(self, element: Element) -> None:
        """The first of several ways to show something that holds anything known."""
        for way in element:
            steps = [(step, child) for child in way if (step := _RUN.get(child.tag) or _INLINE.get(child.tag)) is not None]
            for step, child in steps:
                step(self, child)
            if steps:
                return


_Step = Callable[[Runs, Element], None]
_INLINE: Final[dict[str, _Step]] = {
    f"{W}r": Runs._run,
    f"{W}hyperlink": Runs._hyperlink,
    f"{M}oMath": Runs._formula,
    f"{M}oMathPara": Runs._formula,
    ALTERNATE: Runs._alternative,
    **dict.fromkeys((*THROUGH, *(f"{W}{name}" for name in ("fldSimple", "dir", "bdo"))), Runs._inline),
}
_RUN: Final[dict[str, _Step]] = {
    CHARACTER: Runs._field,
    f"{W}t": Runs._text,
    f"{W}br": Runs._break,
    f"{W}cr": Runs._break,
    f"{W}sym": Runs._symbol,
    f"{W}softHyphen": Runs._soft_hyphen,
    f"{W}noBreakHyphen": Runs._firm_hyphen,
    f"{W}ruby": Runs._ruby,
    ALTERNATE: Runs._alternative,
    **dict.fromkeys((f"{W}tab", f"{W}ptab"), Runs._space),
    **dict.fromkeys((f"{W}footnoteReference", f"{W}endnoteReference"), Runs._note),
    **dict.fromkeys((f"{W}drawing", f"{W}pict", f"{W}object"), Runs._drawing),
}
