"""Try tricky files: `python -m bench.tricky [FOLDER]`. Each is read as an import reads it, and compared with the manifest.

How a file ended: `ok`; `ok_with_warning` (a reader is told something about it); `no_text`; `garbage_text` (letter soup, marked as
such, is half of it or more); `needs_password`; `rejected` (refused with a reason); `failed` (a limit of the confined process was
met, which is never right).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evidence.content import Content, Note, PassageKind, SpanKind
from evidence.errors import Refused
from evidence.formats import FORMATS
from evidence.formats.options import Options

FOLDER: Final = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "tricky"
EXCEPTIONS: Final = {
    "text/nul_bytes.txt": "text that holds U+0000 is refused, never mended without anyone noticing",
    "docx/mammoth_endnotes.docx": "the marks of endnotes are text that a reader sees: Ouch[i].[ii]",
    "docx/pydocx_tbl-cell-access.docx": "cells of a row are parted by tabs, not by blanks",
    "html/nur_rahmen_frameset.html": "frames alone: no text, and the note that something is not shown",
    "text/ungueltige_utf8_bytes.txt": "text that is not what it says is refused, never guessed at",
}
"""Files that end otherwise than their manifest says, and why that is right."""
ACCEPTED: Final = {"ok": {"ok", "ok_with_warning"}}
"""Where the manifest is content with more than one ending: a file that is read well may have something to be told of."""

Extract = Callable[[str, bytes, Options], Content]
Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one file ended. detail: notes, or the code of the refusal. problems: what does not hold, empty when all does."""

    file: str
    expected: str
    ended: str
    milliseconds: float
    detail: str
    held: int
    problems: Sequence[str]

    @property
    def is_right(self) -> bool:
        """Whether it is as the manifest says."""
        return not self.problems and self.ended in ACCEPTED.get(self.expected, {self.expected})


def main() -> int:
    """Print the table; exit status 1 when something deviates that is not justified."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="files with a manifest (default: %(default)s)")
    folder = parser.parse_args().folder
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as data:
        outcomes = list(_outcomes(folder, entries, _confined(data)))
    unjustified = _tell(outcomes)
    return 1 if unjustified else 0


def outcome(entry: Entry, data: bytes, extract: Extract, options: Options, *, expected: str) -> Outcome:
    """How this file ends, and which of the manifest's statements hold."""
    begun = time.perf_counter()
    content, code = _content(Path(entry["file"]).suffix.lower(), data, extract, options)
    spent = (time.perf_counter() - begun) * 1000
    if content is None:
        return Outcome(entry["file"], expected, _ending_of_refusal(code), spent, code, 0, [])
    statements = list(_statements(entry, content))
    problems = [statement for statement, holds in statements if not holds]
    return Outcome(
        entry["file"], expected, _ending(content), spent, " ".join(content.notes), len(statements) - len(problems), problems
    )


def options_for(entry: Entry, *, password: str = "") -> Options:
    """What the manifest says beside the file; "iso-8859-1 (undeclared)" and "utf-8-sig" name an encoding and remark on it."""
    return Options(encoding=entry.get("encoding", "").partition(" ")[0].removesuffix("-sig"), password=password)


def _outcomes(folder: Path, entries: Sequence[Entry], extract: Extract) -> Iterator[Outcome]:
    for entry in entries:
        data = (folder / entry["file"]).read_bytes()
        yield outcome(entry, data, extract, options_for(entry), expected=entry["expected"])
        if "password" in entry:
            yield outcome(entry, data, extract, options_for(entry, password=entry["password"]), expected="ok")


def _confined(data: str) -> Extract:
    """The extraction of an import, with default settings."""
    os.environ["FUNDSTELLE_DATA"] = data
    os.environ["DJANGO_SETTINGS_MODULE"] = "evidence.settings"
    from evidence import parsing

    return parsing.extract


def _content(ending: str, data: bytes, extract: Extract, options: Options) -> tuple[Content | None, str]:
    """The content, or the code of the refusal."""
    if ending not in FORMATS:
        return None, "no_format"
    try:
        return extract(ending, data, options), ""
    except Refused as refused:
        return None, refused.code


def _ending(content: Content) -> str:
    if Note.NO_TEXT in content.notes:
        return "no_text"
    if Note.LETTER_SOUP in content.notes and _is_mostly_soup(content):
        return "garbage_text"
    return "ok_with_warning" if content.notes else "ok"


def _is_mostly_soup(content: Content) -> bool:
    """Whether half of what can be read, or more, is letter soup: one word of it among others is something to be told of."""
    soup = "".join(content.text[span.start : span.end] for span in content.spans if span.kind is SpanKind.GARBLED)
    return 2 * len("".join(soup.split())) >= len("".join(content.text.split()))


def _ending_of_refusal(code: str) -> str:
    if code.startswith("parser_") or code == "no_format":
        return "failed"
    return "needs_password" if code.endswith("_password") and "wrong" not in code else "rejected"


def _statements(entry: Entry, content: Content) -> Iterator[tuple[str, bool]]:
    """Everything that the manifest states of a file's text, and whether it holds."""
    text, collapsed, joined = content.text, _collapsed(content.text), _collapsed(_joined(content))
    for words in entry["must_contain"]:
        yield f"must_contain {words!r}{' (but for white space)' if _collapsed(words) in collapsed else ''}", words in text
    for words in entry.get("normalised", ()):
        yield f"normalised {words!r}", _collapsed(words) in collapsed.replace("\u00ad", "")
    for words in entry.get("dehyphenated", ()):
        yield f"dehyphenated {words!r}", _collapsed(words) in joined
    for words in entry.get("must_not_contain", ()):
        yield f"must_not_contain {words!r}", words not in text
    if "order" in entry:
        yield f"order {entry['order']}", _are_in_order(entry["order"], text)
    if "headings" in entry:
        found = [text[one.start : one.end] for one in content.passages if one.kind is PassageKind.HEADING]
        yield f"headings {entry['headings']}, found {found}", _are_among(entry["headings"], found)
    if "title" in entry:
        yield f"title {entry['title']!r}, found {content.title!r}", content.title == entry["title"]
    if "pages" in entry:
        yield f"pages {entry['pages']}, found {len(content.pages)}", len(content.pages) == entry["pages"]
    if "labels" in entry:
        labels = [page.label for page in content.pages[: len(entry["labels"])]]
        yield f"labels {entry['labels']}, found {labels}", labels == entry["labels"]


def _collapsed(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def _joined(content: Content) -> str:
    """The text with words joined that a line's end parts."""
    position, pieces = 0, list[str]()
    for span in content.spans:
        if span.kind is SpanKind.HYPHENATION:
            pieces.append(content.text[position : span.start])
            position = span.end
    return re.sub(r"\u00ad|\u2010\s+", "", "".join((*pieces, content.text[position:])))


def _are_in_order(words: Sequence[str], text: str) -> bool:
    position = 0
    for one in words:
        position = text.find(one, position)
        if position < 0:
            return False
        position += len(one)
    return True


def _are_among(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether all of them are found, in this order, perhaps with others between."""
    rest = iter(found)
    return all(one in rest for one in wanted)


def _tell(outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    """Print the table and totals; gives what deviates without a justification."""
    print(f"{'file':<52}{'expected':<17}{'ended':<17}{'ms':>7}  {'holds':>5}  notes or refusal")
    for one in outcomes:
        print(f"{one.file:<52}{one.expected:<17}{one.ended:<17}{one.milliseconds:>7.0f}  {one.held:>5}  {one.detail}")
        for problem in one.problems:
            print(f"    does not hold: {problem}")
        if not one.is_right:
            print(f"    {'justified: ' + EXCEPTIONS[one.file] if one.file in EXCEPTIONS else 'DEVIATES'}")
    deviating = [one for one in outcomes if not one.is_right]
    unjustified = [one for one in deviating if one.file not in EXCEPTIONS]
    ended = ", ".join(f"{count} {name}" for name, count in Counter(one.ended for one in outcomes).most_common())
    spent = sum(one.milliseconds for one in outcomes) / 1000
    files = len({one.file for one in outcomes})
    print(f"\n{files} files, {len(outcomes)} results in {spent:.1f} s: {ended}")
    print(f"{sum(one.held for one in outcomes)} statements hold, {sum(len(one.problems) for one in outcomes)} do not")
    print(f"{len(deviating)} deviate, {len(deviating) - len(unjustified)} of them justified")
    return unjustified


if __name__ == "__main__":
    sys.exit(main())
