"""The adapter's check, in a browser: the shared anchor cases, cases of our own, and random cuts and changes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from e2e.conftest import Faults
from e2e.reading_page import IMPORT_MAP, Anchor, anchor_at, sha256, show

SHARED = Path(__file__).parent.parent.parent / "shared" / "cases" / "anchors.json"
BLANK = f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="importmap">{IMPORT_MAP}</script>'
OUTCOME = """async source => {
  const { outcome } = await import("/e2e/shapes.js");
  const { shape, anchor, expected } = JSON.parse(source);
  return outcome(shape, anchor, expected);
}"""
TEXT = "🔧 Müller\nPrüfung\nA: Ventil schließen.\nPrüfung\nB: Oﬃce informieren.\n"


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    """One empty page for all pure calls."""
    context, faults = browser.new_context(), Faults()
    faults.watch(context)
    page = context.new_page()
    show(page, BLANK)
    yield page
    context.close()
    assert faults.unexpected() == []


def outcome(page: Page, text: str, anchor: dict[str, Any] | Anchor, /, **shape: Any) -> dict[str, Any]:
    """The adapter's finding; the page claims to show `text`, whatever `shape` really holds (by default `text`)."""
    values = asdict(anchor) if isinstance(anchor, Anchor) else anchor
    expected = {"length": len(text), "sha256": sha256(text)}
    # ASCII-only JSON: a lone surrogate in an anchor has no UTF-8.
    found: dict[str, Any] = page.evaluate(
        OUTCOME, json.dumps({"shape": {"text": text, **shape}, "anchor": values, "expected": expected})
    )
    return found


def is_refused(found: dict[str, Any], reason: str) -> bool:
    """Refused for this reason and with no range to paint."""
    return (found["state"], found["reason"], found["quote"]) == ("refused", reason, None)


def utf16(text: str) -> int:
    """Length in code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def shared_cases() -> list[Any]:
    """One parameter for each case; none where the file is absent."""
    cases = json.loads(SHARED.read_text("utf-8"))["cases"] if SHARED.exists() else []
    return [pytest.param(case, id=case["id"]) for case in cases]


def generated(rule: Any) -> str:
    """The text of a `text_gen` rule."""
    if isinstance(rule, str):
        return rule
    if "concat" in rule:
        return "".join(generated(part) for part in rule["concat"])
    return str(rule["repeat"]) * int(rule["times"])


def shapes_of(case: dict[str, Any], text: str) -> list[dict[str, Any]]:
    """The case's own node shape, else one node and a cut after every third code unit of the first thousand."""
    dom = case.get("dom", {})
    if "split_at_utf16" in dom:
        return [{"offsets": dom["split_at_utf16"]}]
    if "text_nodes" in dom:
        return [{"pieces": [{"text": piece} for piece in dom["text_nodes"]]}]
    if "nodes" in dom:
        return [{"pieces": dom["nodes"]}]
    return [{}, {"offsets": list(range(3, min(utf16(text), 1000), 3))}]


def stands(text: str, anchor: dict[str, Any]) -> bool:
    """Said once more, in Python: the quote and its context stand at the anchor's place in this very text."""
    start, end = anchor["start"], anchor["end"]
    return (
        0 <= start < end <= len(text)
        and text[start:end] == anchor["exact"]
        and text[:start].endswith(anchor["prefix"])
        and text.startswith(anchor["suffix"], end)
        and sha256(text) == anchor["text_sha256"]
    )


@pytest.mark.skipif(not SHARED.exists(), reason="the shared anchor cases are not here")
@pytest.mark.parametrize("case", shared_cases())
def test_shared_case_has_its_outcome_in_the_browser(blank: Page, case: dict[str, Any]) -> None:
    text = case.get("text") or generated(case["text_gen"])
    for shape in shapes_of(case, text):
        found = outcome(blank, text, case["anchor"], **shape)
        if case.get("client_expect") == "REFUSE_TO_PAINT" or not stands(text, case["anchor"]):
            assert found["state"] == "refused" and found["quote"] is None
        else:
            assert (found["state"], found["quote"]) == ("checked", case["anchor"]["exact"])
            for edge in ("start", "end"):
                assert found[edge] == case.get("dom", {}).get(edge, found[edge])
    if case["expect"]["state"] in {"quote_not_found", "position_mismatch", "invalid_anchor"}:
        assert not stands(text, case["anchor"])


@pytest.mark.parametrize("start, end", [(0, 1), (2, 8), (9, 16), (37, 44), (47, 52), (63, 64), (0, 64)])
def test_true_anchor_is_checked_at_its_place(blank: Page, start: int, end: int) -> None:
    found = outcome(blank, TEXT, anchor_at(TEXT, start, end))
    assert found["state"] == "checked"
    assert found["start"] == [0, utf16(TEXT[:start])]
    assert found["end"] == [0, utf16(TEXT[:end])]


TRUE = anchor_at(TEXT, 9, 16)
TAMPERED: dict[str, Anchor | dict[str, Any]] = {
    "utf-16 position": replace(TRUE, start=10, end=17),
    "byte position": replace(TRUE, start=13, end=21),
    "one to the left": replace(TRUE, start=8, end=15),
    "the other copy": replace(TRUE, start=37, end=44),
    "longer than the quote": replace(TRUE, end=17),
    "inverted": replace(TRUE, start=16, end=9),
    "empty": replace(TRUE, end=9, exact=""),
    "negative": replace(TRUE, start=-55, end=-48),
    "beyond the end": replace(TRUE, end=999),
    "far beyond the end": replace(TRUE, start=900, end=999),
    "quote in other case": replace(TRUE, exact="prüfung"),
    "quote in NFD": replace(TRUE, exact="Pru\u0308fung"),
    "quote cut inside a pair": replace(anchor_at(TEXT, 0, 1), exact="\ud83d"),
    "prefix of the other copy": replace(TRUE, prefix="ließen.\n"),
    "prefix longer than the text before": replace(TRUE, prefix="🔧🔧 Müller\n"),
    "suffix of the other copy": replace(TRUE, suffix="\nB: Oﬃc"),
    "fraction": {**asdict(TRUE), "start": 9.5, "end": 16.5},
    "number as text": {**asdict(TRUE), "start": "9"},
    "position missing": {**asdict(TRUE), "start": None},
    "context missing": {**asdict(TRUE), "prefix": None},
}


@pytest.mark.parametrize("anchor", TAMPERED.values(), ids=TAMPERED.keys())
def test_tampered_anchor_is_refused(blank: Page, anchor: Anchor | dict[str, Any]) -> None:
    assert is_refused(outcome(blank, TEXT, anchor), "text")


def test_anchor_of_another_text_is_refused_by_its_hash(blank: Page) -> None:
    assert is_refused(outcome(blank, TEXT, replace(TRUE, text_sha256=sha256("other"))), "hash")


def test_equally_long_change_far_from_the_quote_is_refused_by_the_hash(blank: Page) -> None:
    changed = TEXT.replace("informieren", "informierem")
    assert is_refused(outcome(blank, TEXT, TRUE, text=changed), "hash")


def test_lone_surrogate_does_not_pass_for_the_replacement_character(blank: Page) -> None:
    text = "Note here, and \ufffd there"
    shown = [{"text": text[:15]}, {"text": "\ud83d"}, {"text": text[16:]}]
    assert is_refused(outcome(blank, text, anchor_at(text, 0, 4), pieces=shown), "text")


def test_label_outside_the_root_is_no_part_of_the_text(blank: Page) -> None:
    pieces = [{"text": "12. ", "skip": True}, {"text": TEXT}]
    assert outcome(blank, TEXT, TRUE, pieces=pieces)["start"] == [1, 10]


@pytest.mark.parametrize("pieces", [["12. ", TEXT], ["\n  ", TEXT, "\n"], [TEXT, " "], [TEXT[:20], TEXT[21:]], [""], []])
def test_text_added_to_or_missing_from_the_root_is_refused(blank: Page, pieces: list[str]) -> None:
    shown = [{"text": piece} for piece in pieces]
    assert is_refused(outcome(blank, TEXT, TRUE, pieces=shown), "text")


def test_range_goes_from_the_node_that_begins_there_to_the_node_that_ends_there(blank: Page) -> None:
    pieces = [{"text": piece} for piece in ("", "Alpha", "", "Be", "", "ta", "", "Gamma", "")]
    found = outcome(blank, "AlphaBetaGamma", anchor_at("AlphaBetaGamma", 5, 9), pieces=pieces)
    assert (found["start"], found["end"], found["quote"]) == ([3, 0], [5, 2], "Beta")


@pytest.mark.parametrize("at", [65_535, 65_536, 65_537])
def test_node_may_end_around_and_inside_a_surrogate_pair(blank: Page, at: int) -> None:
    text = "x" * 65_535 + "😀y quote end"
    assert outcome(blank, text, anchor_at(text, 65_535, 65_543), offsets=[at])["quote"] == "😀y quote"


def test_without_sha256_everything_else_is_still_checked(browser: Browser) -> None:
    page = browser.new_page()
    show(page, BLANK, origin="http://insecure.test")
    assert outcome(page, TEXT, TRUE)["state"] == "checked-without-hash"
    assert is_refused(outcome(page, TEXT, TAMPERED["one to the left"]), "text")
    assert is_refused(outcome(page, TEXT, replace(TRUE, text_sha256=sha256("other"))), "hash")
    page.close()


def test_code_points_are_counted_as_in_python_lone_surrogates_included(blank: Page) -> None:
    counted = blank.evaluate(
        """async () => {
          const { advance, countCodePoints } = await import("fundstelle/codepoints");
          const text = "a\\ud83db\\ude00\\ud83d\\ude00c\\ud83d";
          const offsets = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(count => advance(text, 0, count));
          return { offsets, later: advance(text, 4, 2), all: countCodePoints(text), some: countCodePoints(text, 4, 7) };
        }"""
    )
    assert counted == {"offsets": [0, 1, 2, 3, 4, 6, 7, 8, -1], "later": 7, "all": 7, "some": 2}


ALPHABET = "ab \n\tßüé\u0301\u200d\u00ad\ufeff\u2028\u202e中😀🔧👩\U0010ffff"


def random_place(chance: random.Random) -> tuple[str, Anchor]:
    """A text of up to 200 code points, half of its letters awkward, with a true anchor in it."""
    text = "".join(chance.choices(ALPHABET, k=chance.randint(1, 200)))
    start = chance.randrange(len(text))
    return text, anchor_at(text, start, chance.randint(start + 1, len(text)), context=chance.randint(0, 16))


@pytest.mark.parametrize("seed", range(100))
def test_text_cut_into_nodes_anywhere_is_checked(blank: Page, seed: int) -> None:
    chance = random.Random(seed)
    text, anchor = random_place(chance)
    cuts = sorted(chance.choices(range(utf16(text) + 1), k=chance.randint(0, 40)))
    found = outcome(blank, text, anchor, offsets=cuts)
    assert (found["state"], found["quote"]) == ("checked", anchor.exact)


@pytest.mark.parametrize("seed", range(100))
def test_one_character_changed_anywhere_is_refused(blank: Page, seed: int) -> None:
    chance = random.Random(seed)
    text, anchor = random_place(chance)
    at = chance.randrange(len(text))
    other = chance.choice([character for character in ALPHABET if character != text[at]] + [""])
    changed = text[:at] + other + text[at + 1 :]
    assert outcome(blank, text, anchor, text=changed)["state"] == "refused"
