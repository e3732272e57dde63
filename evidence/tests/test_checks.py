"""System checks: the data folder can be written, and by nobody else."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command, get_commands, load_command_class
from django.core.management.base import SystemCheckError
from django.db import connection
from pytest_django import Settings

from evidence import checks
from evidence.management.command import CHECKED
from evidence.tests import databases


@pytest.mark.parametrize(("mode", "found"), [(0o700, []), (0o750, ["fundstelle.W001"]), (0o705, ["fundstelle.W001"])])
def test_data_folder_open_to_others_is_reported(tmp_path: Path, settings: Settings, mode: int, found: list[str]) -> None:
    settings.DATA_DIR = tmp_path
    tmp_path.chmod(mode)
    assert [message.id for message in checks.data_folder_is_private(None)] == found


EVERY_COMMAND = pytest.mark.parametrize(
    "begin",
    [
        lambda: call_command("check"),
        lambda: call_command("retain", skip_checks=False),
        lambda: call_command("work", skip_checks=False),
    ],
)


@EVERY_COMMAND
def test_missing_data_folder_stops_every_command(begin: Callable[[], object], tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path / "nowhere"
    with pytest.raises(SystemCheckError, match="cannot be written"):
        begin()


@EVERY_COMMAND
def test_what_is_half_restored_stops_every_command(begin: Callable[[], object], tmp_path: Path, settings: Settings) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "restoring").touch()
    with pytest.raises(SystemCheckError, match=r"fundstelle\.E006"):
        begin()


def test_all_commands_but_two_make_our_checks() -> None:
    ours = [name for name, app in get_commands().items() if app == "evidence"]
    made = {name: load_command_class("evidence", name).requires_system_checks for name in ours}
    assert {name for name, checked in made.items() if checked == []} == {"mcp", "restore"}
    assert all(checked in ("__all__", [CHECKED]) for checked in made.values() if checked)


def checked(place: databases.Place, **environment: str) -> str:
    """What is said when the database of this place is checked."""
    words = [sys.executable, "manage.py", "check", "--database", "default"]
    told = {**place.environment, **environment}
    return subprocess.run(words, env=told, cwd=settings.BASE_DIR, capture_output=True, text=True, check=False).stderr


@databases.postgresql
@pytest.mark.parametrize(
    ("clauses", "found"),
    [
        ("ENCODING 'UTF8' LOCALE 'C'", ""),
        ("ENCODING 'UTF8' LOCALE 'C.UTF-8'", ""),
        ("ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'de' LOCALE 'C'", "fundstelle.E005"),
        ("ENCODING 'LATIN1' LOCALE 'C'", "fundstelle.E004"),
    ],
)
def test_a_database_that_keeps_texts_otherwise_is_refused(clauses: str, found: str, tmp_path: Path) -> None:
    with databases.place(tmp_path, clauses=f"TEMPLATE template0 {clauses}") as place:
        told = checked(place)
    assert found in told and bool(found) == ("SystemCheckError" in told)


def test_a_server_that_does_not_answer_is_said_so_without_its_password(tmp_path: Path) -> None:
    told = checked(databases.Place(tmp_path, ""), FUNDSTELLE_DATABASE_URL="postgresql://anna:Kiebitz@127.0.0.1:1/fund")
    assert "fundstelle.E003" in told and "Kiebitz" not in told


@databases.postgresql
@pytest.mark.django_db
def test_every_session_has_its_limits_and_reads_what_is_committed() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW default_transaction_isolation")
        assert cursor.fetchone() == ("read committed",)
        cursor.execute("SELECT current_setting('statement_timeout'), current_setting('lock_timeout')")
        assert cursor.fetchone() == ("5min", "30s")
