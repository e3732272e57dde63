"""Migrating citations on the page and by the command: looked at first, approved explicitly, and only by editors."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from evidence import citations
from evidence.models import Citation, Role
from evidence.tests.builders import access, document, person, publish, tenant
from evidence.tests.pages import one, parsed, sign_in, texts, value

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt mit dem Zugang.\n\nEs gilt das Gesetz."
NEW = "Vorweg.\n\nDie Frist beträgt neun Tage.\n\nSie beginnt mit dem Zugang.\n\nEs gilt das Gesetz. Ja: das Gesetz."
WORDS = {"proposed": "Zugang", "ambiguous": "das Gesetz", "gone": "acht Tage"}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def old(client: Client, tmp_path: Path) -> dict[str, UUID]:
    """A citation for each outcome, and an editor signed in."""
    publish(tmp_path, {"a.txt": TEXT})
    eva = person("eva", ["alle"], role=Role.EDITOR)
    sign_in(client, eva)
    made = {name: citations.cite_words(access(eva), document("a").public_id, exact=words) for name, words in WORDS.items()}
    publish(tmp_path, {"a.txt": NEW})
    return made


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("migratecitations", "--tenant", "lindenau", *arguments, stdout=out)
    return out.getvalue()


def test_dry_run_shows_old_and_new_side_by_side_and_changes_nothing(client: Client, old: dict[str, UUID]) -> None:
    page = parsed(client.get("/citations/migrate/"))
    assert texts(page, ".proposals-proposed mark") == ["Zugang", "Zugang"]
    for outcome in ("ambiguous", "gone"):
        assert texts(page, f".proposals-{outcome} mark") == [WORDS[outcome]]
    assert [node.attributes["value"] for node in page.css("[name=citation]")] == [str(old["proposed"])]
    assert page.css("[name=citation][checked]") == [] and Citation.objects.count() == 3


def test_approving_makes_successors_and_lists_them(client: Client, old: dict[str, UUID]) -> None:
    page = parsed(client.post("/citations/migrate/", {"citation": [str(old["proposed"])]}))
    assert (texts(page, ".row-quote"), value(page, ".row .state", "data-state")) == (["Zugang"], "resolved")
    assert Citation.objects.latest("pk").supersedes == Citation.objects.get(public_id=old["proposed"])
    assert len(parsed(client.get("/citations/migrate/")).css(".proposals")) == 2


@pytest.mark.parametrize("outcome", ["ambiguous", "gone"])
def test_what_is_not_proposed_cannot_be_approved(client: Client, old: dict[str, UUID], outcome: str) -> None:
    response = client.post("/citations/migrate/", {"citation": [str(old["proposed"]), str(old[outcome])]})
    assert response.status_code == 400 and len(parsed(response).css("[role=alert]")) == 1
    assert Citation.objects.count() == 3


def test_nothing_chosen_changes_nothing(client: Client, old: dict[str, UUID]) -> None:
    assert client.post("/citations/migrate/", {}).status_code == 200
    assert client.post("/citations/migrate/", {"citation": ["nonsense"]}).status_code == 404
    assert client.post("/citations/migrate/", {"citation": [str(uuid4())]}).status_code == 400
    assert Citation.objects.count() == 3


@pytest.mark.parametrize("role", [Role.READER, Role.CURATOR, Role.REVIEWER, Role.ADMINISTRATOR])
def test_people_of_other_roles_are_refused(client: Client, old: dict[str, UUID], role: str) -> None:
    sign_in(client, person("max", ["alle"], role=role))
    for response in (client.get("/citations/migrate/"), client.post("/citations/migrate/", {"citation": [str(old["proposed"])]})):
        assert response.status_code == 403 and "Zugang" not in response.content.decode()
    assert "migrate" not in one(parsed(client.get("/citations/")), ".tabs").html  # type: ignore[operator]
    assert Citation.objects.count() == 3


def test_editor_who_may_not_read_sees_nothing(client: Client, old: dict[str, UUID]) -> None:
    sign_in(client, person("ida", ["netz"], role=Role.EDITOR))
    assert parsed(client.get("/citations/migrate/")).css(".proposal") == []
    assert client.post("/citations/migrate/", {"citation": [str(old["proposed"])]}).status_code == 400


def test_form_of_another_site_is_refused(old: dict[str, UUID]) -> None:
    strict = Client(enforce_csrf_checks=True)
    sign_in(strict, User.objects.get(username="eva"))
    assert strict.post("/citations/migrate/", {"citation": [str(old["proposed"])]}).status_code == 403
    assert Citation.objects.count() == 3


def test_dry_run_can_be_about_one_document(client: Client, old: dict[str, UUID]) -> None:
    assert len(parsed(client.get(f"/citations/migrate/?document={document('a').public_id}")).css(".proposal")) == 3
    assert parsed(client.get(f"/citations/migrate/?document={uuid4()}")).css(".proposal") == []


def test_command_only_looks_unless_it_is_told_to_approve(old: dict[str, UUID]) -> None:
    told = command("--user", "eva")
    assert f"proposed   source_changed   {old['proposed']}" in told and "1 proposed, 1 ambiguous, 1 gone" in told
    assert Citation.objects.count() == 3 and not any(words in told for words in WORDS.values())
    assert "Successors made: 1;" in command("--user", "eva", "--approve")
    assert Citation.objects.count() == 4
    assert "0 proposed, 1 ambiguous, 1 gone" in command("--user", "eva")


def test_command_can_be_about_one_document(old: dict[str, UUID]) -> None:
    assert "0 proposed" in command("--user", "eva", "--document", str(uuid4()), "--approve")
    assert Citation.objects.count() == 3


@pytest.mark.parametrize("name", ["max", "kim", "nobody"])
def test_command_acts_only_for_an_editor_of_the_tenant(old: dict[str, UUID], name: str) -> None:
    person("max", ["alle"])
    person("kim", ["alle"], of=tenant("kinderhaus"), role=Role.EDITOR)
    with pytest.raises(CommandError):
        command("--user", name, "--approve")
    assert Citation.objects.count() == 3
