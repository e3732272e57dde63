"""The disk is full in the middle of a run: what is there goes on being found, and the next run ends it once there is room."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from drill.outcome import Outcome, Skipped
from drill.site import site

SIZE: Final = "24m"
BALLAST: Final = 400_000
"""Bytes of each further document: the disk holds some of them."""


def run(folder: Path) -> Outcome:
    """More documents than the disk holds; then they go, and there is room again."""
    with _small_disk(folder / "data"), site(folder) as place:
        place.serve()
        with place.still():
            for number in range(60):
                (place.origin.folder / f"last{number}.txt").write_text(f"ballast{number} " * (BALLAST // 12), encoding="utf-8")
            done = place.sync(check=False)
            if done.returncode == 0:
                place.wrong.append("the disk did not become full")
            if "Traceback" in done.stderr:
                place.wrong.append(f"the run ended without a word for people: {done.stderr[-200:]}")
            found = place.differences()
            place.wrong += [f"while the disk was full: {one}" for one in found]
        for path in place.origin.folder.glob("last*.txt"):
            path.unlink()
        said = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
        subprocess.run(["mount", "-o", "remount,size=200m", folder / "data"], check=True)
        place.manage("sync", "handbuch", "--tenant", "lindenau", "-v0", "--allow-removals")
        place.work()
        took = place.recovers()
        return Outcome(place.wrong, f"“{said}”; right again {took:.1f} s after; answers {dict(sorted(place.answers.items()))}")


@contextmanager
def _small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True)
    try:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "none", folder], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        raise Skipped("mounting takes root") from None
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
