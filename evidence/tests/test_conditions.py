"""Codes of sources and runs in words: nothing that can happen is left without a sentence."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from datetime import timedelta

import pytest
from django.conf import settings

from evidence import intake, runs
from evidence.identity import Live, Openness, Standing
from evidence.models import Run
from evidence.monitor import Concern
from evidence.remains import Place
from evidence.sampling import Fault
from evidence.web import conditions
from evidence.web.conditions import lasting

RUNS = (
    "sources",
    "formats",
    "confinement",
    "content.py",
    "ingest.py",
    "intake.py",
    "origins.py",
    "parsing.py",
    "runs.py",
    "syncing.py",
)
"""Where what stands in a run can come from."""
NOT_IN_RUNS = {"push.py", "picture.py"}
"""Files there that speak to others: to systems that push, and to people who look at pages."""
NEVER_KEPT = {"content_range", "format_unknown", "source_elsewhere", "source_only_receives"}
"""Told before there is a run, of a file that somebody brings, or a fault of ours."""
ENDS = {intake.STOPPED, intake.RIGHTS_CHANGED, runs.KILLED, "listing_incomplete", "too_many_missing", "file_unreadable"}
"""What ends a run beside errors."""


def raised(part: str) -> Iterator[str]:
    """The codes of errors that are made in this module or folder."""
    place = settings.BASE_DIR / "evidence" / part
    for file in [place] if place.suffix else (one for one in place.rglob("*.py") if one.name not in NOT_IN_RUNS):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"Refused", "EvidenceError"}:
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield first.value


def test_every_code_that_can_stand_in_a_run_has_a_sentence() -> None:
    codes = ({code for part in RUNS for code in raised(part)} | ENDS) - NEVER_KEPT
    assert len(codes) > 50
    assert codes - conditions.PROBLEMS.keys() == set()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ([*Openness, Concern.CUT_SHORT], conditions.OPENNESS),
        (Concern, conditions.CONCERNS),
        (Run.Outcome, conditions.OUTCOMES),
        (Standing, conditions.STANDING),
        (Live, conditions.LIVE),
        (Place, conditions.PLACES),
        (Fault, conditions.FAULTS),
    ],
)
def test_every_value_has_words(kind: Iterable[object], words: dict[str, object]) -> None:
    assert set(kind) == set(words)


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(), "0 seconds"),
        (timedelta(milliseconds=12), "0.01 seconds"),
        (timedelta(seconds=1), "1 second"),
        (timedelta(seconds=2.345), "2.3 seconds"),
        (timedelta(seconds=45), "45 seconds"),
        (timedelta(minutes=1, seconds=59), "1 minute"),
        (timedelta(hours=24), "24 hours"),
        (timedelta(hours=3, minutes=5), "3 hours 5 minutes"),
        (timedelta(days=2, hours=1), "2 days 1 hour"),
        (timedelta(days=30, hours=5), "30 days"),
    ],
)
def test_a_length_of_time_is_said_by_its_two_largest_units(span: timedelta, words: str) -> None:
    assert lasting(span) == words
