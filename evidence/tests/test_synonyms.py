"""Synonyms as documents: which lines count, who is widened by them, and that nothing of them reaches those who may not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evidence import synonyms
from evidence.models import Document, Passage
from evidence.projection import Versions
from evidence.search import Mode, search
from evidence.synonyms import MAX_GROUPS, MAX_LISTS, MAX_MEANINGS, MAX_WORDS, Fault, Vocabulary, Widening
from evidence.tests.builders import access, document, person, publish, rules, run, write

pytestmark = pytest.mark.django_db

ASKED = ["welcher", "pkw"]


def taken_in(folder: Path, text: str, *, name: str = "liste.md", allowed: str = '["group:alle"]', more: str = "") -> Document:
    """A document of this kind, imported."""
    lines = f'kind = "synonyms"\nallowed = {allowed}\n{more}'
    write(folder, {name: text, "fundstelle.toml": rules(("**", lines))})
    run(folder)
    return document(Path(name).stem)


def read(folder: Path, text: str, **options: str) -> Vocabulary:
    """What such a document says, to somebody who may read it."""
    row = taken_in(folder, text, **options)
    assert row.current is not None
    found = synonyms.of(access(person("eva", ["alle"])), row, row.current)
    assert found is not None
    return found


def groups(found: Vocabulary) -> list[tuple[str, ...]]:
    return [tuple(" ".join(words) for words in group.words) for group in found.groups]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("liste.md", "# Synonyme = Wörter\n\nDie Liste.\n\n- Kündigung = Entlassung = fristlose Beendigung\n- Pkw = Auto\n"),
        ("liste.md", "1. Kündigung = **Entlassung** = fristlose Beendigung\n2. Pkw = Auto\n"),
        ("liste.md", "Kündigung = Entlassung = fristlose Beendigung\n\nPKW = Auto\n"),
        ("liste.md", "|A|B|C|\n|---|---|---|\n|Kündigung|Entlassung|fristlose Beendigung|\n|Pkw = Auto| | |\n"),
        ("liste.txt", "# Liste = so\n// a = b\nKündigung=Entlassung = fristlose  Beendigung\n- pkw = Auto, \n"),
    ],
)
def test_each_line_is_a_group_and_headings_and_remarks_are_none(tmp_path: Path, name: str, text: str) -> None:
    found = read(tmp_path, text, name=name)
    assert groups(found) == [("kündigung", "entlassung", "fristlose beendigung"), ("pkw", "auto")]
    assert found.faults == ()


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("Kündigung = ", Fault.EMPTY),
        ("Kündigung = ! = Entlassung", Fault.EMPTY),
        ("Kündigung = KÜNDIGUNG", Fault.SAME),
        (" = ".join(f"w{n}" for n in range(MAX_MEANINGS + 1)), Fault.TOO_MANY),
        ("eins = " + "wort " * (MAX_WORDS + 1), Fault.TOO_LONG),
        ("eins = " + "x" * 41, Fault.TOO_LONG),
    ],
)
def test_a_line_that_does_not_count_is_named_with_its_reason(tmp_path: Path, line: str, fault: Fault) -> None:
    found = read(tmp_path, f"Pkw = Auto\n\n{line}\n\nKrad = Motorrad", name="liste.txt")
    assert groups(found) == [("pkw", "auto"), ("krad", "motorrad")]
    assert [(one.passage, one.text, one.fault) for one in found.faults] == [(1, line.strip(), fault)]


def test_a_line_at_the_limits_counts(tmp_path: Path) -> None:
    line = " = ".join([f"w{n}" for n in range(MAX_MEANINGS - 1)] + ["x" * 40 + " b c d e"])
    assert len(read(tmp_path, line).groups[0].words) == MAX_MEANINGS


def test_groups_beyond_the_limit_do_not_count(tmp_path: Path) -> None:
    found = read(tmp_path, "\n".join(f"a{n} = b{n}" for n in range(MAX_GROUPS + 1)), name="liste.txt")
    assert len(found.groups) == MAX_GROUPS
    assert [(one.text, one.fault) for one in found.faults] == [(f"a{MAX_GROUPS} = b{MAX_GROUPS}", Fault.BEYOND)]


def test_a_line_that_nobody_sees_in_the_original_does_not_count(tmp_path: Path) -> None:
    row = taken_in(tmp_path, "Pkw = Auto\n\nKrad = Motorrad")
    Passage.objects.filter(representation=row.current, number=1).update(spans=[["unseen", 12, 16, ""]])
    assert row.current is not None
    found = synonyms.of(access(person("eva", ["alle"])), row, row.current)
    assert found is not None and [one.fault for one in found.faults] == [Fault.UNSEEN]


def test_a_document_of_another_kind_says_nothing_of_synonyms(tmp_path: Path) -> None:
    row = taken_in(tmp_path, "Pkw = Auto")
    Document.objects.update(kind="Handbuch")
    row.refresh_from_db()
    eva = access(person("eva", ["alle"]))
    assert row.current is not None and synonyms.of(eva, row, row.current) is None
    assert synonyms.readable(eva, ASKED).groups == ()


def test_who_may_not_read_a_list_is_not_widened_by_it(tmp_path: Path) -> None:
    row = taken_in(tmp_path, "Pkw = Auto", allowed='["group:netz"]')
    netz, alle, none = (access(person(name, of)) for name, of in (("a", ["netz"]), ("b", ["alle"]), ("c", [])))
    assert row.current is not None
    assert groups(Vocabulary(synonyms.readable(netz, ASKED).groups)) == [("pkw", "auto")]
    for other in (alle, none):
        assert (synonyms.readable(other, ASKED), synonyms.of(other, row, row.current)) == (Widening(), None)


def test_a_right_that_is_taken_away_counts_though_the_list_was_read_before(tmp_path: Path) -> None:
    taken_in(tmp_path, "Pkw = Auto")
    eva = person("eva", ["alle"])
    assert len(synonyms.readable(access(eva), ASKED).groups) == 1
    eva.memberships.get().groups.clear()
    assert synonyms.readable(access(eva), ASKED) == Widening()


def test_a_new_version_replaces_the_words_of_the_old_one(tmp_path: Path) -> None:
    taken_in(tmp_path, "Pkw = Auto")
    eva = access(person("eva", ["alle"]))
    synonyms.readable(eva, ASKED)
    taken_in(tmp_path, "Pkw = Wagen")
    assert [group.words for group in synonyms.readable(eva, ASKED).groups] == [(("pkw",), ("wagen",))]


@pytest.mark.parametrize(
    "more",
    ['status = "draft"', 'status = "expired"', "valid_until = 2001-01-01", "valid_from = 2999-01-01"],
)
def test_a_list_counts_while_it_is_in_force(tmp_path: Path, more: str) -> None:
    taken_in(tmp_path, "Pkw = Auto", more=more)
    assert synonyms.readable(access(person("eva", ["alle"])), ASKED) == Widening()


def test_lists_beyond_the_limit_do_not_count(tmp_path: Path) -> None:
    write(tmp_path, {f"{n}.txt": f"Pkw = b{n}" for n in range(MAX_LISTS + 1)})
    write(tmp_path, {"fundstelle.toml": rules(("**", 'kind = "Synonyme"\nallowed = ["group:alle"]'))})
    run(tmp_path, started=timezone.now())
    found = synonyms.readable(access(person("eva", ["alle"])), ASKED)
    assert (len(found.groups), len(found.lists)) == (MAX_LISTS, MAX_LISTS)


def test_a_list_is_read_once_and_asked_for_each_time(tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    taken_in(tmp_path, "Pkw = Auto")
    eva = access(person("eva", ["alle"]))
    synonyms.readable(eva, ASKED)
    with django_assert_num_queries(1):
        assert len(synonyms.readable(eva, ASKED).groups) == 1


@pytest.mark.parametrize("versions", Versions)
def test_a_list_widens_a_question_and_is_no_answer_itself(tmp_path: Path, versions: Versions) -> None:
    publish(tmp_path / "a", {"a.txt": "Der Wagen steht im Hof."}, source="a")
    taken_in(tmp_path / "b", "Pkw = Karren")
    taken_in(tmp_path / "b", "Pkw = Wagen")
    eva = access(person("eva", ["alle"]))
    found = search(eva, "Pkw", mode=Mode.WIDER, versions=versions)
    assert [hit.passage.text for hit in found.hits] == ["Der Wagen steht im Hof."]
    assert [[way.how for way in hit.ways] for hit in found.hits] == [["synonym"]]
    (said,) = found.said[("pkw", ("wagen",))]
    assert (said.id, said.title) == (document("liste").public_id, document("liste").title)
    assert search(eva, "Pkw").total == 1


def test_a_list_that_may_not_be_read_finds_nothing_and_is_not_named(tmp_path: Path) -> None:
    publish(tmp_path / "a", {"a.txt": "Der Wagen steht im Hof."}, source="a")
    taken_in(tmp_path / "b", "Pkw = Wagen", allowed='["group:netz"]')
    found = search(access(person("eva", ["alle"])), "Pkw", mode=Mode.WIDER)
    assert (found.hits, found.said) == ([], {})


@pytest.mark.parametrize(
    ("asked", "own"), [(["dürfen", "autos"], 0), (["pkw"], 1), (["automobil"], 2), (["mobiles", "gerät"], 3), (["alte"], 4)]
)
def test_a_question_is_given_what_concerns_its_words_or_other_forms_of_them(tmp_path: Path, asked: list[str], own: int) -> None:
    lines = ("Auto = Wagen", "Pkw = Wagen", "Automobil = Wagen", "Wagen = mobiles Auto", "alt = Wagen", "Hund = Katze")
    taken_in(tmp_path, "\n\n".join(lines))
    found = synonyms.readable(access(person("eva", ["alle"])), asked)
    assert groups(Vocabulary(found.groups)) == [tuple(one.strip().lower() for one in lines[own].split("="))]
    assert len(found.lists) == 1
