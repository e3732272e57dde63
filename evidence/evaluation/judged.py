"""Judged sets: folders of other people's making -> questions and documents in our own form. No database.

Two layouts are known. A corpus of documents (`corpus.jsonl`, `queries.jsonl`, `qrels.jsonl`, perhaps `unanswerable.jsonl`), as
collections for comparing searches have it. And questions whose answers differ between states of a document
(`public.jsonl` beside the states, each of which is a file).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from evidence.errors import Refused
from evidence.evaluation.questions import Expected, Question, QuestionSet, State
from evidence.sources import Item, Listing, Metadata, Rights, Settings

JUDGED: Final = ("corpus.jsonl", "queries.jsonl", "qrels.jsonl")
UNANSWERABLE: Final = "unanswerable.jsonl"
STATES: Final = "public.jsonl"
ALL: Final = "all"
HALF: Final = "half"
"""Groups: one reads every document, the other every second one."""
_STATE: Final = re.compile(r"(?:current|revisions)/(?P<law>[^/]+?)(?:/(?P<date>\d{4}-\d\d-\d\d)_[0-9a-f]+)?\.md")
_CURRENT: Final = date(2026, 8, 19)
"""Of the laws that are not older states."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks: one reads everything that a set is about, the other half of it."""

    everything: str
    half: str

    @classmethod
    def of(cls, name: str) -> Person:
        """For the set of this name."""
        return cls(f"evaluation-{name}", f"evaluation-{name}-half")


def is_judged(folder: Path) -> bool:
    """Whether the folder has one of the two layouts."""
    return _is_corpus(folder) or _is_states(folder)


def questions(folder: Path, *, person: str = "", divided: bool = False) -> QuestionSet:
    """The questions of a folder. person: who asks. divided: as somebody who reads half of it, and must not find the rest.

    Raises Refused for a folder whose files don't fit together, OSError.
    """
    people = Person.of(folder.name)
    asker = person or (people.half if divided else people.everything)
    try:
        found = list(_corpus_questions(folder, asker) if _is_corpus(folder) else _state_questions(folder, asker))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused(
            "evaluation_layout", "%(folder)s: a line is not what it should be (%(error)s)", folder=folder, error=error
        ) from None
    if divided:
        found = [_divided(question) for question in found]
    name = folder.name + ("-half" if divided else "")
    return QuestionSet(name, _digest(folder, *sorted(file.name for file in _question_files(folder))), tuple(found))


def listing(folder: Path) -> Listing:
    """The documents of a folder, as a source lists them. Raises Refused, OSError."""
    try:
        items = list(_documents(folder) if _is_corpus(folder) else _states(folder))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Refused(
            "evaluation_layout", "%(folder)s: a line is not what it should be (%(error)s)", folder=folder, error=error
        ) from None
    items.sort(key=lambda item: (item.external_id, item.dated or date.min))
    return Listing(items=items, settings=Settings(title=folder.name, kind="local"))


def in_half(document: str) -> bool:
    """Whether this document is among those that only half of the people read; whatever order it comes in."""
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 0


def _is_corpus(folder: Path) -> bool:
    return all((folder / name).is_file() for name in JUDGED)


def _is_states(folder: Path) -> bool:
    return (folder / STATES).is_file() and (folder.parent / "revisions").is_dir()


def _question_files(folder: Path) -> list[Path]:
    if not _is_corpus(folder):
        return [folder / STATES]
    return [file for name in ("queries.jsonl", "qrels.jsonl", UNANSWERABLE) if (file := folder / name).is_file()]


def _digest(folder: Path, *names: str) -> str:
    digest = hashlib.sha256()
    for name in names:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _rights(document: str) -> Rights:
    return Rights(allowed=(f"group:{ALL}", f"group:{HALF}") if in_half(document) else (f"group:{ALL}",))


# A corpus


def _documents(folder: Path) -> Iterator[Item]:
    for number, entry in enumerate(_lines(folder / "corpus.jsonl"), start=1):
        title, text = str(entry["title"]), f"# {entry['title']}\n\n{entry['text']}\n"
        yield Item(
            external_id=str(entry["id"]),
            label="1",
            dated=None,
            path=f"corpus/{number}.md",
            metadata=Metadata(title=title),
            rights=_rights(str(entry["id"])),
            read=text.encode,
        )


def _corpus_questions(folder: Path, person: str) -> Iterator[Question]:
    grades: dict[str, dict[str, int]] = {}
    for entry in _lines(folder / "qrels.jsonl"):
        grades.setdefault(entry["query_id"], {})[entry["doc_id"]] = int(entry["relevance"])
    for number, entry in enumerate(_lines(folder / "queries.jsonl"), start=1):
        expect = tuple(
            Expected(document, quote=_quote(entry, document), grade=grade)
            for document, grade in grades.get(entry["id"], {}).items()
            if grade > 0
        )
        yield Question(number, entry["id"], entry["text"], person, expect=expect, group=entry.get("lang", ""))
    if (folder / UNANSWERABLE).is_file():
        for number, entry in enumerate(_lines(folder / UNANSWERABLE), start=1):
            language = entry.get("lang", "")
            yield Question(number, entry["id"], entry["text"], person, state=State.UNANSWERABLE, group=language)


def _quote(entry: Mapping[str, Any], document: str) -> str:
    """The quote that answers, in the one document that it was taken from. A few words alone are an answer, but no passage."""
    return entry.get("answer_quote") or "" if entry.get("answer_doc") == document else ""


def _divided(question: Question) -> Question:
    """The same for somebody who reads half: what lies in the other half is forbidden."""
    readable = tuple(one for one in question.expect if in_half(one.document))
    if question.state is not State.ANSWERABLE or len(readable) == len(question.expect):
        return question
    hidden = tuple(Expected(one.document) for one in question.expect if not in_half(one.document))
    if readable:  # one of its answers can be found
        return replace(question, expect=readable)
    return replace(question, state=State.FORBIDDEN, expect=hidden)


# States of documents


def _states(folder: Path) -> Iterator[Item]:
    """Every law that is there, with its older states."""
    root = folder.parent
    for file in [*(root / "current").glob("*.md"), *(root / "revisions").glob("*/*.md")]:
        path = file.relative_to(root).as_posix()
        law, dated = _law(path)
        yield Item(
            external_id=law,
            label=dated.isoformat(),
            dated=dated,
            path=path,
            metadata=Metadata(language="de", kind="law"),
            rights=_rights(law),
            read=file.read_bytes,
        )


def _law(path: str) -> tuple[str, date]:
    found = _STATE.fullmatch(path)
    if found is None:
        raise ValueError(f"{path} is no state")
    return found["law"].split("/")[0], date.fromisoformat(found["date"]) if found["date"] else _CURRENT


def _state_questions(folder: Path, person: str) -> Iterator[Question]:
    """A question for each state that answers it, and one for the current state where that does not.

    What an earlier state does not answer is left out: no search looks at one earlier state alone.
    """
    for number, entry in enumerate(_lines(folder / STATES), start=1):
        for state in entry["states"]:
            law, dated = _law(state["file"])
            is_current = dated == _CURRENT
            id = f"{entry['id']}@{'current' if is_current else dated.isoformat()}"
            if state["answerable"]:
                expect = (Expected(law, quote=state["quote"]),)
                yield Question(number, id, entry["text"], person, expect=expect, date=None if is_current else dated)
            elif is_current:
                yield Question(number, id, entry["text"], person, state=State.UNANSWERABLE)
