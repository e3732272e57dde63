"""Anchors: one table for every state, the shared cases where they are present, and properties over random texts."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import anchoring, profile
from evidence.anchoring import Anchor, Parser, State, TextState
from evidence.errors import Ambiguous, Refused

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "anchors.json"
CURRENT = TextState("document", "2026", "representation", "5" * 64, Parser("text", "1"), profile.PROFILE, "7" * 64)
TEXT = "🔧 Müller\nPrüfung\nA: Ventil schließen.\nPrüfung\nB: Oﬃce informieren.\n"
HERE = Anchor(CURRENT, 9, 16, "Prüfung", prefix="Müller\n", suffix="\nA:")

# What is changed in HERE, and what the check gives then.
STATES: dict[str, tuple[dict[str, Any], State]] = {
    "nothing": ({}, State.RESOLVED),
    "other unit": ({"unit": "utf16"}, State.INVALID_ANCHOR),
    "negative start": ({"start": -1}, State.INVALID_ANCHOR),
    "inverted range": ({"start": 16, "end": 9}, State.INVALID_ANCHOR),
    "empty range": ({"start": 9, "end": 9}, State.INVALID_ANCHOR),
    "empty quote": ({"exact": ""}, State.INVALID_ANCHOR),
    "lone surrogate in the quote": ({"exact": "\ud83d"}, State.INVALID_ANCHOR),
    "lone surrogate in the context": ({"prefix": "\udd27"}, State.INVALID_ANCHOR),
    "other bytes": ({"state": replace(CURRENT, source_sha256="6" * 64)}, State.SOURCE_CHANGED),
    "other version label over the same bytes": ({"state": replace(CURRENT, revision="2025")}, State.SOURCE_CHANGED),
    "other document": ({"state": replace(CURRENT, document="another")}, State.SOURCE_CHANGED),
    "other parser": ({"state": replace(CURRENT, parser=Parser("text", "2"))}, State.PARSER_CHANGED),
    "other configuration": ({"state": replace(CURRENT, parser=Parser("text", "1", "x"))}, State.PARSER_CHANGED),
    "other profile": ({"state": replace(CURRENT, profile="another")}, State.PROFILE_CHANGED),
    "other text hash": ({"state": replace(CURRENT, text_sha256="8" * 64)}, State.TEXT_CHANGED),
    "other words": ({"exact": "Prüfungen"}, State.QUOTE_NOT_FOUND),
    "decomposed words": ({"exact": "Pru\u0308fung"}, State.QUOTE_NOT_FOUND),
    "other context": ({"prefix": "Maler\n"}, State.QUOTE_NOT_FOUND),
    "no context": ({"prefix": "", "suffix": ""}, State.AMBIGUOUS),
    "UTF-16 positions": ({"start": 10, "end": 17}, State.POSITION_MISMATCH),
    "UTF-8 positions": ({"start": 13, "end": 21}, State.POSITION_MISMATCH),
    "context of the second place": ({"prefix": "schließen.\n", "suffix": "\nB"}, State.POSITION_MISMATCH),
    "end beyond the text": ({"end": 9999}, State.POSITION_MISMATCH),
}


@pytest.mark.parametrize(("change", "state"), STATES.values(), ids=STATES)
def test_a_change_gives_its_state(change: dict[str, Any], state: State) -> None:
    assert anchoring.check(replace(HERE, **change), TEXT, current=CURRENT) is state


def test_the_first_failing_rule_names_the_state() -> None:
    everything = TextState("document", "2025", "old", "0" * 64, Parser("x", "0"), "x", "0" * 64)
    changed = replace(HERE, state=everything, exact="nowhere")
    for field, state in [
        ({}, State.SOURCE_CHANGED),
        ({"revision": CURRENT.revision, "source_sha256": CURRENT.source_sha256}, State.PARSER_CHANGED),
        ({"parser": CURRENT.parser}, State.PROFILE_CHANGED),
        ({"profile": CURRENT.profile}, State.TEXT_CHANGED),
        ({"text_sha256": CURRENT.text_sha256}, State.QUOTE_NOT_FOUND),
    ]:
        changed = replace(changed, state=replace(changed.state, **field))  # type: ignore[arg-type]
        assert anchoring.check(changed, TEXT, current=CURRENT) is state


def test_an_archived_text_is_asked_without_its_state() -> None:
    old = replace(HERE, state=replace(CURRENT, revision="2025"))
    assert anchoring.holds(old, TEXT)
    assert not anchoring.holds(replace(old, start=10, end=17), TEXT)
    assert not anchoring.holds(replace(old, exact=""), TEXT)


@pytest.mark.parametrize(
    ("text", "needle", "found"),
    [("aaaa", "aa", [0, 1, 2]), ("abab", "ba", [1]), ("", "a", []), ("abcabcabc", "abcabc", [0, 3])],
)
def test_overlapping_places_count(text: str, needle: str, found: list[int]) -> None:
    assert anchoring.occurrences(text, needle, cap=9) == found
    assert anchoring.occurrences(text, needle, cap=1) == found[:1]


def test_context_is_kept_for_words_that_occur_once() -> None:
    text = "Der Mieter kann die Miete mindern, solange der Mangel besteht und angezeigt ist."
    anchor = anchoring.make(text, 26, 33, state=CURRENT)
    assert (anchor.prefix, anchor.exact, anchor.suffix) == ("kann die Miete ".rjust(16), "mindern", ", solange der Ma")


@pytest.mark.parametrize(("distance", "size"), [(10, 16), (20, 32), (50, 64)])
def test_context_grows_until_the_place_is_unique(distance: int, size: int) -> None:
    text = f"{'.' * 100}A{'-' * distance}Frist{'.' * 100}B{'-' * distance}Frist{'.' * 100}"
    start = text.index("Frist")
    assert len(anchoring.make(text, start, start + 5, state=CURRENT).prefix) == size


def test_words_that_no_context_tells_apart_are_refused() -> None:
    with pytest.raises(Ambiguous, match="more than once"):
        anchoring.make("Frist. " * 100, 350, 355, state=CURRENT)


@pytest.mark.parametrize(("start", "end"), [(3, 3), (4, 3), (-1, 3), (0, 99), (7, 8)])
def test_a_range_outside_the_text_is_refused(start: int, end: int) -> None:
    with pytest.raises(Refused) as refusal:
        anchoring.make("Miete 1", start, end, state=CURRENT)
    assert refusal.value.code == "anchor_range"


@pytest.mark.parametrize(
    ("text", "cut", "whole"),
    [
        ("Crew 👨‍👩 ok", (5, 6), (5, 8)),
        ("Crew 👨‍👩 ok", (6, 11), (5, 11)),
        ("Preis q\u0323x", (0, 7), (0, 8)),
        ("🇨🇭🇩🇪 Bern", (1, 8), (0, 8)),
        ("1\ufe0f\u20e3 Punkt", (0, 1), (0, 3)),
    ],
)
def test_a_cut_character_is_refused_with_the_nearest_whole_range(text: str, cut: tuple[int, int], whole: tuple[int, int]) -> None:
    with pytest.raises(Refused) as refusal:
        anchoring.make(text, *cut, state=CURRENT)
    assert (refusal.value.values["start"], refusal.value.values["end"]) == whole
    assert f"{whole[0]} to {whole[1]}" in str(refusal.value)


def test_context_does_not_cut_a_character() -> None:
    text = "👨‍👩‍👧" + "." * 13 + "Frist" + "." * 13 + "👨‍👩‍👧"
    anchor = anchoring.make(text, 18, 23, state=CURRENT)
    assert (anchor.prefix, anchor.suffix) == ("." * 13, "." * 13)


def test_a_million_characters_of_repeats_take_no_time() -> None:
    text = "ab😀\n" * 250_000 + "c"
    begin = time.perf_counter()
    with pytest.raises(Ambiguous):
        anchoring.make(text, 500_000, 500_004, state=CURRENT)
    anchor = anchoring.make(text, 999_996, 1_000_001, state=CURRENT)
    assert anchoring.check(anchor, text, current=CURRENT) is State.RESOLVED
    assert time.perf_counter() - begin < 20  # minutes, if every copy were followed


TEXTS = st.text(st.sampled_from("ab \n\u0301ü😀👨‍🇩🇪"), min_size=1, max_size=80)


def _made(text: str, start: int, end: int) -> Anchor | None:
    try:
        return anchoring.make(text, start, end, state=CURRENT)
    except (Ambiguous, Refused):
        return None


@given(text=TEXTS, data=st.data())
def test_what_was_made_resolves(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    anchor = _made(text, start, end)
    assert anchor is None or anchoring.check(anchor, text, current=CURRENT) is State.RESOLVED


@given(text=TEXTS, data=st.data(), letter=st.sampled_from("ab \n\u0301x"))
def test_one_changed_character_never_resolves(text: str, data: st.DataObject, letter: str) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    anchor = _made(text, start, data.draw(st.integers(start + 1, len(text))))
    if anchor is None:
        return
    first, last = start - len(anchor.prefix), anchor.end + len(anchor.suffix)
    place = data.draw(st.integers(first, last - 1))
    if text[place] != letter:
        changed = text[:place] + letter + text[place + 1 :]
        assert anchoring.check(anchor, changed, current=CURRENT) is not State.RESOLVED


@given(text=TEXTS, data=st.data())
def test_the_range_named_in_a_refusal_is_accepted(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    try:
        anchoring.make(text, start, end, state=CURRENT)
    except Refused as refusal:
        whole = {key: int(str(refusal.values[key])) for key in ("start", "end")}
        assert whole["start"] <= start < end <= whole["end"]
        assert _made(text, **whole) or len(anchoring.occurrences(text, text[whole["start"] : whole["end"]], cap=2)) > 1
    except Ambiguous:
        pass


def _shared() -> list[dict[str, Any]]:
    return list(json.loads(CASES.read_text("utf-8"))["cases"]) if CASES.exists() else []


def _generated(recipe: Any) -> str:
    if isinstance(recipe, str):
        return recipe
    if "repeat" in recipe:
        return str(recipe["repeat"]) * int(recipe["times"])
    return "".join(_generated(part) for part in recipe["concat"])


def _text(case: dict[str, Any]) -> str:
    return str(case["text"]) if "text" in case else _generated(case["text_gen"])


def _anchor(case: dict[str, Any]) -> Anchor:
    versus = case["versus_current"]
    cited = TextState(
        document=CURRENT.document,
        revision=CURRENT.revision,
        representation=CURRENT.representation,
        source_sha256=CURRENT.source_sha256 if versus["source"] == "equal" else "0" * 64,
        parser=CURRENT.parser if versus["parser"] == "equal" else Parser("other", "1"),
        profile=CURRENT.profile if versus["profile"] == "equal" else "other",
        text_sha256=CURRENT.text_sha256 if versus["text"] == "equal" else "0" * 64,
    )
    fields = {key: case["anchor"][key] for key in ("start", "end", "exact", "prefix", "suffix")}
    return Anchor(state=cited, **fields)


shared = pytest.mark.skipif(not CASES.exists(), reason="the shared anchor cases are not here")
each_case = pytest.mark.parametrize("case", _shared() or [{"id": "absent"}], ids=lambda case: str(case["id"]))


@shared
@each_case
def test_shared_case_gives_its_state(case: dict[str, Any]) -> None:
    expected = State(case["expect"]["state"])
    if not case["available"]:
        assert expected is State.UNAVAILABLE  # the caller's step: nothing is asked of the text
        return
    assert anchoring.check(_anchor(case), _text(case), current=CURRENT) is expected


@shared
@each_case
def test_shared_case_has_its_text_and_coordinates(case: dict[str, Any]) -> None:
    text, expected = _text(case), case["expect"]
    if "raw" in case:
        assert profile.normalise(case["raw"]) == text
    assert hashlib.sha256(text.encode()).hexdigest() == case["text_sha256"]
    for unit, encoding, width in (("cp", "utf-32-le", 4), ("utf16", "utf-16-le", 2), ("utf8", "utf-8", 1)):
        if unit in expected:
            lengths = [len(text[:edge].encode(encoding)) // width for edge in expected["cp"]]
            assert lengths == expected[unit]


@shared
@each_case
def test_shared_case_is_refused_if_it_cuts_a_character(case: dict[str, Any]) -> None:
    if "cp" not in case["expect"] or "grapheme_safe" not in case["expect"]:
        return
    start, end = case["expect"]["cp"]
    if case["expect"]["grapheme_safe"]:
        assert anchoring.make(_text(case), start, end, state=CURRENT).exact == case["anchor"]["exact"]
    else:
        with pytest.raises(Refused, match="cuts a character"):
            anchoring.make(_text(case), start, end, state=CURRENT)
