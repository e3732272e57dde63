"""System checks: what must hold before anything runs, and what a server on a network needs beside Django's own list."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.db import DatabaseError, NotSupportedError, connections

from evidence import archive, outbound
from evidence.answering import endpoint
from evidence.errors import Refused

CODE_POINT_ORDER = "SELECT 'B' < 'a' AND 'a b' < 'a-b' AND 'a-b' < 'ab' AND 'z' < 'ä'"
LONGEST_MODEL = 100
"""Characters: what the column that keeps it beside each answer holds."""
CREATE_RIGHTLY = "createdb --template=template0 --encoding=UTF8 --locale=C NAME"


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


def restore_is_finished(app_configs: Sequence[Any] | None, **options: Any) -> list[CheckMessage]:
    """What a restore has not brought up to date, nobody works with."""
    if not (settings.DATA_DIR / archive.UNFINISHED).exists():
        return []
    hint = "Run it again, with the same backup: manage.py restore FILE"
    return [Error("Restoring a backup was begun here and not finished.", hint=hint, id="fundstelle.E006")]


def database_is_usable(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **options: Any
) -> list[CheckMessage]:
    """A PostgreSQL server must be new enough, and its database keep every text, in the same order as SQLite.

    That order is one of code points. Those of languages change with the operating system, and then indexes made before are wrong.
    Runs with `migrate`, and with `check --database default`.
    """
    found: list[CheckMessage] = []
    for alias in databases or ():
        if connections[alias].vendor == "postgresql":
            found += _faults_of_server(alias)
    return found


def _faults_of_server(alias: str) -> list[CheckMessage]:
    try:
        with connections[alias].cursor() as cursor:
            cursor.execute("SHOW server_encoding")
            (encoding,) = cursor.fetchone()
            in_order = False
            if encoding == "UTF8":
                cursor.execute(CODE_POINT_ORDER)
                (in_order,) = cursor.fetchone()
    except NotSupportedError as error:
        return [Error(str(error), id="fundstelle.E002")]
    except DatabaseError as error:
        return [Error(f"The database can't be asked: {error}".strip(), hint="See FUNDSTELLE_DATABASE_URL.", id="fundstelle.E003")]
    if encoding != "UTF8":
        return [Error(f"The database keeps texts as {encoding}, not as UTF-8.", hint=CREATE_RIGHTLY, id="fundstelle.E004")]
    if not in_order:
        return [Error("The database does not order texts by their code points.", hint=CREATE_RIGHTLY, id="fundstelle.E005")]
    return []


def alarm_webhook_can_be_called(app_configs: Sequence[Any] | None, **options: Any) -> list[CheckMessage]:
    """An alarm that can't be told is none."""
    try:
        if settings.ALARM_WEBHOOK:
            outbound.check(settings.ALARM_WEBHOOK)
    except Refused as refused:
        hint = "A host of the own network is listed in FUNDSTELLE_PRIVATE_HOSTS."
        return [Error(f"FUNDSTELLE_ALARM_WEBHOOK: {refused}", hint=hint, id="fundstelle.E007")]
    return []


def answering_can_be_asked(app_configs: Sequence[Any] | None, **options: Any) -> list[CheckMessage]:
    """A model is named whole or not at all, and its address is one that may be called. Values are not repeated."""
    return [Error(problem, hint="See docs/answering.md.", id="fundstelle.E008") for problem in _faults_of_answering()]


def _faults_of_answering() -> Iterator[str]:
    url, model, key = settings.ANSWERING_URL, settings.ANSWERING_MODEL, settings.ANSWERING_KEY
    if bool(url) != bool(model) or (key and not url):
        yield "FUNDSTELLE_ANSWERING_URL and FUNDSTELLE_ANSWERING_MODEL are set together; FUNDSTELLE_ANSWERING_KEY only with them."
    if len(model) > LONGEST_MODEL or not model.isprintable():
        yield f"FUNDSTELLE_ANSWERING_MODEL is the name of a model, of at most {LONGEST_MODEL} characters."
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        yield "FUNDSTELLE_ANSWERING_KEY has letters, digits and signs, no blanks."
    if settings.ANSWERING_SECONDS > endpoint.LONGEST_SECONDS:
        yield f"FUNDSTELLE_ANSWERING_SECONDS is at most {endpoint.LONGEST_SECONDS}."
    if settings.ANSWERING_PASSAGES > endpoint.MOST_PASSAGES:
        yield f"FUNDSTELLE_ANSWERING_PASSAGES is at most {endpoint.MOST_PASSAGES}."
    if url and "?" in url:
        yield "FUNDSTELLE_ANSWERING_URL is an address without a query, as in http://localhost:11434/v1."
    elif url:
        try:
            outbound.check(endpoint.address())
        except Refused as refused:
            yield f"FUNDSTELLE_ANSWERING_URL: {refused} A host of the own network is listed in FUNDSTELLE_PRIVATE_HOSTS."


def lift_limits(using: str, **options: Any) -> None:
    """Before migrations: changing a large table may take longer than any statement otherwise does."""
    _set_limit(using, "SET statement_timeout = 0")


def restore_limits(using: str, **options: Any) -> None:
    """After migrations."""
    _set_limit(using, "RESET statement_timeout")


def _set_limit(using: str, statement: str) -> None:
    if connections[using].vendor == "postgresql":
        with connections[using].cursor() as cursor:
            cursor.execute(statement)
