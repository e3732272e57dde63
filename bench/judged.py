"""Measure the wider mode on judged questions: `python -m bench.judged`. README.md says how to read what it prints.

The engine itself is asked, without the database: a document of the set is a document with one section. Needs `shared/data/judged`
beside the project.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from uuid import UUID

from evidence.index import Entry, Wider
from evidence.index.questions import Answerability, parse_question
from evidence.index.sqlite import SqliteEngine

JUDGED: Final = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "judged"
SETS: Final = ("laws_de", "xquad_de", "xquad_en", "xquad_de_unanswerable", "squad2_small_en")
FIRST: Final = 10
_HITS: Final = 50
_READABLE: Final = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what came of it. documents: those found, best first, each once. relevant: none for one without an answer."""

    text: str
    language: str
    documents: Sequence[str]
    relevant: Mapping[str, int]
    state: Answerability

    @property
    def ndcg(self) -> float:
        """Of the first ten documents."""
        ideal = sorted(self.relevant.values(), reverse=True)
        return _gain([self.relevant.get(one, 0) for one in self.documents]) / _gain(ideal)

    @property
    def success(self) -> bool:
        """Whether any relevant document is among the first ten."""
        return any(one in self.relevant for one in self.documents[:FIRST])


def main() -> None:
    """Build, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS, help="names of folders in shared/data/judged")
    if not JUDGED.exists():
        print("The judged questions are not beside the project: nothing to measure.")
        return
    print(f"{'set':<24}{'nDCG@10':>9}{'even':>7}{'odd':>7}{'success@10':>12}{'MRR':>7}{'lost':>7}{'recognised':>12}")
    for name in parser.parse_args().sets:
        asked = list(ask(name))
        _print(name, asked)
        languages = sorted({one.language for one in asked})
        for language in languages if len(languages) > 1 else ():
            _print(f"  asked in {language}", [one for one in asked if one.language == language])


def _print(name: str, asked: Sequence[Asked]) -> None:
    with_answer, without = [one for one in asked if one.relevant], [one for one in asked if not one.relevant]
    gains = [one.ndcg for one in with_answer]
    print(
        f"{name:<24}{fmean(gains):9.3f}{fmean(gains[::2]):7.3f}{fmean(gains[1::2]):7.3f}"
        f"{fmean(one.success for one in with_answer):12.3f}{fmean(map(_reciprocal, with_answer)):7.3f}"
        f"{fmean(one.state is not Answerability.ANSWERABLE for one in with_answer):7.3f}"
        + (f"{fmean(one.state is not Answerability.ANSWERABLE for one in without):12.3f}" if without else "")
    )
    sys.stdout.flush()


def ask(name: str) -> Iterator[Asked]:
    """All questions of a set, those without an answer last."""
    corpus, questions, unanswerable = (_lines(name, part) for part in ("corpus", "queries", "unanswerable"))
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in _lines(name, "qrels"):
        relevant[line["query_id"]][line["doc_id"]] = line["relevance"]
    ids = [line["id"] for line in corpus]
    with tempfile.TemporaryDirectory() as folder:
        engine = SqliteEngine(Path(folder) / "index")
        engine.put(_entry(number, line) for number, line in enumerate(corpus))
        for line in (*questions, *unanswerable):
            found = answer(engine, line["text"])
            documents = list(dict.fromkeys(ids[hit.document] for hit in found.hits))
            yield Asked(line["text"], line["lang"], documents, relevant.get(line["id"], {}), found.answerability)


def answer(engine: SqliteEngine, text: str) -> Wider:
    """What the engine finds for a reader of everything."""
    return engine.wider(parse_question(text), classes=[_READABLE], excluded=[], filters={}, limit=_HITS, offset=0)


def _entry(number: int, line: Mapping[str, Any]) -> Entry:
    passages = line["text"].split("\n\n")
    return Entry(
        document=number,
        public_id=UUID(int=number),
        representation=number,
        access_class=_READABLE,
        attributes={},
        passages=passages,
        titles=[line["title"]],
        sections=[0] * len(passages),
    )


def _lines(name: str, part: str) -> list[dict[str, Any]]:
    path = JUDGED / name / f"{part}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _gain(relevances: Sequence[int]) -> float:
    return sum(relevance / math.log2(place + 2) for place, relevance in enumerate(relevances[:FIRST]))


def _reciprocal(asked: Asked) -> float:
    return next((1 / place for place, one in enumerate(asked.documents, start=1) if one in asked.relevant), 0.0)


if __name__ == "__main__":
    main()
