"""The administrators' pages: who gets them, what they show in ids and codes, and what their buttons do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from evidence import closing, ingest, origins, reasons, syncing
from evidence.models import (
    AuditEvent,
    Closed,
    Document,
    Job,
    Receipt,
    Revocation,
    Role,
    Run,
    Source,
    SourceKind,
    Token,
)
from evidence.tests.builders import document, person, publish, tenant
from evidence.tests.pages import one, parsed, sign_in, texts, value

pytestmark = pytest.mark.django_db(transaction=True)

ENGLISH = {"accept-language": "en"}
TITLE = "Ein Titel, den nur Leser sehen"
PAGES = ["/sources/", "/sources/why/", "/sources/1/"]
ACTIONS = ["close", "open", "confirm", "sync", "drill", "tokens", "tokens/1/revoke"]
MASKED = [(re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"'), b""), (re.compile(rb'nonce="[^"]+"'), b"")]


@pytest.fixture
def admin(client: Client) -> Iterator[Client]:
    """A browser of an administrator."""
    sign_in(client, person("root", role=Role.ADMINISTRATOR))
    yield client


@pytest.fixture
def row(tmp_path: Path) -> Source:
    """A source with two documents, as a folder whose rights were confirmed just now."""
    publish(tmp_path, {"a.md": f"# {TITLE}\n\nFrist", "b.txt": "zwei"})
    Source.objects.update(kind=SourceKind.FOLDER, location=str(tmp_path), rights_confirmed_at=timezone.now())
    return Source.objects.get()


def whole(response: Any) -> tuple[int, bytes, dict[str, str]]:
    """All that a person could tell answers apart by."""
    body = response.content
    for pattern, word in MASKED:
        body = pattern.sub(word, body)
    headers = {name: re.sub(r"'nonce-[^']+'", "", text) for name, text in response.items()}
    return response.status_code, body, headers


def page(client: Client, source: Source) -> Any:
    return parsed(client.get(f"/sources/{source.pk}/", headers=ENGLISH))


def pairs(found: Any) -> dict[str, str]:
    """What stands in the cards of a source's page."""
    return {
        one(pair, "dt").text().strip(): " ".join(one(pair, "dd").text().split())
        for pair in found.css(".source-card .pairs > div")
    }


@pytest.mark.parametrize("role", [role for role in Role if role != Role.ADMINISTRATOR])
def test_everybody_else_gets_what_an_unknown_address_gives(client: Client, row: Source, role: Role) -> None:
    sign_in(client, person("eva", ["alle"], role=role))
    client.get("/")  # the cookie that pages with forms set
    for method in ("get", "post", "put"):
        nowhere = whole(getattr(client, method)("/nowhere/"))
        assert nowhere[0] == 404
        for path in [*PAGES, *(f"/sources/{row.pk}/{action}/" for action in ACTIONS)]:
            assert whole(getattr(client, method)(path)) == nowhere, (method, path)
    assert Source.objects.get().closed_at is None


def test_forms_of_others_are_not_even_asked_for_their_token(row: Source) -> None:
    client = Client(enforce_csrf_checks=True)
    sign_in(client, person("eva", ["alle"]))
    nowhere = whole(client.post("/nowhere/"))
    assert nowhere[0] == 404
    assert whole(client.post(f"/sources/{row.pk}/close/")) == nowhere


def test_forms_of_administrators_are_asked_for_their_token(row: Source) -> None:
    client = Client(enforce_csrf_checks=True)
    sign_in(client, person("root", role=Role.ADMINISTRATOR))
    assert client.post(f"/sources/{row.pk}/close/").status_code == 403
    assert Source.objects.get().closed_at is None


def test_the_source_of_another_tenant_is_as_unknown_as_none(client: Client, row: Source) -> None:
    sign_in(client, person("fremd", role=Role.ADMINISTRATOR, of=tenant("andere")))
    unknown = whole(client.get(f"/sources/{row.pk + 1}/"))
    assert unknown[0] == 404
    assert whole(client.get(f"/sources/{row.pk}/")) == unknown
    for action in ACTIONS:
        assert whole(client.post(f"/sources/{row.pk}/{action}/")) == unknown, action
    assert texts(parsed(client.get("/sources/", headers=ENGLISH)), ".nothing h2") == ["There is no source yet"]


def test_only_administrators_have_the_link(client: Client, admin: Client) -> None:
    assert len(parsed(admin.get("/")).css('a[href="/sources/"]')) == 2  # one in the menu of phones
    sign_in(client, person("eva", role=Role.EDITOR))
    assert parsed(client.get("/")).css('a[href="/sources/"]') == []


def test_what_needs_attention_comes_first_with_words_and_a_sign(admin: Client, row: Source) -> None:
    Source.objects.create(tenant=row.tenant, name="zuletzt", title="Zuletzt")
    Source.objects.create(tenant=tenant("andere"), name="fremd")
    found = parsed(admin.get("/sources/", headers=ENGLISH))
    assert texts(found, ".source-row h2") == ["Zuletzt", "handbuch"]
    assert texts(found, ".openness") == ["Closed: rights never confirmed", "Open"]
    assert [node.attributes["data-openness"] for node in found.css(".openness")] == ["never_confirmed", "open"]
    assert "1 needs attention" in one(found, ".count").text()


def test_a_source_that_missed_too_much_says_so_and_not_that_it_was_never_confirmed(admin: Client, row: Source) -> None:
    Path(row.location, "a.md").unlink()
    ingest.take_in(row, origins.folder("x", row.location).list(), started=timezone.now())
    Source.objects.update(max_missing_share=0.1)
    Path(row.location, "b.txt").unlink()
    ingest.take_in(Source.objects.get(), origins.folder("x", row.location).list(), started=timezone.now())
    for address in ("/sources/", f"/sources/{row.pk}/"):
        told = one(parsed(admin.get(address, headers=ENGLISH)), "main").text()
        assert "Closed: too many documents were missing" in told and "not confirmed any more" in told
        assert "never confirmed" not in told


def test_a_source_that_is_pushed_is_told_of_in_words_that_fit_it(admin: Client, row: Source) -> None:
    Source.objects.update(kind=SourceKind.PUSH, rights_confirmed_at=None)
    told = one(page(admin, row), "main").text()
    assert "when the other system confirms its rights for the first time" in told and "complete run" not in told
    assert "at once when the other system deletes it" in pairs(page(admin, row))["Removed for good"]
    assert "Last good run" not in one(parsed(admin.get("/sources/", headers=ENGLISH)), ".source-row").text()


def test_who_asks_why_chooses_among_titles_with_their_short_names(admin: Client, row: Source) -> None:
    Source.objects.update(title="Handbuch der Werke")
    assert texts(parsed(admin.get("/sources/why/")), "option")[-1] == "Handbuch der Werke (handbuch)"
    sent = parsed(admin.get("/sources/why/?source=handbuch"))
    assert value(sent, "option[selected]", "value") == "handbuch"


@pytest.mark.parametrize(("language", "written"), [("en", "30 Nov 2026, 17:29:05"), ("de", "30.11.2026 17:29:05")])
def test_runs_of_one_minute_are_told_apart_by_seconds(admin: Client, row: Source, language: str, written: str) -> None:
    at = datetime(2026, 11, 30, 16, 29, 5, tzinfo=UTC)
    Run.objects.update(started_at=at)
    found = parsed(admin.get(f"/sources/{row.pk}/", headers={"accept-language": language}))
    assert texts(found, "[aria-labelledby=runs-heading] tbody th") == [written]


def test_the_list_costs_the_same_for_any_number_of_sources(
    admin: Client, row: Source, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        made = Source.objects.create(tenant=row.tenant, name=f"s{number}")
        Run.objects.create(source=made, outcome=Run.Outcome.FAILED)
    admin.get("/sources/")
    with django_assert_max_num_queries(24) as captured:
        admin.get("/sources/")
    for number in range(10, 30):
        Source.objects.create(tenant=row.tenant, name=f"s{number}")
    with django_assert_max_num_queries(len(captured)):
        assert len(parsed(admin.get("/sources/")).css(".source-row")) == 31


def test_the_page_of_a_source_costs_the_same_for_any_number_of_runs(
    admin: Client,
    row: Source,
    django_assert_num_queries: DjangoAssertNumQueries,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    def more(number: int) -> None:
        now = timezone.now()
        for _ in range(number):
            problems = [["a.md", "pdf_damaged"], ["b.txt", "text_nul"]]
            Run.objects.create(source=row, outcome="incomplete", finished_at=now, problems=problems, sample={"checked": 1})
            Revocation.objects.create(source=row, documents=1, at_origin=now)
            Receipt.objects.create(tenant=row.tenant, source=row, document=document("a").public_id)

    more(2)
    admin.get(f"/sources/{row.pk}/")
    with django_assert_max_num_queries(50) as captured:
        admin.get(f"/sources/{row.pk}/")
    more(30)
    with django_assert_num_queries(len(captured)):
        admin.get(f"/sources/{row.pk}/")


def test_a_page_shows_ids_and_no_title(admin: Client, row: Source) -> None:
    Document.objects.update(rights_problem="no rights are stated")
    for path in (f"/sources/{row.pk}/", "/sources/"):
        text = admin.get(path).content.decode()
        assert TITLE not in text
    assert texts(page(admin, row), ".named code") == ["a", "b"]
    sent = {"person": "root", "document": "a"}
    assert TITLE not in admin.post("/sources/why/", sent).content.decode()


def test_the_page_says_how_fresh_and_sound_the_source_is(admin: Client, row: Source) -> None:
    Source.objects.update(rights_confirmed_at=timezone.now() - timedelta(hours=3, minutes=10), contact="netz@example.org")
    Revocation.objects.create(source=row, documents=3, at_origin=timezone.now() - timedelta(minutes=5))
    found = page(admin, row)
    said = pairs(found)
    assert said["Revocation SLA"] == "24 hours"
    assert said["Age of rights"] == "3 hours 10 minutes"
    assert (said["Contact"], said["Documents"], said["Index lag"]) == (
        "netz@example.org",
        "2",
        "none: every change has reached the index",
    )
    assert "5 minutes" in texts(found, "#revocations tbody tr")[0]


def test_failures_are_told_in_sentences_with_the_paths(admin: Client, row: Source) -> None:
    problems = [["a.md", "pdf_damaged"], ["x.pdf", "pdf_damaged"], ["b.txt", "strange_code"]]
    Run.objects.create(source=row, outcome=Run.Outcome.INCOMPLETE, finished_at=timezone.now(), problems=problems)
    found = page(admin, row)
    causes = [" ".join(text.split()) for text in texts(found, ".causes > li > p")]
    assert causes == ["The file is damaged or is not what its name says. 2 × pdf_damaged", "strange_code 1 × strange_code"]
    assert texts(found, ".paths code") == ["a.md", "x.pdf", "b.txt"]
    assert "The last run was not complete" in one(found, ".concerns").text()


def test_documents_whose_newer_state_was_refused_are_out_of_date(admin: Client, row: Source) -> None:
    Run.objects.create(source=row, outcome="complete", finished_at=timezone.now(), problems=[["a.md", "pdf_damaged"]])
    assert pairs(page(admin, row))["Out of date"] == "1"


def test_charts_have_names_descriptions_and_tables(admin: Client, row: Source) -> None:
    Revocation.objects.create(source=row, documents=1, at_origin=timezone.now() - timedelta(seconds=30), drill=True)
    found = page(admin, row)
    drawn = found.css('.chart > svg[role="img"]')
    assert len(drawn) == 3
    for svg in drawn:
        for attribute in ("aria-labelledby", "aria-describedby"):
            assert one(found, f"#{svg.attributes[attribute]}").text().strip()
    assert len(found.css(".chart table")) == 2 and value(found, ".chart > p > a", "href") == "#revocations"
    assert "style=" not in (found.html or "")


def test_numbers_of_charts_are_written_for_programs_in_every_language(admin: Client, row: Source) -> None:
    Revocation.objects.create(source=row, documents=1, at_origin=timezone.now() - timedelta(seconds=0.5))
    text = admin.get(f"/sources/{row.pk}/", headers={"accept-language": "de"}).content.decode()
    for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        numbers = re.findall(r' (?:x|y|x1|x2|y1|y2|cx|cy|width|height)="([^"]*)"', svg)
        assert numbers and all(re.fullmatch(r"-?\d+", number) for number in numbers)


def test_close_now_holds_for_a_readers_next_request_and_can_be_taken_back(admin: Client, row: Source) -> None:
    reader = Client()
    sign_in(reader, person("eva", ["alle"]))
    address = f"/documents/{document('a').public_id}/"
    assert reader.get(address).status_code == 200
    closed = admin.post(f"/sources/{row.pk}/close/", follow=True, headers=ENGLISH)
    assert reader.get(address).status_code == 404
    assert "Closed by an administrator" in one(parsed(closed), ".openness").text()
    admin.post(f"/sources/{row.pk}/open/")
    assert reader.get(address).status_code == 200


def test_opening_says_what_else_keeps_it_closed(admin: Client, row: Source) -> None:
    Source.objects.update(rights_confirmed_at=None, closed_at=timezone.now(), closed_because=Closed.ADMINISTRATOR)
    answer = admin.post(f"/sources/{row.pk}/open/", follow=True, headers=ENGLISH)
    assert "its rights keep it closed" in answer.content.decode()


def test_a_restored_source_offers_to_confirm_and_not_to_open(admin: Client, row: Source) -> None:
    Source.objects.update(kind=SourceKind.LOCAL, closed_at=timezone.now(), closed_because=Closed.RESTORED)
    found = page(admin, row)
    offered = {node.attributes["action"] for node in found.css("main form")}
    assert f"/sources/{row.pk}/confirm/" in offered and f"/sources/{row.pk}/open/" not in offered
    admin.post(f"/sources/{row.pk}/confirm/")
    assert one(page(admin, row), ".openness").attributes["data-openness"] == "open"
    assert AuditEvent.objects.filter(code=closing.CONFIRMED, ids__source=row.pk).count() == 1


def test_a_restored_folder_is_confirmed_after_a_run_has_seen_it(admin: Client, row: Source) -> None:
    Source.objects.update(rights_confirmed_at=None, closed_at=timezone.now(), closed_because=Closed.RESTORED)
    offer = f'form[action="/sources/{row.pk}/confirm/"]'
    assert not page(admin, row).css(offer) and "sync now" in one(page(admin, row), ".source-ways .hint").text()
    Source.objects.update(rights_confirmed_at=timezone.now())
    assert "Who is in which group" in one(page(admin, row), offer).text()
    answer = admin.post(f"/sources/{row.pk}/confirm/", follow=True, headers=ENGLISH)
    assert "the source is open" in one(parsed(answer), ".notice-good").text()


def test_what_hurts_is_asked_once_more(admin: Client, row: Source) -> None:
    form = one(page(admin, row), f'form[action="/sources/{row.pk}/close/"]')
    assert form.parent is not None and form.parent.tag == "details"


def test_sync_now_asks_for_a_run_once(admin: Client, row: Source) -> None:
    for _ in range(2):
        admin.post(f"/sources/{row.pk}/sync/")
    assert Job.objects.filter(kind=syncing.JOB, key=row.pk).count() == 1
    assert "A run waits for a worker." in one(page(admin, row), "#progress").text()


def test_a_source_that_only_receives_has_no_sync_now(admin: Client, row: Source) -> None:
    Source.objects.update(kind=SourceKind.PUSH)
    assert page(admin, row).css(f'form[action="/sources/{row.pk}/sync/"]') == []
    assert admin.post(f"/sources/{row.pk}/sync/").status_code == 404


def test_progress_refreshes_while_a_run_goes_on_and_stops_then(admin: Client, row: Source) -> None:
    run = Run.objects.create(source=row, total=8, done=2)
    fragment = {"hx-request": "true", "hx-target": "progress", **ENGLISH}
    going = parsed(admin.get(f"/sources/{row.pk}/", headers=fragment))
    assert one(going, "#progress[hx-trigger]") and value(going, "progress", "value") == "25"
    assert going.css("header") == []
    Run.objects.filter(pk=run.pk).update(outcome=Run.Outcome.COMPLETE, finished_at=timezone.now())
    ended = parsed(admin.get(f"/sources/{row.pk}/", headers=fragment))
    assert ended.css("#progress[hx-trigger]") == [] and "The run has ended." in one(ended, "#progress").text()


def test_a_drill_says_how_long_it_took_and_is_kept(admin: Client, row: Source) -> None:
    answer = admin.post(f"/sources/{row.pk}/drill/", follow=True, headers=ENGLISH)
    assert "nobody saw the canary" in one(parsed(answer), ".notice-good").text()
    assert Revocation.objects.get().drill and "drill" in texts(parsed(answer), "#revocations tbody th")[0]


def test_a_drill_that_cannot_be_held_says_why(admin: Client, row: Source) -> None:
    Source.objects.update(rights_confirmed_at=None)
    answer = parsed(admin.post(f"/sources/{row.pk}/drill/", follow=True, headers=ENGLISH))
    assert "The source is closed" in one(answer, ".notice-bad[role=alert]").text()
    assert answer.css(f'form[action="/sources/{row.pk}/drill/"]') == []


def test_a_token_that_pushes_is_shown_once_and_revoked(admin: Client, row: Source) -> None:
    Source.objects.update(kind=SourceKind.PUSH)
    made = parsed(admin.post(f"/sources/{row.pk}/tokens/", {"name": "Fachverfahren", "days": "30"}))
    secret = one(made, "#secret").text()
    token = Token.objects.get()
    assert token.digest == Token.digest_of(secret) and token.source == row
    assert secret not in admin.get(f"/sources/{row.pk}/").content.decode()
    admin.post(f"/sources/{row.pk}/tokens/{token.pk}/revoke/")
    assert Token.objects.get().revoked_at is not None


def test_loading_the_answer_again_makes_no_second_token(admin: Client, row: Source) -> None:
    Source.objects.update(kind=SourceKind.PUSH)
    once = value(parsed(admin.get(f"/sources/{row.pk}/")), "#make-token [name=once]", "value")
    for _ in range(2):
        answer = admin.post(
            f"/sources/{row.pk}/tokens/", {"name": "Fachverfahren", "days": "30", "once": once}, follow=True, headers=ENGLISH
        )
    assert Token.objects.count() == 1 and answer.redirect_chain == [(f"/sources/{row.pk}/", 302)]
    assert "no second token was made" in answer.content.decode()


def test_a_token_without_a_name_is_refused_with_the_reason(admin: Client, row: Source) -> None:
    Source.objects.update(kind=SourceKind.PUSH)
    answer = admin.post(f"/sources/{row.pk}/tokens/", {"name": "", "days": "30"}, headers=ENGLISH)
    assert answer.status_code == 400 and "A token needs a name" in one(parsed(answer), "#make-token [role=alert]").text()


def test_why_shows_the_path_from_person_to_document(admin: Client, row: Source) -> None:
    person("eva", ["netz"])
    found = parsed(admin.post("/sources/why/", {"person": "eva", "document": "a"}, headers=ENGLISH))
    assert texts(found, ".verdict") == ["eva can’t see a"]
    steps = {one(step, "h3").text().split(" (")[0]: step.attributes["data-passed"] for step in found.css(".path > li")}
    assert steps == {"Person": "yes", "Source": "yes", "Rights of the document": "no", "Origin": "yes", "Document": "yes"}
    assert [" ".join(text.split()) for text in texts(found, ".rules li")] == ["may read: group alle – not this person"]
    assert AuditEvent.objects.filter(code=reasons.ASKED).count() == 1


def test_why_says_what_it_does_not_know_and_fills_nothing_in_by_itself(admin: Client, row: Source) -> None:
    answer = admin.post("/sources/why/", {"person": "niemand", "document": "a"}, headers=ENGLISH)
    assert answer.status_code == 400 and "Nobody of this user name" in one(parsed(answer), "[role=alert]").text()
    filled = parsed(admin.get("/sources/why/", {"document": "a"}))
    assert value(filled, "[name=document]", "value") == "a" and filled.css(".verdict") == []
    assert not AuditEvent.objects.filter(code=reasons.ASKED).exists()
