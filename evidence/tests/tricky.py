"""The shared tricky files: their list, and what it says of each. Where they are not beside the project, tests are skipped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from evidence.content import Content, Note, PassageKind
from evidence.formats import FORMATS, extract
from evidence.formats.encodings import canonical
from evidence.formats.options import Options

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tricky"
WARNINGS = {Note.NOT_SHOWN, Note.REPAIRED, Note.ENCODING_ASSUMED, Note.LETTER_SOUP, Note.UNSEEN_TEXT, Note.ATTACHMENTS}
PYTHON_NAMES = {"utf-8-sig": "utf-8"}

Entry = dict[str, Any]


def entries(kind: str) -> Sequence[Any]:
    """One parameter for each file of this kind, or a single one that is skipped."""
    if not FOLDER.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason="the shared tricky files are not here"))]
    found = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
    return [pytest.param(entry, id=entry["file"]) for entry in found if entry["kind"] == kind]


def read(entry: Entry) -> Content:
    """The content of the file, read in the encoding that the list names if it is a text."""
    name = entry.get("encoding", "").partition(" ")[0]
    encoding = (canonical(PYTHON_NAMES.get(name, name)) or "") if entry["kind"] == "text" else ""
    path = PurePosixPath(entry["file"])
    return extract(FORMATS[path.suffix], (FOLDER / path).read_bytes(), Options(encoding=encoding))


def check(entry: Entry, content: Content) -> None:
    """Everything that the list says of a file that can be read."""
    spaced = " ".join(content.text.split())
    headings = [content.text[one.start : one.end] for one in content.passages if one.kind is PassageKind.HEADING]
    assert [words for words in entry["must_contain"] if words not in content.text] == []
    assert [words for words in entry.get("normalised", []) if words not in spaced] == []
    assert [words for words in entry.get("must_not_contain", []) if words in content.text] == []
    assert [words for words in entry.get("headings", []) if words not in headings] == []
    assert content.title == entry.get("title", content.title)
    assert (Note.NO_TEXT in content.notes) is (not content.text.strip())
    assert (entry["expected"] == "ok_with_warning") <= bool(WARNINGS.intersection(content.notes))
    assert (entry["expected"] == "no_text") <= (Note.NO_TEXT in content.notes)
