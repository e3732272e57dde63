"""What a browser sends, read into values. What the values may be is for the core to say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from django import forms

from evidence import paging
from evidence.anchoring import State
from evidence.citations import NOTHING
from evidence.errors import Refused, gettext_noop
from evidence.index import ATTRIBUTES
from evidence.index.questions import Off
from evidence.models import SearchReport
from evidence.pictures import Width
from evidence.projection import Versions
from evidence.publishing import Description
from evidence.search import Mode
from evidence.viewer import NOTHING_ASKED, Asked

MOST_CODE_POINTS: Final = 2**31
"""Positions beyond this are in no text."""
ZOOMS: Final = (1, 2, 3)
"""How close a page can be looked at; css/sheet.css has the sizes."""


class Typed(forms.Field):
    """Text exactly as it was typed, blanks and control characters included: the core says what is wrong with it."""

    def to_python(self, value: object) -> str:
        """The text; "" when nothing was sent."""
        return str(value or "")


class WholeNumber(forms.Field):
    """A number, 0 when nothing was sent; anything else stays text, for the core to refuse."""

    def to_python(self, value: object) -> object:
        """The int, or what was sent."""
        return paging.typed(str(value or "0"))


class Several(forms.Field):
    """All values of one name."""

    widget = forms.MultipleHiddenInput


class Ids(Several):
    """All ids of one name."""

    def to_python(self, value: Iterable[str] | None) -> list[UUID]:
        """The UUIDs; one that is none makes the form invalid."""
        return [forms.UUIDField().clean(one) for one in value or ()]


class QuestionForm(forms.Form):
    """The question, how it is to be read, and what of the wider reading is switched off. Always valid: the core refuses."""

    q = Typed(required=False)
    mode = Typed(required=False)
    without = Several(required=False)

    def asked(self) -> Asked:
        """All of it. Raises Refused."""
        sent = self.cleaned_data
        mode = Mode.of(sent["mode"])
        without = frozenset(Off.of(one) for one in sent["without"] or ()) if mode is Mode.WIDER else frozenset()
        return Asked(sent["q"], mode, without)


class SearchForm(QuestionForm):
    """The question, its filters and where in the results to begin. words: show what was made of the question's words."""

    offset = WholeNumber(required=False)
    source = Several(required=False)
    kind = Several(required=False)
    language = Several(required=False)
    status = Several(required=False)
    earlier = forms.BooleanField(required=False)
    words = forms.BooleanField(required=False)

    def versions(self) -> Versions:
        """Whether earlier versions are asked too."""
        return Versions.EARLIER_TOO if self.cleaned_data["earlier"] else Versions.CURRENT

    def filters(self) -> Mapping[str, Collection[str]]:
        """Attribute -> values; those that were not sent are left out."""
        return {name: self.cleaned_data[name] for name in ATTRIBUTES if self.cleaned_data[name]}


class TitleForm(forms.Form):
    """The words that a title holds, and where in the list to begin."""

    title = Typed(required=False)
    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)


class PlaceForm(QuestionForm):
    """A place in a document: the state that it belongs to, the passage's number, and the question that led there."""

    representation = forms.UUIDField(required=False)
    passage = forms.IntegerField(required=False, min_value=0)

    def led_here(self) -> Asked:
        """The question; none where it can't be asked so."""
        try:
            return self.asked()
        except Refused:
            return NOTHING_ASKED


class StateForm(forms.Form):
    """A state of a document; the current one unless told."""

    representation = forms.UUIDField(required=False)


class SheetForm(forms.Form):
    """The range whose rectangles are shown on a page, and how close it is looked at."""

    start = forms.IntegerField(required=False, min_value=0, max_value=MOST_CODE_POINTS)
    end = forms.IntegerField(required=False, min_value=0, max_value=MOST_CODE_POINTS)
    zoom = forms.ChoiceField(required=False, choices=[(str(zoom), zoom) for zoom in ZOOMS])


class PictureForm(forms.Form):
    """How wide a picture is."""

    width = forms.ChoiceField(required=False, choices=[(str(int(width)), width.name) for width in Width])


class CiteForm(forms.Form):
    """The range that is to be cited, the state that it belongs to, and the words that the person saw there, if they were sent."""

    representation = forms.UUIDField()
    start = forms.IntegerField(min_value=0, max_value=MOST_CODE_POINTS)
    end = forms.IntegerField(min_value=0, max_value=MOST_CODE_POINTS)
    seen = Typed(required=False)

    def words(self) -> str | None:
        """What the person saw; browsers send line feeds as CRLF, and no stored text holds a CR."""
        return self.cleaned_data["seen"].replace("\r\n", "\n") or None


class OwnForm(forms.Form):
    """Which of one's own citations, and where in the list to begin. state: one of State, or CHANGED for all that don't hold."""

    CHANGED = "changed"

    state = forms.ChoiceField(required=False, choices=[(value, value) for value in (CHANGED, *State)])
    document = forms.UUIDField(required=False)
    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)
    found = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)


class CheckForm(forms.Form):
    """Citation ids or anchors, as they were pasted."""

    given = Typed(required=False)


class AnswerForm(forms.Form):
    """An answer as it was pasted, and the question that it answers."""

    given = Typed(required=False)
    question = Typed(required=False)


class CompareForm(forms.Form):
    """Two states of a document (new: the current one unless told), the passage of the old one to show, and how."""

    old = forms.UUIDField()
    new = forms.UUIDField(required=False)
    passage = forms.IntegerField(required=False, min_value=0)
    view = forms.ChoiceField(required=False, choices=[("one", "one")])
    all = forms.BooleanField(required=False)


class MigrateForm(forms.Form):
    """One document's citations, or all; where to begin; and those that are approved."""

    document = forms.UUIDField(required=False)
    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)
    citation = Ids(required=False)


class TenantForm(forms.Form):
    """The short name of the tenant that the person wants to be in."""

    tenant = forms.SlugField()


class TokenForm(forms.Form):
    """What a new token is for, what it may do and how long. Always valid: the core says what is wrong."""

    name = Typed(required=False)
    scopes = Several(required=False)
    days = WholeNumber(required=False)
    once = Typed(required=False)

    def clean_scopes(self) -> list[str]:
        """All values; none when nothing was sent."""
        return list(self.cleaned_data["scopes"] or [])


class WhyForm(forms.Form):
    """A person's user name and a document's id, with its source where that is not enough. Always valid: the core refuses."""

    person = Typed(required=False)
    document = Typed(required=False)
    source = Typed(required=False)


class ReportForm(forms.Form):
    """A search that found too little, and what was looked for. Always valid but for the number: the core says what is wrong."""

    q = Typed(required=False)
    wish = Typed(required=False)
    mode = Typed(required=False)
    seen = forms.IntegerField(required=False, min_value=0, max_value=MOST_CODE_POINTS - 1)


class ReportsForm(forms.Form):
    """Which reports, and where in the list to begin."""

    state = forms.ChoiceField(required=False, choices=SearchReport.State.choices)
    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)


class CloseForm(forms.Form):
    """Why it was not found, and what is said of it. Always valid: the core says what is wrong."""

    state = Typed(required=False)
    cause = Typed(required=False)
    answer = Typed(required=False)


class DiagnosisForm(forms.Form):
    """What to do with the words of questions, and for how many minutes."""

    do = forms.ChoiceField(choices=[(one, one) for one in ("begin", "end", "forget")])
    minutes = forms.IntegerField(required=False, min_value=0, max_value=1_000_000)


class OffsetForm(forms.Form):
    """Where in a list or a text to begin."""

    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)


class ConflictsForm(forms.Form):
    """Whether settled conflicts are listed instead of open ones, and where in the list to begin."""

    settled = forms.BooleanField(required=False)
    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)


class ConflictForm(forms.Form):
    """Two that contradict each other, as addresses or ids, and about what. own: the other one, chosen from a list.

    Always valid: the core says what is wrong.
    """

    left = Typed(required=False)
    right = Typed(required=False)
    own = Typed(required=False)
    matter = Typed(required=False)
    note = Typed(required=False)


class TranslationForm(forms.Form):
    """A translation of a citation, and the space that it is proposed for. Always valid: the core says what is wrong."""

    space = Typed(required=False)
    language = Typed(required=False)
    text = Typed(required=False)
    translator = Typed(required=False)


class SettleForm(forms.Form):
    """How a conflict ended. Always valid: the core says what is wrong."""

    words = Typed(required=False)


class ChooseForm(forms.Form):
    """A document that is to get a new version, or none."""

    document = forms.UUIDField(required=False)


class ReadForm(forms.Form):
    """How an upload is to be read. Always valid: the core says what is wrong."""

    encoding = Typed(required=False)
    password = Typed(required=False)


class Keys(Several):
    """All numbers of one name; what is none is left out."""

    def to_python(self, value: Iterable[str] | None) -> frozenset[int]:
        """The numbers."""
        return frozenset(int(one) for one in value or () if one.isascii() and one.isdigit() and len(one) <= 18)


class DescriptionForm(forms.Form):
    """What a person says about an upload. Always valid: the core says what is wrong."""

    title = Typed(required=False)
    version = Typed(required=False)
    date = Typed(required=False)
    owner = Typed(required=False)
    origin = Typed(required=False)
    language = Typed(required=False)
    kind = Typed(required=False)
    status = Typed(required=False)
    valid_from = Typed(required=False)
    valid_until = Typed(required=False)
    sensitivity = Typed(required=False)
    source = Typed(required=False)
    document = Typed(required=False)
    allowed = Keys(required=False)
    denied = Keys(required=False)
    unread = forms.BooleanField(required=False)
    seen = Typed(required=False)

    def clean_document(self) -> UUID | None:
        """The document's id; nonsense is the id of none."""
        sent = self.cleaned_data["document"]
        try:
            return UUID(sent) if sent else None
        except ValueError:
            return NOTHING

    def description(self) -> Description:
        """The same as the core takes it."""
        return Description(**self.cleaned_data)


class KnowledgeForm(forms.Form):
    """What a space of knowledge is searched for, and which further entries of one kind are listed."""

    q = Typed(required=False)
    kind = forms.ChoiceField(required=False, choices=[(one, one) for one in ("concept", "claim", "decision")])
    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)


class UseForm(forms.Form):
    """A citation that is to be used in an entry, and the short name of the concept that a claim is about."""

    citation = forms.UUIDField(required=False)
    concept = forms.SlugField(required=False)


class NoteForm(forms.Form):
    """What a reviewer says. Always valid: the core says what is wrong."""

    note = Typed(required=False)


class EntryForm(forms.Form):
    """An entry of knowledge as it was typed, and why. The core says what is wrong with it."""

    TEXTS: Final = (
        "title", "slug", "text", "terms", "concept", "subject", "property", "value", "context", "decision", "rationale",
        "status", "decided_on", "valid_from", "valid_until", "supersedes", "language", "translator", "why",
    )  # fmt: skip

    citation = Ids(required=False)
    given = Typed(required=False)
    base = forms.IntegerField(required=False, min_value=0, max_value=MOST_CODE_POINTS - 1)

    def texts(self) -> Mapping[str, str]:
        """Every text of it, as it was typed; "" for those that were not sent."""
        return {name: str(self.data.get(name, "")) for name in self.TEXTS}

    def citations(self) -> Sequence[UUID]:
        """The ids that were ticked. Raises Refused when one is none."""
        if "citation" in self.errors:
            message = gettext_noop("One of the citations is no id of a citation.")
            raise Refused("citation_malformed", message, field="citations")
        return self.cleaned_data["citation"] or ()
