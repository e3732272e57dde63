"""System checks: the data folder can be written, and by nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from pytest_django import Settings

from evidence import checks


@pytest.mark.parametrize(("mode", "found"), [(0o700, []), (0o750, ["fundstelle.W001"]), (0o705, ["fundstelle.W001"])])
def test_data_folder_open_to_others_is_reported(tmp_path: Path, settings: Settings, mode: int, found: list[str]) -> None:
    settings.DATA_DIR = tmp_path
    tmp_path.chmod(mode)
    assert [message.id for message in checks.data_folder_is_private(None)] == found


def test_missing_data_folder_stops_every_command(tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "nowhere"
    with pytest.raises(SystemCheckError, match="cannot be written"):
        call_command("check")
