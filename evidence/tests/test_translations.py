"""German is complete, and what is compiled is what is written."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.core.management import call_command

FOLDER: Path = settings.BASE_DIR / "locale" / "de" / "LC_MESSAGES"
PLACEHOLDER = re.compile(r"%\(\w+\)\w|</?\w+")


@pytest.fixture(scope="module")
def written() -> polib.POFile:
    return polib.pofile(str(FOLDER / "django.po"))


def test_no_message_is_untranslated_or_fuzzy(written: polib.POFile) -> None:
    assert [entry.msgid for entry in written.untranslated_entries() + written.fuzzy_entries()] == []


def test_compiled_messages_are_the_written_ones(written: polib.POFile) -> None:
    compiled = polib.mofile(str(FOLDER / "django.mo"))
    assert {key(entry): texts(entry) for entry in compiled} == {key(entry): texts(entry) for entry in written}


def test_every_translation_keeps_placeholders_and_markup(written: polib.POFile) -> None:
    for entry in written:
        originals = [entry.msgid, entry.msgid_plural] if entry.msgid_plural else [entry.msgid]
        assert list(map(placeholders, texts(entry))) == list(map(placeholders, originals)), entry.msgid


@pytest.mark.skipif(shutil.which("xgettext") is None, reason="gettext is not installed; only developers need it")
def test_every_message_of_the_product_is_collected(
    written: polib.POFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("evidence", "templates"):
        shutil.copytree(settings.BASE_DIR / folder, tmp_path / folder)
    (tmp_path / "locale").mkdir()
    monkeypatch.chdir(tmp_path)
    call_command("makemessages", locale=["de"], verbosity=0)
    collected = polib.pofile(str(tmp_path / "locale" / "de" / "LC_MESSAGES" / "django.po"))
    assert {key(entry) for entry in collected} - {key(entry) for entry in written} == set()


def placeholders(text: str) -> list[str]:
    """What a text must hold, in whatever order."""
    return sorted(PLACEHOLDER.findall(text))


def key(entry: polib.POEntry | polib.MOEntry) -> tuple[str | None, str]:
    """What a message is looked up by."""
    return entry.msgctxt, entry.msgid


def texts(entry: polib.POEntry | polib.MOEntry) -> list[str]:
    """Its translations, one or one for each plural."""
    return [entry.msgstr_plural[number] for number in sorted(entry.msgstr_plural)] or [entry.msgstr]
