"""Parsing: bytes to Content in a confined process, whatever the bytes do to the parser."""

from __future__ import annotations

from typing import Final

from django.conf import settings

from evidence import confinement
from evidence.confinement.barriers import Limits
from evidence.content import Content
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.formats import FORMATS
from evidence.formats.options import NOTHING_SAID, Options

OUTPUT_MB: Final = 128
"""Content as JSON: the longest text that is taken (20 MB), a quarter of a million passages (15 MB), and spans and boxes."""


def extract(ending: str, data: bytes, options: Options = NOTHING_SAID) -> Content:
    """The content of a file with this ending. Raises Refused: what `formats.extract` and `confinement.run` say."""
    limits = Limits(settings.PARSE_SECONDS, settings.PARSE_MEMORY_MB, OUTPUT_MB)
    told = {"ending": ending, "encoding": options.encoding, "password": options.password}
    result = confinement.run("extract", told, data, limits=limits)
    try:
        return Content.from_json(result.body.decode())
    except EvidenceError:
        raise
    except (ValueError, TypeError, LookupError, RecursionError) as fault:  # a hostile file may have written the answer
        message = gettext_noop(
            "The parser %(parser)s can't cope with this file (%(kind)s). Please report it to whoever runs this."
        )
        parser = FORMATS[ending].parser.name
        raise Refused("parser_fault", message, parser=parser, kind=type(fault).__name__) from fault
