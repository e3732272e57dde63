"""The program that works on what strangers wrote: `python -m evidence.child`, started by `confinement` alone.

It imports every format once and forks a confined process for each task; see `confinement.zygote`.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from contextlib import suppress
from encodings.aliases import aliases
from typing import Any, Final

import numpy.ma  # noqa: F401 (numpy.unique loads it when it is first called, and a child can't load anything)

from evidence.confinement import zygote
from evidence.formats import FORMATS, extract
from evidence.formats.options import Options
from evidence.formats.pdf import picture


def _extract(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
    """ending, encoding, password -> the content as JSON."""
    options = Options(encoding=header["encoding"], password=header["password"])
    return {}, extract(FORMATS[header["ending"]], data, options).to_json().encode()


def _picture(header: Mapping[str, Any], data: bytes) -> tuple[Mapping[str, object], bytes]:
    """page, scale, password -> the page as PNG."""
    return {}, picture.render(data, header["page"], header["scale"], header["password"])


TASKS: Final[Mapping[str, zygote.Task]] = {"extract": _extract, "picture": _picture}

for _name in set(aliases.values()):  # each is loaded when it is first used, else
    with suppress(LookupError):  # some are there on one system alone
        codecs.lookup(_name)

if __name__ == "__main__":
    zygote.serve(zygote.control_of_this_process(), TASKS)
