"""`python -m drill [NAME ...]`: each drill in a folder of its own; ends with 1 when one was not passed, or could not be tried."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import django

django.setup()

from drill import clock, damaged, full, killed, locked, readonly, unreachable  # noqa: E402  # they need Django
from drill.outcome import Outcome, Skipped  # noqa: E402

DRILLS: Final[Mapping[str, Callable[[Path], Outcome]]] = {
    "killed": killed.run,
    "full": full.run,
    "readonly": readonly.run,
    "damaged": damaged.run,
    "locked": locked.run,
    "unreachable": unreachable.run,
    "clock": clock.run,
}


def main(names: Sequence[str]) -> int:
    """Do them one after the other."""
    if unknown := [name for name in names if name not in DRILLS]:
        print(f"There is no drill {unknown[0]}. There are: {', '.join(DRILLS)}.", file=sys.stderr)
        return 2
    passed = [_do(name) for name in names or DRILLS]
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed")
    return 0 if all(passed) else 1


def _do(name: str) -> bool:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"fundstelle-drill-{name}-", ignore_cleanup_errors=True) as folder:
        try:
            outcome = DRILLS[name](Path(folder))
        except Skipped as reason:
            print(f"{name}: NOT TRIED: {reason}", flush=True)
            return False
    print(f"{name}: {'FAILED' if outcome.wrong else 'passed'} in {time.monotonic() - began:.0f} s: {outcome.figures}", flush=True)
    for line in list(dict.fromkeys(outcome.wrong))[:20]:
        print(f"  {line}", flush=True)
    return not outcome.wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
