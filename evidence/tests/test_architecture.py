"""The rules of the layout that no type and no linter knows: who imports whom, who may build an Access, who takes one first."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from django.conf import settings

PACKAGE: Path = settings.BASE_DIR / "evidence"
READING = ("documents", "search", "synonyms", "citations", "history", "pictures", "reports", "succession", "viewer")
WRITING = ("ingest", "intake", "syncing", "sampling", "runs", "watching", "sources", "formats", "jobs")
COMPOSITION = ("settings", "urls", "wsgi", "asgi", "apps", "checks", "logs")
INTERFACES = ("web", "api", "mcp", "programs", "admin", "management", "templatetags")
WEB_OF_DJANGO = ("django.http", "django.shortcuts", "django.template", "django.views", "django.urls")
SETS_THE_SETTINGS_MODULE = ("wsgi", "asgi")
NEED_EXTRAS = {("mcp/protocol.py", "mcp")}


@cache
def trees() -> Sequence[tuple[Path, ast.Module]]:
    """Every module but the tests and migrations, by its path inside the package. Nobody changes them."""
    paths = [file.relative_to(PACKAGE) for file in sorted(PACKAGE.rglob("*.py"))]
    shown = [path for path in paths if path.parts[0] not in {"tests", "migrations"}]
    return [(path, ast.parse((PACKAGE / path).read_text(encoding="utf-8"))) for path in shown]


@pytest.fixture(scope="module", autouse=True)
def looked_at() -> Iterator[None]:
    """They are large: what is kept of them is let go with the last test here."""
    yield
    trees.cache_clear()


def top(path: Path) -> str:
    """The module or folder of the package that this file belongs to."""
    return path.parts[0].removesuffix(".py")


def imports(tree: ast.Module) -> Iterator[str]:
    """Full names of all modules and objects that this one imports, wherever it does."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def starts_with_any(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in prefixes)


def test_layers_hold_and_name_every_module() -> None:
    linter = Path(sys.executable).with_name("lint-imports")  # a process of its own: it sets up logging for itself
    checked = subprocess.run([linter, "--no-cache"], cwd=settings.BASE_DIR, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_reading_imports_nothing_of_writing() -> None:
    forbidden = tuple(f"evidence.{module}" for module in WRITING)
    assert [
        (str(path), name)
        for path, tree in trees()
        if top(path) in READING
        for name in imports(tree)
        if starts_with_any(name, forbidden)
    ] == []


def test_only_interfaces_know_requests_templates_and_addresses() -> None:
    assert [
        (str(path), name)
        for path, tree in trees()
        if top(path) not in COMPOSITION + INTERFACES
        for name in imports(tree)
        if starts_with_any(name, WEB_OF_DJANGO)
    ] == []


def test_imports_are_absolute() -> None:
    relative = [path for path, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    assert relative == []


def test_access_is_built_only_in_identity() -> None:
    builders = {
        str(path)
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Access"
    }
    assert builders == {"identity.py"}


def test_access_is_never_changed_into_another() -> None:
    """`dataclasses.replace` on a frozen value would be a second way to build one."""
    assert [str(path) for path, tree in trees() if "dataclasses.replace" in imports(tree) and top(path) in READING] == []


def test_public_reading_functions_take_access_first_without_a_default() -> None:
    wrong = []
    for path, tree in trees():
        if top(path) not in READING:
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not _takes_access_first(node):
                wrong.append(f"{path}: {node.name}")
    assert wrong == []


def _takes_access_first(function: ast.FunctionDef) -> bool:
    arguments = function.args.posonlyargs + function.args.args
    has_defaults = len(function.args.defaults) == len(arguments)
    return bool(arguments) and arguments[0].arg == "access" and not has_defaults


def test_only_settings_read_the_environment() -> None:
    readers = {top(path) for path, tree in trees() for node in ast.walk(tree) if _reads_environment(node)}
    assert readers - set(SETS_THE_SETTINGS_MODULE) == {"settings"}


def _reads_environment(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv", "os.environb"}


def imported_when_run(tree: ast.Module) -> Iterator[str]:
    """Top-level packages that are imported when the module is; what stands under `if TYPE_CHECKING` is not."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_what_runs_is_in_the_requirements_for_running() -> None:
    """Developers have more installed: without this a fresh machine is the first to notice what is missing.

    Extras are installed apart; the modules that need one are named, and loaded only where it is.
    """
    locked = {line.partition("==")[0].lower() for line in (settings.BASE_DIR / "requirements.txt").read_text().splitlines()}
    provided = packages_distributions()
    used = {(str(path), name) for path, tree in trees() for name in imported_when_run(tree)}
    assert used >= NEED_EXTRAS
    needed = {name for _, name in used - NEED_EXTRAS} - sys.stdlib_module_names - {"evidence"}
    assert {name for name in needed if not locked & {one.lower().replace("_", "-") for one in provided.get(name, [])}} == set()
