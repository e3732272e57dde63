"""Pace: how often something is done within a minute, counted in this process of the server."""

from __future__ import annotations

import time
from typing import Final

from django.core.cache import cache

WINDOW: Final = 60
"""Seconds over which is counted."""


def counted(what: str) -> int:
    """Count it once more; gives how often it has been done since the minute began."""
    key = f"{what}:{int(time.time() // WINDOW)}"
    return 1 if cache.add(key, 1, timeout=2 * WINDOW) else cache.incr(key)


def wait() -> float:
    """Seconds until the next minute begins."""
    return WINDOW - time.time() % WINDOW
