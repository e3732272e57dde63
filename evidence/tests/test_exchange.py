"""A space as a folder: what is written, what comes back, and what of a folder is refused before anything is made of it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as settings_of_django
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.errors import EvidenceError, Unavailable
from evidence.knowledge import entries, exchange, folders, frontmatter, proposals, transfer
from evidence.knowledge.exchange import Faulty, Quoted, Whole, Written
from evidence.knowledge.frontmatter import Fields, Items, Misread, Node, Text
from evidence.models import AuditEvent, Citation, Entry, Membership, Proposal, Role, Space
from evidence.tests import knowing
from evidence.tests.builders import access, person, publish, rules, run, tenant, write

OPEN = "Die Frist beträgt zwei Wochen.\n\nSie beginnt mit dem Tag danach.\n\nSie gilt für alle."
SECRET = "Die Frist beträgt drei Monate."
SPACE = f"---\nformat: {exchange.FORMAT}\nslug: handbuch\ntitle: Handbuch\n---\n"
BY_HAND = """---
title: Verzug
claims:
  - text: Er beginnt am Tag danach.
    citations:
      - {source: handbuch, document: offen, exact: mit dem Tag danach}
---

Wer zu spät kommt.
"""


@pytest.fixture
def emil(tmp_path: Path) -> User:
    """An editor who may read both documents; anna may read the open one only."""
    write(tmp_path / "in", {"offen.txt": OPEN, "geheim.txt": SECRET})
    write(
        tmp_path / "in", {"fundstelle.toml": rules(*((f"{name}.txt", f'allowed = ["group:{group}"]') for name, group in RIGHTS))}
    )
    run(tmp_path / "in")
    knowing.space()
    person("anna", ["alle"], role=Role.EDITOR)
    return person("emil", ["alle", "netz"], role=Role.EDITOR)


RIGHTS = (("offen", "alle"), ("geheim", "netz"))


@pytest.fixture
def rita() -> User:
    """A reviewer who may read both."""
    return person("rita", ["alle", "netz"], role=Role.REVIEWER)


@pytest.fixture
def full(emil: User, rita: User) -> User:
    """A space in which everything stands once; gives its editor."""
    open_, secret = knowing.cite(emil, "offen", "zwei Wochen"), knowing.cite(emil, "geheim", "drei Monate")
    knowing.concept(
        emil, rita, text="Wann etwas endet.\n\n---\n\n# Decision\nkein Ende", terms=["Zeitraum", "1.10"], citations=[open_]
    )
    matter = {"subject": "Frist", "property": "Dauer"}
    knowing.claim(emil, rita, [open_], value="2 Wochen", valid_from="2024-01-01", **matter)
    knowing.claim(emil, rita, [secret], "Drei Monate: ja", value="3 Monate", **matter)
    knowing.decision(emil, rita, "alt", "Früher", status="superseded", context="# Context\n\n\\# Rationale", rationale="Darum.")
    knowing.decision(emil, rita, "neu", "Danach", supersedes="alt", decided_on="2024-02-01", citations=[open_])
    knowing.approved(
        knowing.proposed("translation", by=emil, language="en", text="two weeks", translator="Rita", citations=[open_]), by=rita
    )
    return emil


def exported(user: User, space: str = "handbuch") -> Mapping[str, str]:
    return transfer.export(access(user), space)


def taken(user: User, files: Mapping[str, str | bytes], **options: Any) -> transfer.Taken:
    data = {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()}
    return transfer.take_in(access(user), exchange.read(data), **{"why": "Darum", **options})


def faults(user: User, files: Mapping[str, str | bytes], **options: Any) -> list[tuple[str, str]]:
    """Where, and the code."""
    with pytest.raises(Faulty) as caught:
        taken(user, {"space.md": SPACE, **files}, **options)
    return [(fault.where, fault.error.code) for fault in caught.value.faults]


def approve_all(reviewer: User) -> None:
    while rows := proposals.to_review(access(reviewer)).rows:
        for row in rows:
            proposals.approve(access(reviewer), row.id)


def without_ids(files: Mapping[str, str]) -> Mapping[str, str]:
    """Ids of entries differ from space to space; those of citations are indented deeper, and stay."""
    return {path: re.sub(r"^(id: |  - id: ).*$", r"\1X", text, flags=re.M) for path, text in files.items()}


# There and back


@pytest.mark.django_db
def test_what_was_exported_and_not_changed_proposes_nothing(full: User) -> None:
    found = taken(full, exported(full))
    assert (found.proposed, found.unchanged, found.cited, found.about_differs) == ({}, 6, 0, False)
    assert not Proposal.objects.filter(state="open").exists()


@pytest.mark.django_db
def test_in_an_empty_space_it_becomes_the_same_to_the_byte(full: User, rita: User) -> None:
    Space.objects.filter(pk=knowing.space("kopie").pk).update(title="Handbuch")
    before = exported(full)
    found = taken(full, before, space="kopie")
    assert (found.proposed, found.cited) == ({"create": 6}, 0)
    assert not entries.concepts(access(full), space="kopie").total
    approve_all(rita)
    after = {path: text.replace("slug: kopie\n", "slug: handbuch\n") for path, text in exported(full, "kopie").items()}
    assert without_ids(after) == without_ids(before)
    assert taken(full, before, space="kopie").unchanged == 6


@pytest.mark.django_db
def test_nothing_that_is_imported_counts_by_itself(full: User, rita: User) -> None:
    files = {path: text.replace("Wann etwas endet.", "Bis wann.") for path, text in exported(full).items()}
    assert taken(full, files).proposed == {"change": 1}
    (row,) = Proposal.objects.filter(state="open")
    assert (row.origin, row.author, row.reviewer, row.entry.number) == ("import", full, None, 1)
    with pytest.raises(EvidenceError, match="somebody else"):
        Membership.objects.filter(user=full).update(role=Role.REVIEWER)
        proposals.approve(access(full), row.public_id)


@pytest.mark.django_db
def test_the_same_folder_again_proposes_nothing_twice(emil: User) -> None:
    files = {"space.md": SPACE, "concepts/verzug.md": BY_HAND}
    assert taken(emil, files).proposed == {"create": 2}
    again = taken(emil, files)
    assert (again.proposed, again.waiting, again.cited) == ({}, 2, 0)
    assert (Proposal.objects.count(), Citation.objects.count()) == (2, 1)


@pytest.mark.django_db
def test_what_was_written_by_hand_is_unchanged_once_it_counts(emil: User, rita: User) -> None:
    files = {"space.md": SPACE, "concepts/verzug.md": BY_HAND}
    taken(emil, files)
    approve_all(rita)
    assert taken(emil, files).unchanged == 2
    assert taken(emil, exported(emil)).unchanged == 2


@pytest.mark.django_db
def test_what_is_not_in_the_folder_stays(full: User) -> None:
    assert taken(full, {"space.md": SPACE}) == transfer.Taken({}, 0, 0, 0, 0, about_differs=False)


@pytest.mark.django_db
def test_a_state_in_a_file_is_a_proposal_too(full: User, rita: User) -> None:
    files = {path: text.replace("title: Früher", "title: Früher\nstate: deprecated") for path, text in exported(full).items()}
    assert taken(full, files).proposed == {"deprecate": 1}
    approve_all(rita)
    deprecated = exported(full)
    assert "state: deprecated" in deprecated["decisions/alt.md"]
    assert taken(full, deprecated).unchanged == 6
    restored = {path: text.replace("state: deprecated\n", "") for path, text in deprecated.items()}
    assert taken(full, restored).proposed == {"restore": 1}
    changed = {path: text.replace("title: Früher", "title: Damals") for path, text in deprecated.items()}
    assert [code for _, code in faults(full, changed)] == ["wrong_state"]


@pytest.mark.django_db
def test_what_is_deprecated_and_unknown_is_left_out_unless_something_names_it(full: User) -> None:
    files = {path: text.replace("title: Früher", "title: Früher\nstate: deprecated") for path, text in exported(full).items()}
    files = {path: text.replace("title: Danach", "title: Danach\nstate: deprecated") for path, text in files.items()}
    found = taken(full, files, space=knowing.space("kopie").slug)
    assert (found.proposed, found.left) == ({"create": 5}, 1)


@pytest.mark.django_db
def test_a_claim_whose_words_are_gone_can_be_deprecated_and_not_changed(full: User, tmp_path: Path) -> None:
    before = exported(full)
    write(tmp_path / "in", {"offen.txt": OPEN.replace("zwei Wochen", "vier Wochen")})
    run(tmp_path / "in")
    assert taken(full, exported(full)).unchanged == 6, "what stands on words that are gone is not the folder's fault"
    claim = next(iter(re.findall(r"  - id: .*\n    text: Zwei Wochen\.", before["concepts/frist.md"])))
    path = "concepts/frist.md"
    deprecated = {path: before[path].replace(claim, f"{claim}\n    state: deprecated")}
    assert taken(full, {"space.md": SPACE, **deprecated}).proposed == {"deprecate": 1}
    changed = {path: before[path].replace("text: Zwei Wochen.", "text: Zwei Wochen, immer.")}
    ((where, code),) = faults(full, changed)
    assert (where.partition(" ")[2], code) == ("claims[1].citations[1].exact", "quote_not_found")
    assert faults(full, {path: deprecated[path].replace("text: Zwei Wochen.", "text: Anders.")})[0][1] == "changed_and_deprecated"


@pytest.mark.django_db
def test_a_citation_is_made_anew_where_its_words_still_stand(full: User, tmp_path: Path) -> None:
    before = exported(full)
    write(tmp_path / "in", {"offen.txt": f"Vorwort.\n\n{OPEN}"})
    run(tmp_path / "in")
    found = taken(full, {path: text.replace("text: Zwei Wochen.", "text: Immer zwei.") for path, text in before.items()})
    assert (found.proposed, found.cited) == ({"change": 1}, 1)


# Who reads what


@pytest.mark.django_db
def test_only_what_the_person_may_read_is_exported(full: User) -> None:
    mine = exported(User.objects.get(username="anna"))
    assert AuditEvent.objects.get(code="space.exported").actor == User.objects.get(username="anna")
    text = "".join(mine.values())
    assert "Zwei Wochen." in text and "Monate" not in text and "geheim" not in text
    with pytest.raises(Unavailable):
        knowing.space("intern", allowed=["netz"])
        exported(User.objects.get(username="anna"), "intern")


@pytest.mark.django_db
def test_what_may_not_be_read_changes_no_byte_of_an_export_or_import(emil: User, rita: User) -> None:
    anna = User.objects.get(username="anna")
    knowing.concept(emil, rita)
    knowing.claim(emil, rita, [knowing.cite(emil, "offen", "zwei Wochen")])
    files = {**exported(anna), "concepts/verzug.md": BY_HAND}
    before = exported(anna), taken(anna, files, dry_run=True)
    secret = knowing.cite(emil, "geheim", "drei Monate")
    knowing.claim(emil, rita, [secret], "Drei Monate.")
    knowing.concept(emil, rita, "monat", "Monat", citations=[secret])
    knowing.decision(emil, rita, citations=[secret])
    assert (exported(anna), taken(anna, files, dry_run=True)) == before


@pytest.mark.django_db
def test_a_document_that_may_not_be_read_is_one_that_never_was(emil: User) -> None:
    anna = User.objects.get(username="anna")
    for name, words in (("geheim", "drei Monate"), ("nirgends", "drei Monate")):
        file = BY_HAND.replace("document: offen", f"document: {name}").replace("mit dem Tag danach", words)
        found = faults(anna, {"concepts/verzug.md": file})
        assert found == [("concepts/verzug.md:6 claims[1].citations[1].document", "document_unknown")]
    stored = knowing.cite(emil, "geheim", "drei Monate")
    named = BY_HAND.replace("{source", f"{{id: {stored}, source").replace("document: offen", "document: geheim")
    assert faults(anna, {"concepts/verzug.md": named})[0][1] == "document_unknown"


@pytest.mark.django_db
def test_readers_propose_nothing(emil: User) -> None:
    with pytest.raises(EvidenceError, match="Only editors, curators and reviewers"):
        taken(person("leo", ["alle"]), {"space.md": SPACE})
    with pytest.raises(Unavailable):
        taken(emil, {"space.md": SPACE}, space="nirgends")


# All or nothing


@pytest.mark.django_db
def test_one_wrong_quote_keeps_everything_out_and_says_where(emil: User) -> None:
    wrong = BY_HAND.replace("mit dem Tag danach", "am Tag zuvor")
    twice = BY_HAND.replace("exact: mit dem Tag danach", "exact: Sie")
    found = faults(emil, {"concepts/gut.md": BY_HAND, "concepts/verzug.md": wrong, "concepts/zwei.md": twice})
    assert found == [
        ("concepts/verzug.md:6 claims[1].citations[1].exact", "quote_not_found"),
        ("concepts/zwei.md:6 claims[1].citations[1].exact", "anchor_ambiguous"),
    ]
    assert not (Proposal.objects.exists() or Entry.objects.exists() or Citation.objects.exists())


@pytest.mark.django_db
def test_a_dry_run_says_the_same_and_changes_nothing(emil: User) -> None:
    files = {"space.md": SPACE, "concepts/verzug.md": BY_HAND}
    tried = taken(emil, files, dry_run=True)
    assert not (
        Proposal.objects.exists()
        or Entry.objects.exists()
        or Citation.objects.exists()
        or AuditEvent.objects.filter(code="citation.made")
    )
    assert taken(emil, files) == tried


@pytest.mark.django_db
def test_more_than_one_person_may_have_open_is_told_once(emil: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposals, "MAX_OPEN", 2)
    found = faults(emil, {f"concepts/{name}.md": "---\ntitle: A\n---\n" for name in "abcdef"})
    assert found == [("concepts/c.md:2", "too_many_proposals")] and not Proposal.objects.exists()


@pytest.mark.django_db
def test_a_chain_of_decisions_is_proposed_from_its_beginning(emil: User) -> None:
    names = [f"a{number}" for number in range(30)]
    files = {
        f"decisions/{name}.md": f"---\ntitle: {name}\nsupersedes: {after}\n---\n\n# Decision\n\nJa."
        for name, after in zip(names, [*names[1:], ""], strict=True)
    }
    assert taken(emil, {"space.md": SPACE, **files}).proposed == {"create": 30}
    circle = {
        "decisions/x.md": "---\ntitle: x\nsupersedes: y\n---\n# Decision\nJa.",
        "decisions/y.md": "---\ntitle: y\nsupersedes: x\n---\n# Decision\nJa.",
    }
    assert {code for _, code in faults(emil, circle)} == {"names_nothing"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "text", "where", "code"),
    [
        ("concepts/a.md", "Ohne Felder.", "concepts/a.md:1", "front_matter_missing"),
        ("concepts/a.md", "---\ntitle: A\n", "concepts/a.md:3", "front_matter_open"),
        ("concepts/a.md", b"---\ntitle: \xff\n---\n", "concepts/a.md:2", "not_utf8"),
        ("concepts/a.md", "---\ntitle: [A\n---\n", "concepts/a.md:3", "yaml_damaged"),
        ("concepts/a.md", "---\ntitle: A\ntitle: B\n---\n", "concepts/a.md:3", "yaml_names"),
        ("concepts/a.md", "---\ntitle: A\nmerkmal: B\n---\n", "concepts/a.md:3 merkmal", "unknown_field"),
        ("concepts/a.md", "---\ntitle: [A]\n---\n", "concepts/a.md:2 title", "not_a_text"),
        ("concepts/a.md", "---\ntitle: A\nterms: B\n---\n", "concepts/a.md:3 terms", "not_a_list"),
        ("concepts/a.md", "---\ntitle: A\nterms: [[B]]\n---\n", "concepts/a.md:3 terms", "not_texts"),
        ("concepts/a.md", "---\ntitle: A\nclaims: [B]\n---\n", "concepts/a.md:3 claims", "not_fields"),
        ("concepts/a.md", "---\ntitle: A\nstate: proposed\n---\n", "concepts/a.md:3 state", "state_unknown"),
        ("concepts/a.md", "---\nterms: []\n---\n", "concepts/a.md:2 title", "field_missing"),
        ("concepts/a.md", "---\ntitle: A\ncitations:\n- exact: B\n---\n", "concepts/a.md:4 citations[1].source", "field_missing"),
        ("concepts/A b.md", "---\ntitle: A\n---\n", "concepts/A b.md:2 slug", "slug_malformed"),
        ("concepts/a.md", "---\ntitle: A\nclaims:\n- text: B\n---\n", "concepts/a.md:4 claims[1].citations", "citations_missing"),
        ("decisions/a.md", "---\ntitle: A\n---\n\nNur Text.\n", "decisions/a.md:5", "section_missing"),
        ("decisions/a.md", "---\ntitle: A\n---\n\n# Decision\n\n# Decision\n", "decisions/a.md:7", "section_twice"),
        (
            "decisions/a.md",
            "---\ntitle: A\ndecided_on: gestern\n---\n\n# Decision\n\nJa.",
            "decisions/a.md:3 decided_on",
            "date_malformed",
        ),
        ("translations/a.md", "---\nlanguage: en\n---\nText", "translations/a.md:2 citations", "citations_missing"),
        ("space.md", "---\nformat: 2\nslug: handbuch\n---\n", "space.md:2 format", "format_unknown"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_and_field(emil: User, path: str, text: str | bytes, where: str, code: str) -> None:
    assert (where, code) in faults(emil, {path: text})
    assert not Proposal.objects.exists()


@pytest.mark.django_db
def test_without_what_the_space_is_nothing_is_taken(emil: User) -> None:
    with pytest.raises(Faulty) as caught:
        taken(emil, {"concepts/verzug.md": BY_HAND})
    assert [(fault.where, fault.error.code) for fault in caught.value.faults] == [("space.md", "space_missing")]


@pytest.mark.django_db
def test_an_id_stands_once(full: User) -> None:
    files = dict(exported(full))
    files["concepts/kopie.md"] = files["concepts/frist.md"]
    assert {code for _, code in faults(full, files)} == {"id_twice"}


# Hostile files

PLAIN = "---\ntitle: A\nterms: {}\n---\n"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("&a [b]", "yaml_not_plain"),
        ("[*a]", "yaml_not_plain"),
        ("!!python/object/apply:os.system [ls]", "yaml_not_plain"),
        ("!!int 3", "yaml_not_plain"),
        ("[" * 40 + "]" * 40, "yaml_too_deep"),
        ("{a: " * 40 + "b" + "}" * 40, "yaml_too_deep"),
        ("[" + "a," * (frontmatter.MAX_VALUES + 1) + "]", "yaml_too_many_values"),
        ("\x00", "yaml_characters"),
        ("'\x07'", "yaml_characters"),
        ('"\\0"', "yaml_characters"),
        ("a\n--- b", "yaml_damaged"),
        ("{[a]: b}", "yaml_names"),
        ("'open", "yaml_damaged"),
    ],
)
def test_yaml_is_texts_lists_and_fields_within_limits(value: str, code: str) -> None:
    with pytest.raises(Misread) as caught:
        frontmatter.read(PLAIN.format(value))
    assert caught.value.code == code and caught.value.line >= 2


def test_entities_that_laugh_are_refused_before_they_are_built() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 30))]
    with pytest.raises(Misread, match="Anchors, aliases and tags"):
        frontmatter.read("---\n" + "\n".join(lines) + "\n---\n")


def test_what_looks_like_a_number_or_a_date_stays_text() -> None:
    values = frontmatter.read("---\na: 1.10\nb: yes\nc: 2024-01-01\nd: ~\ne: '~'\nf:\n---\n").fields.values
    assert [node.value for node in values.values() if isinstance(node, Text)] == ["1.10", "yes", "2024-01-01", "", "~", ""]


def test_links_pipes_and_strangers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(BY_HAND)
    (tmp_path / "elsewhere").mkdir()
    folder = write(tmp_path / "space", {"space.md": SPACE, ".git/config": "x", "notes.txt": "x", "concepts/a.txt": "x"})
    (folder / "concepts/a.md").symlink_to(tmp_path / "secret.md")
    (folder / "concepts/c.md").mkdir()
    os.mkfifo(folder / "concepts/b.md")
    (folder / "decisions").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Faulty) as caught:
        folders.read(folder)
    assert [(fault.where, fault.error.code) for fault in caught.value.faults] == [
        ("concepts/a.md", "not_a_file"),
        ("concepts/a.txt", "unknown_file"),
        ("concepts/b.md", "not_a_file"),
        ("concepts/c.md", "not_a_file"),
        ("decisions", "not_a_folder"),
        ("notes.txt", "unknown_file"),
    ]


@pytest.mark.parametrize(
    ("limit", "value", "code"),
    [("MAX_FILE_BYTES", 100, "file_large"), ("MAX_BYTES", 150, "space_large"), ("MAX_FILES", 2, "space_many_files")],
)
def test_limits_hold_for_reading_and_for_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, code: str
) -> None:
    files = {"space.md": SPACE, "concepts/a.md": BY_HAND, "concepts/b.md": BY_HAND}
    folder = write(tmp_path / "space", files)
    assert len(folders.read(folder)) == 3
    monkeypatch.setattr(folders, limit, value)
    with pytest.raises(EvidenceError) as caught:
        folders.read(folder)
    assert code in {caught.value.code, *(fault.error.code for fault in getattr(caught.value, "faults", ()))}
    with pytest.raises(EvidenceError) as refused:
        folders.write(tmp_path / "out", files)
    assert refused.value.code == code and not (tmp_path / "out").exists()


def test_an_export_follows_no_link_and_overwrites_nothing_unasked(tmp_path: Path) -> None:
    folder = write(tmp_path / "space", {"space.md": SPACE, "concepts/alt.md": BY_HAND, "notes.txt": "meine"})
    target = write(tmp_path, {"target.md": "fremd"}) / "target.md"
    (folder / "concepts/neu.md").symlink_to(target)
    files = {"space.md": SPACE, "concepts/neu.md": BY_HAND}
    with pytest.raises(EvidenceError, match="something in this folder"):
        folders.write(folder, files)
    folders.write(folder, files, replace=True)
    assert target.read_text() == "fremd" and not (folder / "concepts/neu.md").is_symlink()
    assert sorted(str(one.relative_to(folder)) for one in folder.rglob("*.*")) == ["concepts/neu.md", "notes.txt", "space.md"]
    (tmp_path / "no space").mkdir()
    write(tmp_path / "no space", {"a": "b"})
    with pytest.raises(EvidenceError):
        folders.write(tmp_path / "no space", files, replace=True)


def test_an_export_does_not_leave_its_folder_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder = write(tmp_path / "space", {"space.md": SPACE})
    (folder / "concepts").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EvidenceError, match="concepts is no folder"):
        folders.write(folder, {"space.md": SPACE, "concepts/a.md": BY_HAND}, replace=True)
    assert not list((tmp_path / "elsewhere").iterdir())


# Any words

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=60)
LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=40)


def plain(node: Node) -> object:
    match node:
        case Text():
            return node.value
        case Items():
            return [plain(one) for one in node.values]
        case Fields():
            return {name: plain(one) for name, one in node.values.items()}


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(st.sampled_from("abc"), WORDS.filter(bool), min_size=1), st.lists(WORDS.filter(bool), min_size=1), WORDS)
def test_any_fields_come_back_as_they_were(fields: dict[str, str], items: list[str], text: str) -> None:
    text = text.strip("\n")
    parts = frontmatter.read(frontmatter.write({**fields, "d": [{"e": one, "f": [one]} for one in items]}, text))
    assert plain(parts.fields) == {**fields, "d": [{"e": one, "f": [one]} for one in items]}
    assert parts.text == text


PARTS = st.lists(
    st.sampled_from(["# Context", "\\# Decision", "# Decision", "# Rationale ", "", "Wort", "---", "## Context"]), max_size=6
)


@settings(deadline=None, max_examples=300)
@given(PARTS, PARTS, PARTS)
def test_any_sections_come_back_as_they_were(context: list[str], decision: list[str], rationale: list[str]) -> None:
    parts = {"context": context, "decision": decision, "rationale": rationale}
    said = {name: "\n".join(lines).strip("\n") for name, lines in parts.items()}
    content = {"slug": "a", "title": "A", "status": "proposed", "supersedes": "", **said}
    files = exchange.write(Whole(exchange.About("x", "X"), [Written(Entry.Kind.DECISION, content)]))
    (found,) = exchange.read({path: text.encode() for path, text in files.items()}).entries
    assert {name: found.content[name] for name in said} == said


@settings(deadline=None, max_examples=100)
@given(LINE, WORDS, WORDS)
def test_any_quote_comes_back_as_it_was(exact: str, prefix: str, suffix: str) -> None:
    quote = Quoted("q", "d/1.txt", exact, prefix, suffix, "1.10", "7")
    concept = Written(Entry.Kind.CONCEPT, {"slug": "a", "title": "A", "terms": (), "text": ""}, [quote])
    files = exchange.write(Whole(exchange.About("x", "X"), [concept]))
    assert exchange.read({path: text.encode() for path, text in files.items()}).entries[0].quotes == [quote]


def test_a_file_of_another_editor_is_read_alike() -> None:
    ours = exchange.read({"space.md": SPACE.encode(), "concepts/verzug.md": BY_HAND.encode()})
    theirs = {"space.md": SPACE.encode(), "concepts/verzug.md": b"\xef\xbb\xbf" + BY_HAND.replace("\n", "\r\n").encode()}
    assert exchange.read(theirs) == ours


# The manual


@pytest.mark.django_db
def test_the_examples_of_the_manual_are_taken_as_they_stand(emil: User, tmp_path: Path) -> None:
    manual = (settings_of_django.BASE_DIR / "docs/knowledge.md").read_text(encoding="utf-8")
    concept, decision, about = re.findall(r"```markdown\n(.*?)```", manual, re.S)
    publish(tmp_path / "terms", {"terms-2026.txt": "The notice period is two weeks."}, source="contracts")
    knowing.space("handbook")
    files = {"space.md": about, "concepts/notice-period.md": concept, "decisions/weeks-not-months.md": decision}
    assert taken(emil, files).proposed == {"create": 3}
    limits = (folders.MAX_FILES, folders.MAX_FILE_BYTES, folders.MAX_BYTES, frontmatter.MAX_VALUES, frontmatter.MAX_DEPTH)
    assert (
        limits == (5_000, 2_000_000, 50_000_000, 50_000, 8) and "5,000 files, 2 MB each, 50 MB together, 50,000 values" in manual
    )
    assert proposals.MAX_OPEN == 500 and "500 open proposals" in manual


# The command


def command(*arguments: object) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("space", *map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


@pytest.mark.django_db
def test_the_command_writes_and_proposes_and_says_how_much(full: User, tmp_path: Path) -> None:
    mine = ("--tenant", tenant().slug, "--as", "emil")
    out, _ = command("export", "handbuch", tmp_path / "out", *mine)
    assert out == "Files written: 5.\n"
    assert {str(one.relative_to(tmp_path / "out")) for one in (tmp_path / "out").rglob("*.md")} == set(exported(full))
    assert "Proposed: nothing. Unchanged: 6." in command("import", tmp_path / "out", *mine)[0]
    write(tmp_path / "out", {"concepts/verzug.md": BY_HAND})
    out, _ = command("import", tmp_path / "out", *mine, "--dry-run")
    assert "Would be proposed: 2 to create." in out and "Citations made anew, of words that stand in the current texts: 1." in out
    assert not Proposal.objects.filter(state="open").exists()
    command("import", tmp_path / "out", *mine)
    assert Proposal.objects.filter(state="open", origin="import", why="Import of a folder.").count() == 2
    with pytest.raises(CommandError, match="folder_not_empty"):
        command("export", "handbuch", tmp_path / "out", *mine)
    assert command("export", "handbuch", tmp_path / "out", *mine, "--replace")[0] == "Files written: 5.\n"


@pytest.mark.django_db
def test_the_command_tells_every_fault_with_its_place_and_no_words(emil: User, tmp_path: Path) -> None:
    write(tmp_path / "out", {"space.md": SPACE, "concepts/verzug.md": BY_HAND.replace("mit dem Tag danach", "Geheimwort")})
    err = StringIO()
    with pytest.raises(CommandError, match="Nothing was imported. What is wrong: 1."):
        call_command("space", "import", str(tmp_path / "out"), "--tenant", tenant().slug, "--as", "emil", stderr=err)
    assert err.getvalue().startswith("concepts/verzug.md:6 claims[1].citations[1].exact: ") and "Geheimwort" not in err.getvalue()
    with pytest.raises(CommandError, match="no active person 'niemand'"):
        command("import", tmp_path / "out", "--tenant", tenant().slug, "--as", "niemand")


@pytest.mark.django_db
def test_the_command_makes_and_lists_spaces(emil: User) -> None:
    home = ("--tenant", tenant().slug)
    with pytest.raises(CommandError, match="needs --title"):
        command("create", "netze", *home)
    assert "created: readable by netz." in command("create", "netze", "--title", "Netze", "--group", "netz", *home)[0]
    assert "changed: readable by netz." in command("create", "netze", "--text", "Für das Netz.", *home)[0]
    assert command("list", *home)[0].splitlines() == [
        "handbuch: readable by all members; 0 accepted, 0 deprecated, 0 proposed",
        "netze: readable by netz; 0 accepted, 0 deprecated, 0 proposed",
    ]
    with pytest.raises(CommandError, match="no group 'nirgends'"):
        command("create", "weg", "--title", "Weg", "--group", "nirgends", *home)
    with pytest.raises(CommandError):
        command("create", "Ein Name", "--title", "X", *home)
    assert set(AuditEvent.objects.filter(code__startswith="space.").values_list("code", flat=True)) == {
        "space.created",
        "space.changed",
    }
