"""Gunicorn with a wrong clock: `python -m drill.skewed SECONDS OPTION ...`. The time that Fundstelle asks for is wrong by that.

libfaketime, which would shift the clock of the whole process, makes Python 3.11 sleep for ever (version 0.9.10, tried).
"""

from __future__ import annotations

import runpy
import sys
from datetime import UTC, datetime, timedelta

from django.utils import timezone

shift = timedelta(seconds=int(sys.argv[1]))
timezone.now = lambda: datetime.now(tz=UTC) + shift
sys.argv[1:2] = []
runpy.run_module("gunicorn", run_name="__main__")
