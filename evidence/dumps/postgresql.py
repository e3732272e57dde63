"""PostgreSQL's dump: by its own programs pg_dump, pg_restore and psql, which are as new as the server."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from typing import Final

from django.db import connection, transaction

from evidence.dumps import LEFT_OUT, MIGRATIONS, NAMED, Dumped
from evidence.errors import EvidenceError, gettext_noop

ENGINE: Final = "postgresql"
LEVEL: Final = "1"
"""Of compression."""
DEBIAN: Final = Path("/usr/lib/postgresql")
_VARIABLES: Final[Mapping[str, str]] = {
    "dbname": "PGDATABASE",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "host": "PGHOST",
    "port": "PGPORT",
    "passfile": "PGPASSFILE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslcrl": "PGSSLCRL",
    "channel_binding": "PGCHANNELBINDING",
    "connect_timeout": "PGCONNECT_TIMEOUT",
    "application_name": "PGAPPNAME",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
}
"""Parameter of a connection -> variable that tells it to a program: a command line can be read by everybody on this machine."""


class Postgresql:
    """A `Dumper`."""

    def dump(self, target: Path) -> Dumped:
        """As Dumper says. The digests are asked in the very state that is dumped."""
        program = self._program("pg_dump")
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone()
            left_out = [f"--exclude-table-data=*.{table}" for table in LEFT_OUT]
            words = ["--format=custom", f"--compress={LEVEL}", "--no-owner", "--no-acl", f"--snapshot={snapshot}", *left_out]
            _run([program, *words, "--no-password", "--file", target])
            cursor.execute(MIGRATIONS)
            migrations = tuple((str(app), str(name)) for app, name in cursor.fetchall())
            cursor.execute(NAMED)
            digests = frozenset(str(digest) for (digest,) in cursor.fetchall())
        _run([self._program("pg_restore"), "--list", target])
        return Dumped(ENGINE, self.server(), migrations, digests)

    def is_empty(self) -> bool:
        """As Dumper says."""
        return not connection.introspection.table_names()

    def load(self, dump: Path, also: Sequence[str]) -> None:
        """As Dumper says: one transaction, whose last word is not said before everything else has been."""
        restore, psql = self._program("pg_restore"), self._program("psql")
        connection.close()
        with tempfile.TemporaryFile() as told:
            script = subprocess.Popen(
                [restore, "--no-owner", "--no-acl", "--file=-", dump], env=_told(), stdout=PIPE, stderr=told
            )
            words: list[str | Path] = [psql, "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", "--file=-"]
            database = subprocess.Popen(words, env=_told(), stdin=PIPE, stdout=subprocess.DEVNULL, stderr=told)
            assert script.stdout is not None and database.stdin is not None
            with suppress(BrokenPipeError), database.stdin:  # it says why
                database.stdin.write(b"BEGIN;\n")  # who is killed before COMMIT leaves nothing
                shutil.copyfileobj(script.stdout, database.stdin, 1 << 20)
                if script.wait() == 0:
                    ending = ["", "RESET search_path;", *(f"{one};" for one in also), "COMMIT;", ""]
                    database.stdin.write("\n".join(ending).encode())
            script.stdout.close()
            failed = [program.name for program, one in ((psql, database), (restore, script)) if one.wait()]
            if failed:
                told.seek(0)
                raise _failed(failed[0], told.read())

    def server(self) -> int:
        """As Dumper says."""
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version_num")
            return int(cursor.fetchone()[0]) // 10_000

    def _program(self, name: str) -> Path:
        """The oldest one here that is as new as the server. Raises EvidenceError when there is none."""
        on_path = shutil.which(name)
        places = list(DEBIAN.glob(f"*/bin/{name}")) or ([Path(on_path)] if on_path else [])
        wanted = self.server()
        usable = [(version, place) for place in places if (version := _version(place)) >= wanted]
        if not usable:
            message = gettext_noop(
                "This needs the program %(name)s of PostgreSQL %(version)d or newer (Debian: postgresql-client)."
            )
            raise EvidenceError("program_missing", message, name=name, version=wanted)
        return min(usable)[1]


def _version(program: Path) -> int:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)[.\d]*", told.partition(")")[2])
    return int(found[1]) if found else 0


def _run(words: Sequence[str | Path]) -> None:
    """Raises EvidenceError, with the last line of what the program says, when it fails."""
    done = subprocess.run(words, env=_told(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise _failed(Path(words[0]).name, done.stderr)


def _failed(program: str, told: bytes) -> EvidenceError:
    reason = (told.decode(errors="replace").strip().splitlines() or ["?"])[-1]
    return EvidenceError("dump_failed", gettext_noop("%(program)s failed: %(reason)s"), program=program, reason=reason[:300])


def _told() -> Mapping[str, str]:
    """How a program reaches the database: as this process does."""
    parameters = {**connection.get_connection_params()}
    told = {name: str(parameters[key]) for key, name in _VARIABLES.items() if parameters.get(key)}
    return {**told, "PGCLIENTENCODING": "UTF8", "LC_ALL": "C"}
