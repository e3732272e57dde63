"""The program that works on what strangers wrote: `python -m evidence.child`, started by `confinement` alone.

It imports every format once and forks a confined process for each task; see `confinement.zygote`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

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

if __name__ == "__main__":
    zygote.serve(zygote.control_of_this_process(), TASKS)
