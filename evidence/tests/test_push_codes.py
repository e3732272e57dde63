"""The table of codes in docs/sources.md is what pushing can answer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
ERRORS = {"Refused", "Outdated", "TooLarge", "Error"}
OF_PUSHING = ["evidence/pushing.py", "evidence/api/receiving.py"]
OF_EVERY_CALL = ["evidence/programs/refusals.py", "evidence/api/errors.py"]
OTHERS = {"unavailable", "busy", "invalid_fields"}
"""Of classes that name their code themselves."""


def codes(path: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        first = [*node.args, *(word.value for word in node.keywords if word.arg == "code")][:1]
        if name in ERRORS | {"__init__"} and first and isinstance(first[0], ast.Constant):
            yield str(first[0].value)


def test_the_table_of_codes_is_what_the_code_says() -> None:
    table = re.findall(r"^\| [0-9, ]+ \| ([^|]+) \|", (ROOT / "docs/sources.md").read_text(), re.MULTILINE)
    documented = {code for row in table for code in re.findall(r"`(\w+)`", row)}
    assert documented == OTHERS | {code for path in OF_PUSHING + OF_EVERY_CALL for code in codes(path)}
