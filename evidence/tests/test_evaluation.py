"""Evaluations end to end: questions are asked as the person they name, counted, kept, and guard a release."""

from __future__ import annotations

import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from evidence.evaluation import expected, kept
from evidence.evaluation.asking import ask
from evidence.evaluation.figures import Given, Outcome
from evidence.evaluation.questions import Expected, Question, State
from evidence.knowledge import conflicts
from evidence.knowledge.conflicts import Named
from evidence.models import Document, Evaluation, Role, Tenant
from evidence.search import Mode
from evidence.tests.builders import access, document, person, publish, rules, run, tenant, write
from evidence.tests.test_evaluation_questions import judged_set, states_set

pytestmark = pytest.mark.django_db

OPEN = 'allowed = ["group:alle"]'
GRID = 'allowed = ["group:netz"]'
ALONE: dict[str, Any] = {"person": "anna", "state": "answerable"}


@pytest.fixture
def handbook(tmp_path: Path) -> None:
    """Documents for everybody and one for the grid; Anna is everybody, Ben of the grid too."""
    files = {
        "frist.txt": "Die Frist beträgt zwei Wochen.\n\nDie Frist endet am Freitag.",
        "urlaub.txt": "Urlaub gibt es auch.",
        "trafo.txt": "Der Transformator hat eine Frist.",
        "fundstelle.toml": rules(("*", OPEN), ("trafo.txt", GRID)),
    }
    run(write(tmp_path / "handbuch", files))
    person("anna", ["alle"])
    person("ben", ["alle", "netz"])


def asked(*questions: Question, mode: Mode = Mode.EXACT) -> list[Outcome]:
    return ask(tenant(), expected.prepare(tenant(), questions), mode)


def question(text: str, *expect: str | Expected, **more: Any) -> Question:
    wanted = tuple(Expected(one) if isinstance(one, str) else one for one in expect)
    return Question(**{"line": 1, "id": "q", "text": text, "person": "anna", "expect": wanted, **more})


def file(folder: Path, *tables: dict[str, Any], name: str = "fragen") -> str:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in tables))
    return str(path)


def evaluate(*arguments: str) -> str:
    """What the command prints."""
    out = io.StringIO()
    call_command("evaluate", *arguments, stdout=out, verbosity=0)
    return out.getvalue()


def fails(status: int, *arguments: str) -> str:
    """What it says when it fails with this exit status."""
    with pytest.raises(CommandError) as caught:
        evaluate(*arguments)
    assert caught.value.returncode == status
    return str(caught.value)


FRIST = {"id": "frist", "question": "Frist Wochen", "person": "anna", "expect": ["frist"]}
NIRGENDS = {"id": "nirgends", "question": "Mondfinsternis", "person": "anna", "state": "unanswerable"}
TRAFO = {"id": "trafo", "question": "Transformator", "person": "anna", "state": "forbidden", "expect": ["trafo"]}
IN_TENANT = ("--tenant", "lindenau")


# One question


@pytest.mark.usefixtures("handbook")
def test_a_document_has_the_rank_of_its_best_passage() -> None:
    (found,) = asked(question("Frist", "frist"))
    assert (found.rank, found.gain, found.given) == (1, 1.0, Given.ANSWERABLE)


@pytest.mark.usefixtures("handbook")
def test_ranks_count_documents_and_passages_apart() -> None:
    (found,) = asked(question("die Frist", Expected("frist", quote="endet am Freitag")))
    assert (found.rank, found.quoted) == (1, True)
    assert found.passage in {1, 2} and found.passage_gain > 0


@pytest.mark.usefixtures("handbook")
def test_a_quote_over_two_passages_is_found_with_either() -> None:
    (found,) = asked(question("Freitag", Expected("frist", quote="Wochen.  Die\nFrist endet")))
    assert found.passage == 1


@pytest.mark.usefixtures("handbook")
def test_what_is_not_found_has_no_rank() -> None:
    (found,) = asked(question("Urlaub", "frist"))
    assert (found.rank, found.gain, found.given) == (None, 0.0, Given.ANSWERABLE)


@pytest.mark.usefixtures("handbook")
def test_a_question_outside_the_contract_is_refused_and_the_others_go_on() -> None:
    long = " ".join(f"wort{number}" for number in range(13))
    found = asked(question(long, "frist"), question("Frist", "frist"))
    assert [one.given for one in found] == [Given.REFUSED, Given.ANSWERABLE]


@pytest.mark.usefixtures("handbook")
def test_a_document_is_also_known_by_its_public_id() -> None:
    (found,) = asked(question("Frist", str(document("frist").public_id)))
    assert found.rank == 1


@pytest.mark.usefixtures("handbook")
def test_each_question_is_asked_as_its_person() -> None:
    found = asked(question("Transformator", "trafo"), question("Transformator", "trafo", person="ben"))
    assert [one.rank for one in found] == [None, 1]


@pytest.mark.usefixtures("handbook")
def test_who_is_inactive_here_finds_nothing_even_if_elsewhere_there_is_something(tmp_path: Path) -> None:
    other = tenant("anderswo")
    user = person("carl", ["alle"], active=False)
    publish(tmp_path / "dort", {"frist.txt": "Frist"}, of=other)
    user.memberships.create(tenant=other).groups.set(other.groups.all())
    (found,) = asked(question("Frist", "frist", person="carl"))
    assert (found.rank, found.given) == (None, Given.NOTHING)


@pytest.mark.usefixtures("handbook")
def test_what_is_forbidden_is_not_found_by_who_may_not_and_told_of_who_may() -> None:
    forbidden = [question("Transformator", "trafo", state=State.FORBIDDEN, person=name) for name in ("anna", "ben")]
    anna, ben = asked(*forbidden)
    assert (anna.forbidden, anna.right) == ((), True)
    assert (ben.forbidden, ben.right) == ((str(document("trafo").public_id),), False)


def test_an_earlier_state_of_a_forbidden_document_is_a_forbidden_hit_too(tmp_path: Path) -> None:
    files = {"a_2024-01-01.txt": "Probe", "a_2025-01-01.txt": "Entwurf"}
    lines = f'id = "{{id}}"\ndate = "{{date}}"\n{OPEN}'
    run(write(tmp_path, {**files, "fundstelle.toml": rules(("{id}_{date}.txt", lines))}))
    person("anna", ["alle"])
    (found,) = asked(question("Probe", "a", state=State.FORBIDDEN))
    assert len(found.forbidden) == 1 and found.given is Given.NOTHING


@pytest.fixture
def laws(tmp_path: Path) -> None:
    """A law of two states, and its tenant with its people."""
    states_set(tmp_path / "recht")
    evaluate(str(tmp_path / "recht" / "revision_questions"), "--load", "--no-keep")


@pytest.mark.usefixtures("laws")
def test_a_question_about_a_state_finds_that_state_and_not_another() -> None:
    there = Tenant.objects.get()
    who = {"person": "evaluation-revision_questions"}
    old = Expected("StAG", quote="acht Jahre")
    of_then = question("acht Jahre", old, revision="2021-08-24", **who)
    asked_of = [of_then, question("fünf Jahre", Expected("StAG", quote="fünf Jahre"), revision="2026-08-19", **who)]
    found = ask(there, expected.prepare(there, asked_of), Mode.EXACT)
    assert [(one.rank, one.passage) for one in found] == [(1, 1), (1, 1)]
    with pytest.raises(Exception, match="does not stand in document 'StAG', word for word"):
        expected.prepare(there, [question("acht Jahre", old, **who)])


@pytest.mark.usefixtures("laws")
def test_the_state_of_a_day_is_the_last_one_before() -> None:
    there = Tenant.objects.get()
    who = {"person": "evaluation-revision_questions"}
    (one,) = expected.prepare(there, [question("x", "StAG", date=date(2025, 1, 1), **who)])
    state = Document.objects.get().revisions.get(label="2021-08-24").representations.get()
    assert one.targets[0].states == {state.public_id}


# What is not there


@pytest.mark.usefixtures("handbook")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"person": "niemand"}, "line 2: there is no person 'niemand' in the tenant 'lindenau'"),
        ({"expect": ["nirgends"]}, "line 2: x: there is no document 'nirgends'"),
        ({"expect": [{"document": "frist", "source": "archiv"}]}, "there is no document 'frist' in the source 'archiv'"),
        (
            {"expect": [{"document": "frist", "quote": "drei Wochen"}]},
            "the quote does not stand in document 'frist', word for word",
        ),
        ({"revision": "2020"}, "document 'frist' has no state of the revision '2020'"),
        ({"date": "2020-01-01"}, "document 'frist' has no state of 2020-01-01"),
    ],
)
def test_what_is_expected_and_not_there_refuses_the_run_before_anything_is_asked(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    told = fails(2, file(tmp_path, FRIST, {**FRIST, "id": "x", **changes}), *IN_TENANT)
    assert message in told and told.startswith("Nothing was asked [evaluation_questions].")
    assert not Evaluation.objects.exists()


@pytest.mark.usefixtures("handbook")
def test_a_document_that_two_sources_have_needs_its_source(tmp_path: Path) -> None:
    publish(tmp_path / "archiv", {"frist.txt": "Frist"}, source="archiv")
    assert "(archiv, handbuch): name one with source" in fails(2, file(tmp_path, FRIST), *IN_TENANT)
    evaluate(file(tmp_path, {**FRIST, "expect": [{"document": "frist", "source": "handbuch"}]}), *IN_TENANT)


@pytest.mark.usefixtures("handbook")
def test_documents_of_another_tenant_are_none_here(tmp_path: Path) -> None:
    publish(tmp_path / "dort", {"dort.txt": "dort"}, of=tenant("anderswo"))
    dort = document("dort", of=tenant("anderswo"))
    for name in ("dort", str(dort.public_id)):
        assert "there is no document" in fails(2, file(tmp_path, {**FRIST, "expect": [name]}), *IN_TENANT)


@pytest.mark.parametrize("missing", ["no.jsonl", "."])
def test_a_file_that_is_not_there_and_a_folder_that_is_none_are_told(tmp_path: Path, missing: str) -> None:
    assert fails(2, str(tmp_path / missing), "--tenant", tenant().slug)


def test_a_tenant_is_needed_and_must_be_there(tmp_path: Path) -> None:
    path = file(tmp_path, FRIST)
    assert "Name the tenant with --tenant" in fails(2, path)
    assert "There is no tenant 'nirgends'" in fails(2, path, "--tenant", "nirgends")


# A run


@pytest.mark.usefixtures("handbook")
def test_a_run_is_told_and_kept_in_ids_and_numbers_only(tmp_path: Path) -> None:
    told = evaluate(file(tmp_path, FRIST, NIRGENDS, TRAFO), *IN_TENANT)
    row = Evaluation.objects.get()
    assert "success@10               1.000" in told and "forbidden_hits               0" in told
    assert (row.name, row.settings["mode"], row.passed, row.forbidden) == ("fragen", "exact", None, 0)
    assert (row.figures["success@1"], row.figures["recognised"], row.figures["states_right"]) == (1, 1, 3)
    words = json.dumps([row.results, row.figures, row.settings]).lower()
    assert not any(word in words for word in ("wochen", "mondfinsternis", "transformator", "anna"))


@pytest.mark.usefixtures("handbook")
def test_a_run_that_is_not_to_be_kept_is_not(tmp_path: Path) -> None:
    evaluate(file(tmp_path, FRIST), *IN_TENANT, "--no-keep")
    assert not Evaluation.objects.exists()


@pytest.mark.usefixtures("handbook")
def test_one_forbidden_hit_fails_the_run_whatever_else_is_good(tmp_path: Path) -> None:
    path = file(tmp_path, FRIST, {**TRAFO, "person": "ben"})
    assert fails(1, path, *IN_TENANT, "--min-success10", "0.5") == "Not good enough: 1 forbidden hits"
    row = Evaluation.objects.get()
    assert (row.passed, row.forbidden) == (False, 1)
    assert row.results[1]["forbidden"] == [str(document("trafo").public_id)]


@pytest.mark.usefixtures("handbook")
def test_forbidden_documents_are_named_by_their_ids(tmp_path: Path) -> None:
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("evaluate", file(tmp_path, {**TRAFO, "person": "ben"}), *IN_TENANT, stdout=out, verbosity=0)
    assert f"FORBIDDEN: question trafo found document {document('trafo').public_id}" in out.getvalue()


@pytest.mark.usefixtures("handbook")
def test_thresholds_decide_the_exit_status_and_are_kept(tmp_path: Path) -> None:
    half = file(tmp_path, FRIST, {**FRIST, "id": "no", "question": "Urlaub"})
    evaluate(half, *IN_TENANT, "--min-success10", "0.5", "--max-lost", "0")
    assert Evaluation.objects.get().passed is True
    told = fails(1, half, *IN_TENANT, "--min-success10", "0.75", "--min-ndcg10", "0.4")
    assert told == "Not good enough: success@10 is 0.500, at least 0.750 is asked for"
    assert Evaluation.objects.latest("pk").settings["thresholds"] == {"min_success10": 0.75, "min_ndcg10": 0.4}


@pytest.mark.usefixtures("handbook")
def test_too_many_wrong_states_fail_a_run(tmp_path: Path) -> None:
    path = file(tmp_path, {**FRIST, "question": "Mondfinsternis"})
    assert "states_wrong is 1, at most 0 is asked for" in fails(1, path, *IN_TENANT, "--max-states-wrong", "0").replace(
        ".000", ""
    )


@pytest.mark.usefixtures("handbook")
@pytest.mark.parametrize(
    ("option", "lacks"),
    [("--min-recognised", "unanswerable questions"), ("--min-passage-success10", "questions with quotes")],
)
def test_a_threshold_that_nothing_can_reach_is_refused(tmp_path: Path, option: str, lacks: str) -> None:
    assert f"needs {lacks}" in fails(2, file(tmp_path, FRIST), *IN_TENANT, option, "0.5")


@pytest.mark.parametrize("arguments", [("--min-success10", "75"), ("--min-mrr", "x"), ("--k", "0"), ("--k", "1,51")])
def test_thresholds_and_ranks_that_are_none_are_refused(arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        evaluate("fragen.jsonl", *arguments)


@pytest.mark.usefixtures("handbook")
def test_a_conflict_is_right_for_whoever_may_read_both_sides() -> None:
    editor = access(person("edda", ["alle", "netz"], role=Role.EDITOR))
    sides = [Named(document=document(name).public_id) for name in ("frist", "trafo")]
    questions = [question("Frist", "frist", state=State.CONFLICT, person=name) for name in ("anna", "ben")]
    assert [one.given for one in asked(*questions)] == [Given.ANSWERABLE] * 2
    conflicts.mark(editor, *sides, matter="Frist")
    assert [(one.given, one.right) for one in asked(*questions)] == [(Given.ANSWERABLE, False), (Given.CONFLICT, True)]


@pytest.mark.usefixtures("handbook")
def test_a_warning_makes_no_answerable_question_wrong_and_no_unanswerable_one_a_conflict() -> None:
    editor = access(person("edda", ["alle"], role=Role.EDITOR))
    sides = [Named(document=document(name).public_id) for name in ("frist", "urlaub")]
    conflicts.mark(editor, *sides, matter="Frist")
    found = asked(question("Frist", "frist"), question("Frist", state=State.UNANSWERABLE))
    assert [(one.given, one.right) for one in found] == [(Given.CONFLICT, True), (Given.ANSWERABLE, False)]


@pytest.mark.usefixtures("handbook")
def test_a_run_is_compared_with_the_last_one_of_its_set_and_mode(tmp_path: Path) -> None:
    path = file(tmp_path, FRIST, {**FRIST, "id": "urlaub", "expect": ["urlaub"]})
    assert "There is no earlier run" in evaluate(path, *IN_TENANT, "--compare")
    evaluate(path, *IN_TENANT, "--mode", "wider")
    file(tmp_path, {**FRIST, "question": "Urlaub"}, {**FRIST, "id": "urlaub", "question": "Urlaub", "expect": ["urlaub"]})
    told = evaluate(path, *IN_TENANT, "--compare")
    assert "worse: 1\n  frist: answerable, rank 1 -> answerable, not found" in told
    assert "better: 1\n  urlaub: answerable, not found -> answerable, rank 1" in told
    assert "the questions have changed since" in told


@pytest.mark.usefixtures("handbook")
def test_the_wider_mode_finds_what_the_exact_one_does_not(tmp_path: Path) -> None:
    path = file(tmp_path, {**FRIST, "question": "Wann endet die Frist bei Mondfinsternis?"})
    for mode in ("exact", "wider"):
        evaluate(path, *IN_TENANT, "--mode", mode)
    assert [row.figures["success@10"] for row in Evaluation.objects.order_by("pk")] == [0, 1]


def test_a_name_for_a_set_holds_no_words(tmp_path: Path) -> None:
    path = file(tmp_path, FRIST, name="Fragen des Betriebsrats")
    assert "give one with --name" in fails(2, path, "--tenant", tenant().slug)


# Judged sets


def test_a_judged_set_is_loaded_into_its_own_tenant_and_asked(tmp_path: Path) -> None:
    folder = str(judged_set(tmp_path))
    assert "load its documents with --load" in fails(2, folder)
    evaluate(folder, "--load", "--mode", "wider")
    found = Evaluation.objects.get()
    assert (found.tenant.slug, found.name, found.figures["answerable"]) == ("evaluation-kleine", "kleine", 2)
    assert Document.objects.get(external_id="GG Art 1").title == "Titel 1"


def test_loading_again_changes_nothing(tmp_path: Path) -> None:
    folder = str(judged_set(tmp_path))
    evaluate(folder, "--load")
    assert "3 unchanged" in evaluate(folder, "--load")


def test_nothing_is_loaded_into_a_tenant_in_which_people_work(tmp_path: Path) -> None:
    folder = str(judged_set(tmp_path))
    assert "begins with evaluation-" in fails(2, folder, "--load", "--tenant", tenant().slug)
    assert not Document.objects.exists()


def test_who_reads_half_of_a_set_finds_nothing_of_the_rest(tmp_path: Path) -> None:
    folder = str(judged_set(tmp_path))
    evaluate(folder, "--load", "--half", "--mode", "wider")
    found = Evaluation.objects.get()
    assert (found.name, found.forbidden) == ("kleine-half", 0)
    assert found.figures["forbidden"] + found.figures["answerable"] == 2


def test_half_is_for_judged_sets(tmp_path: Path) -> None:
    assert "--half is for judged sets" in fails(2, file(tmp_path, FRIST), "--tenant", tenant().slug, "--half")


@pytest.mark.usefixtures("handbook")
def test_a_run_before_another_is_found_by_set_and_mode(tmp_path: Path) -> None:
    path = file(tmp_path, FRIST)
    evaluate(path, *IN_TENANT)
    evaluate(path, *IN_TENANT, "--mode", "wider")
    latest = kept.latest(tenant(), "fragen", Mode.WIDER)
    assert latest is not None and latest.settings["mode"] == "wider"
    assert kept.latest(tenant("anderswo"), "fragen", Mode.WIDER) is None
