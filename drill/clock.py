"""The server's clock is wrong: set back, rights that were confirmed "later" count no more than rights that are too old."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Final

from drill.outcome import Outcome
from drill.site import DOCUMENTS, Site, site

SHIFTS: Final = {
    timedelta(): True,
    timedelta(hours=-3): False,
    timedelta(days=-400): False,
    timedelta(hours=23): True,
    timedelta(hours=25): False,
    timedelta(days=400): False,
}
"""How the clock of the web server is wrong -> whether rights that were confirmed now, for 24 hours, count."""


def run(folder: Path) -> Outcome:
    """The web server with each clock. Nothing but the clock differs."""
    with site(folder) as place:
        seen = []
        for shift, is_open in SHIFTS.items():
            place.serve(skewed=int(shift.total_seconds()))
            seen.append(f"{shift}: {_found(place, is_open=is_open, shift=shift)}")
            place.end("web")
        place.serve()
        took = place.recovers()
        return Outcome(place.wrong, f"documents found with {', '.join(seen)}; right again {took:.1f} s after the clock was")


def _found(place: Site, *, is_open: bool, shift: timedelta) -> int:
    """How many documents are found. In 400 days the token has ended too, which is no answer at all."""
    answers = [place.ask("anna", f"dokument{number}") for number in range(DOCUMENTS)]
    found = sum(len(answer.quotes) for answer in answers)
    if found != (DOCUMENTS if is_open else 0):
        place.wrong.append(f"with a clock of {shift} {found} documents were found")
    return found
