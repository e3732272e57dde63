"""Sensitive sources are asked at this moment: what they do not confirm is not there, and nobody else notices."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from evidence import ingest, live, origins, search
from evidence.models import Document, Source, SourceKind
from evidence.sources import Listing, Origin, Rights
from evidence.sources.kinds import KINDS
from evidence.sources.rules import RULES_FILE
from evidence.tests.builders import access, document, group, person, rules, run, tenant, write
from evidence.tests.calls import program
from evidence.tests.elsewhere import Behaviour, Elsewhere, answering, dripping, elsewhere, silent
from evidence.tests.repositories import Repository
from evidence.tests.test_noninterference import everything

pytestmark = pytest.mark.django_db

ALLOWED, DENIED = answering(b'{"allowed": true}'), answering(b'{"allowed": false}')


def sensitive(folder: Path, files: Mapping[str, str], *entries: tuple[str, str], name: str = "akten") -> Source:
    """A sensitive folder source, imported, with its rights confirmed as they are stated."""
    run(write(folder, {**files, "fundstelle.toml": rules(*entries)}), source=name, kind=SourceKind.FOLDER)
    row = Source.objects.get(name=name)
    asked = origins.of(row)
    assert asked is not None
    row.sensitive, row.rights_stamp = True, asked.stamp()
    row.save()
    return row


def pushed(folder: Path, server: Elsewhere, settings: Settings, *, name: str = "dms") -> Source:
    """A sensitive source that is pushed, with one document for the group "alle"; its system is asked at this server."""
    run(write(folder, {"p.txt": "Die Frist beträgt acht Tage.", "fundstelle.toml": EVERYBODY}), source=name, kind="push")
    row = Source.objects.get(name=name)
    row.title, row.sensitive, row.ask_url = "Aktenablage", True, f"http://127.0.0.1:{server.port}/ask"
    row.save()
    settings.PRIVATE_HOSTS = ["127.0.0.1"]
    settings.CREDENTIALS = {str(row): {"ask_secret": "geheimnis"}}
    return row


EVERYBODY = rules(("**", 'allowed = ["group:alle"]'))
TEXTS = {"a.txt": "Die Frist beträgt acht Tage.", "b.txt": "Die Frist beträgt neun Tage."}
BOTH = ("**", 'allowed = ["group:alle", "group:netz"]')


def found(user: User) -> list[str]:
    """Ids of the documents in which this person finds "Frist", sorted."""
    return sorted(hit.document.external_id for hit in search.search(access(user), "Frist").hits)


def restate(folder: Path, *entries: tuple[str, str]) -> None:
    """The origin changes its rules; no run takes place."""
    write(folder, {"fundstelle.toml": rules(*entries)})


def test_what_was_confirmed_holds_as_it_is_stored(tmp_path: Path) -> None:
    sensitive(tmp_path, TEXTS, BOTH)
    assert found(person("eva", ["alle"])) == ["a", "b"]


def test_a_right_that_the_origin_took_away_is_gone_without_a_run(tmp_path: Path) -> None:
    sensitive(tmp_path, TEXTS, BOTH)
    eva, max_ = person("eva", ["alle"]), person("max", ["netz"])
    restate(tmp_path, ("**", 'allowed = ["group:netz"]'))
    assert (found(eva), found(max_)) == ([], ["a", "b"])


def test_one_document_that_was_taken_away_takes_its_class_with_it(tmp_path: Path) -> None:
    sensitive(tmp_path, TEXTS | {"c.txt": "Die Frist endet."}, BOTH, ("c*", 'allowed = ["group:alle"]'))
    eva = person("eva", ["alle"])
    restate(tmp_path, BOTH, ("b*", 'allowed = ["group:netz"]'), ("c*", 'allowed = ["group:alle"]'))
    assert found(eva) == ["c"]


@pytest.mark.parametrize("denied", ["group:alle", "group:netz", "user:eva"])
def test_a_denial_at_the_origin_counts_before_any_run(tmp_path: Path, denied: str) -> None:
    sensitive(tmp_path, TEXTS, BOTH)
    eva = person("eva", ["alle", "netz"])
    restate(tmp_path, BOTH, ("**", f'denied = ["{denied}"]'))
    assert found(eva) == []


def test_a_person_whom_the_origin_names_is_confirmed_by_name(tmp_path: Path) -> None:
    eva = person("eva", ["alle"])
    sensitive(tmp_path, TEXTS, BOTH)
    restate(tmp_path, ("**", 'allowed = ["user:eva"]'))
    assert found(eva) == ["a", "b"]


@pytest.mark.parametrize("entry", ['allowed = ["group:nobody"]', "allowed = []", 'title = "x"', 'allowed = "group:alle"'])
def test_rights_that_can_not_be_used_confirm_nobody(tmp_path: Path, entry: str) -> None:
    sensitive(tmp_path, TEXTS, BOTH)
    restate(tmp_path, ("**", entry))
    assert found(person("eva", ["alle"])) == []


def test_a_document_that_is_gone_confirms_nothing_of_its_class(tmp_path: Path) -> None:
    sensitive(tmp_path, TEXTS, BOTH)
    restate(tmp_path, BOTH, ("x*", 'allowed = ["group:netz"]'))
    (tmp_path / "b.txt").unlink()
    assert found(person("eva", ["alle"])) == []


def test_rules_that_are_gone_confirm_nothing(tmp_path: Path) -> None:
    sensitive(tmp_path, TEXTS, BOTH)
    (tmp_path / "fundstelle.toml").unlink()
    assert found(person("eva", ["alle"])) == []


def test_broken_rules_are_no_answer_and_the_source_is_withheld(tmp_path: Path) -> None:
    row = sensitive(tmp_path, TEXTS, BOTH)
    row.announced_to.add(group("alle"))
    write(tmp_path, {"fundstelle.toml": "[[document"})
    eva = access(person("eva", ["alle"]))
    assert (eva.classes, [one.source for one in eva.withheld]) == (frozenset(), ["akten"])


def test_a_no_is_an_answer_and_nothing_is_withheld(tmp_path: Path) -> None:
    row = sensitive(tmp_path, TEXTS, BOTH)
    row.announced_to.add(group("alle"))
    restate(tmp_path, ("**", 'allowed = ["group:netz"]'))
    assert access(person("eva", ["alle"])).withheld == ()


def test_a_repository_is_asked_for_what_its_branch_states_now(tmp_path: Path) -> None:
    group("alle")
    group("netz")
    repository = Repository.at(tmp_path / "repository")
    repository.commit({**TEXTS, RULES_FILE: rules(("**", 'allowed = ["group:alle"]'))})
    row = Source.objects.create(tenant=tenant(), name="git", kind=SourceKind.GIT, location=str(repository.path), sensitive=True)
    asked = origins.of(row)
    assert asked is not None
    ingest.take_in(row, asked.list(), started=timezone.now(), stamp=asked.stamp)
    eva = person("eva", ["alle"])
    assert found(eva) == ["a", "b"]
    repository.commit({RULES_FILE: rules(("**", 'allowed = ["group:alle"]'), ("b*", 'allowed = ["group:netz"]'))})
    assert found(eva) == []
    repository.commit({RULES_FILE: rules(("**", 'allowed = ["group:alle"]'), ("c*", 'allowed = ["group:netz"]'))})
    assert found(eva) == ["a", "b"]
    repository.path.rename(tmp_path / "gone")
    assert found(eva) == []


def test_rights_that_are_kept_here_are_confirmed(tmp_path: Path) -> None:
    run(write(tmp_path, {**TEXTS, "fundstelle.toml": EVERYBODY}), source="hier", kind=SourceKind.LOCAL)
    Source.objects.update(sensitive=True)
    assert found(person("eva", ["alle"])) == ["a", "b"]


def test_a_pushing_system_is_asked_for_the_person_with_the_secret(tmp_path: Path, settings: Settings) -> None:
    with elsewhere(ALLOWED) as server:
        pushed(tmp_path, server, settings)
        assert found(person("eva", ["alle", "netz"])) == ["p"]
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert json.loads(body) == {"source": "dms", "user": "eva", "groups": ["alle", "netz"]}
    assert b"\r\nAuthorization: Bearer geheimnis" in head


@pytest.mark.parametrize(
    "said",
    [
        DENIED,
        answering(b'{"allowed": "true"}'),
        answering(b'{"allowed": 1}'),
        answering(b"true"),
        answering(b"[]"),
        answering(b"{}"),
        answering(b"<html>"),
        answering(b"[" * 60_000),
        answering(b'{"allowed": true}', status="201 Created"),
        answering(b'{"allowed": true}', status="302 Found", head="Location: /yes\r\n"),
        answering(b'{"allowed": true}', status="500 Internal Server Error"),
        dripping(),
    ],
)
def test_everything_but_a_plain_yes_is_a_no(said: Behaviour, tmp_path: Path, settings: Settings) -> None:
    with elsewhere(said) as server:
        pushed(tmp_path, server, settings)
        assert found(person("eva", ["alle"])) == []


def test_without_a_secret_nobody_is_asked_and_nothing_confirmed(tmp_path: Path, settings: Settings) -> None:
    with elsewhere(ALLOWED) as server:
        pushed(tmp_path, server, settings)
        settings.CREDENTIALS = {}
        assert found(person("eva", ["alle"])) == []
    assert server.requests == []


def test_an_address_of_the_own_network_is_not_asked(tmp_path: Path, settings: Settings) -> None:
    with elsewhere(ALLOWED) as server:
        pushed(tmp_path, server, settings)
        settings.PRIVATE_HOSTS = []
        assert found(person("eva", ["alle"])) == []
    assert server.requests == []


def test_the_page_answers_in_about_a_second_and_says_that_the_source_is_withheld(tmp_path: Path, settings: Settings) -> None:
    stop, client = threading.Event(), Client()
    with elsewhere(silent(stop)) as server:
        row = pushed(tmp_path, server, settings)
        row.announced_to.add(group("alle"))
        client.force_login(person("eva", ["alle"]), backend="django.contrib.auth.backends.ModelBackend")
        begun = time.monotonic()
        page = client.get("/?q=Frist").content.decode()
        took = time.monotonic() - begun
        stop.set()
    assert 0.9 < took < 5.0
    assert len(server.requests) == 1  # it is worked out once for each request
    assert "acht Tage" not in page
    assert "Aktenablage" in page


def test_who_has_no_right_in_the_source_gets_the_same_bytes_and_waits_for_nobody(tmp_path: Path, settings: Settings) -> None:
    run(write(tmp_path / "offen", {"o.txt": "Das Ventil.", "fundstelle.toml": EVERYBODY}), source="offen")
    client = Client()
    client.force_login(person("eva", ["netz"]), backend="django.contrib.auth.backends.ModelBackend")
    api, before, stop = program(User.objects.get(username="eva")), everything(client), threading.Event()
    called = api.get("search", {"q": "Frist"}).whole
    with elsewhere(silent(stop)) as server:
        pushed(tmp_path / "dms", server, settings)
        assert everything(client) == before
        assert api.get("search", {"q": "Frist"}).whole == called
        stop.set()
    assert server.requests == []


class Hanging:
    """An origin that answers nothing until it is told to."""

    def __init__(self, end: threading.Event, asked: list[str]) -> None:
        self.end = end
        self.asked = asked

    def list(self) -> Listing:
        raise NotImplementedError

    def stamp(self) -> str:
        self.asked.append("stamp")
        self.end.wait(30)
        return ""

    def rights(self, paths: Collection[str]) -> Mapping[str, Rights]:
        raise NotImplementedError


@contextmanager
def hanging(monkeypatch: pytest.MonkeyPatch, place: str) -> Iterator[list[str]]:
    """The folder at this place hangs, as one on a network does whose server is gone. Gives the questions that it was asked."""
    end, at = threading.Event(), KINDS["folder"]
    asked: list[str] = []
    made: Callable[[Origin], object] = lambda origin: Hanging(end, asked) if origin.location == place else at(origin)  # noqa: E731
    monkeypatch.setitem(KINDS, "folder", made)
    yield asked
    end.set()


def test_an_origin_that_hangs_makes_no_other_one_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sensitive(tmp_path / "a", TEXTS, BOTH, name="a")
    sensitive(tmp_path / "z", TEXTS, BOTH, name="z")
    restate(tmp_path / "z", ("**", 'allowed = ["group:alle"]'))  # so that two questions are needed
    eva = person("eva", ["alle"])
    with hanging(monkeypatch, str(tmp_path / "a")):
        begun = time.monotonic()
        assert access(eva).classes == {document("a", source="z").access_class_id}
        assert time.monotonic() - begun < 1.9 * live.ANSWERS_WITHIN


@pytest.mark.django_db(transaction=True)
def test_many_requests_that_hang_starve_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sensitive(tmp_path / "a", TEXTS, ("**", 'allowed = ["group:alle"]'), name="a")
    sensitive(tmp_path / "z", TEXTS, ("**", 'allowed = ["group:netz"]'), name="z")
    eva, max_ = person("eva", ["alle"]), person("max", ["netz"])

    def ask() -> None:
        assert access(eva).classes == frozenset()
        connections.close_all()

    with hanging(monkeypatch, str(tmp_path / "a")) as asked:
        threads = [threading.Thread(target=ask) for _ in range(10)]
        for one in threads:
            one.start()
        while len(asked) < live._TAKEN_UP:
            time.sleep(0.01)
        begun = time.monotonic()
        assert access(max_).classes == {document("a", source="z").access_class_id}
        assert time.monotonic() - begun < live.ANSWERS_WITHIN
        for one in threads:
            one.join()
        begun = time.monotonic()
        assert access(eva).classes == frozenset()
        assert time.monotonic() - begun < live.ANSWERS_WITHIN  # it is known to hang
        assert len(asked) == live._TAKEN_UP


def test_a_closed_source_is_not_asked(tmp_path: Path, settings: Settings) -> None:
    with elsewhere(ALLOWED) as server:
        row = pushed(tmp_path, server, settings)
        Source.objects.filter(pk=row.pk).update(rights_confirmed_at=None)
        assert found(person("eva", ["alle"])) == []
    assert server.requests == []


def test_logs_hold_codes_alone(tmp_path: Path, settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    with elsewhere(answering(b"<html>")) as server:
        row = pushed(tmp_path, server, settings)
        assert found(person("eva", ["alle"])) == []
    assert [record.getMessage() for record in caplog.records if record.name == "evidence.live"] == [
        f"live: source {row.pk} gave no answer: live_no_answer"
    ]


def test_only_documents_that_are_shown_are_asked_about(tmp_path: Path) -> None:
    sensitive(tmp_path, TEXTS, BOTH)
    eva = person("eva", ["alle"])
    (tmp_path / "b.txt").unlink()
    Document.objects.filter(external_id="b").update(withdrawn_at="2024-01-01T00:00Z")
    restate(tmp_path, ("**", 'allowed = ["group:alle"]'))
    assert found(eva) == ["a"]
