"""manage.py evaluate: ask questions whose answers are known, count what came of it, and fail when it is not good enough."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

from evidence import projection
from evidence.errors import EvidenceError, Refused
from evidence.evaluation import expected, figures, judged, kept, loading, questions
from evidence.evaluation.asking import ask
from evidence.evaluation.figures import CUTOFFS, DEPTH, Change, Given, Outcome
from evidence.evaluation.questions import QuestionSet
from evidence.management import progress
from evidence.management.command import EvidenceCommand
from evidence.management.people import find_tenant
from evidence.management.runs import tell
from evidence.models import Evaluation, Tenant
from evidence.search import MAX_LIMIT, Mode

NOT_GOOD_ENOUGH: Final = 1
NOTHING_DONE: Final = 2
SHOWN: Final = 20
"""Questions of one kind that are named; the rest is counted."""
LEAST: Final[Mapping[str, str]] = {
    **{f"success{k}": f"success@{k}" for k in CUTOFFS},
    "mrr": "mrr",
    f"ndcg{DEPTH}": f"ndcg@{DEPTH}",
    **{f"passage_success{k}": f"passage_success@{k}" for k in CUTOFFS},
    f"passage_ndcg{DEPTH}": f"passage_ndcg@{DEPTH}",
    "recognised": "recognised",
}
"""Option after --min- -> figure."""
MOST: Final[Mapping[str, str]] = {"lost": "lost", "states_wrong": "states_wrong", "refused": "refused", "seconds": "seconds"}
"""Option after --max- -> figure."""
SHARES: Final = frozenset({"lost", *LEAST.values()})
OF_GROUPS: Final = ("success@10", f"ndcg@{DEPTH}", "recognised", "lost", "forbidden_hits")
"""Figures that are told of each group of questions."""
LESS_IS_BETTER: Final = frozenset({*MOST.values(), "forbidden_hits"})


class Command(EvidenceCommand):
    """Exit status: 0 good enough, 1 a threshold is missed or something forbidden was found, 2 nothing was asked."""

    help = "Ask questions whose answers are known, and say what the search is worth (docs/evaluation.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Questions, who asks and how, what is enough."""
        parser.add_argument("questions", type=Path, help="a file with one question a line, or the folder of a judged set")
        parser.add_argument("--tenant", help="short name of the tenant (a judged set has one of its own)")
        parser.add_argument("--person", default="", help="user name of who asks where a question names nobody")
        parser.add_argument("--mode", choices=list(Mode), default=Mode.EXACT, help="how questions are read")
        parser.add_argument("--name", default="", help="what the set is called (default: the name of the file or folder)")
        parser.add_argument("--k", type=_cutoffs, default=CUTOFFS, metavar="K,K", help="ranks at which success is counted too")
        parser.add_argument("--load", action="store_true", help="first bring the documents of a judged set into its own tenant")
        parser.add_argument(
            "--half", action="store_true", help="ask a judged set as somebody who may read half of it and must not find the rest"
        )
        for option, figure in LEAST.items():
            parser.add_argument(f"--min-{_dashed(option)}", type=_share, metavar="X", help=f"fail when {figure} is below X")
        for option, figure in MOST.items():
            kind = _share if figure in SHARES else _number
            parser.add_argument(f"--max-{_dashed(option)}", type=kind, metavar="X", help=f"fail when {figure} is above X")
        parser.add_argument(
            "--compare", action="store_true", help="name the questions that differ from the last run that was kept"
        )
        parser.add_argument("--no-keep", action="store_true", help="don't keep this run")

    def handle(self, *, questions: Path, load: bool, compare: bool, no_keep: bool, **options: Any) -> None:
        """Check everything, ask, tell, keep, and judge."""
        mode = Mode(options["mode"])
        thresholds = {name: options[name] for name in (*_named("min", LEAST), *_named("max", MOST)) if options[name] is not None}
        quiet = options["verbosity"] == 0
        try:
            asked = _questions(questions, options)
            tenant = self._tenant(questions, options["tenant"], load=load, quiet=quiet)
            prepared = expected.prepare(tenant, asked.questions)
            _check_thresholds(asked, thresholds)
            projection.ensure()
            projection.settle()
        except EvidenceError as error:
            raise CommandError(f"Nothing was asked [{error.code}].\n{error}", returncode=NOTHING_DONE) from None
        except OSError as error:
            raise CommandError(f"{questions}: {error.strerror or type(error).__name__}", returncode=NOTHING_DONE) from None
        before = kept.latest(tenant, asked.name, mode)
        began = time.perf_counter()
        try:
            with progress.bar(asked.name, unit="question", quiet=quiet, total=len(prepared)) as bar:
                outcomes = ask(tenant, prepared, mode, progress=bar.update)
        except EvidenceError as error:
            raise CommandError(f"Broken off, and nothing was kept [{error.code}].\n{error}", returncode=NOTHING_DONE) from None
        found = figures.summary(outcomes, cutoffs={*CUTOFFS, *options["k"]}, seconds=time.perf_counter() - began)
        missed = _missed(found, thresholds)
        passed = False if missed else True if thresholds else None
        if not no_keep:
            kept.keep(tenant, asked, mode, outcomes, found, thresholds=thresholds, passed=passed)
        self._tell(asked, mode, outcomes, found, before)
        if compare:
            self._compare(asked, outcomes, before)
        if options["verbosity"] > 1:
            self._each(outcomes)
        if missed:
            raise CommandError("Not good enough: " + "; ".join(missed), returncode=NOT_GOOD_ENOUGH)

    def _tenant(self, folder: Path, slug: str | None, *, load: bool, quiet: bool) -> Tenant:
        is_judged = folder.is_dir()
        if slug is None and not is_judged:
            raise CommandError("Whose documents? Name the tenant with --tenant.", returncode=NOTHING_DONE)
        slug = slug or loading.tenant_of(folder)
        if load and not is_judged:
            raise CommandError("Only a judged set has documents to load: name its folder.", returncode=NOTHING_DONE)
        if load:
            with progress.bar(slug, unit="document", quiet=quiet) as bar:
                report = loading.load(folder, slug, listed=bar.reset, progress=bar.update)
            tell(report, self.stdout)
            if report.refusals or not report.complete:
                raise CommandError("The documents could not all be loaded (see above).", returncode=NOTHING_DONE)
        if is_judged and not load and not Tenant.objects.filter(slug=slug).exists():
            raise CommandError(f"There is no tenant {slug!r} yet: load its documents with --load.", returncode=NOTHING_DONE)
        try:
            return find_tenant(slug)
        except CommandError as error:
            raise CommandError(str(error), returncode=NOTHING_DONE) from None

    def _tell(
        self, asked: QuestionSet, mode: Mode, outcomes: Sequence[Outcome], found: Mapping[str, float], before: Evaluation | None
    ) -> None:
        earlier: Mapping[str, float] = before.figures if before else {}
        self.stdout.write(f"{asked.name}, {mode} mode, {len(outcomes)} questions")
        for name, value in found.items():
            if value or name not in set(questions.State):
                self.stdout.write(f"  {name:<20}{_figure(value):>10}{_moved(name, value, earlier.get(name))}")
        if before is not None:
            changed = "" if before.digest == asked.digest else "; the questions have changed since"
            self.stdout.write(f"  (in brackets: against the run of {before.at:%Y-%m-%d %H:%M} UTC{changed})")
        self.stdout.write("  expected \\ given    " + "".join(f"{given:>12}" for given in Given))
        for state, counts in figures.confusion(outcomes).items():
            self.stdout.write(f"  {state:<20}" + "".join(f"{counts[given]:>12}" for given in Given))
        self._groups(outcomes)
        for one in outcomes:
            for document in one.forbidden:
                self.stdout.write(self.style.ERROR(f"  FORBIDDEN: question {one.id} found document {document}"))

    def _groups(self, outcomes: Sequence[Outcome]) -> None:
        for name, found in figures.by_group(outcomes).items():
            shown = "".join(f"  {one} {_figure(found[one])}" for one in OF_GROUPS if one in found)
            self.stdout.write(f"  group {name or '-'}: {found['questions']} questions{shown}")

    def _compare(self, asked: QuestionSet, outcomes: Sequence[Outcome], before: Evaluation | None) -> None:
        if before is None:
            self.stdout.write("There is no earlier run of this set in this mode.")
            return
        difference = figures.difference(outcomes, kept.outcomes(before))
        self._changes("better", difference.better)
        self._changes("worse", difference.worse)
        self._ids("new questions", difference.added)
        self._ids("questions that are gone", difference.gone)

    def _changes(self, title: str, changes: Sequence[Change]) -> None:
        self.stdout.write(f"{title}: {len(changes)}")
        for change in changes[:SHOWN]:
            self.stdout.write(f"  {change.now.id}: {_outcome(change.before)} -> {_outcome(change.now)}")
        if len(changes) > SHOWN:
            self.stdout.write(f"  ... and {len(changes) - SHOWN} more")

    def _ids(self, title: str, ids: Sequence[str]) -> None:
        if ids:
            more = f" ... and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
            self.stdout.write(f"{title}: {', '.join(ids[:SHOWN])}{more}")

    def _each(self, outcomes: Sequence[Outcome]) -> None:
        for one in outcomes:
            sign = " " if one.right else "!"
            self.stdout.write(f"{sign} {one.id}: expected {one.expected}, given {_outcome(one)}")


def _questions(path: Path, options: Mapping[str, Any]) -> QuestionSet:
    """What is to be asked. Raises Refused, OSError."""
    if path.is_dir():
        if not judged.is_judged(path):
            message = "%(folder)s is no judged set: there must be %(files)s in it, or states of documents beside it"
            raise Refused("evaluation_layout", message, folder=path, files=", ".join(judged.JUDGED))
        asked = judged.questions(path.resolve(), person=options["person"], divided=options["half"])
    elif options["half"]:
        raise Refused("evaluation_layout", "--half is for judged sets, whose documents are loaded for two people")
    else:
        asked = questions.read(path, person=options["person"])
    return replace(asked, name=kept.checked_name(options["name"] or asked.name))


def _check_thresholds(asked: QuestionSet, thresholds: Mapping[str, float]) -> None:
    """Refuse a threshold for a figure that these questions don't give: it would hold for ever, or never."""
    present = {one.state for one in asked.questions}
    is_quoted = any(one.quote for question in asked.questions for one in question.expect)
    for option in thresholds:
        figure = _figure_of(option)
        lacks = None
        if figure == "recognised" and questions.State.UNANSWERABLE not in present:
            lacks = "unanswerable questions"
        elif figure in SHARES - {"recognised"} and questions.State.ANSWERABLE not in present:
            lacks = "answerable questions"
        elif figure.startswith("passage_") and not is_quoted:
            lacks = "questions with quotes"
        if lacks:
            raise Refused("evaluation_threshold", "--%(option)s needs %(what)s", option=_dashed(option), what=lacks)


def _missed(found: Mapping[str, float], thresholds: Mapping[str, float]) -> list[str]:
    """Why it is not good enough."""
    missed = []
    if found["forbidden_hits"]:
        missed.append(f"{_figure(found['forbidden_hits'])} forbidden hits")
    for option, limit in thresholds.items():
        name = _figure_of(option)
        is_least = option.startswith("min_")
        if found[name] < limit if is_least else found[name] > limit:
            missed.append(
                f"{name} is {_figure(found[name])}, {'at least' if is_least else 'at most'} {_figure(limit)} is asked for"
            )
    return missed


def _named(kind: str, options: Mapping[str, str]) -> list[str]:
    return [f"{kind}_{option}" for option in options]


def _figure_of(option: str) -> str:
    kind, _, name = option.partition("_")
    return (LEAST if kind == "min" else MOST)[name]


def _dashed(option: str) -> str:
    return option.replace("_", "-")


def _figure(value: float) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _moved(name: str, value: float, before: float | None) -> str:
    if before is None or abs(value - before) < 0.0005 or name == "seconds":
        return ""
    difference = value - before
    told = f"{difference:+.3f}" if isinstance(difference, float) else f"{difference:+d}"
    return (
        f"  ({told}, {'better' if (difference < 0) == (name in LESS_IS_BETTER) else 'worse'})" if _judges(name) else f"  ({told})"
    )


def _judges(name: str) -> bool:
    """Whether more or less of it is better."""
    return name in SHARES or name in LESS_IS_BETTER or "success" in name or "mrr" in name or name == "states_right"


def _outcome(one: Outcome) -> str:
    rank = "not found" if one.rank is None else f"rank {one.rank}"
    forbidden = f", {len(one.forbidden)} forbidden" if one.forbidden else ""
    return f"{one.given}{f', {rank}' if one.expected == questions.State.ANSWERABLE else ''}{forbidden}"


def _share(text: str) -> float:
    value = _number(text)
    if not 0 <= value <= 1:
        raise ArgumentTypeError("a share is a number from 0 to 1")
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ArgumentTypeError("a number, 0 or more")
    return value


def _cutoffs(text: str) -> Sequence[int]:
    found = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    if not all(1 <= one <= MAX_LIMIT for one in found):
        raise ArgumentTypeError(f"ranks are whole numbers from 1 to {MAX_LIMIT} with commas between them")
    return found
