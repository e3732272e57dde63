"""What somebody pasted to have it checked: citation ids, links to citations, or anchors as JSON. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from evidence.annotation import is_annotation
from evidence.errors import Refused, gettext_noop

_ID: Final = re.compile(r"(?<![0-9A-Fa-f-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f-])")

Given = UUID | Mapping[str, object] | None
"""A citation's id, what should be an anchor, or something that is neither."""


def read(text: str) -> Sequence[Given]:
    """What stands in the text, in its order: JSON when it begins like JSON, else one id a line (more also in one line).

    Raises Refused for broken JSON.
    """
    if text.lstrip().startswith(("{", "[")):
        return [_given(one) for one in _listed(_json(text))]
    return [one for line in text.splitlines() if line.strip() for one in _ids(line)]


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("json_broken", gettext_noop("This begins like JSON, but can’t be read as JSON.")) from None


def _listed(value: object) -> Sequence[object]:
    """A list, one thing, or the list in what the export or the API gives."""
    if isinstance(value, Mapping):
        for name in ("citations", "anchors"):
            if isinstance(value.get(name), list):
                return _listed(value[name])
        return [value]
    return value if isinstance(value, list) else [value]


def _given(value: object) -> Given:
    """An entry: an anchor, an annotation of one, something with an anchor or an id in it, or an id."""
    if isinstance(value, str):
        return next(iter(_ids(value)), None)
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("anchor"), Mapping):
        return value["anchor"]  # type: ignore[no-any-return]
    if "exact" not in value and not is_annotation(value) and isinstance(value.get("id"), str):
        return next(iter(_ids(value["id"])), None)
    return value


def _ids(line: str) -> Sequence[Given]:
    """The ids in a line; None when there is none."""
    return [UUID(one) for one in _ID.findall(line)] or [None]
