"""Knowledge in a browser: proposed from a citation, decided by somebody else, hidden from who may not read its source."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from e2e.accessibility import problems
from e2e.conftest import DESKTOP, PHONE, Faults
from e2e.site import Room, Site
from evidence import citations
from evidence.knowledge import contents, proposals
from evidence.models import Role
from evidence.tests import builders, knowing

LONG = "eine-lange-zeile-ohne-jede-luecke-die-nirgends-umbrechen-will-" * 3
OPEN = "Die Frist beträgt zwei Wochen."
SECRET = "Die Frist beträgt drei Monate."


@pytest.fixture
def known(room: Room) -> Room:
    """A room with a space, a concept, an open document and one for the group `netz`; emil proposes, rita reviews."""
    room.publish({"offen.txt": OPEN})
    builders.publish(room.folder / "netz", {"geheim.txt": SECRET}, allowed='["group:netz"]', source="netz", of=room.tenant)
    knowing.space(of=room.tenant)
    emil, rita = (member(room, name, role) for name, role in (("emil", Role.EDITOR), ("rita", Role.REVIEWER)))
    knowing.concept(emil, rita, title="Frist", terms=["Dauer"])
    return room


def member(room: Room, name: str, role: str = Role.READER, groups: tuple[str, ...] = ("alle", "netz")) -> User:
    """Somebody in this room."""
    return builders.person(f"{room.name}-{name}", list(groups), of=room.tenant, role=role)


def user(room: Room, name: str) -> User:
    """The same, later."""
    return User.objects.get(username=f"{room.name}-{name}")


@pytest.fixture
def window(open_window: Callable[..., Page], site: Site, known: Room) -> Callable[..., Page]:
    """Opens a window of somebody in the room at a path."""

    def opened(name: str, path: str, **options: object) -> Page:
        page = open_window(**{**DESKTOP, **options})
        site.sign_in(page.context, f"{known.name}-{name}")
        page.goto(site.url(path))
        return page

    return opened


def cited(room: Room, source: str = "handbuch") -> str:
    """The address of a citation of emil's."""
    document, words = ("geheim", "drei Monate") if source == "netz" else ("offen", "zwei Wochen")
    row = builders.document(document, source=source, of=room.tenant)
    return f"/citations/{citations.cite_words(builders.access(user(room, 'emil')), row.public_id, exact=words)}/"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_claim_is_proposed_from_a_citation_reviewed_and_stands(window: Callable[..., Page], known: Room, scripts: bool) -> None:
    emil = window("emil", cited(known), **PHONE, java_script_enabled=scripts)
    emil.get_by_role("link", name="Use in a claim").click()
    emil.locator(".use").get_by_role("link", name="Frist").click()
    emil.get_by_label("Text", exact=True).fill("Zwei Wochen.")
    expect(emil.get_by_role("checkbox", name=re.compile("zwei Wochen"))).to_be_checked()
    emil.get_by_label("Why, or where it comes from").fill("Steht so darin.")
    emil.get_by_role("button", name="Propose").click()
    expect(emil.get_by_role("status").filter(has_text="It is proposed")).to_be_visible()
    rita = window("rita", "/knowledge/review/", java_script_enabled=scripts)
    rita.get_by_role("link", name="Zwei Wochen.").click()
    expect(rita.locator(".note")).to_contain_text("Steht so darin.")
    rita.get_by_role("button", name="Approve").click()
    expect(rita.get_by_role("status").filter(has_text="It counts from now on.")).to_be_visible()
    emil.goto(rita.url)
    expect(emil.locator(".claim .state").first).to_have_text("Accepted")


def test_a_rejected_proposal_shows_its_author_why(window: Callable[..., Page], faults: Faults) -> None:
    faults.expect("400")
    emil = window("emil", "/knowledge/handbuch/propose/decision/")
    emil.get_by_label("Title", exact=True).fill("In Wochen")
    emil.get_by_label("Decision", exact=True).fill("Wir zählen in Wochen.")
    emil.get_by_role("button", name="Propose").click()
    rita = window("rita", "/knowledge/review/")
    rita.get_by_role("link", name="In Wochen").click()
    rita.get_by_role("button", name="Reject").click()
    expect(rita.get_by_role("alert")).to_contain_text("is missing")
    rita.get_by_label("Note, needed to reject").fill("Das ist keine Entscheidung.")
    rita.get_by_role("button", name="Reject").click()
    expect(rita.get_by_text("Nothing waits for a review")).to_be_visible()
    emil.goto(emil.url.partition("/knowledge/")[0] + "/knowledge/proposals/")
    expect(emil.locator(".entry-row").first).to_contain_text("Das ist keine Entscheidung.")


def test_a_reader_sees_no_way_to_propose(window: Callable[..., Page], known: Room) -> None:
    member(known, "anna")
    anna = window("anna", "/knowledge/handbuch/frist/")
    expect(anna.get_by_role("heading", name="Frist", level=1)).to_be_visible()
    expect(anna.get_by_role("link", name="History")).to_be_visible()
    expect(anna.get_by_text(re.compile("Propose|No longer valid|To review"))).to_have_count(0)


def test_a_page_is_the_same_without_a_claim_that_one_may_not_read(window: Callable[..., Page], known: Room) -> None:
    member(known, "anna", groups=("alle",))
    anna = window("anna", "/knowledge/handbuch/frist/")
    before = anna.inner_html("main")
    secret = cited(known, "netz").split("/")[2]
    said = {"concept": "frist", "text": "Drei Monate.", "citations": [secret]}
    access = builders.access(user(known, "emil"))
    made = proposals.propose(
        access, space="handbuch", kind="claim", action="create", content=contents.parse("claim", said), why="W"
    )
    proposals.approve(builders.access(user(known, "rita")), made)
    anna.reload()
    assert anna.inner_html("main") == before
    rita = window("rita", "/knowledge/handbuch/frist/")
    expect(rita.locator(".claim-text")).to_have_text("Drei Monate.")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "handbuch/",
        "handbuch/frist/",
        "handbuch/decisions/lang/",
        "handbuch/propose/claim/",
        "review/",
        "proposals/",
        "affected/",
    ],
)
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(window: Callable[..., Page], known: Room, path: str) -> None:
    emil, rita = user(known, "emil"), user(known, "rita")
    one = cited(known).split("/")[2]
    told = {"subject": LONG, "property": LONG}
    for value in ("eins", "zwei"):
        knowing.claim(emil, rita, [one], LONG, **told, value=value, valid_until="2020-01-01")  # type: ignore[list-item]
    knowing.decision(emil, rita, "lang", LONG[:190], decision=LONG, rationale=LONG)
    for author in (emil, rita):
        knowing.proposed("claim", by=author, concept="frist", text=LONG, citations=[one], why=LONG)
    known.publish({"offen.txt": "Die Frist beträgt vier Wochen."})
    assert problems(window("rita", f"/knowledge/{path}")) == {}


@pytest.mark.parametrize("page_of", ["proposal", "change", "history", "deprecate"])
def test_axe_finds_nothing_serious_at_proposals_and_entries(window: Callable[..., Page], known: Room, page_of: str) -> None:
    emil, rita = user(known, "emil"), user(known, "rita")
    entry = knowing.concept(emil, rita, "lang", LONG[:190], text=LONG)
    change = knowing.proposed("concept", by=emil, action="change", entry=entry, slug="lang", title="Kurz", text=f"{LONG} mehr")
    path = f"proposals/{change}/" if page_of == "proposal" else f"entries/{entry}/{page_of}/"
    assert problems(window("rita", f"/knowledge/{path}")) == {}
