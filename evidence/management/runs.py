"""What the commands that run sources share: find them, say what a run did, and stop when a signal asks for it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

from django.core.management.base import CommandError, OutputWrapper

from evidence import confinement
from evidence.content import Note
from evidence.intake import Report
from evidence.models import Source
from evidence.sources import problems

DONE_IN_PART: Final = 1
NOTHING_DONE: Final = 2
SHOWN: Final = 20
"""Lines of one kind that are printed; the rest is counted."""
NOTES: Final = {
    Note.NO_TEXT: "taken in, but nothing in it can be searched (no text; a scan, perhaps)",
    Note.LETTER_SOUP: "letter soup: no character map, so this is not searched",
    Note.UNSEEN_TEXT: "holds words that nobody sees in the original (labelled)",
    Note.ENCODING_ASSUMED: "does not say its encoding, which was assumed",
    Note.REPAIRED: "damaged; what could be read was taken in",
    Note.NOT_SHOWN: "holds parts that are not in the text",
    Note.ATTACHMENTS: "has attachments, which were not read",
    Note.FORM_VALUES: "has form fields whose values no page shows",
}
"""What is said of files that were read with something to know about them."""


def find_sources(name: str | None, tenant: str | None) -> Sequence[Source]:
    """The source of this name in this tenant; without a name all of the tenant's, without a tenant all. Not none of them."""
    rows = Source.objects.select_related("tenant").order_by("tenant__slug", "name")
    rows = rows if tenant is None else rows.filter(tenant__slug=tenant)
    found = list(rows if name is None else rows.filter(name=name))
    if name is not None and len(found) > 1:
        raise CommandError(f"Several tenants have a source {name!r}: name one with --tenant.", returncode=NOTHING_DONE)
    if not found:
        which = "source" if name is None else f"source {name!r}"
        where = "" if tenant is None else f" in tenant {tenant!r}"
        raise CommandError(f"There is no {which}{where}.", returncode=NOTHING_DONE)
    return found


_OF_DOCUMENTS: Final = {
    "new": "new",
    "changed": "changed",
    "updated": "updated",
    "unchanged": "unchanged",
    "withdrawn": "withdrawn",
    "refused": "refused",
    "unnamed": "that no rule names",
}
_OF_TEXTS: Final = {"passages": "passages read", "no_text": "without text"}


def status(report: Report) -> int:
    """How a command ends after this run. What no rule names is left out on purpose; a rule that names nobody is a mistake."""
    reasons = [problems.told(reason) for _, reason in report.unreadable]
    misspelt = any(one is not None and one[0] == problems.UNKNOWN_PRINCIPAL for one in reasons)
    return DONE_IN_PART if report.refusals or misspelt or not report.complete else 0


def tell(report: Report, out: OutputWrapper) -> None:
    """Print what a run did and what is to be known of it."""
    counts = (_counted(report, _OF_DOCUMENTS), _counted(report, _OF_TEXTS))
    out.write("; ".join(filter(None, counts)) or "nothing to do")
    _lines(out, "not read (no such format yet)", [f"{number} × {end or 'no ending'}" for end, number in report.unread.items()])
    _lines(out, "rules that no file fits", report.unused)
    for note, title in NOTES.items():
        _lines(out, title, [path for path, found in report.noted if found is note])
    _lines(out, "readable by nobody", [f"{document}: {reason}" for document, reason in report.unreadable])
    _lines(out, "refused", [f"{one.path or 'source'}: {one.error} [{one.error.code}]" for one in report.refusals])
    if not report.complete:
        out.write(f"The source was not seen completely [{report.error}]: no rights were confirmed.")


@contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """An event that is set at SIGTERM or Ctrl-C: the document in hand is finished, the rest left. The second one ends the process
    at once, as if it had been killed, which does no harm.
    """
    stop = threading.Event()

    def told(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()
        threading.Thread(target=confinement.end, daemon=True).start()  # its lock may be held by what was interrupted

    before = {number: signal.signal(number, told) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _counted(report: Report, words: Mapping[str, str]) -> str:
    """What of this was counted; of documents with the word before it."""
    counts = ", ".join(f"{report.counts[name]} {said}" for name, said in words.items() if report.counts[name])
    return f"documents: {counts}" if counts and words is _OF_DOCUMENTS else counts


def _lines(out: OutputWrapper, title: str, lines: Sequence[str]) -> None:
    if lines:
        out.write(f"{title}:")
        for line in lines[:SHOWN]:
            out.write(f"  {line}")
        if len(lines) > SHOWN:
            out.write(f"  … and {len(lines) - SHOWN} more")
