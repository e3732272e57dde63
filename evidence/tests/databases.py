"""The database that tests run on: which tests need which one, and places of their own for processes that are started."""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.conf import settings

POSTGRESQL = settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"

sqlite_files = pytest.mark.skipif(POSTGRESQL, reason="looks into SQLite's own files")
postgresql = pytest.mark.skipif(not POSTGRESQL, reason="asks a PostgreSQL server: make test-postgres")


@dataclass(frozen=True)
class Place:
    """A data folder for processes, and with PostgreSQL the name of a database that goes with it."""

    data: Path
    database: str

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process is told to work here."""
        told = {**os.environ, "DJANGO_SETTINGS_MODULE": "evidence.settings", "FUNDSTELLE_DATA": str(self.data)}
        return {**told, "FUNDSTELLE_DATABASE_URL": _address(self.database)} if POSTGRESQL else told

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What a process has written so far."""
        if POSTGRESQL:
            with psycopg.connect(_address(self.database)) as connection:
                return connection.execute(statement.encode()).fetchall()
        with closing(sqlite3.connect(self.data / "fundstelle.sqlite3", timeout=30)) as connection:
            return connection.execute(statement).fetchall()

    def write(self, statement: str) -> None:
        """Change what processes find."""
        if POSTGRESQL:
            with psycopg.connect(_address(self.database)) as connection:
                connection.execute(statement.encode())
            return
        with closing(sqlite3.connect(self.data / "fundstelle.sqlite3", timeout=30)) as local, local:
            local.execute(statement)


@contextmanager
def place(data: Path, *, like: Place | None = None, clauses: str = "TEMPLATE template0") -> Iterator[Place]:
    """A place of its own, empty or as another one is, while no process works there. clauses: of CREATE DATABASE."""
    if like is not None:
        copytree(like.data, data)
    if not POSTGRESQL:
        yield Place(data, "")
        return
    with _database(f"TEMPLATE {like.database}" if like else clauses) as name:
        yield Place(data, name)


@contextmanager
def _database(clauses: str) -> Iterator[str]:
    name = f"fundstelle_{uuid.uuid4().hex[:12]}"
    _maintain(f"CREATE DATABASE {name} {clauses}")
    try:
        yield name
    finally:
        _maintain(f"DROP DATABASE {name} WITH (FORCE)")


def _maintain(statement: str) -> None:
    """A session of a process that has ended may still be ending in the server."""
    until = time.monotonic() + 60
    with psycopg.connect(_address("postgres"), autocommit=True) as connection:
        while True:
            try:
                connection.execute(statement.encode())
                return
            except psycopg.errors.ObjectInUse:
                if time.monotonic() > until:
                    raise


def _address(database: str) -> str:
    return urlunsplit(urlsplit(os.environ["FUNDSTELLE_DATABASE_URL"])._replace(path=f"/{database}"))
