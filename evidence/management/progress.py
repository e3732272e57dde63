"""Progress of a command: a bar where somebody looks at it, a plain line where the output goes into a file or a log."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm


def bar(what: str, *, unit: str, quiet: bool, total: int | None = None, unit_scale: bool = False) -> tqdm[Any]:
    """What is advanced by `update`, on standard error. quiet: say nothing at all."""
    is_seen = sys.stderr.isatty()
    if not quiet and not is_seen:
        print(f"{what.strip()} …", file=sys.stderr, flush=True)
    return tqdm(desc=what, unit=unit, total=total, unit_scale=unit_scale, disable=quiet or not is_seen)
