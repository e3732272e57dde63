"""Places: from what a format calls a document (a number, a name, an address) to a document here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from evidence.answers.formats.sent import Sent
from evidence.answers.values import Pointer
from evidence.citations import NOTHING

ELSEWHERE: Final = Pointer(document=NOTHING)
"""What names no document here. It is looked up all the same, as every unknown one is."""
MAX_DOCUMENTS: Final = 500
"""Documents that a model was given."""
_PAGE: Final = re.compile(r"/(?P<kind>documents|citations)/(?P<id>[0-9a-fA-F-]{36})/?")


class Places:
    """The documents that a model was given, as who asked it names them. host: of this place, as in addresses of its pages.

    documents: ids or addresses of pages here, in the order in which the model was given them, or by the names that it has for
    them.
    """

    def __init__(self, documents: Sent, *, host: str) -> None:
        self._host = host
        self._documents = documents
        if isinstance(documents.value, (list, Mapping)) and len(documents.value) > MAX_DOCUMENTS:
            documents.refuse()

    def at(self, index: Sent) -> Pointer:
        """The document with this number. Refused where the list has none."""
        number = index.number()
        if isinstance(self._documents.value, Mapping):
            return self.named(str(number))
        given = self._items
        if number >= len(given):
            index.refuse() if given else self._documents.refuse()
        return self._place(given[number])

    @cached_property
    def _items(self) -> Sequence[Sent]:
        """Taken apart once: every citation may ask for one of them."""
        return self._documents.items()

    def has(self, number: int) -> bool:
        """Whether a document with this number is given."""
        return isinstance(self._documents.value, list) and number < len(self._documents.value)

    def named(self, *names: str) -> Pointer:
        """The document that is given under the first of these names that is known, or whose id or address it is."""
        for name in names:
            if isinstance(self._documents.value, Mapping) and name in self._documents.value:
                return self._place(Sent(self._documents.value[name], f"{self._documents.path}[{json.dumps(name[:100])}]"))
        return next((found for name in names if (found := self.place(name)) is not None), ELSEWHERE)

    def place(self, name: str) -> Pointer | None:
        """Where an id or an address leads; None for what is no place here."""
        if (named := _uuid(name.strip())) is not None:
            return Pointer(document=named)
        return self.link(name)

    def link(self, address: str) -> Pointer | None:
        """Where an address leads: a document, one of its passages, a citation; None for an address that is not of this place."""
        try:
            parts = urlsplit(address.strip())
            query = parse_qs(parts.query, max_num_fields=50)
        except ValueError:
            return None
        page = _PAGE.fullmatch(parts.path)
        named = _uuid(page["id"]) if page else None
        if page is None or named is None or parts.netloc.lower() not in {"", self._host.lower()}:
            return None
        if page["kind"] == "citations":
            return Pointer(citation=named)
        state = _uuid(query.get("representation", [""])[0])
        number = query.get("passage", [""])[0]
        is_number = number.isascii() and number.isdigit() and len(number) < 10  # a passage counts only together with its state
        return Pointer(document=named, representation=state, passage=int(number) if state and is_number else None)

    def _place(self, given: Sent) -> Pointer:
        found = self.place(given.text())
        if found is None:
            given.refuse()
        return found


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text) if len(text) == 36 else None
    except ValueError:
        return None
