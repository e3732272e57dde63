"""How values are written: names of languages and states, elements of passages, cells beside their columns, grouped numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from django import template
from django.utils.formats import number_format
from django.utils.translation import get_language_info
from django.utils.translation import gettext_lazy as _

from evidence.content import Note, PassageKind, SpanKind
from evidence.index.questions import How
from evidence.models import Status
from evidence.presentation import Block, Piece, Shown
from evidence.search import Choice, Found
from evidence.synonyms import Fault
from evidence.web import interpretation
from evidence.web.interpretation import Named

if TYPE_CHECKING:  # only the type checker has these
    from django_stubs_ext import StrPromise

register = template.Library()

Words = tuple[str, str, str]
"""Text, tag, target."""
Run = tuple[str, str, list[Words]]
"""Trait, its name, pieces."""
Row = tuple[str, str, str, int, int, str, Sequence[tuple[str, bool, list[Run]]]]

_DEEPEST_HEADING: Final = 6
_ELEMENTS: Final = {PassageKind.PARAGRAPH: "p"}
_ROLES: Final = {"table": "row", "list": "listitem", "": ""}
_TRAITS: Final[Mapping[str, StrPromise]] = {
    SpanKind.UNSEEN: _("not visible in the original"),
    SpanKind.GARBLED: _("letter soup: the file has no character map"),
    SpanKind.RUNNING: _("running header or footer"),
}
_HOW: Final[Mapping[How, StrPromise]] = {
    How.EXACT: _("as written"),
    How.FORM: _("other form"),
    How.PART: _("part of a compound"),
    How.SPELLING: _("other spelling"),
    How.SYNONYM: _("synonym"),
}
_FAULTS: Final[Mapping[Fault, StrPromise]] = {
    Fault.EMPTY: _("on one side of an equals sign stands no word"),
    Fault.SAME: _("both sides say the same word"),
    Fault.TOO_MANY: _("it has more words with the same meaning than can be in one line"),
    Fault.TOO_LONG: _("an expression has too many words, or a word too many letters"),
    Fault.UNSEEN: _("it is not visible in the original, or letter soup"),
    Fault.BEYOND: _("the list has more groups than count"),
}
_NOTES: Final[Mapping[Note, StrPromise]] = {
    Note.NO_TEXT: _("Nothing in this file can be read as text. Nothing in it can be searched or cited."),
    Note.LETTER_SOUP: _(
        "The file does not say which characters some of its signs are. What they give is letter soup: it is marked in the text, "
        "is not searched and can’t be cited."
    ),
    Note.UNSEEN_TEXT: _(
        "The file holds words that nobody sees who looks at it: white, tiny, covered, hidden or beside the page. They are marked "
        "in the text and in results."
    ),
    Note.ENCODING_ASSUMED: _(
        "The file does not say how its characters are encoded. The usual encoding was assumed; single characters may be wrong."
    ),
    Note.ATTACHMENTS: _("Other files are attached to this one. They have not been read."),
    Note.FORM_VALUES: _("Fields of a form hold values that no page shows. They are not part of the text."),
    Note.NOT_SHOWN: _("The file holds parts that are not shown in the text. The original has them."),
    Note.REPAIRED: _("The file is damaged. What could be read of it is shown; something may be missing."),
}


@register.filter
def rows(block: Block) -> Iterator[Row]:
    """A block's passages as the text's template unpacks them: element, classes, role, number, start, text, parts.

    Of a plain passage no parts are given: its text is written as it is. A name that a loop unpacks costs a template half of
    what an attribute costs, and a long document has a hundred thousand of them.
    """
    role = _ROLES[block.kind]
    for one in block.passages:
        look = f"{one.kind} level-{one.level}" if one.level else str(one.kind)
        yield _element(one), look, role, one.number, one.start, one.text, () if one.plain else list(_parts(one))


def _parts(passage: Shown) -> Iterator[tuple[str, bool, list[Run]]]:
    """Role of a cell ("" for anything else), whether it is cited, and its runs of pieces that have a trait in common.

    A trait has its name where it is first met in a passage: letter soup can begin anew with every word.
    """
    role = "columnheader" if passage.header else "cell"
    named = {trait: trait_name(trait) for part in passage.parts for trait in {piece.trait for piece in part.pieces}}
    for part in passage.parts:
        yield role if part.cell else "", part.cited, [(trait, named.pop(trait, ""), run) for trait, run in _runs(part.pieces)]


def _runs(pieces: Sequence[Piece]) -> Iterator[tuple[str, list[Words]]]:
    """Neighbours that have a trait in common."""
    for trait, run in groupby(pieces, key=lambda piece: piece.trait):
        yield trait, [(piece.name or piece.text, piece.tag, piece.target) for piece in run]


def _element(passage: Shown) -> str:
    """The HTML element of a passage; headings of a document stand below the page's own."""
    if passage.kind is PassageKind.HEADING:
        return f"h{min(passage.level + 1, _DEEPEST_HEADING)}"
    return _ELEMENTS.get(passage.kind, "div")


@register.filter
def grouped(number: int) -> str:
    """A count for readers, with the separators of their language. Never for addresses."""
    return number_format(number, use_l10n=True, force_grouping=True)


@register.filter
def language_name(code: str) -> str:
    """The name of a language in the reader's; what isn't known stays as it is."""
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code


@register.filter
def status_name(value: str) -> str:
    """The editorial status in the reader's language."""
    return str(Status(value).label) if value in Status.values else value


@register.filter
def option_name(choice: Choice, attribute: str) -> str:
    """What a filter's value is called."""
    names = {"language": language_name, "status": status_name}
    return names[attribute](choice.value) if attribute in names else choice.label


@register.filter
def trait_name(trait: str) -> str:
    """What is to be known of a run of text that does not stand in the original like the rest; "" for the rest."""
    return str(_TRAITS[trait]) if trait else ""


@register.filter
def how_name(how: str) -> str:
    """How a found word answers one of the question."""
    return str(_HOW[How(how)]) if how else ""


@register.filter
def named(hit: Found, typed: Mapping[str, str]) -> Sequence[Named]:
    """How the found words of a hit answer those of the question (as they were typed), the closest first."""
    return interpretation.named(hit.passage.text, hit.ways, typed)


@register.filter
def synonym_fault(fault: str) -> str:
    """Why a line of a list of synonyms does not count."""
    return str(_FAULTS[Fault(fault)])


@register.filter
def contains(things: Collection[object], one: object) -> bool:
    """Whether it is among them."""
    return one in things


@register.filter
def note_words(note: str) -> str:
    """What is to be known of a file, in a sentence."""
    return str(_NOTES[Note(note)])


@register.filter
def beside(passage: Shown, columns: Sequence[str]) -> Sequence[tuple[str, Sequence[tuple[str, list[Words]]]]]:
    """Each cell of a table row with its column's heading, "" where none is known; any other passage as one cell.

    A cell is runs of pieces that have a trait in common, each with the trait.
    """
    cells = [part.pieces for part in passage.parts if part.cell]
    if not cells:
        return [("", list(_runs([piece for part in passage.parts for piece in part.pieces])))]
    return [(columns[place] if place < len(columns) else "", list(_runs(cell))) for place, cell in enumerate(cells)]


@register.filter
def short(digest: str) -> str:
    """Enough of a hash or id to tell two apart at a glance."""
    return digest[:12]
