"""System checks: what must hold before anything runs, and what a server on a network needs beside Django's own list."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning


def data_folder_is_ours(app_configs: Sequence[Any] | None, **options: Any) -> list[CheckMessage]:
    """Everything is kept in the data folder."""
    if os.access(settings.DATA_DIR, os.R_OK | os.W_OK | os.X_OK):
        return []
    return [Error(f"The data folder {settings.DATA_DIR} cannot be written.", hint="See FUNDSTELLE_DATA.", id="fundstelle.E001")]


def data_folder_is_private(app_configs: Sequence[Any] | None, **options: Any) -> list[CheckMessage]:
    """The files hold every document, whoever may read it."""
    mode = stat.S_IMODE(settings.DATA_DIR.stat().st_mode)
    if not mode & 0o077:
        return []
    return [
        Warning(
            f"The data folder {settings.DATA_DIR} is open to other accounts of this machine (mode {mode:o}).",
            hint=f"chmod 700 {settings.DATA_DIR}",
            id="fundstelle.W001",
        )
    ]
