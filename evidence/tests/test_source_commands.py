"""Commands that make sources and run them: what they refuse, what they say, and how they end."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from evidence import origins, runs
from evidence.models import AuditEvent, Document, Group, Run, Source
from evidence.tests.builders import group, rules, tenant, write
from evidence.watching import folder_of

pytestmark = pytest.mark.django_db

OPEN = rules(("**", 'allowed = ["group:alle"]'))


@pytest.fixture(autouse=True)
def lindenau() -> Group:
    """A tenant with a group."""
    return group("alle")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with two documents."""
    return write(tmp_path / "in", {"a.txt": "Text.", "b.txt": "Text.", "c.xyz": "?", "fundstelle.toml": OPEN})


def manage(*words: object) -> str:
    out = StringIO()
    call_command(*map(str, words), stdout=out, stderr=out, verbosity=0)
    return out.getvalue()


def create(name: str, *words: object) -> str:
    return manage("createsource", name, "--tenant", "lindenau", *words)


def ended(*words: object) -> tuple[int, str]:
    """The exit status, and what was said."""
    out = StringIO()
    try:
        call_command(*map(str, words), stdout=out, stderr=out, verbosity=0)
    except CommandError as error:
        return error.returncode, out.getvalue() + str(error)
    return 0, out.getvalue()


# createsource


def test_a_source_gets_everything_that_is_said_and_what_is_there_is_counted(place: Path) -> None:
    said = ("--title", "Handbuch", "--contact", "x@example.org", "--every", "15m", "--watch", "--sla", "2h", "--sensitive")
    told = create(
        "handbuch", "--location", place, *said, "--announced-to", "alle", "--missing-share", "0.2", "--purge-after", "1d"
    )
    row = Source.objects.get()
    assert "lindenau/handbuch created: 2 files, 1 of formats that are not read" in told
    assert (row.kind, row.location, row.title, row.contact) == ("folder", str(place), "Handbuch", "x@example.org")
    assert (row.watched, row.sensitive, row.max_missing_share) == (True, True, 0.2)
    minutes = [int(one.total_seconds() // 60) for one in (row.sync_every, row.revocation_sla, row.purge_after) if one]
    assert (minutes, row.next_sync_at is not None) == ([15, 120, 1440], True)
    assert [one.name for one in row.announced_to.all()] == ["alle"]
    assert not Document.objects.exists()


def test_said_again_it_changes_what_is_given_and_nothing_else(place: Path) -> None:
    create("handbuch", "--location", place, "--title", "Handbuch", "--every", "15m")
    assert "is as you say" in create("handbuch")
    assert "changed" in create("handbuch", "--every", "never", "--sla", "3d")
    row = Source.objects.get()
    assert (row.title, row.sync_every, row.next_sync_at, row.revocation_sla.days) == ("Handbuch", None, None, 3)
    assert list(AuditEvent.objects.filter(code__startswith="source.").order_by("pk").values_list("code", flat=True)) == [
        "source.created",
        "source.changed",
    ]


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["--location", "{place}/nirgends"], "folder_missing"),
        (["--location", "{place}", "--rules", "{place}/keine.toml"], "rules_unreadable"),
        (["--location", "gopher://x/y"], "origin_scheme"),
        (["--location", "{place}", "--every", "15"], "rules_duration"),
        (["--location", "{place}", "--missing-share", "2"], "0 to 1"),
        (["--location", "{place}", "--announced-to", "niemand"], "niemand"),
        (["--location", "{place}", "--ask-url", "https://x.example/"], "pushed"),
        ([], "--location"),
        (["--kind", "push", "--location", "{place}"], "only receives"),
        (["--kind", "push", "--every", "1h"], "only receives"),
        (["--kind", "push", "--sensitive"], "--ask-url"),
        (["--kind", "push", "--sensitive", "--ask-url", "http://dms.example.org/"], "outbound_scheme"),
        (["--kind", "push", "--sensitive", "--ask-url", "https://dms.example.org:8443/"], "outbound_port"),
        (["--kind", "local", "--sensitive"], "nobody to ask"),
        (["--kind", "git", "--location", "{place}", "--watch"], "--every"),
    ],
)
def test_what_does_not_go_together_is_refused_and_nothing_made(place: Path, words: list[str], match: str) -> None:
    with pytest.raises(CommandError, match=match):
        create("handbuch", *(word.format(place=place) for word in words))
    assert not Source.objects.exists()


def test_a_short_name_that_no_address_can_hold_is_refused(place: Path) -> None:
    with pytest.raises(CommandError, match="slug"):
        create("Hand buch", "--location", place)


def test_a_place_that_cannot_be_listed_does_not_take_the_place_of_one_that_can(place: Path) -> None:
    create("handbuch", "--location", place)
    with pytest.raises(CommandError, match="folder_missing"):
        create("handbuch", "--location", place / "nirgends")
    assert Source.objects.get().location == str(place)


def test_a_source_keeps_its_kind(place: Path) -> None:
    create("handbuch", "--location", place)
    with pytest.raises(CommandError, match="stays so"):
        create("handbuch", "--kind", "git")


def test_a_local_source_that_was_imported_can_be_changed(place: Path) -> None:
    Source.objects.create(tenant=tenant(), name="handbuch", kind="local", location=str(place))
    assert "changed" in create("handbuch", "--title", "Handbuch")


def test_a_source_that_is_pushed_needs_no_place() -> None:
    assert "created" in create("akten", "--kind", "push")
    assert Source.objects.get().kind == "push"


def test_a_sensitive_source_that_is_pushed_says_that_it_needs_a_secret(settings: Settings) -> None:
    said = ("--kind", "push", "--sensitive", "--ask-url", "https://dms.example.org/ask")
    assert 'ask_secret under ["lindenau/akten"]' in create("akten", *said)
    settings.CREDENTIALS = {"lindenau/akten": {"ask_secret": "geheimnis"}}
    assert "ask_secret" not in create("akten", *said)


def test_what_was_fetched_to_try_a_place_is_kept_for_the_source(place: Path, settings: Settings) -> None:
    row = Source(tenant=tenant(), name="handbuch", location=str(place))
    kept = settings.DATA_DIR / "origins"
    write(kept / "new-lindenau-handbuch", {"objects": "x"})
    row.save()
    origins.adopt(row)
    assert [path.name for path in kept.iterdir()] == [str(row.pk)]


def test_only_folders_of_this_machine_can_be_watched(tmp_path: Path) -> None:
    here = Source(kind="folder", location=str(tmp_path))
    assert folder_of(here) == tmp_path
    assert folder_of(Source(kind="folder", location=f"file://{tmp_path}")) == tmp_path
    assert folder_of(Source(kind="folder", location="s3://eimer/ordner")) is None
    assert folder_of(Source(kind="git", location=str(tmp_path))) is None


# sync


def test_sync_takes_one_source_in_and_says_what_it_did(place: Path) -> None:
    create("handbuch", "--location", place)
    status, told = ended("sync", "handbuch", "--tenant", "lindenau")
    assert (status, Document.objects.count()) == (0, 2)
    assert "2 new" in told and "not read (no such format yet):\n  1 × .xyz" in told


def test_sync_without_a_name_takes_in_all_that_can_be_asked(place: Path, tmp_path: Path) -> None:
    create("handbuch", "--location", place)
    create("zweite", "--location", write(tmp_path / "zwei", {"d.txt": "Text.", "fundstelle.toml": OPEN}))
    create("akten", "--kind", "push")
    assert (ended("sync")[0], Document.objects.count(), Run.objects.count()) == (0, 3, 2)


def test_sync_ends_with_one_when_something_was_refused(place: Path) -> None:
    create("handbuch", "--location", write(place, {"a.txt": "\0"}))
    status, told = ended("sync", "handbuch")
    assert (status, Document.objects.count()) == (1, 1) and "a.txt: " in told and "text_nul" in told


def test_sync_ends_with_one_when_a_rule_names_a_group_that_does_not_exist(place: Path) -> None:
    write(place, {"fundstelle.toml": rules(("a.txt", 'allowed = ["group:alel"]'), ("b.txt", 'allowed = ["group:alle"]'))})
    create("handbuch", "--location", place)
    for _ in range(2):
        status, told = ended("sync", "handbuch")
        assert status == 1 and "a: unknown principal group:alel" in told


def test_what_no_rule_names_is_left_out_on_purpose_and_no_fault(place: Path) -> None:
    create("handbuch", "--location", write(place, {"fundstelle.toml": rules(("a.txt", 'allowed = ["group:alle"]'))}))
    assert ended("sync", "handbuch")[0] == 0


def test_a_run_says_what_its_numbers_count(place: Path) -> None:
    create("handbuch", "--location", place)
    assert "documents: 2 new; 2 passages read\n" in ended("sync", "handbuch")[1]


def test_where_nobody_looks_there_is_a_line_and_no_bar(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    create("handbuch", "--location", place)
    call_command("sync", "handbuch", stdout=StringIO())
    assert capfd.readouterr().err == "lindenau/handbuch …\n"


def test_sync_ends_with_one_when_one_of_several_could_not_be_run(place: Path, tmp_path: Path) -> None:
    create("handbuch", "--location", place)
    create("zweite", "--location", write(tmp_path / "zwei", {"d.txt": "Text.", "fundstelle.toml": OPEN}))
    (tmp_path / "zwei").rename(tmp_path / "weg")
    status, told = ended("sync")
    assert (status, Document.objects.count()) == (1, 2) and "folder_missing" in told


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["nirgends"], "no source 'nirgends'"),
        (["handbuch", "--tenant", "nirgends"], "no source 'handbuch' in tenant 'nirgends'"),
        (["akten"], "source_only_receives"),
        (["--allow-removals"], "name it"),
    ],
)
def test_sync_ends_with_two_when_nothing_was_done(place: Path, words: list[str], match: str) -> None:
    create("handbuch", "--location", place)
    create("akten", "--kind", "push")
    status, told = ended("sync", *words)
    assert (status, Run.objects.count()) == (2, 0) and match in told


def test_sync_ends_with_two_while_another_run_goes_on(place: Path) -> None:
    create("handbuch", "--location", place)
    with runs.alone(Source.objects.get()):
        status, told = ended("sync", "handbuch")
    assert status == 2 and "import_running" in told


def test_a_name_that_several_tenants_use_needs_the_tenant(place: Path) -> None:
    for slug in ("lindenau", "anderswo"):
        Source.objects.create(tenant=tenant(slug), name="handbuch", location=str(place))
    assert ended("sync", "handbuch")[0] == 2
    assert ended("sync", "handbuch", "--tenant", "lindenau")[0] == 0


def test_sync_withdraws_most_documents_only_when_told_so(place: Path) -> None:
    create("handbuch", "--location", place)
    ended("sync")
    for name in "ab":
        (place / f"{name}.txt").unlink()
    assert ended("sync", "handbuch")[0] == 1
    assert (ended("sync", "handbuch", "--allow-removals")[0], Document.objects.filter(withdrawn_at=None).count()) == (0, 0)


# import


def test_an_import_keeps_where_its_rules_are_so_that_a_sync_finds_them(place: Path, tmp_path: Path) -> None:
    (place / "fundstelle.toml").rename(tmp_path / "regeln.toml")
    manage("import", place, "--source", "handbuch", "--tenant", "lindenau", "--rules", tmp_path / "regeln.toml")
    assert ended("sync", "handbuch")[0] == 0
    assert not Document.objects.exclude(rights_problem="").exists()


@pytest.mark.parametrize("kind", ["git", "push"])
def test_an_import_does_not_take_the_place_of_another_kind_of_source(place: Path, kind: str) -> None:
    Source.objects.create(tenant=tenant(), name="handbuch", kind=kind, location="https://x.example/y" * (kind == "git"))
    status, told = ended("import", place, "--source", "handbuch", "--tenant", "lindenau")
    assert (status, Source.objects.get().kind) == (2, kind) and "source_elsewhere" in told
