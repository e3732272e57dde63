"""Settings: production starts only when it is complete and safe."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

GOOD = {
    "FUNDSTELLE_ENV": "production",
    "FUNDSTELLE_SECRET_KEY": "Rn7" + "kq2vX9pLw4tZ" * 5,
    "FUNDSTELLE_HOSTS": "fundstelle.example",
}


def run(command: list[str], data: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run Python in the project's folder with only these FUNDSTELLE_ names and this data folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FUNDSTELLE_", "DJANGO_"))}
    return subprocess.run(
        [sys.executable, *command],
        cwd=settings.BASE_DIR,
        env={**kept, "FUNDSTELLE_DATA": str(data), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_complete_production_settings_pass_the_deployment_check(tmp_path: Path) -> None:
    checked = run(["-W", "error", "manage.py", "check", "--deploy", "--fail-level", "WARNING"], tmp_path, GOOD)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"FUNDSTELLE_DEBUG": "1"}, "FUNDSTELLE_DEBUG"),
        ({"FUNDSTELLE_SECRET_KEY": ""}, "FUNDSTELLE_SECRET_KEY"),
        ({"FUNDSTELLE_SECRET_KEY": "short"}, "FUNDSTELLE_SECRET_KEY"),
        ({"FUNDSTELLE_SECRET_KEY": "a" * 60}, "FUNDSTELLE_SECRET_KEY"),
        ({"FUNDSTELLE_SECRET_KEY": "django-insecure-" + "kq2vX9pLw4tZ" * 5}, "FUNDSTELLE_SECRET_KEY"),
        ({"FUNDSTELLE_HOSTS": ""}, "FUNDSTELLE_HOSTS"),
        ({"FUNDSTELLE_HOSTS": "*"}, "FUNDSTELLE_HOSTS"),
        ({"FUNDSTELLE_ENV": "prod"}, "FUNDSTELLE_ENV"),
        ({"FUNDSTELLE_DEBUG": "yes"}, "FUNDSTELLE_DEBUG"),
    ],
)
def test_unsafe_production_settings_do_not_start(change: dict[str, str], complaint: str, tmp_path: Path) -> None:
    started = run(["-c", "import evidence.wsgi"], tmp_path, GOOD | change)
    assert started.returncode != 0
    assert complaint in started.stderr.splitlines()[-1]


SHOW_DATABASE = """
from evidence.settings import DATABASES
described = DATABASES["default"]
for name in ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT"):
    print(described[name])
print(*described["OPTIONS"].items(), sep="\\n")
"""


def test_a_postgresql_server_can_be_named(tmp_path: Path) -> None:
    address = "postgresql://anna:a%40b%2Fc@db.example:5433/fund?sslmode=verify-full&connect_timeout=3"
    shown = run(["-c", SHOW_DATABASE], tmp_path, {"FUNDSTELLE_DATABASE_URL": address}).stdout.splitlines()
    assert shown[:6] == ["django.db.backends.postgresql", "fund", "anna", "a@b/c", "db.example", "5433"]
    assert {"('sslmode', 'verify-full')", "('connect_timeout', 3)", "('target_session_attrs', 'read-write')"} <= set(shown)


@pytest.mark.parametrize(
    "address",
    [
        "mysql://anna:Kiebitz@db/fund",
        "sqlite:////tmp/Kiebitz",
        "anna:Kiebitz@db/fund",
        "postgresql://anna:Kiebitz@db:port/fund",
        "postgresql://anna:Kie#bitz@db/fund",
        "postgresql://anna:Kie/bitz@db/fund",
        "postgresql://anna:Kie?bitz=1@db/fund",
        "postgresql://anna:Kiebitz@db",
        "postgresql://anna:Kiebitz@db/fund?options=-cdefault_transaction_isolation%3Dserializable",
        "postgresql://anna:Kiebitz@db/fund?target_session_attrs=any",
    ],
)
def test_an_unusable_address_of_a_database_is_refused_without_its_password(address: str, tmp_path: Path) -> None:
    started = run(["-c", "import evidence.settings"], tmp_path, {"FUNDSTELLE_DATABASE_URL": address})
    assert "ImproperlyConfigured" in started.stderr.splitlines()[-1]
    assert "FUNDSTELLE_DATABASE_URL" in started.stderr.splitlines()[-1]
    assert "bitz" not in started.stderr


def test_local_secret_key_is_random_kept_and_private(tmp_path: Path) -> None:
    show = ["-c", "from evidence import settings; print(settings.SECRET_KEY)"]
    first, second, other = (run(show, tmp_path / name, {}).stdout for name in ("a", "a", "b"))
    assert first == second != other
    assert stat.S_IMODE((tmp_path / "a" / "secret_key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_production_writes_no_secret_key(tmp_path: Path) -> None:
    run(["-c", "import evidence.settings"], tmp_path, GOOD)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.django_db
def test_pages_carry_the_strict_headers(client: Client) -> None:
    response = client.get("/sign-in/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert response["Cache-Control"] == "private, no-store"
    assert response["Referrer-Policy"] == "no-referrer"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


@pytest.mark.parametrize("address", ["/admin/", "/nowhere/", "/static/nothing.css"])
def test_redirects_and_errors_are_not_kept_either(client: Client, address: str) -> None:
    assert client.get(address)["Cache-Control"] == "private, no-store"
