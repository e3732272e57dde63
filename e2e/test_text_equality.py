"""The text on the page is the stored text, code point for code point, with its SHA-256: proved where it is shown."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Page

from e2e.reading_page import wait_for_state
from e2e.site import DEMO, PEOPLE, Site
from evidence import ingest, profile
from evidence.models import Passage, Representation
from evidence.sources import Rights
from evidence.tests import builders

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "evidence/tests/samples"
LAWS = ROOT.parent / "shared/data/laws/current"
READER = "proof-reader"
SHOWN = """async () => {
  const text = document.getElementById("text").textContent;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [text, Array.from(new Uint8Array(digest), byte => byte.toString(16).padStart(2, "0")).join("")];
}"""
FOLDERS = {source["folder"]: DEMO / source["folder"] for tenant in PEOPLE["tenant"] for source in tenant["source"]}

Stored = Callable[[str, Path], list[Representation]]


@pytest.fixture(scope="module")
def stored(site: Site) -> Iterator[Stored]:
    """Takes every document of a folder in, in all its states, so that one person may read them all."""
    tenant = builders.tenant("proof")
    builders.person(READER, ["alle"], of=tenant)

    def take_in(name: str, folder: Path) -> list[Representation]:
        listing = builders.listed(folder)
        for group in listing.settings.announced_to or ():
            builders.group(group, of=tenant)
        row = ingest.source(tenant, name, location=str(folder), settings=listing.settings)
        items = [replace(item, rights=Rights(allowed=("group:alle",))) for item in listing.items]
        report = ingest.take_in(row, replace(listing, items=items), started=timezone.now())
        assert items and not report.refusals
        rows = Representation.objects.filter(revision__document__source=row)
        return list(rows.select_related("revision__document"))

    yield take_in


def text_of(representation: Representation) -> str:
    """What the database holds."""
    return "".join(Passage.objects.filter(representation=representation).order_by("number").values_list("text", flat=True))


def assert_shown(page: Page, site: Site, representation: Representation) -> str:
    """The page of this state holds its text, and its hash; gives the text."""
    path = f"/documents/{representation.revision.document.public_id}/"
    page.goto(site.url(path, representation=representation.public_id), wait_until="domcontentloaded")
    text, digest = page.evaluate(SHOWN)
    assert text == text_of(representation), representation.revision.path
    assert digest == representation.text_sha256 == page.locator("#text").get_attribute("data-sha256")
    return str(text)


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_state_of_every_demo_document(desktop: Page, site: Site, stored: Stored, folder: str) -> None:
    representations = stored(folder.replace("/", "-"), FOLDERS[folder])
    site.sign_in(desktop.context, READER)
    for representation in representations:
        assert_shown(desktop, site, representation)


def test_every_sample(desktop: Page, site: Site, stored: Stored, tmp_path: Path) -> None:
    for sample in SAMPLES.iterdir():
        shutil.copy(sample, tmp_path)
    (tmp_path / "fundstelle.toml").write_text(builders.rules(("**", "")))
    site.sign_in(desktop.context, READER)
    for representation in stored("samples", tmp_path):
        assert_shown(desktop, site, representation)


@pytest.mark.skipif(not LAWS.exists(), reason="the folder of German laws is not beside the project")
def test_ten_of_the_largest_laws(desktop: Page, site: Site, stored: Stored, tmp_path: Path) -> None:
    for law in sorted(LAWS.glob("*.md"), key=lambda path: -path.stat().st_size)[:10]:
        shutil.copy(law, tmp_path)
    (tmp_path / "fundstelle.toml").write_text(builders.rules(("**", "")))
    representations = stored("laws", tmp_path)
    site.sign_in(desktop.context, READER)
    assert len(representations) == 10
    for representation in representations:
        assert_shown(desktop, site, representation)


def every_scalar_value() -> str:
    """Every Unicode scalar value but NUL, in order, with an empty line after each thousand."""
    points = [*range(1, 0xD800), *range(0xE000, 0x110000)]
    assert len(points) == 0x110000 - 0x800 - 1
    return "\n\n".join("".join(map(chr, points[start : start + 1000])) for start in range(0, len(points), 1000))


def test_every_unicode_scalar_value(desktop: Page, site: Site, stored: Stored, tmp_path: Path) -> None:
    written = every_scalar_value()
    (tmp_path / "alles.txt").write_bytes(written.encode())
    (tmp_path / "fundstelle.toml").write_text(builders.rules(("**", "")))
    (representation,) = stored("scalars", tmp_path)
    site.sign_in(desktop.context, READER)
    text = assert_shown(desktop, site, representation)
    assert text == profile.normalise(written)
    assert representation.text_sha256 == hashlib.sha256(profile.normalise(written).encode()).hexdigest()
    desktop.goto(f"{desktop.url}&passage=900")
    wait_for_state(desktop, "checked")
