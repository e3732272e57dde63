"""What a person may not read changes no byte of what that person gets: with it, without it, and while it is arriving."""

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from evidence import jobs, projection, removal
from evidence.models import AccessRule, Document, Source, SourceKind, Tenant
from evidence.tests.builders import document, group, person, publish, rules, run, tenant, write

WORDS = ["ventil", "prüfung", "straße", "geheim", "gas", "gasventil", "prüfungen", "strasse", "ventile"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=0, max_size=6).map(" ".join), min_size=1, max_size=4).map("\n\n".join)
QUERIES = ["/?q=ventil", "/?q=ventil+prüfung", "/?q=%22ventil+gas%22", "/?q=geheim", "/?q=gas&limit=1", "/?q=straße&offset=1"]
WIDER = ["/?mode=wider&q=wie+ventil+prüfung+geheim", "/?mode=wider&q=strasse+gasventil+vntil&without=strasse:spelling&limit=2"]
PAGES = [*QUERIES, *WIDER, "/?q=ventil&source=geheim", "/?q=quastenflosser", "/documents/", "/documents/?title=g", "/"]
SECRETS = [
    (re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"'), b"csrf"),
    (re.compile(rb'nonce="[^"]+"'), b"nonce"),
    (re.compile(rb'"X-CSRFToken": ?"[^"]+"'), b"csrf"),
]


@pytest.fixture
def eva(db: None) -> Iterator[Client]:
    """Someone in the group "alle", signed in."""
    client = Client()
    client.force_login(person("eva", ["alle"]), backend="django.contrib.auth.backends.ModelBackend")
    yield client


def masked(response: HttpResponseBase) -> tuple[int, bytes, list[tuple[str, str]]]:
    """Status, body and headers without what differs from one request to the next."""
    body: bytes = response.content  # type: ignore[attr-defined]
    for pattern, word in SECRETS:
        body = pattern.sub(word, body)
    headers = [(name, re.sub(r"'nonce-[^']+'", "nonce", value)) for name, value in sorted(response.items())]
    return response.status_code, body, headers


def everything(client: Client) -> list[tuple[int, bytes, list[tuple[str, str]]]]:
    """Every page, whole and as the fragment that htmx asks for."""
    fragment = {"HX-Request": "true", "HX-Target": "results"}
    return [masked(client.get(page, headers=headers)) for page in PAGES for headers in ({}, fragment)]


def hide_in_another_class(folder: Path, texts: Sequence[str]) -> None:
    write(folder, {f"g{number}.txt": text for number, text in enumerate(texts)})
    write(folder, {"fundstelle.toml": rules(("*", 'allowed = ["group:alle"]'), ("g*", 'allowed = ["group:netz"]'))})
    run(folder, source="x")


def hide_in_another_source(folder: Path, texts: Sequence[str]) -> None:
    publish(
        folder / "sub", {f"g{number}.txt": text for number, text in enumerate(texts)}, source="geheim", allowed='["group:netz"]'
    )


def hide_in_another_tenant(folder: Path, texts: Sequence[str]) -> None:
    publish(folder / "sub", {f"g{number}.txt": text for number, text in enumerate(texts)}, source="geheim", of=tenant("andere"))


def hide_by_a_denial(folder: Path, texts: Sequence[str]) -> None:
    files = {f"g{number}.txt": text for number, text in enumerate(texts)}
    entry = ("*", 'allowed = ["group:alle"]\ndenied = ["user:eva"]')
    run(write(folder / "sub", {**files, "fundstelle.toml": rules(entry)}), source="geheim")


def hide_without_rights(folder: Path, texts: Sequence[str]) -> None:
    run(write(folder / "sub", {f"g{number}.txt": text for number, text in enumerate(texts)}), source="geheim")


def hide_by_age_of_rights(folder: Path, texts: Sequence[str]) -> None:
    publish(folder / "sub", {f"g{number}.txt": text for number, text in enumerate(texts)}, source="geheim")
    Source.objects.filter(name="geheim").update(kind=SourceKind.FOLDER, rights_confirmed_at=None)


def hide_by_withdrawal(folder: Path, texts: Sequence[str]) -> None:
    publish(folder / "sub", {f"g{number}.txt": text for number, text in enumerate(texts)}, source="geheim")
    for row in Document.objects.filter(source__name="geheim"):
        removal.withdraw(row)


def hide_by_a_change_of_rights(folder: Path, texts: Sequence[str]) -> None:
    files = {f"g{number}.txt": text for number, text in enumerate(texts)}
    publish(folder / "sub", files, source="geheim")
    publish(folder / "sub", files, source="geheim", allowed='["group:netz"]')


def hide_by_purging(folder: Path, texts: Sequence[str]) -> None:
    hide_by_withdrawal(folder, texts)
    for row in Document.objects.filter(source__name="geheim"):
        row.delete()


WAYS = [
    hide_in_another_class,
    hide_in_another_source,
    hide_in_another_tenant,
    hide_by_a_denial,
    hide_without_rights,
    hide_by_age_of_rights,
    hide_by_withdrawal,
    hide_by_a_change_of_rights,
    hide_by_purging,
]


def start_over(folder: Path) -> None:
    """Empty database and index, for the next example."""
    AccessRule.objects.all().delete()
    Document.objects.all().delete()
    Source.objects.all().delete()
    Tenant.objects.exclude(slug="lindenau").delete()
    shutil.rmtree(settings.INDEX_DIR, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("hide", WAYS, ids=lambda way: way.__name__)
@profile(max_examples=4, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(readable=st.lists(TEXTS, min_size=1, max_size=3), hidden=st.lists(TEXTS, min_size=1, max_size=3))
def test_documents_that_may_not_be_read_change_no_byte(
    hide: object, readable: list[str], hidden: list[str], eva: Client, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    start_over(folder)
    publish(folder, {f"r{number}.txt": text for number, text in enumerate(readable)}, source="x")
    before = everything(eva)
    hide(folder, hidden)  # type: ignore[operator]
    assert everything(eva) == before
    jobs.enqueue(projection.JOB, Document.objects.filter(external_id__startswith="g").values_list("pk", flat=True))
    with projection._writing(wait=True):  # what follows finds nobody who could bring the index in line
        assert everything(eva) == before


def test_a_move_out_of_reach_shows_nothing_before_the_index_knows(eva: Client, tmp_path: Path) -> None:
    publish(tmp_path / "x", {"r0.txt": "ventil gas"}, source="x")
    before = everything(eva)
    publish(tmp_path / "y", {"g0.txt": "ventil geheim"}, source="geheim")
    publish(tmp_path / "z", {"z.txt": "anderes"}, source="z", allowed='["group:netz"]')
    with projection._writing(wait=True):
        row = document("g0", source="geheim")
        Document.objects.filter(pk=row.pk).update(access_class=document("z", source="z").access_class)
        projection.record([row.pk])
        assert everything(eva) == before


def test_the_last_document_that_could_be_read_leaves_no_trace(eva: Client, tmp_path: Path) -> None:
    group("netz")
    before = everything(eva)
    publish(tmp_path / "x", {"r0.txt": "ventil gas"}, source="x")
    assert everything(eva) != before
    publish(tmp_path / "x", {"r0.txt": "ventil gas"}, source="x", allowed='["group:netz"]')
    assert everything(eva) == before


def test_what_may_be_read_does_change_the_pages(eva: Client, tmp_path: Path) -> None:
    publish(tmp_path / "x", {"r0.txt": "ventil gas"}, source="x")
    before = everything(eva)
    publish(tmp_path / "y", {"g0.txt": "ventil geheim"}, source="geheim")
    assert everything(eva) != before


def test_documents_of_others_are_one_answer_to_the_byte(eva: Client, tmp_path: Path) -> None:
    group("netz")
    publish(tmp_path / "x", {"a.txt": "eins", "b.txt": "zwei"}, source="x", allowed='["group:netz"]')
    publish(tmp_path / "y", {"c.txt": "drei"}, source="y")
    forbidden, deleted, withdrawn = document("a", source="x"), document("b", source="x"), document("c", source="y")
    unknown = "00000000-0000-4000-8000-000000000000"
    ids = [unknown, *(str(row.public_id) for row in (forbidden, deleted, withdrawn))]
    removal.withdraw(withdrawn)
    deleted.delete()
    answers = [masked(eva.get(f"/documents/{one}/{rest}")) for one in ids for rest in ("", "?passage=0", "?passage=99&q=eins")]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0] == 404
    assert User.objects.count() == 1
