"""Parsing in a confined process gives what parsing here gives, and says the same of what can't be read."""

import json
from pathlib import Path

import pytest
from pytest_django import Settings

from evidence import confinement, formats, parsing
from evidence.confinement import Result
from evidence.content import Content, Page, Passage, PassageKind
from evidence.errors import Refused
from evidence.formats import FORMATS, MAX_PASSAGES, MAX_TEXT_BYTES
from evidence.formats.options import Options

SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").iterdir() if path.suffix in FORMATS)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_content_is_the_same_as_without_confinement(sample: Path) -> None:
    data = sample.read_bytes()
    assert parsing.extract(sample.suffix, data) == formats.extract(FORMATS[sample.suffix], data)


def test_a_refusal_comes_back_with_its_values() -> None:
    with pytest.raises(Refused) as caught:
        parsing.extract(".txt", b"ab\xff", Options())
    assert caught.value.code == "text_not_utf8"
    assert str(caught.value).startswith("This is not UTF-8")


def test_the_longest_text_with_the_most_passages_is_within_the_limits() -> None:
    line = b"\xc3\xa4" * (MAX_TEXT_BYTES // MAX_PASSAGES // 2 - 1)
    content = parsing.extract(".txt", b"\n\n".join([line] * MAX_PASSAGES))
    assert len(content.passages) == MAX_PASSAGES


def test_a_file_that_is_too_large_is_refused_as_such() -> None:
    with pytest.raises(Refused) as caught:
        parsing.extract(".txt", b"x" * (MAX_TEXT_BYTES + 1))
    assert caught.value.code == "text_too_large"


def test_limits_are_those_of_the_settings(settings: Settings) -> None:
    settings.PARSE_MEMORY_MB = 16
    with pytest.raises(Refused) as caught:
        parsing.extract(".txt", b"x" * 10_000_000)
    assert (caught.value.code, caught.value.values) == ("parser_memory", {"megabytes": 16})


def test_files_are_read_beside_what_the_caller_does() -> None:
    with parsing.beside() as parse:
        first, second = parse(".txt", b"eins", Options()), parse(".txt", b"\xff", Options())
        assert first().text == "eins"
        with pytest.raises(Refused):
            second()


def test_titles_and_labels_cannot_break_a_line_or_turn_its_words_round(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page("\u202eiv\n", 0, 1)
    written = Content("a", (Passage(PassageKind.PARAGRAPH, 0, 1),), pages=(page,), title="Ein\x00\u2067 Titel").to_json()
    monkeypatch.setattr(confinement, "run", lambda *given, **options: Result({}, written.encode()))
    read = parsing.extract(".txt", b"")
    assert (read.title, read.pages[0].label) == ("Ein   Titel", " iv ")


@pytest.mark.parametrize(
    "changed",
    [
        {"text": []},
        {"text": 1},
        {"text": "\ud800"},
        {"text": "x" * (MAX_TEXT_BYTES + 1), "passages": [["paragraph", 0, MAX_TEXT_BYTES + 1, 0, [], None]]},
        {"passages": None},
        {"passages": [["paragraph", 0, 1, 0, [], None], *[["paragraph", 1, 1, 0, [], None]] * MAX_PASSAGES]},
        {"passages": [["paragraph", False, 1, 0, [], None]]},
        {"passages": [["paragraph", 0, 1, 0, [7], None]]},
        {"spans": [["link", 0, 1, []]]},
        {"spans": [["nothing", 0, 1, ""]]},
        {"pages": [["1", 0, 1, float("nan"), 1, ""]]},
        {"pages": [["1", 0, 1, 10**400, 1, ""]]},
        {"pages": [[1, 0, 1, 1, 1, ""]]},
        {"pages": [["1", 0, 1, 1, 1, "ä"]]},
        {"notes": ["nothing"]},
        {"title": 1},
    ],
    ids=lambda changed: str(changed)[:40],
)
def test_an_answer_that_is_no_content_is_a_fault_of_the_parser(changed: object, monkeypatch: pytest.MonkeyPatch) -> None:
    content = Content("a", (Passage(PassageKind.PARAGRAPH, 0, 1),))
    written = json.dumps({**json.loads(content.to_json()), **changed})  # type: ignore[dict-item]
    monkeypatch.setattr(confinement, "run", lambda *given, **options: Result({}, written.encode()))
    with pytest.raises(Refused) as caught:
        parsing.extract(".txt", b"")
    assert caught.value.code in {"parser_fault", "content_range"}
