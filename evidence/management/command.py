"""What every command of this product is."""

from __future__ import annotations

from typing import Final

from django.core.management.base import BaseCommand

CHECKED: Final = "fundstelle"
"""The tag of the checks that are made before a command runs; `manage.py check` makes all."""


class EvidenceCommand(BaseCommand):
    """Checks what is its own. Django would load all pages before each command, half of what it takes to start."""

    requires_system_checks = [CHECKED]
