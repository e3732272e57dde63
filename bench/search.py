"""Measure the search engine: `python -m bench.search`. README.md says how to read what it prints."""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import contenders
from bench.contenders import CLASSES, Asked, Built, Found
from bench.corpus import Corpus, draw, draw_questions
from bench.measure import Times, in_own_process
from evidence.index.query import Query
from evidence.index.questions import Question

LONGEST_QUESTION = 150.0
"""Milliseconds."""
REBUILDS = 2
"""A rebuild takes tens of seconds, so that few of them show enough."""


def main() -> None:
    """Build, ask, compare, print."""
    corpus = _corpus()
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    documents, queries, questions = in_own_process(_prepare, corpus)
    text = "real" if corpus.real else "generated"
    print(f"{text} text, {documents} documents, {len(queries)} queries, {len(questions)} whole questions\n")
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / name for name in ("engine", "fts5", "tantivy")}
        for path in paths.values():
            path.mkdir()
        _print_built("this engine", in_own_process(contenders.build_engine, corpus, paths["engine"]), header=True)
        _print_built("FTS5", in_own_process(contenders.build_fts5, corpus, paths["fts5"]))
        _print_built("tantivy", in_own_process(contenders.build_tantivy, corpus, paths["tantivy"]))
        few, many = CLASSES
        rebuilt, right = in_own_process(contenders.rebuild, corpus, queries[:REBUILDS], few)
        asked = _ask(paths, queries, few)
        _compare(in_own_process(contenders.engine_hits, paths["engine"], queries[:REBUILDS], few), right)
        _print_asked(few, asked, rebuilt)
        _verdicts(asked, rebuilt)
        _widely(paths, questions, few)
        seconds = in_own_process(contenders.move_engine, paths["engine"], documents, many)
        print(f"\nAll documents moved to {many} classes in {seconds:.2f} s")
        asked = _ask(paths, queries, many)
        _print_asked(many, asked)
        _verdicts(asked)
        _widely(paths, questions, many)


def _corpus() -> Corpus:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", choices=["full", "small"], default="full", help="a million passages, or a tenth")
    parser.add_argument("--limit", type=int, help="use at most this many passages")
    arguments = parser.parse_args()
    return Corpus(arguments.corpus, arguments.limit)


def _prepare(corpus: Corpus) -> tuple[int, list[Query], list[Question]]:
    documents = list(corpus.documents())
    return len(documents), draw(documents), draw_questions(documents)


def _widely(paths: Mapping[str, Path], questions: Sequence[Question], classes: int) -> None:
    """Whole questions: the wider mode, and any of the words as they are written."""
    asked = {
        "wider mode": in_own_process(contenders.ask_widely, paths["engine"], questions, classes),
        "tantivy, any word": in_own_process(contenders.ask_tantivy_any, paths["tantivy"], questions, classes),
    }
    _print_asked(classes, asked)
    ours, any_word = (figures.times.percentile(95) for figures in asked.values())
    _verdict("p95 of whole questions at most 150 ms", ours, LONGEST_QUESTION)
    _verdict("p95 of whole questions at most three times tantivy's", ours, 3 * any_word)


def _ask(paths: Mapping[str, Path], queries: Sequence[Query], classes: int) -> dict[str, Asked]:
    return {
        "this engine": in_own_process(contenders.ask_engine, paths["engine"], queries, classes),
        "FTS5 rank, no rights": in_own_process(contenders.ask_fts5, paths["fts5"], queries),
        "tantivy, filter": in_own_process(contenders.ask_tantivy, paths["tantivy"], queries, classes),
    }


def _compare(found: Sequence[Found], right: Sequence[Found]) -> None:
    """The engine's hits must be those of the rebuilt table: places, order, scores to 1e-9."""
    for ours, theirs in zip(found, right, strict=True):
        if [hit[:2] for hit in ours] != [hit[:2] for hit in theirs]:
            raise SystemExit("The engine's hits are not those of a rebuilt FTS5 table.")
        if any(abs(a[2] - b[2]) > 1e-9 for a, b in zip(ours, theirs, strict=True)):
            raise SystemExit("The engine's scores are not those of a rebuilt FTS5 table.")
    print(f"\nHits and scores of {len(right)} questions compared with a rebuilt table: equal")


def _print_built(name: str, built: Built, *, header: bool = False) -> None:
    if header:
        print(f"{'build':<24}{'seconds':>10}{'per s':>10}{'processor':>10}{'MB':>10}{'memory':>10}")
    speed = f"{built.seconds:>10.1f}{built.passages / built.seconds:>10.0f}{built.processor:>10.1f}"
    figures = f"{speed}{built.megabytes:>10.0f}{built.memory:>10}"
    print(f"{name:<24}{figures}", flush=True)


def _print_asked(classes: int, asked: Mapping[str, Asked], rebuilt: Times | None = None) -> None:
    print(f"\n{f'{classes} classes, ms':<24}{'p50':>10}{'p95':>10}{'p99':>10}{'worst':>10}{'memory':>10}")
    for name, figures in asked.items():
        print(f"{name:<24}{figures.times.row()}{figures.memory:>10}", flush=True)
    if rebuilt:
        print(f"{'rebuild for each call':<24}{rebuilt.row()}")


def _verdicts(asked: Mapping[str, Asked], rebuilt: Times | None = None) -> None:
    ours, rank, filtered = (figures.times for figures in asked.values())
    _verdict("p95 at most half of FTS5's rank", ours.percentile(95), rank.percentile(95) / 2)
    _verdict("p50 at most tantivy's", ours.percentile(50), filtered.percentile(50))
    if rebuilt:
        _verdict("a rebuild takes 1,000 times as long", 1000 * ours.percentile(50), min(rebuilt.milliseconds))
    _verdict("goal: p95 at most twice tantivy's", ours.percentile(95), 2 * filtered.percentile(95))
    _verdict("goal: p99 at most twice tantivy's", ours.percentile(99), 2 * filtered.percentile(99))


def _verdict(what: str, value: float, limit: float) -> None:
    print(f"{'reached' if value <= limit else 'MISSED':<9}{what}: {value:.2f} <= {limit:.2f} ms")


if __name__ == "__main__":
    main()
