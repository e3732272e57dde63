"""The query contract of the exact mode: what may be asked, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_LENGTH: Final = 200
MAX_WORDS: Final = 12
MAX_WORD_LENGTH: Final = 40


@dataclass(frozen=True, slots=True)
class Query:
    """Phrases that must all stand in one passage; most are one word long. Duplicates stay: each counts again in the score."""

    text: str
    phrases: tuple[tuple[str, ...], ...]
