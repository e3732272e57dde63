"""A git repository as a source: what it lists, what it says of rights, and what a run makes of it for those who read."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evidence import citations, history, syncing
from evidence import search as searching
from evidence.access import Access
from evidence.anchoring import State
from evidence.formats.options import Options
from evidence.intake import Report
from evidence.models import Document, Revocation, Run, Source, SourceKind
from evidence.sources import Rights, git
from evidence.sources.git import MAX_STATES
from evidence.tests.builders import access, document, group, person, tenant
from evidence.tests.pages import parsed, sign_in, texts
from evidence.tests.repositories import LINK, MODULE, OPEN, Repository, documents, ids, lines, listing, origin, reasons, refused

RULES = {"fundstelle.toml": OPEN}
CLOSED = OPEN.replace("group:alle", "group:netz")
TEXT = lines("a")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.at(tmp_path / "repository")


# What is listed


def test_states_name_commit_day_path_and_bytes(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": TEXT}, day="2026-01-31").decode()
    second = repository.commit({"a.md": None, "b.md": TEXT + "more\n"}, day="2026-03-01").decode()
    old, new = listing(repository).items
    assert (old.label, old.dated, old.path, old.state) == (f"2026-01-31 {first[:10]}", date(2026, 1, 31), "a.md", first)
    assert (new.label, new.dated, new.path, new.state) == (f"2026-03-01 {second[:10]}", date(2026, 3, 1), "b.md", second)
    assert (old.read(), new.read()) == (TEXT.encode(), (TEXT + "more\n").encode())
    assert old.stamp != new.stamp


def test_equal_bytes_have_an_equal_stamp(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT, "b.md": TEXT})
    one, other = listing(repository).items
    assert one.stamp == other.stamp != ""


def test_the_current_state_is_where_the_file_is_now(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "1"})
    repository.commit({"a.md": "2"})
    repository.commit(moved={"a.md": "sub/b.md"})
    assert [item.path for item in listing(repository).items] == ["a.md", "sub/b.md"]


def test_todays_rules_hold_for_all_states(repository: Repository) -> None:
    repository.commit({"fundstelle.toml": OPEN, "a.md": "1"})
    repository.commit({"fundstelle.toml": CLOSED + 'title = "Neu"\nencoding = "cp850"\n', "a.md": "2"})
    found = listing(repository).items
    assert {item.rights for item in found} == {Rights(("group:netz",))}
    assert {item.metadata.title for item in found} == {"Neu"}
    assert {item.options for item in found} == {Options(encoding="cp850")}


def test_an_id_of_the_rules_wins_and_their_versions_and_days_are_not_used(repository: Repository) -> None:
    said = OPEN + '[[document]]\npath = "{id}_{date}.md"\nid = "law-{id}"\ndate = "{date}"\nversion = "3"\n'
    commit = repository.commit({"fundstelle.toml": said, "x_2020-02-31.md": "1"}, day="2026-01-01").decode()
    (item,) = listing(repository).items
    assert (item.external_id, item.label, item.dated) == ("law-x", f"2026-01-01 {commit[:10]}", date(2026, 1, 1))


def test_two_files_with_one_id_are_refused(repository: Repository) -> None:
    repository.commit(
        {"fundstelle.toml": OPEN + '[[document]]\npath = "x/*"\nid = "x"\n', "x/a.md": "a", "x/b.md": "b", "c.md": ""}
    )
    found = listing(repository)
    assert reasons(found) == {"x/a.md": "git_same_id", "x/b.md": "git_same_id"}
    assert (list(ids(found)), {refusal.external_id for refusal in found.refusals}) == (["c.md"], {"x"})


def test_a_document_that_no_rule_names_is_listed_for_nobody_and_without_its_history(repository: Repository) -> None:
    repository.commit({"fundstelle.toml": OPEN.replace("**", "a.md"), "a.md": "1", "b.md": "1"})
    repository.commit({"a.md": "2", "b.md": "2"})
    found = listing(repository)
    assert ({one: len(items) for one, items in documents(found).items()}, found.unnamed) == ({"a": 2, "b": 1}, ["b.md"])
    assert found.items[-1].rights == Rights()


def test_without_a_rules_file_nobody_may_read(repository: Repository) -> None:
    repository.commit({"a.md": "1"})
    assert [item.rights for item in listing(repository).items] == [Rights()]


def test_rules_can_lie_elsewhere(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"fundstelle.toml": CLOSED, "a.md": "1"})
    (tmp_path / "mine.toml").write_text(OPEN)
    asked = git.at(origin(repository.path, tmp_path / "cache", rules=str(tmp_path / "mine.toml")))
    assert asked.list().items[0].rights == Rights(("group:alle",))
    assert asked.rights(["a.md"]) == {"a.md": Rights(("group:alle",))}
    before = asked.stamp()
    (tmp_path / "mine.toml").write_text(CLOSED)
    assert before == listing(repository).stamp or asked.stamp() != before


def test_rules_that_are_none_stop_the_listing(repository: Repository) -> None:
    repository.commit({"fundstelle.toml": "[[document", "a.md": "1"})
    with refused("rules_syntax"):
        listing(repository)


def test_hidden_files_and_those_left_out_are_not_looked_at(repository: Repository) -> None:
    left_out = '[source]\nleave_out = ["old"]\n' + OPEN
    repository.commit(
        {"fundstelle.toml": left_out, ".github/a.md": "", ".b.md": "", "old/c.md": "", "old/x/d.md": "", "e.md": ""}
    )
    found = listing(repository)
    assert (list(ids(found)), found.unread, found.refusals) == (["e.md"], {}, [])


def test_formats_that_are_not_read_are_counted_and_older_states_of_them_left_out(repository: Repository) -> None:
    repository.commit(RULES | {"a.rst": TEXT, "b.png": "x", "LICENSE": "y"})
    repository.commit(moved={"a.rst": "a.md"})
    found = listing(repository)
    assert ({one: len(items) for one, items in documents(found).items()}, found.unread) == ({"a": 1}, {".png": 1, "": 1})


def test_a_file_of_a_format_that_is_no_longer_read_is_no_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit(moved={"a.md": "a.rst"})
    assert listing(repository).items == []


def test_a_denial_that_fits_no_file_is_refused(repository: Repository) -> None:
    repository.commit({"fundstelle.toml": OPEN + '[[document]]\npath = "minuts/*"\ndenied = ["user:eva"]\n', "a.md": ""})
    found = listing(repository)
    assert (reasons(found), found.unused) == ({"minuts/*": "rules_denial_unused"}, ["minuts/*"])


def test_only_the_newest_states_are_taken_in_and_it_is_said(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "MAX_STATES", 3)
    repository.commit(RULES)
    for number in range(5):
        repository.commit({"a.md": f"{number}"})
    found = listing(repository)
    assert ([item.read() for item in found.items], reasons(found)) == ([b"2", b"3", b"4"], {"a.md": "git_states_left_out"})
    assert (found.refusals[0].error.values["left"], found.refusals[0].external_id, MAX_STATES) == (2, "", 500)


def test_states_that_are_long_together_are_left_out_too(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "MAX_STATES_BYTES", 25)
    repository.commit(RULES)
    for number in range(5):
        repository.commit({"a.md": f"{number}" * 10})
    assert [item.read()[:1] for item in listing(repository).items] == [b"3", b"4"]


def test_the_branch_is_named_after_the_location_or_by_the_repository(repository: Repository, tmp_path: Path) -> None:
    repository.commit(RULES | {"a.md": "main"})
    repository.commit({"a.md": "draft"}, branch="draft/2")
    assert listing(repository).items[-1].read() == b"main"
    asked = git.at(origin(f"{repository.path}#draft/2", tmp_path / "cache"))
    assert asked.list().items[-1].read() == b"draft"


def test_a_working_copy_is_read_at_its_last_commit(tmp_path: Path) -> None:
    repository = Repository.at(tmp_path / "work" / ".git")
    repository.commit(RULES | {"a.md": "1"})
    (tmp_path / "work" / "a.md").write_text("not committed")
    (item,) = git.at(origin(tmp_path / "work", tmp_path / "cache")).list().items
    assert item.read() == b"1"


def test_days_are_those_of_the_commit_in_utc(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "1"}, day="2026-05-01")  # written 40 days before, at two hours east of Greenwich
    assert listing(repository).items[0].dated == date(2026, 5, 1)


# What it says of rights


def test_the_stamp_names_rules_and_files(repository: Repository, tmp_path: Path) -> None:
    asked = git.at(origin(repository.path, tmp_path / "cache"))
    repository.commit(RULES | {"a.md": "1"})
    before = asked.stamp()
    assert before == asked.list().stamp
    repository.commit({"a.md": "2"})
    assert asked.stamp() == before
    repository.commit({"fundstelle.toml": CLOSED})
    closed = asked.stamp()
    repository.commit(moved={"a.md": "b.md"})
    assert len({before, closed, asked.stamp()}) == 3


def test_rights_are_those_of_files_that_are_there_now(repository: Repository, tmp_path: Path) -> None:
    asked = git.at(origin(repository.path, tmp_path / "cache"))
    repository.commit({"fundstelle.toml": '[source]\nleave_out = ["old"]\n' + OPEN, "a.md": "1", "old/b.md": "", "c.md": ""})
    repository.commit({"c.md": None})
    paths = ["a.md", "old/b.md", "c.md", "fundstelle.toml", ".git/config", "../a.md"]
    assert asked.rights(paths) == {"a.md": Rights(("group:alle",))}


def test_a_listing_says_when_its_rules_were_last_changed(repository: Repository, tmp_path: Path) -> None:
    repository.commit(RULES | {"a.md": "1", "b.md": ""}, day="2026-01-01")
    repository.commit({"fundstelle.toml": CLOSED}, day="2026-02-01")
    repository.commit({"a.md": "2"}, day="2026-03-01")
    assert listing(repository, tmp_path / "cache").stated_at == datetime(2026, 2, 1, 12, tzinfo=UTC)
    repository.commit({"b.md": None}, day="2026-04-01")
    assert listing(repository, tmp_path / "cache").stated_at == datetime(2026, 4, 1, 12, tzinfo=UTC)
    assert listing(repository, tmp_path / "other").stated_at == datetime(2026, 2, 1, 12, tzinfo=UTC)


def test_rules_changed_on_a_branch_hold_from_the_merge(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": "1"}, day="2026-01-01")
    side = repository.commit({"fundstelle.toml": CLOSED}, parents=[first], day="2026-01-02", branch="side")
    main = repository.commit({"a.md": "2"}, parents=[first], day="2026-01-03")
    repository.commit({"fundstelle.toml": CLOSED}, parents=[main, side], day="2026-01-09")
    assert listing(repository).stated_at == datetime(2026, 1, 9, 12, tzinfo=UTC)


# What is refused


def test_links_and_repositories_inside_are_refused_with_a_reason(repository: Repository) -> None:
    module = b"id:" + b"12" * 20
    repository.commit(
        RULES | {"a.md": "a", "l.md": "a.md", "out.md": "/etc/passwd", "pics": "x", "m": module, ".hidden": module},
        modes={"l.md": LINK, "out.md": LINK, "pics": LINK, "m": MODULE, ".hidden": MODULE},
    )
    found = listing(repository)
    assert reasons(found) == {"l.md": "git_link", "out.md": "git_link", "m": "git_module"}
    assert (list(ids(found)), found.unread) == (["a.md"], {"": 1})


@pytest.mark.parametrize(
    ("path", "shown", "code"),
    [
        (b"a\xff.md", "a\\xff.md", "path_not_text"),
        (b"a\nb.md", "a\\nb.md", "path_not_text"),
        (b"x" * 998 + b".md", "x" * 998 + ".md", "path_too_long"),
        (b"x" * 250 + b".md", "x" * 250 + ".md", "rules_too_long"),
    ],
)
def test_names_that_can_not_be_kept_are_refused(repository: Repository, path: bytes, shown: str, code: str) -> None:
    repository.commit({"fundstelle.toml": OPEN, path: "a", "b.md": "b"})
    found = listing(repository)
    assert (reasons(found), list(ids(found))) == ({shown: code}, ["b.md"])


def test_paths_that_look_alike_are_refused_and_those_that_differ_in_case_are_not(repository: Repository) -> None:
    composed, decomposed = "ä.md".encode(), "a\u0308.md".encode()
    repository.commit({"fundstelle.toml": OPEN, composed: "1", decomposed: "2", "b.md": "b", "B.md": "B"})
    found = listing(repository)
    assert [refusal.error.code for refusal in found.refusals] == ["git_path_twice", "git_path_twice"]
    assert ids(found) == {"B.md": "B", "b.md": "b"}


def test_a_decomposed_name_is_the_same_as_a_composed_one(repository: Repository, tmp_path: Path) -> None:
    repository.commit({"fundstelle.toml": OPEN.replace("**", "ä.md"), "a\u0308.md".encode(): "1"})
    found = listing(repository)
    assert (found.items[0].path, found.items[0].rights) == ("ä.md", Rights(("group:alle",)))
    assert git.at(origin(repository.path, tmp_path / "cache")).rights(["ä.md"]) == {"ä.md": Rights(("group:alle",))}


def test_a_pointer_to_a_file_outside_is_not_its_text(repository: Repository) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 12345\n"
    repository.commit(RULES | {"a.md": pointer})
    with refused("git_lfs"):
        listing(repository).items[0].read()


def test_a_file_that_is_too_long_is_refused_when_it_is_read(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": b"x" * 20_000_001, "b.md": "b"})
    found = listing(repository)
    with refused("file_too_large"):
        found.items[0].read()
    assert found.items[1].read() == b"b"


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("", "git_address"),
        ("#main", "git_address"),
        ("a.git", "git_address"),
        ("file://host/a.git", "git_address"),
        ("/srv/a.git#", "git_branch_name"),
        ("/srv/a.git#a b", "git_branch_name"),
        ("/srv/a.git#../b", "git_branch_name"),
        ("https://eva:geheim@host/a.git", "origin_password"),
        ("https://geheim@host/a.git", "origin_password"),
        ("ssh://git:geheim@host/a.git", "origin_password"),
        ("git://host/a.git", "git_scheme"),
        ("ext::sh -c geheim", "git_scheme"),
        ("https://host", "git_address"),
        ("https://host/a.git?x", "git_address"),
        ("https://host:x/a.git", "git_address"),
        ("ssh://-oProxyCommand=geheim/a.git", "git_address"),
        ("ssh://-o@host/a.git", "git_address"),
    ],
)
def test_locations_that_are_none_are_refused_without_being_repeated(tmp_path: Path, location: str, code: str) -> None:
    with refused(code) as caught:
        git.at(origin(location, tmp_path))
    assert "geheim" not in str(caught.value)


# What a run makes of it


def source(repository: Repository, **values: object) -> Source:
    for name in ("alle", "netz"):
        group(name)
    row = Source.objects.create(
        tenant=tenant(), name="handbuch", title="Handbuch", kind=SourceKind.GIT, location=str(repository.path), **values
    )
    return row


def synced(repository: Repository) -> Report:
    row = Source.objects.filter(name="handbuch").first() or source(repository)
    report = syncing.sync(row)
    assert report.complete, report.error
    return report


def eva() -> Access:
    return access(person("eva", ["alle"]))


def hits(mine: Access, words: str) -> list[str]:
    return [hit.document.external_id for hit in searching.search(mine, words).hits]


@pytest.mark.django_db
def test_a_run_takes_in_all_states_and_the_history_names_their_commits(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "Frist acht Tage."}, day="2026-01-05")
    second = repository.commit({"a.md": "Frist neun Tage."}, day="2026-02-06").decode()
    report = synced(repository)
    mine = eva()
    found = history.history(mine, document("a").public_id).revisions
    assert ([one.dated for one in found], found[0].origin_state) == ([date(2026, 2, 6), date(2026, 1, 5)], second)
    assert [[state.is_current for state in one.states] for one in found] == [[True], [False]]
    assert (report.counts["new"], hits(mine, "neun"), hits(mine, "acht")) == (1, ["a"], [])
    assert history.provenance(mine, document("a").public_id).origin.origin_state == second


@pytest.mark.django_db
def test_states_are_compared(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "Frist acht Tage."})
    repository.commit({"a.md": "Frist neun Tage."})
    synced(repository)
    mine, row = eva(), document("a")
    old = row.revisions.order_by("dated")[0].representations.get()
    assert history.compared(mine, row.public_id, old=old.public_id).changes == 1


@pytest.mark.django_db
def test_a_second_run_reads_nothing_and_changes_nothing(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "Frist acht Tage."})
    synced(repository)
    before = document("a").updated_at
    report = synced(repository)
    assert (dict(report.counts)["unchanged"], document("a").updated_at) == (1, before)


@pytest.mark.django_db
def test_citations_outlive_a_renamed_file(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    synced(repository)
    mine = eva()
    made = citations.cite_words(mine, document("a").public_id, exact="line 7 of its own")
    repository.commit(moved={"a.md": "sub/b.md"})
    report = synced(repository)
    row = document("a")
    assert (report.counts["updated"], Document.objects.count(), row.current.revision.path) == (1, 1, "sub/b.md")  # type: ignore[union-attr]
    assert citations.get(mine, made).resolution.state == State.RESOLVED


@pytest.mark.django_db
def test_a_citation_shows_its_state_after_a_renamed_file_was_edited(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    synced(repository)
    mine = eva()
    made = citations.cite_words(mine, document("a").public_id, exact="line 7 of its own")
    repository.commit({"a.md": None, "b.md": TEXT + "more\n"})
    synced(repository)
    resolution = citations.get(mine, made).resolution
    assert (resolution.state, resolution.historical is not None) == (State.SOURCE_CHANGED, True)


@pytest.mark.django_db
def test_a_right_that_a_commit_takes_away_is_gone_for_the_next_search(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "Frist acht Tage."}, day="2026-01-05")
    synced(repository)
    mine = eva()
    assert hits(mine, "Frist") == ["a"]
    repository.commit({"fundstelle.toml": CLOSED}, day="2026-01-06")
    synced(repository)
    assert hits(access(User.objects.get(username="eva")), "Frist") == []
    assert Revocation.objects.get().at_origin == datetime(2026, 1, 6, 12, tzinfo=UTC)


@pytest.mark.django_db
def test_a_sensitive_repository_is_asked_with_every_search(repository: Repository) -> None:
    said = OPEN.replace("**", "open/*") + CLOSED.replace("**", "closed/*")
    repository.commit({"fundstelle.toml": said, "open/a.md": "Frist acht Tage."})
    source(repository, sensitive=True)
    synced(repository)
    user = person("eva", ["alle"])
    assert hits(access(user), "Frist") == ["open/a"]
    repository.commit({"open/b.md": "Mehr."})
    assert hits(access(user), "Frist") == ["open/a"]
    repository.commit(moved={"open/a.md": "closed/a.md"})  # nothing else says that the right is gone
    assert hits(access(user), "Frist") == []
    synced(repository)
    assert hits(access(user), "Frist") == []
    repository.commit(moved={"closed/a.md": "open/c.md"})
    synced(repository)
    assert hits(access(user), "Frist") == ["open/a"]


@pytest.mark.django_db
def test_an_earlier_state_is_read_under_todays_rights(repository: Repository) -> None:
    repository.commit({"fundstelle.toml": CLOSED, "a.md": "Geheim."})
    repository.commit({"fundstelle.toml": OPEN, "a.md": "Offen."})
    synced(repository)
    assert len(history.history(eva(), document("a").public_id).revisions) == 2


@pytest.mark.django_db
def test_a_deleted_file_is_withdrawn_and_one_put_back_returns(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "Frist.", "b.md": "b"})
    synced(repository)
    repository.commit({"a.md": None})
    assert synced(repository).counts["withdrawn"] == 1
    assert document("a").withdrawn_at is not None
    repository.commit({"a.md": "Frist."})
    synced(repository)
    assert document("a").withdrawn_at is None


@pytest.mark.django_db
def test_a_new_file_at_the_path_of_a_renamed_one_has_neither_its_citations_nor_its_history(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    synced(repository)
    mine = eva()
    made = citations.cite_words(mine, document("a").public_id, exact="line 7 of its own")
    repository.commit(moved={"a.md": "b.md"})
    repository.commit({"a.md": lines("new")})
    synced(repository)
    assert citations.get(mine, made).anchor.state.document == str(document("a").public_id)
    assert document("a").current.revision.path == "b.md"  # type: ignore[union-attr]
    assert len(history.history(mine, document("a.md").public_id).revisions) == 1


@pytest.mark.django_db
def test_a_rewritten_history_keeps_the_document_and_what_was_taken_in(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": "Frist acht Tage."})
    repository.commit({"a.md": "Frist neun Tage."})
    synced(repository)
    repository.commit({"a.md": "Frist zehn Tage."}, parents=[first])
    synced(repository)
    mine = eva()
    assert hits(mine, "zehn") == ["a"]
    assert len(history.history(mine, document("a").public_id).revisions) == 3


@pytest.mark.django_db
def test_a_repository_that_can_not_be_read_confirms_and_withdraws_nothing(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "Frist."})
    synced(repository)
    row = Source.objects.get()
    before = row.rights_confirmed_at
    for file in (repository.path / "refs" / "heads").iterdir():
        file.unlink()
    with refused("git_no_commits"):
        syncing.sync(row)
    row.refresh_from_db()
    assert (row.rights_confirmed_at, document("a").withdrawn_at) == (before, None)
    assert Run.objects.latest("pk").outcome == Run.Outcome.FAILED


@pytest.mark.django_db(transaction=True)
def test_the_history_page_shows_days_and_commits(client: Client, repository: Repository) -> None:
    commit = repository.commit(RULES | {"a.md": "Frist acht Tage."}, day="2026-01-05").decode()
    synced(repository)
    sign_in(client, person("anna", ["alle"]))
    page = parsed(client.get(f"/documents/{document('a').public_id}/history/"))
    assert texts(page, ".revision h3") == [f"Version 2026-01-05 {commit[:10]}"]
    assert [node.attributes["title"] for node in page.css(".revision code")][1] == commit
    page = parsed(client.get(f"/documents/{document('a').public_id}/provenance/"))
    assert commit in page.text()
