"""What a browser sends, read into values. What the values may be is for the core to say."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django import forms

from evidence import paging
from evidence.index import ATTRIBUTES


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


class SearchForm(forms.Form):
    """The question, its filters and where in the results to begin. Always valid."""

    q = Typed(required=False)
    offset = WholeNumber(required=False)
    source = Several(required=False)
    kind = Several(required=False)
    language = Several(required=False)
    status = Several(required=False)

    def filters(self) -> Mapping[str, Collection[str]]:
        """Attribute -> values; those that were not sent are left out."""
        return {name: self.cleaned_data[name] for name in ATTRIBUTES if self.cleaned_data[name]}


class TitleForm(forms.Form):
    """The words that a title holds, and where in the list to begin."""

    title = Typed(required=False)
    offset = forms.IntegerField(required=False, min_value=0, max_value=10_000_000)


class PlaceForm(forms.Form):
    """A place in a document: the state that it belongs to, the passage's number, and the question that led there."""

    representation = forms.UUIDField(required=False)
    passage = forms.IntegerField(required=False, min_value=0)
    q = Typed(required=False)


class TenantForm(forms.Form):
    """The short name of the tenant that the person wants to be in."""

    tenant = forms.SlugField()
