"""manage.py demo: set up the invented organisation of the folder demo/, once, and serve it on this machine."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
import tomllib
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from evidence import confinement, identity, ingest, origins, projection
from evidence.management import announcement, curated, progress
from evidence.management.people import find_groups, find_tenant, join
from evidence.models import Group, Role, Run, Source, Tenant

PR_SET_PDEATHSIG: Final = 1
SECONDS_TO_END: Final = "10"
"""A busy machine takes some to end a process; killed before that, the server would be said to have had no memory."""
DEMO: Final = Path(settings.BASE_DIR) / "demo"
TO_TRY: Final = (
    ("Arbeitspreis", "rows of tariff tables with their columns; one tariff has expired, one holds only from 2027"),
    (
        '"fristlose Kündigung"',
        "words in quotation marks stand next to each other; click the title to see the passage in its document",
    ),
    ("Probezeit", "a term of a concept: it stands above the passages, with two claims that dispute each other"),
    ("Kündigungsfrist Probezeit", "two documents that contradict each other: both are shown, with version and date"),
    ("Schichtübergabegespräch", "a PDF: its page beside the text, marked on both, though a line's end parts the word"),
    ("bleibt einvernehmlichen", "a sentence that goes on overleaf: marked on both pages"),
    ("Werkstatt 38 Stellen", "minutes as DOCX: what was struck out in them is not found"),
    ("ignore all rules", "texts that try to give orders, one white on white: found, labelled, and nothing happens"),
    ("Transformator", "then sign in as someone else and ask again: what one may not read leaves no trace"),
)


class Command(BaseCommand):
    """Asks nothing. A second run finds everything there, keeps the data and serves at once."""

    help = "Set up the demo organisation and serve it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Port; set-up only."""
        parser.add_argument("--port", type=_port, default=8000)
        parser.add_argument("--no-server", action="store_true", help="set up, but do not serve")

    def handle(self, *, port: int, no_server: bool, **options: object) -> None:
        """Set up what is missing, serve, and tell how to sign in once somebody can."""
        if not no_server:
            _check_port(port)
        described = tomllib.loads((DEMO / "people.toml").read_text())
        knowledge = tomllib.loads((DEMO / "knowledge.toml").read_text())
        self._step("Database")
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        if not _is_complete(described):
            self._step("People and groups")
            set_up_people(described)
            self._step("Documents")
            for tenant in described["tenant"]:
                for source in tenant["source"]:
                    self._import(find_tenant(tenant["slug"]), source)
        projection.ensure()
        projection.settle()
        if not curated.is_there(knowledge):
            self._step("Knowledge")
            with transaction.atomic():
                curated.set_up(knowledge)
        told = _told(described, port)
        if no_server:
            self.stdout.write(told)
            return
        self._step("Server")
        self.stdout.flush()
        announcement.begin(told, port=port)
        _serve(port)

    def _import(self, tenant: Tenant, described: Mapping[str, Any]) -> None:
        folder = str(DEMO / described["folder"])
        listing = origins.folder(f"{tenant.slug}/{described['name']}", folder).list()
        row = ingest.source(tenant, described["name"], location=folder, settings=listing.settings)
        age = _age(described.get("rights_age", "0h"))
        started = timezone.now() - age
        with progress.bar(f"  {row.title or row.name}", unit="file", quiet=False, total=len(listing.items)) as bar:
            report = ingest.take_in(row, listing, started=started, progress=bar.update)
        if age:
            _put_back(row, age)
        for refusal in report.refusals:
            self.stderr.write(f"  {refusal.path}: {refusal.error}")

    def _step(self, name: str) -> None:
        self.stdout.write(f"{name} …")


def set_up_people(described: Mapping[str, Any]) -> None:
    """Tenants, groups and people of the demo; those that are there already keep what they have."""
    for entry in described["tenant"]:
        tenant, _ = Tenant.objects.get_or_create(
            slug=entry["slug"], defaults={"name": entry["name"], "contact": entry["contact"]}
        )
        for name in entry["groups"]:
            Group.objects.get_or_create(tenant=tenant, name=name)
    for entry in described["person"]:
        if not User.objects.filter(username=entry["name"]).exists():
            _person(entry)


def _person(entry: Mapping[str, Any]) -> None:
    first, _, last = entry["full_name"].partition(" ")
    user = User.objects.create_user(entry["name"], password=entry["password"], first_name=first, last_name=last)
    for one in entry["membership"]:
        tenant = find_tenant(one["tenant"])
        membership = join(user, tenant, role=Role(one["role"]), groups=find_groups(tenant, one["groups"]))
        if not one.get("active", True):
            membership.active = False
            membership.save()
        if membership.role == Role.ADMINISTRATOR:
            user.is_staff = user.is_superuser = True
            user.save()


def _is_complete(described: Mapping[str, Any]) -> bool:
    """Whether everybody of the demo is there, and every source has been imported to its end."""
    names = [one["name"] for one in described["person"]]
    return User.objects.filter(username__in=names).count() == len(names) and all(
        Run.objects.filter(source=source, finished_at__isnull=False).exists() if source else False
        for source in _sources(described)
    )


def _sources(described: Mapping[str, Any]) -> Iterable[Source | None]:
    for tenant in described["tenant"]:
        for source in tenant["source"]:
            yield Source.objects.filter(tenant__slug=tenant["slug"], name=source["name"]).first()


def _told(described: Mapping[str, Any], port: int) -> str:
    """Where it is, who can sign in, what to try, and which sources are withheld."""
    lines = [
        "",
        f"Fundstelle is at http://localhost:{port}/  (Ctrl-C stops it; `make demo` starts it again)",
        "",
        "Sign in as",
    ]
    lines += [f"  {one['name']:14} {one['password']:26} {one['note']}" for one in described["person"]]
    lines += ["", "Try"]
    lines += [f"  {query:26} {what}" for query, what in TO_TRY]
    now = timezone.now()
    sources = [row for row in _sources(described) if row is not None]
    if withheld := [row.title or row.name for row in sources if not identity.rights_are_fresh(row, now=now)]:
        lines += [
            "",
            f"Withheld: {', '.join(withheld)}. In the demo that is no fault: its rights are older than its revocation SLA.",
        ]
    return "\n".join([*lines, ""])


def _put_back(source: Source, age: timedelta) -> None:
    """The run that has just ended took place so long ago; it has begun there already."""
    run = Run.objects.filter(source=source).latest("started_at")
    if run.finished_at is not None:
        Run.objects.filter(pk=run.pk).update(finished_at=run.finished_at - age, seen_at=run.seen_at - age)


def _age(text: str) -> timedelta:
    return timedelta(hours=int(text.removesuffix("h")))


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65_535:
        raise ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)


def _end_with_parent() -> None:
    """Linux: whoever kills the server ends the worker too."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _check_port(port: int) -> None:
    """Refuse a port that is taken before anything is set up or told."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise CommandError(f"Port {port} can't be used: {error.strerror}. Take another: make demo PORT=8001") from None


def _serve(port: int) -> None:
    """Start a worker, and become the server: Ctrl-C reaches both directly, and the worker ends with the server in any case."""
    words = [
        sys.executable,
        "-m",
        "gunicorn",
        "--bind",
        f"127.0.0.1:{port}",
        "--graceful-timeout",
        SECONDS_TO_END,
        "--workers",
        "1",
        "--threads",
        "8",
        "--log-level",
        "warning",
    ]
    confinement.close()  # the server would inherit it, and never know that it has ended
    subprocess.Popen(
        [sys.executable, "manage.py", "work"], cwd=settings.BASE_DIR, stdout=subprocess.DEVNULL, preexec_fn=_end_with_parent
    )
    try:
        os.execv(sys.executable, words)
    except OSError as error:
        raise CommandError(f"The server can't be started: {error.strerror}") from None
