"""The origin is gone for a while: nothing is withdrawn, the source closes when its SLA has passed, and opens after a good run."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Final

from drill.outcome import Outcome
from drill.site import DOCUMENTS, Site, site

SLA: Final = timedelta(minutes=1)


def run(folder: Path) -> Outcome:
    """Gone, back again; then half of it gone, as a listing that is cut short."""
    with site(folder, "--sla", "1m", "--missing-share", "0.3") as place:
        place.serve()
        away = place.origin.folder.with_name("away")
        place.sync()
        confirmed = time.monotonic()
        place.origin.folder.rename(away)
        if place.sync(check=False).returncode == 0:
            place.wrong.append("a run over an origin that is gone said that all is well")
        _expect(place, everything=True, when="before the SLA had passed")
        time.sleep(max(confirmed + SLA.total_seconds() + 1 - time.monotonic(), 0))
        _expect(place, everything=False, when="after the SLA had passed")
        away.rename(place.origin.folder)
        place.sync()
        opened = place.recovers()
        hidden = [place.origin.folder / f"{number}.txt" for number in range(DOCUMENTS // 2)]
        for path in hidden:
            path.rename(path.with_suffix(".away"))
        place.sync(check=False)
        _expect(place, everything=False, when="after a listing that was cut short")
        for path in hidden:
            path.with_suffix(".away").rename(path)
        place.sync()
        return Outcome(
            place.wrong, f"open again {opened:.1f} s after a good run, and {place.recovers():.1f} s after a whole listing"
        )


def _expect(place: Site, *, everything: bool, when: str) -> None:
    for person in ("anna", "ben"):
        found = sum(len(place.ask(person, f"dokument{number}").quotes) for number in range(DOCUMENTS))
        wanted = sum(len(place.expected(person, number)) for number in range(DOCUMENTS)) if everything else 0
        if found != wanted:
            place.wrong.append(f"{when} {person} found {found} documents instead of {wanted}")
