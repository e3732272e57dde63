"""Questions whose answers are known: lines of JSON -> checked values. No database; docs/evaluation.md describes the format.

Everything that is wrong is told at once, each fault with its line, and then nothing is asked.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from evidence.errors import Refused
from evidence.index.questions import MAX_QUESTION

MAX_QUESTIONS: Final = 10_000
"""In one file: at 50 ms each they take eight minutes, and a page shows them all."""
MAX_LINE: Final = 65_536
"""Bytes of one line: a question and whole sections of a law as its quotes."""
MAX_EXPECTED: Final = 100
"""Documents and passages that answer one question."""
MAX_GRADE: Final = 10
MAX_TOLD: Final = 20
"""Faults that are told; the rest is counted."""
_NAME: Final = re.compile(r"[\w.:/@#+-]{1,64}", re.ASCII)
_KEYS: Final = frozenset({"id", "question", "person", "state", "expect", "revision", "date", "group"})
_EXPECTED_KEYS: Final = frozenset({"document", "source", "quote", "grade"})


class State(StrEnum):
    """What is expected. CONFLICT: documents contradict each other. FORBIDDEN: this person may not read what answers it."""

    ANSWERABLE = "answerable"
    UNANSWERABLE = "unanswerable"
    CONFLICT = "conflict"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True, slots=True)
class Expected:
    """A document that answers, or with `quote` the passage of it that does, word for word.

    document: its id inside its source, or its public id. source: short name, where several have a document of this id. grade:
    how well it answers; 2 is worth twice as much as 1.
    """

    document: str
    source: str = ""
    quote: str = ""
    grade: int = 1


@dataclass(frozen=True, slots=True)
class Question:
    """One question. line: where it stands. person: user name. revision, date: which state of the documents answers it.

    group: figures are counted for each of them too, as for languages.
    """

    line: int
    id: str
    text: str
    person: str
    state: State = State.ANSWERABLE
    expect: tuple[Expected, ...] = ()
    revision: str = ""
    date: date | None = None
    group: str = ""

    @property
    def depends_on_state(self) -> bool:
        """Whether a certain state of the documents answers it, so that earlier ones are asked too."""
        return bool(self.revision) or self.date is not None


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that are asked together. digest: SHA-256 of what they were read from."""

    name: str
    digest: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a line; 0 is the file as a whole."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


class Faulty(Refused):
    """Questions that can't be asked as they are; none of them was."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        told = [str(fault) for fault in faults[:MAX_TOLD]]
        if len(faults) > MAX_TOLD:
            told.append(f"... and {len(faults) - MAX_TOLD} more")
        super().__init__("evaluation_questions", "%(faults)s", faults="\n".join(told))
        self.faults = faults


def read(file: Path, *, person: str = "") -> QuestionSet:
    """The questions in this file. person: of those that name none. Raises Faulty, OSError."""
    with file.open("rb") as lines:
        digest = hashlib.sha256()
        questions = parse(_noted(lines, digest), person=person)
    return QuestionSet(file.stem, digest.hexdigest(), tuple(questions))


def parse(lines: Iterable[bytes], *, person: str = "") -> list[Question]:
    """One question a line; empty lines are passed over. Raises Faulty with all that is wrong."""
    questions: list[Question] = []
    faults: list[Fault] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if len(questions) == MAX_QUESTIONS:
            faults.append(Fault(number, f"there are more than {MAX_QUESTIONS:,} questions; split the file"))
            break
        try:
            question = replace(_question(_table(line), person), line=number)
        except _Wrong as wrong:
            faults.append(Fault(number, str(wrong)))
            continue
        if question.id in seen:
            faults.append(Fault(number, f"id {question.id!r} stands in line {seen[question.id]} already"))
        seen.setdefault(question.id, number)
        questions.append(question)
    if not questions and not faults:
        faults.append(Fault(0, "there is no question in it"))
    if faults:
        raise Faulty(faults)
    return questions


class _Wrong(Exception):
    """What is wrong with the line in hand."""


def _noted(lines: Iterable[bytes], digest: Any) -> Iterable[bytes]:
    for number, line in enumerate(lines):
        digest.update(line)
        yield line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line


def _table(line: bytes) -> Mapping[str, Any]:
    if len(line) > MAX_LINE:
        raise _Wrong(f"it is longer than {MAX_LINE:,} bytes")
    try:
        table = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise _Wrong("it is not UTF-8") from None
    except (ValueError, RecursionError):
        raise _Wrong("it is not JSON; each line is one object") from None
    if not isinstance(table, dict):
        raise _Wrong("it is not a JSON object")
    return table


def _question(table: Mapping[str, Any], person: str) -> Question:
    _refuse_unknown(table, _KEYS)
    question = Question(
        line=0,
        id=_name(table, "id"),
        text=_text(table, "question", most=MAX_QUESTION, needed=True),
        person=_text(table, "person", most=150) or person,
        state=_state(table),
        expect=_expected(table),
        revision=_text(table, "revision", most=100),
        date=_day(table),
        group=_name(table, "group") if "group" in table else "",
    )
    _check(question)
    return question


def _check(question: Question) -> None:
    """Refuse what does not go together."""
    if not question.person:
        raise _Wrong("who asks? Give it a person, or all questions one with --person")
    if question.state is State.UNANSWERABLE and question.expect:
        raise _Wrong("an unanswerable question expects nothing")
    if question.state is not State.UNANSWERABLE and not question.expect:
        raise _Wrong(f"expect is missing: which documents or passages is it, if the question is {question.state}?")
    if question.state is State.FORBIDDEN and any(one.quote for one in question.expect):
        raise _Wrong("what is forbidden is a document as a whole; leave the quote out")
    if question.depends_on_state and question.state in {State.UNANSWERABLE, State.FORBIDDEN}:
        raise _Wrong(f"revision and date say which state answers; they don't go with {question.state}")
    if question.revision and question.date:
        raise _Wrong("give revision or date, not both")
    if len(set(question.expect)) < len(question.expect):
        raise _Wrong("expect names the same thing twice")


def _name(table: Mapping[str, Any], key: str) -> str:
    """What is kept and shown."""
    found = table.get(key)
    if not isinstance(found, str) or not _NAME.fullmatch(found):
        raise _Wrong(f"{key} is 1 to 64 of the characters A-Z a-z 0-9 _ . : / @ # + - (it is kept and shown: no words)")
    return found


def _state(table: Mapping[str, Any]) -> State:
    if "state" not in table:
        return State.ANSWERABLE
    if table["state"] not in list(State):
        raise _Wrong(f"state is one of {', '.join(State)}")
    return State(table["state"])


def _expected(table: Mapping[str, Any]) -> tuple[Expected, ...]:
    found = table.get("expect", [])
    if not isinstance(found, list):
        raise _Wrong("expect is a list")
    if len(found) > MAX_EXPECTED:
        raise _Wrong(f"expect names more than {MAX_EXPECTED}")
    return tuple(_one_expected(entry) for entry in found)


def _one_expected(entry: object) -> Expected:
    """A document's id alone, or an object."""
    if isinstance(entry, str):
        entry = {"document": entry}
    if not isinstance(entry, dict):
        raise _Wrong("what is expected is the id of a document, or an object with document and quote")
    _refuse_unknown(entry, _EXPECTED_KEYS)
    grade = entry.get("grade", 1)
    if type(grade) is not int or not 1 <= grade <= MAX_GRADE:
        raise _Wrong(f"grade is a whole number from 1 to {MAX_GRADE}")
    return Expected(
        document=_text(entry, "document", most=200, needed=True),
        source=_text(entry, "source", most=50),
        quote=_text(entry, "quote", most=MAX_LINE),
        grade=grade,
    )


def _day(table: Mapping[str, Any]) -> date | None:
    text = _text(table, "date", most=10)
    if not text:
        return None
    try:
        if len(text) == 10:
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise _Wrong("date is a day, as in 2026-01-31")


def _text(table: Mapping[str, Any], key: str, *, most: int, needed: bool = False) -> str:
    found = table.get(key, "")
    if not isinstance(found, str) or (key in table and not found.strip()) or (needed and not found):
        raise _Wrong(f"{key} is {'a text' if key in table else 'missing'}{', and not an empty one' if key in table else ''}")
    if len(found) > most:
        raise _Wrong(f"{key} has {len(found)} characters; at most {most} are possible")
    if any("\ud800" <= character <= "\udfff" for character in found):
        raise _Wrong(f"{key} holds half a character (a lone surrogate)")
    return found


def _refuse_unknown(table: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(table) - known)
    if unknown:
        raise _Wrong(f"{unknown[0]!r} is not known; there are {', '.join(sorted(known))}")
