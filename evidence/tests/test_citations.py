"""Citations: made, opened, and in every state that real changes bring about."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from evidence import annotation, citations, formats, profile, removal, representations, worker
from evidence.access import Access
from evidence.anchoring import Anchor, Parser, State
from evidence.citations import Cited, Resolution
from evidence.errors import Ambiguous, Outdated, Refused, Unavailable
from evidence.models import AuditEvent, Citation, Membership
from evidence.tests.builders import access, document, person, publish, rules, run, write
from evidence.tests.papers import paper, trait

pytestmark = pytest.mark.django_db

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt 🔧 mit dem Zugang.\n\nMehr steht hier nicht."


def eva() -> Access:
    user = User.objects.filter(username="eva").first() or person("eva", ["alle"])
    return access(user)


def cited(folder: Path, text: str = TEXT, quote: str = "acht Tage") -> UUID:
    """A citation of these words by eva."""
    publish(folder, {"a.txt": text})
    row = document("a")
    start = text.index(quote)
    return citations.cite(
        eva(),
        row.public_id,
        representation=row.current.public_id,  # type: ignore[union-attr]
        start=start,
        end=start + len(quote),
    )


def opened(citation: UUID) -> Cited:
    return citations.get(eva(), citation)


def state(citation: UUID) -> Resolution:
    return opened(citation).resolution


def test_a_citation_resolves_at_once_with_range_and_quote(tmp_path: Path) -> None:
    found = state(cited(tmp_path))
    assert (found.state, found.quote, found.historical) == (State.RESOLVED, "acht Tage", None)
    assert TEXT[found.start : found.end] == "acht Tage"


def test_a_citation_can_be_made_from_words(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    made = citations.cite_words(eva(), document("a").public_id, exact="Frist", prefix="Die ")
    assert citations.get(eva(), made).anchor.start == 4


@pytest.mark.parametrize(("exact", "error"), [("e", Ambiguous), ("acht Wochen", Refused)])
def test_words_that_stand_more_than_once_or_not_at_all_are_refused(tmp_path: Path, exact: str, error: type[Exception]) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    with pytest.raises(error):
        citations.cite_words(eva(), document("a").public_id, exact=exact)


def test_a_range_in_a_state_that_is_not_current_is_refused(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    old = document("a").current
    publish(tmp_path, {"a.txt": "Neu."})
    assert old is not None
    with pytest.raises(Outdated):
        citations.cite(eva(), document("a").public_id, representation=old.public_id, start=0, end=3)


@pytest.mark.parametrize(("start", "end", "code"), [(3, 3, "anchor_range"), (5, 2, "anchor_range"), (0, 999, "anchor_range")])
def test_a_range_that_is_none_is_refused(tmp_path: Path, start: int, end: int, code: str) -> None:
    publish(tmp_path, {"a.txt": TEXT})
    row = document("a")
    with pytest.raises(Refused) as refusal:
        citations.cite(eva(), row.public_id, representation=row.current.public_id, start=start, end=end)  # type: ignore[union-attr]
    assert refusal.value.code == code


def test_a_quote_that_is_too_long_is_refused(tmp_path: Path) -> None:
    text = "x" * (citations.MAX_QUOTE + 1)
    with pytest.raises(Refused, match="at most"):
        cited(tmp_path, text, text)


def test_a_place_whose_words_cannot_be_told_apart_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Ambiguous):
        cited(tmp_path, "\n\n".join(["weggefallen"] * 40), "weggefallen")


def test_changed_bytes_are_source_changed_with_the_state_that_still_proves_it(tmp_path: Path) -> None:
    citation = cited(tmp_path)
    publish(tmp_path, {"a.txt": "Vorweg.\n\n" + TEXT})
    found = state(citation)
    assert (found.state, found.start, found.quote) == (State.SOURCE_CHANGED, None, None)
    assert found.historical is not None and found.historical.quote == "acht Tage"


def test_another_version_label_over_the_same_bytes_is_source_changed(tmp_path: Path) -> None:
    citation = cited(tmp_path)
    write(tmp_path, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]\nversion = "2"'))})
    run(tmp_path)
    assert state(citation).state == State.SOURCE_CHANGED


def test_another_parser_is_parser_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    citation = cited(tmp_path)
    other = replace(formats.FORMATS[".txt"], parser=Parser("text", "2", "other"))
    monkeypatch.setitem(formats.FORMATS, ".txt", other)
    run(tmp_path)
    found = state(citation)
    assert found.state == State.PARSER_CHANGED
    assert found.historical is not None


def test_another_profile_is_profile_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    citation = cited(tmp_path)
    monkeypatch.setattr(representations, "PROFILE", profile.PROFILE + " other")
    run(tmp_path)
    found = state(citation)
    assert found.state == State.PROFILE_CHANGED
    assert found.historical is not None


def test_another_text_hash_is_text_changed(tmp_path: Path) -> None:
    anchor = opened(cited(tmp_path)).anchor
    found = resolve(replace(anchor, state=replace(anchor.state, text_sha256="0" * 64)))
    assert (found.state, found.historical) == (State.TEXT_CHANGED, None)


def test_a_tampered_quote_is_not_found_and_a_tampered_position_does_not_fit(tmp_path: Path) -> None:
    anchor = opened(cited(tmp_path)).anchor
    assert resolve(replace(anchor, exact="neun Tage")).state == State.QUOTE_NOT_FOUND
    assert resolve(replace(anchor, start=anchor.start + 1, end=anchor.end + 1)).state == State.POSITION_MISMATCH


def test_context_that_was_taken_away_makes_repeated_words_ambiguous(tmp_path: Path) -> None:
    anchor = opened(cited(tmp_path, "Seite A: gleich.\n\nSeite B: gleich.", "gleich")).anchor
    assert resolve(anchor).state == State.RESOLVED
    assert resolve(replace(anchor, prefix="", suffix="")).state == State.AMBIGUOUS


@pytest.mark.parametrize(
    "change", [{"start": 5, "end": 5}, {"start": 9, "end": 3}, {"exact": ""}, {"exact": "\ud83d"}, {"unit": "utf-16"}]
)
def test_a_malformed_anchor_is_invalid(tmp_path: Path, change: dict[str, object]) -> None:
    anchor = opened(cited(tmp_path)).anchor
    assert resolve(replace(anchor, **change)).state == State.INVALID_ANCHOR  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["start", "end", "exact", "prefix", "parser", "unit", "text_sha256"])
@pytest.mark.parametrize("value", [None, True, [], 2.5])
def test_json_of_a_wrong_type_is_an_invalid_anchor(tmp_path: Path, field: str, value: object) -> None:
    value_of = opened(cited(tmp_path)).anchor.to_dict()
    assert citations.resolve(eva(), [{**value_of, field: value}])[0].state == State.INVALID_ANCHOR


@pytest.mark.parametrize("value", [None, "x", 3, [], {}, {"document": "nonsense"}, {"document": str(uuid4())}, {"document": 7}])
def test_what_names_no_readable_document_is_unavailable(tmp_path: Path, value: object) -> None:
    cited(tmp_path)
    assert citations.resolve(eva(), [value]) == [citations.UNAVAILABLE]


def test_an_anchor_survives_json(tmp_path: Path) -> None:
    anchor = opened(cited(tmp_path)).anchor
    assert Anchor.from_dict(anchor.to_dict()) == anchor


def test_looking_up_several_costs_the_same_for_one_that_may_not_be_read_and_one_that_never_was(
    tmp_path: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made, jona = cited(tmp_path), access(person("jona", ["netz"]))
    for one in (made, uuid4()):
        with django_assert_num_queries(1):
            assert citations.several(jona, [one]) == [one]


def test_a_withdrawn_right_makes_it_unavailable_and_says_nothing_else(tmp_path: Path) -> None:
    citation = cited(tmp_path)
    anchor = citations.get(eva(), citation).anchor
    Membership.objects.get(user__username="eva").groups.clear()
    assert citations.resolve(eva(), [anchor]) == [citations.UNAVAILABLE]
    with pytest.raises(Unavailable):
        citations.get(eva(), citation)
    assert citations.own(eva(), limit=10) == ([citation], 1)


def test_another_reader_of_the_document_may_open_the_citation(tmp_path: Path) -> None:
    citation = cited(tmp_path)
    assert citations.get(access(person("max", ["alle"])), citation).author == "eva"
    with pytest.raises(Unavailable):
        citations.get(access(person("ida", ["netz"])), citation)


@pytest.mark.django_db(transaction=True)
def test_a_purged_document_leaves_a_tombstone_without_words(tmp_path: Path) -> None:
    citation = cited(tmp_path)
    removal.request_purge(document("a"))
    worker.run_due()
    row = Citation.objects.get(public_id=citation)
    assert (row.exact, row.prefix, row.suffix, row.document) == ("", "", "", None)
    with pytest.raises(Unavailable):
        citations.get(eva(), citation)


def test_unknown_forbidden_and_deleted_cost_the_same_queries(tmp_path: Path, django_assert_num_queries: object) -> None:
    citation = cited(tmp_path)
    ida = access(person("ida", ["netz"]))
    anchor = citations.get(eva(), citation).anchor
    for which in (anchor, replace(anchor, state=replace(anchor.state, document=str(uuid4())))):
        with django_assert_num_queries(1):  # type: ignore[operator]
            citations.resolve(ida, [which])


def test_resolving_costs_few_queries_whatever_the_number(tmp_path: Path, django_assert_num_queries: object) -> None:
    anchor = opened(cited(tmp_path)).anchor
    mine = eva()
    for anchors in ([anchor], [anchor] * 50):
        with django_assert_num_queries(2):  # type: ignore[operator]
            assert {one.state for one in citations.resolve(mine, anchors)} == {State.RESOLVED}
    publish(tmp_path, {"a.txt": "Vorweg.\n\n" + TEXT})
    for anchors in ([anchor], [anchor] * 50):
        with django_assert_num_queries(3):  # type: ignore[operator]
            assert all(one.historical for one in citations.resolve(mine, anchors))


def test_a_state_of_another_document_proves_nothing(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": TEXT, "b.txt": TEXT.replace("acht", "neun")})
    made = [citations.cite_words(eva(), document(name).public_id, exact=words) for name, words in (("a", "acht"), ("b", "neun"))]
    publish(tmp_path, {"a.txt": "Neu.", "b.txt": "Neu."})
    first, second = (opened(one).anchor for one in made)
    mixed = replace(second, state=replace(second.state, document=first.state.document))
    found = citations.resolve(eva(), [first, second, mixed])
    assert [one.historical is not None for one in found] == [True, True, False]
    assert {one.state for one in found} == {State.SOURCE_CHANGED}


def test_an_annotation_is_checked_like_its_anchor(tmp_path: Path) -> None:
    anchor = opened(cited(tmp_path)).anchor
    value = annotated(anchor)
    assert citations.resolve(eva(), [value]) == citations.resolve(eva(), [anchor])
    without_words = {**value, "target": {**value["target"], "selector": []}}
    assert citations.resolve(eva(), [without_words])[0].state == State.INVALID_ANCHOR
    assert citations.resolve(access(person("ida", ["netz"])), [value, without_words]) == [citations.UNAVAILABLE] * 2
    assert citations.resolve(eva(), [{"type": "Annotation"}]) == [citations.UNAVAILABLE]


def test_too_many_anchors_are_refused() -> None:
    with pytest.raises(Refused, match="At most 500"):
        citations.resolve(eva(), [None] * 501)


def test_own_citations_come_newest_first_in_pages(tmp_path: Path) -> None:
    first = cited(tmp_path)
    second = cited(tmp_path, quote="Zugang")
    page, total = citations.own(eva(), limit=1)
    assert ([one.id for one in page if isinstance(one, Cited)], total) == ([second], 2)
    assert [one.id for one in citations.own(eva(), limit=9, offset=1)[0] if isinstance(one, Cited)] == [first]


def test_making_a_citation_leaves_an_audit_event_of_ids(tmp_path: Path) -> None:
    citation = cited(tmp_path)
    event = AuditEvent.objects.get(code="citation.made")
    assert (event.ids, event.document) == ({"citation": str(citation)}, document("a").public_id)


def resolve(anchor: Anchor) -> Resolution:
    (found,) = citations.resolve(eva(), [anchor])
    return found


def leaves(value: object, way: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str | int]]:
    """Every text and number in this JSON, with the way to it; of empty texts there is nothing to change."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield from leaves(one, (*way, name))
    if isinstance(value, int) or (isinstance(value, str) and value):
        yield way, value


def with_leaf(value: Any, way: tuple[str | int, ...], new: object) -> Any:
    copy: Any = json.loads(json.dumps(value))
    inner = copy
    for step in way[:-1]:
        inner = inner[step]
    inner[way[-1]] = new
    return copy


def one_changed(data: st.DataObject, value: str | int) -> str | int:
    """The value with one code point, or one digit, replaced by another one."""
    text = str(value)
    place = data.draw(st.integers(0, len(text) - 1))
    others = st.characters() if isinstance(value, str) else st.sampled_from("0123456789")
    other = data.draw(others.filter(lambda one: one != text[place]))
    changed = text[:place] + other + text[place + 1 :]
    return changed if isinstance(value, str) else int(changed)


def annotated(anchor: Anchor) -> dict[str, Any]:
    source = f"https://example.org/documents/{anchor.state.document}/"
    return annotation.export(anchor, id="urn:x:1", source=source, created=timezone.now(), creator="")


FRAME = {"@context", "id", "type", "motivation", "created", "source"}
"""What an annotation says that is no part of the anchor; the classes of its parts are."""
ONLY_FOR_HISTORY = {"representation", "fundstelle:representation"}
"""The id of the archived state: the current one is told by revision, bytes, parser, profile and text."""


@pytest.mark.parametrize("form", [Anchor.to_dict, annotated])
def test_one_code_point_changed_anywhere_never_resolves(tmp_path: Path, form: Callable[[Anchor], dict[str, Any]]) -> None:
    value = form(opened(cited(tmp_path, quote="beginnt 🔧 mit")).anchor)
    mine = eva()
    around = FRAME if form is annotated else set()
    places = [(way, leaf) for way, leaf in leaves(value) if not {*way[:2]} & around and way[-1] not in ONLY_FOR_HISTORY]
    assert citations.resolve(mine, [value])[0].state == State.RESOLVED

    @settings(max_examples=300, deadline=None)
    @given(st.sampled_from(places), st.data())
    def check(place: tuple[tuple[str | int, ...], str | int], data: st.DataObject) -> None:
        way, leaf = place
        found = citations.resolve(mine, [with_leaf(value, way, one_changed(data, leaf))])[0]
        assert (found.state == State.RESOLVED, found.start, found.quote, found.historical) == (False, None, None, None)

    check()


def test_one_code_point_changed_anywhere_in_the_text_never_resolves(tmp_path: Path) -> None:
    citation = cited(tmp_path, quote="beginnt 🔧 mit")
    first = state(citation).representation

    @settings(max_examples=25, deadline=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        place = data.draw(st.integers(0, len(TEXT) - 1))
        other = data.draw(st.characters(exclude_characters="\0" + TEXT[place]))  # U+0000 is refused: nothing would change
        publish(tmp_path, {"a.txt": TEXT[:place] + other + TEXT[place + 1 :]})
        found = state(citation)
        assert (found.state, found.start, found.quote) == (State.SOURCE_CHANGED, None, None)
        assert found.historical is not None and found.historical.representation == first

    check()


SOUP = "Klare Worte stehen hier. \x01\x02\x03\x04 Und hier auch."


@pytest.mark.parametrize("start", [0, 25, 28])
def test_letter_soup_is_not_cited(tmp_path: Path, start: int) -> None:
    row = paper(tmp_path, [SOUP], notes=["letter_soup"])
    trait(row, "\x01\x02\x03\x04", "garbled")
    assert row.current is not None
    with pytest.raises(Refused) as error:
        citations.cite(eva(), row.public_id, representation=row.current.public_id, start=start, end=29)
    assert error.value.code == "text_garbled"
    with pytest.raises(Refused, match="letter soup"):
        citations.cite_words(eva(), row.public_id, exact="\x03\x04 Und")


def test_words_beside_letter_soup_are_cited(tmp_path: Path) -> None:
    row = paper(tmp_path, [SOUP], notes=["letter_soup"])
    trait(row, "\x01\x02\x03\x04", "garbled")
    assert state(citations.cite_words(eva(), row.public_id, exact="Und hier auch.")).quote == "Und hier auch."


def test_letter_soup_has_no_anchor_and_costs_one_query(tmp_path: Path, django_assert_num_queries: object) -> None:
    row = paper(tmp_path, [SOUP], notes=["letter_soup"])
    trait(row, "\x01\x02\x03\x04", "garbled")
    assert row.current is not None
    places = [citations.Place(row.public_id, row.current.public_id, *edges) for edges in ((0, 24), (0, 26), (24, 40))]
    mine = eva()
    with django_assert_num_queries(3):  # type: ignore[operator]
        assert [one is None for one in citations.anchors(mine, places)] == [False, True, True]
