"""What is measured with: real paragraphs of German laws where they are present, else text of the same shape; and questions."""

from __future__ import annotations

import json
import lzma
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from evidence.index.query import Query, parse
from evidence.index.questions import MAX_QUESTION, Question, parse_question
from evidence.index.tokens import words

LOAD: Final = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "load"
FILES: Final = {"full": LOAD / "gesetze_absaetze_de.tsv.xz", "small": LOAD / "gesetze_100k_de.tsv.xz"}
GENERATED_PASSAGES: Final = {"full": 1_072_185, "small": 98_773}

SEED: Final = 20261129
QUERIES: Final = 400
MOST_WORDS: Final = 4
FREQUENT_WORDS: Final = 150
LEAST_LETTERS: Final = 4
JUDGED: Final = LOAD.parent / "judged"
JUDGED_SETS: Final = ("laws_de", "xquad_de")
QUESTIONS: Final = 200
QUESTION_WORDS: Final = range(6, 16)
SECTION_PASSAGES: Final = 6
"""Of generated text; those of laws have five or six."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where passages come from: "full" or "small", and at most how many of them."""

    name: str
    limit: int | None = None

    @property
    def real(self) -> bool:
        """Whether the paragraphs of laws are there."""
        return FILES[self.name].exists()

    def documents(self) -> Iterator[list[str]]:
        """The passages of each document."""
        for document in self.headed():
            yield [text for _, text in document]

    def headed(self) -> Iterator[list[tuple[str, str]]]:
        """The passages of each document, each with what stands above it."""
        lines = _lines(FILES[self.name]) if self.real else _generated(GENERATED_PASSAGES[self.name])
        for _, group in groupby(islice(lines, self.limit), key=lambda line: line[0]):
            yield [(f"{law}\n{heading}", text) for (law, _), heading, text in group]


def draw(documents: Sequence[Sequence[str]]) -> list[Query]:
    """Questions of one to four content words, as many of each length.

    A content word has at least four letters, nothing but letters, and is not among the 150 most frequent words of the corpus.
    The words of one question are different ones of one passage, which is drawn evenly from all passages.
    """
    passages = [passage for document in documents for passage in document]
    frequent = {word for word, _ in Counter(word for text in passages for word in words(text)).most_common(FREQUENT_WORDS)}
    source = random.Random(SEED)
    queries: list[Query] = []
    while len(queries) < QUERIES:
        size = len(queries) % MOST_WORDS + 1
        different = dict.fromkeys(words(source.choice(passages)))
        content = [word for word in different if _is_content(word) and word not in frequent]
        if len(content) >= size:
            queries.append(parse(" ".join(source.sample(content, size))))
    return queries


def draw_questions(documents: Sequence[Sequence[str]]) -> list[Question]:
    """Whole questions of 6 to 15 words: half of them judged German ones, where they are there; the rest are words in a row of
    passages, drawn evenly, half of them in another order.
    """
    source = random.Random(SEED)
    asked = [one for name in JUDGED_SETS for one in _judged(name) if len(words(one)) in QUESTION_WORDS]
    texts = source.sample(asked, min(QUESTIONS // 2, len(asked)))
    passages = [passage for document in documents for passage in document]
    while len(texts) < QUESTIONS:
        size = source.choice(QUESTION_WORDS)
        found = words(source.choice(passages))
        first = source.randrange(max(len(found) - size, 0) + 1)
        picked = found[first : first + size]
        if len(picked) == size:
            texts.append(" ".join(source.sample(picked, size) if len(texts) % 2 else picked))
    return [parse_question(text[:MAX_QUESTION]) for text in texts]


def _judged(name: str) -> Iterator[str]:
    path = JUDGED / name / "queries.jsonl"
    if path.exists():
        yield from (json.loads(line)["text"] for line in path.read_text().splitlines())


def spread(documents: int, classes: int) -> list[int]:
    """An access class for each document, drawn evenly."""
    source = random.Random(SEED + classes)
    return [source.randrange(classes) for _ in range(documents)]


def _is_content(word: str) -> bool:
    return LEAST_LETTERS <= len(word) <= 40 and word.isalpha()


def _lines(path: Path) -> Iterator[tuple[tuple[str, str], str, str]]:
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            law, state, heading, text = line.rstrip("\n").split("\t")
            yield (law, state), heading, text


def _generated(passages: int) -> Iterator[tuple[tuple[str, str], str, str]]:
    """Invented words whose frequencies fall as those of a language do, in documents and passages as long as those of laws."""
    source = random.Random(SEED)
    vocabulary = ["".join(source.choices("abdefghiklmnorstuvwz", k=source.randint(3, 14))) for _ in range(400_000)]
    document, left = 0, 0
    for _ in range(passages):
        if left == 0:
            document, left = document + 1, min(int(source.expovariate(1 / 60)) + 1, 5000)
        left -= 1
        length = min(int(source.lognormvariate(3, 0.8)) + 3, 2000)
        picked = (vocabulary[int(len(vocabulary) ** source.random()) - 1] for _ in range(length))
        yield (str(document), ""), str(left // SECTION_PASSAGES), " ".join(picked)
