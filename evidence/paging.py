"""Where in a long list to begin and how far to go: whole numbers, read and refused in one place."""

from __future__ import annotations

from typing import Final

from evidence.errors import Refused, gettext_noop

LONGEST_NUMBER: Final = 9
"""Digits that are read as a number; more stay text."""


def typed(text: str) -> object:
    """What somebody wrote: an int if these are its digits, else the text, which `limit` and `offset` refuse."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER else text


def limit(value: object, *, most: int) -> int:
    """The value if it is an int from 1 to `most`; True, "3" and 2.5 are not. Raises Refused."""
    message = gettext_noop("limit must be a whole number from %(low)d to %(high)d.")
    return _whole(value, "limit_out_of_range", message, 1, most)


def offset(value: object, *, most: int) -> int:
    """The value if it is an int from 0 to `most`. Raises Refused."""
    message = gettext_noop("offset must be a whole number from %(low)d to %(high)d.")
    return _whole(value, "offset_out_of_range", message, 0, most)


def _whole(value: object, code: str, message: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise Refused(code, message, low=low, high=high)
    return value
