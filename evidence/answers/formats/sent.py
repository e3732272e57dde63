"""What was sent, taken apart: each value with the path to it, so that a refusal says what was wrong where, and never what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from evidence.errors import Refused, gettext_noop


@dataclass(frozen=True, slots=True)
class Sent:
    """A value of JSON. path: as in “sentences[0].citations[1].exact”."""

    value: object
    path: str = ""

    def get(self, *names: str) -> Sent:
        """The field with the first of these names that is there, else one without a value. Refused where this is no object."""
        if not isinstance(self.value, Mapping):
            self.refuse()
        name = next((one for one in names if self.value.get(one) is not None), names[0])
        return Sent(self.value.get(name), f"{self.path}.{name}" if self.path else name)

    def fields(self) -> Sequence[str]:
        """The names of all fields. Refused where this is no object."""
        if not isinstance(self.value, Mapping):
            self.refuse()
        return [str(name) for name in self.value]

    def items(self) -> Sequence[Sent]:
        """The values of a list; none where nothing was sent. Refused for anything else."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            self.refuse()
        return [Sent(one, f"{self.path}[{number}]") for number, one in enumerate(self.value)]

    def text(self, default: str | None = None) -> str:
        """A text. Refused for anything else, and where nothing was sent and there is no default."""
        if self.value is None and default is not None:
            return default
        if not isinstance(self.value, str):
            self.refuse()
        return self.value

    def number(self, default: int | None = None) -> int:
        """A number from 0. Refused for anything else; True is none."""
        if self.value is None and default is not None:
            return default
        if type(self.value) is not int or self.value < 0:
            self.refuse()
        return self.value

    def refuse(self) -> NoReturn:
        """Raises Refused with the path."""
        message = gettext_noop("In the answer, “%(field)s” is missing or not of the right kind.")
        raise Refused("answer_field", message, field=self.path or "{}")
