"""Checking answers: each state, what is told beside it, and that nothing is told of what may not be read."""

from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evidence import citations
from evidence.access import Access
from evidence.anchoring import State
from evidence.answers.checking import check
from evidence.answers.findings import Judged, Weighed, Why
from evidence.answers.values import Draft, Pointer, Sentence, Support
from evidence.errors import Refused
from evidence.models import Document
from evidence.tests.builders import access, document, person, publish, rules, run, write

pytestmark = pytest.mark.django_db

TEXT = "Die Frist beträgt acht Tage.\n\nSie beginnt mit dem Zugang und endet am achten Tag.\n\nMehr steht hier nicht."
OTHER = "Rechnungen werden binnen 30 Tagen bezahlt.\n\nSkonto wird nicht gewährt."


def eva() -> Access:
    user = User.objects.filter(username="eva").first() or person("eva", ["alle"])
    return access(user)


def published(folder: Path, **texts: str) -> UUID:
    """Documents a (TEXT) and b (OTHER), or these; gives the id of the first."""
    texts = texts or {"a": TEXT, "b": OTHER}
    publish(folder, {f"{name}.txt": text for name, text in texts.items()})
    return document(next(iter(texts))).public_id


def state_of(name: str = "a") -> UUID:
    current = document(name).current
    assert current is not None
    return current.public_id


def cited(folder: Path, exact: str) -> UUID:
    """A citation of these words of a."""
    named = published(folder)
    return citations.cite_words(eva(), named, exact=exact)


def judged(*pointers: Pointer, text: str = "So ist es.", who: Access | None = None) -> Judged:
    return check(who or eva(), Draft([Sentence(text, pointers)])).sentences[0]


def weighed(pointer: Pointer, **named: str) -> Weighed:
    return judged(pointer, **named).pointers[0]  # type: ignore[arg-type]


def test_words_that_stand_in_the_cited_document_are_supported(tmp_path: Path) -> None:
    found = weighed(Pointer(document=published(tmp_path), exact="beträgt acht Tage"))
    (place,) = found.places
    assert (found.support, place.quote, place.is_current) == (Support.SUPPORTED, "beträgt acht Tage", True)
    assert (place.card.id, place.representation, TEXT[place.start : place.end]) == (
        found.cited and found.cited.id,
        state_of(),
        place.quote,
    )
    assert (place.passage.number, place.passage.text) == (0, "Die Frist beträgt acht Tage.")


def test_words_of_the_cited_passage_are_supported_and_others_of_the_document_misattributed(tmp_path: Path) -> None:
    place = Pointer(document=published(tmp_path), representation=state_of(), passage=1, exact="mit dem Zugang")
    assert weighed(place).support is Support.SUPPORTED
    wrong = weighed(Pointer(document=place.document, representation=state_of(), passage=0, exact="mit dem Zugang"))
    assert (wrong.support, wrong.places[0].passage.number) == (Support.MISATTRIBUTED, 1)


def test_words_of_another_document_are_misattributed(tmp_path: Path) -> None:
    found = weighed(Pointer(document=published(tmp_path), exact="binnen 30 Tagen bezahlt"))
    assert (found.support, found.places[0].card.id) == (Support.MISATTRIBUTED, document("b").public_id)


def test_a_quote_over_several_passages_is_found_in_another_document(tmp_path: Path) -> None:
    found = weighed(Pointer(document=published(tmp_path), exact="Tagen bezahlt.\n\nSkonto wird nicht"))
    assert (found.support, found.places[0].start) == (Support.MISATTRIBUTED, OTHER.index("Tagen"))


def test_parts_that_stand_apart_in_the_cited_document_are_stitched(tmp_path: Path) -> None:
    found = weighed(Pointer(document=published(tmp_path), exact="Die Frist beträgt […] am achten Tag."))
    assert found.support is Support.STITCHED
    assert [place.quote for place in found.places] == ["Die Frist beträgt", "am achten Tag"]


def test_parts_of_different_documents_are_absent(tmp_path: Path) -> None:
    found = weighed(Pointer(document=published(tmp_path), exact="Die Frist beträgt … binnen 30 Tagen bezahlt"))
    assert (found.support, found.why, list(found.places)) == (Support.ABSENT, Why.NOT_THERE, [])


@pytest.mark.parametrize("exact", ["beträgt neun Tage", "die frist beträgt", "beträgt acht  Tage", "beträgt acht Tag"])
def test_nearly_equal_words_are_absent(tmp_path: Path, exact: str) -> None:
    found = weighed(Pointer(document=published(tmp_path), exact=exact))
    assert (found.support, found.why) == (Support.ABSENT, Why.NOT_THERE)


@pytest.mark.parametrize("exact", ["", "  ", "…", "."])
def test_a_place_without_words_proves_nothing(tmp_path: Path, exact: str) -> None:
    found = weighed(Pointer(document=published(tmp_path), exact=exact))
    assert (found.support, found.why) == (Support.ABSENT, Why.NO_WORDS)
    assert found.cited is not None


def test_a_sentence_without_citation_is_uncited(tmp_path: Path) -> None:
    published(tmp_path)
    assert judged(text="Die Frist beträgt acht Tage.").support is Support.UNCITED


def test_the_worst_citation_names_the_sentence(tmp_path: Path) -> None:
    good = Pointer(document=published(tmp_path), exact="beträgt acht Tage")
    found = judged(good, Pointer(document=good.document, exact="binnen 30 Tagen"), Pointer(document=good.document, exact="nie"))
    assert [one.support for one in found.pointers] == [Support.SUPPORTED, Support.MISATTRIBUTED, Support.ABSENT]
    assert found.support is Support.ABSENT


def test_a_quote_that_stands_in_one_of_two_cited_places_is_supported(tmp_path: Path) -> None:
    good = Pointer(document=published(tmp_path), exact="beträgt acht Tage")
    found = judged(good, Pointer(document=document("b").public_id, exact="beträgt acht Tage"))
    assert [one.support for one in found.pointers] == [Support.SUPPORTED, Support.MISATTRIBUTED]
    assert found.support is Support.SUPPORTED


def test_what_stands_before_and_after_tells_places_apart(tmp_path: Path) -> None:
    named = published(tmp_path, a="Es gilt hier.\n\nEs gilt dort.")
    found = weighed(Pointer(document=named, exact="gilt", prefix="Es ", suffix=" dort"))
    assert (found.support, found.places[0].start) == (Support.SUPPORTED, 18)
    wrong = weighed(Pointer(document=named, exact="gilt", prefix="Es ", suffix=" nie"))
    assert wrong.support is Support.MISATTRIBUTED


def test_blanks_around_a_quote_and_dots_at_its_ends_are_not_part_of_it(tmp_path: Path) -> None:
    assert weighed(Pointer(document=published(tmp_path), exact=" … beträgt acht Tage. \n")).support is Support.SUPPORTED


def test_a_stored_citation_is_supported_and_says_what_it_is_worth(tmp_path: Path) -> None:
    made = cited(tmp_path, "acht Tage")
    found = weighed(Pointer(citation=made))
    assert (found.support, found.places[0].quote) == (Support.SUPPORTED, "acht Tage")
    assert found.resolution is not None and found.resolution.state is State.RESOLVED


def test_words_beside_a_stored_citation_must_stand_in_it(tmp_path: Path) -> None:
    made = cited(tmp_path, "Die Frist beträgt acht Tage")
    assert weighed(Pointer(citation=made, exact="acht Tage")).support is Support.SUPPORTED
    assert weighed(Pointer(citation=made, exact="mit dem Zugang")).support is Support.MISATTRIBUTED


def test_an_anchor_of_an_earlier_state_is_supported_and_outdated(tmp_path: Path) -> None:
    made = cited(tmp_path, "acht Tage")
    anchor = citations.get(eva(), made).anchor.to_dict()
    publish(tmp_path, {"a.txt": TEXT.replace("acht Tage", "neun Tage")})
    for pointer in (Pointer(citation=made), Pointer(anchor=anchor)):
        found = weighed(pointer)
        assert (found.support, found.is_outdated, found.places[0].quote) == (Support.SUPPORTED, True, "acht Tage")
        assert found.resolution is not None and found.resolution.state is State.SOURCE_CHANGED
        assert found.resolution.historical is not None


def test_a_document_that_changed_supports_no_longer(tmp_path: Path) -> None:
    pointer = Pointer(document=published(tmp_path), exact="beträgt acht Tage")
    publish(tmp_path, {"a.txt": TEXT.replace("acht Tage", "neun Tage")})
    assert weighed(pointer).support is Support.ABSENT


def test_an_anchor_with_other_words_than_stand_there_is_not_supported(tmp_path: Path) -> None:
    made = cited(tmp_path, "acht Tage")
    anchor = citations.get(eva(), made).anchor.to_dict()
    moved = weighed(Pointer(anchor={**anchor, "start": 0, "end": 9}))
    assert moved.support is Support.MISATTRIBUTED
    assert weighed(Pointer(anchor={**anchor, "exact": "neun Tage"})).support is Support.ABSENT


def test_words_of_the_sentence_that_stand_in_quotes_are_marked(tmp_path: Path) -> None:
    text = "Kurz gesagt: Die Frist beträgt acht Tage, wie jeder weiß."
    found = judged(Pointer(document=published(tmp_path), exact="Die Frist beträgt acht Tage."), text=text)
    assert [text[start:end] for start, end in found.words] == ["Die Frist beträgt acht Tage"]


def test_words_of_absent_quotes_are_not_marked(tmp_path: Path) -> None:
    found = judged(
        Pointer(document=published(tmp_path), exact="beträgt neun Tage und mehr"), text="Es beträgt neun Tage und mehr."
    )
    assert list(found.words) == []


def hidden(folder: Path, **secret: str) -> None:
    """Documents for everybody, and one that eva may not read."""
    write(folder, {"a.txt": TEXT, "b.txt": OTHER, **{f"{name}.txt": text for name, text in secret.items()}})
    write(folder, {"fundstelle.toml": rules(("**", 'allowed = ["group:alle"]'), ("geheim*", 'allowed = ["group:netz"]'))})
    run(folder)


SECRET = "Das Kennwort des Tresors lautet Rosinenbrot."


def of_secret() -> list[Pointer]:
    row = Document.objects.filter(external_id="geheim").first()
    named = row.public_id if row else UUID("3c6e3c2a-0000-5000-8000-000000000000")
    return [
        Pointer(document=named, exact="Das Kennwort des Tresors lautet Rosinenbrot."),
        Pointer(document=named, exact="Das Kennwort des Tresors … Die Frist beträgt"),
        Pointer(document=named, exact="beträgt acht Tage"),
        Pointer(document=named),
        Pointer(document=document("a").public_id, exact="Kennwort des Tresors lautet"),
    ]


def test_what_may_not_be_read_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    hidden(tmp_path)
    without = [judged(one) for one in of_secret()]
    hidden(tmp_path, geheim=SECRET)
    found = [judged(one) for one in of_secret()]
    assert [[(two.support, two.why, two.places, two.cited) for two in one.pointers] for one in found] == [
        [(two.support, two.why, two.places, two.cited) for two in one.pointers] for one in without
    ]
    assert [one.support for one in found] == [Support.ABSENT] * 2 + [Support.MISATTRIBUTED] + [Support.ABSENT] * 2
    may = access(person("jona", ["netz"]))
    assert judged(of_secret()[0], who=may).support is Support.SUPPORTED


def test_a_citation_of_what_may_not_be_read_is_as_one_that_never_was(tmp_path: Path) -> None:
    hidden(tmp_path, geheim=SECRET)
    made = citations.cite_words(access(person("jona", ["netz"])), document("geheim").public_id, exact="Kennwort")
    found, never = weighed(Pointer(citation=made)), weighed(Pointer(citation=uuid4()))
    assert (found.support, found.why, found.words, found.cited, found.resolution) == (
        never.support,
        never.why,
        never.words,
        never.cited,
        never.resolution,
    )
    assert (found.support, found.why) == (Support.ABSENT, Why.UNAVAILABLE)


def test_a_state_of_another_document_is_none_of_this_one(tmp_path: Path) -> None:
    pointer = Pointer(document=published(tmp_path), representation=state_of("b"), exact="beträgt acht Tage")
    assert weighed(pointer).support is Support.MISATTRIBUTED


def test_an_earlier_state_of_another_document_that_is_cited_too_is_none_of_this_one(tmp_path: Path) -> None:
    published(tmp_path)
    earlier = state_of("b")
    published(tmp_path, a=TEXT, b="Anderes.")
    both = Pointer(document=document("b").public_id, representation=earlier, exact="binnen 30 Tagen")
    wrong = Pointer(document=document("a").public_id, representation=earlier, exact="binnen 30 Tagen bezahlt")
    found = judged(both, wrong)
    assert [one.support for one in found.pointers] == [Support.SUPPORTED, Support.ABSENT]


def test_words_elsewhere_in_the_cited_earlier_state_are_misattributed(tmp_path: Path) -> None:
    named, earlier = published(tmp_path), state_of()
    published(tmp_path, a="Anderes.", b=OTHER)
    found = weighed(Pointer(document=named, representation=earlier, passage=0, exact="mit dem Zugang"))
    assert (found.support, found.is_outdated) == (Support.MISATTRIBUTED, True)


def queries(count: int) -> int:
    names = [document(f"d{n}").public_id for n in range(count)]
    sentences = [Sentence("So ist es.", [Pointer(document=name, exact="Die Frist beträgt")]) for name in names]
    who = eva()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        check(who, Draft(sentences))
    return len(captured)


def test_the_number_of_queries_does_not_grow_with_the_citations(tmp_path: Path) -> None:
    published(tmp_path, **{f"d{n}": f"Die Frist beträgt {n} Tage." for n in range(8)})
    assert queries(2) == queries(8) <= 8


@pytest.mark.parametrize(
    ("draft", "code"),
    [
        (Draft([]), "answer_empty"),
        (Draft([Sentence("Ja.")] * 101), "answer_sentences"),
        (Draft([Sentence(" \n")]), "answer_sentence_empty"),
        (Draft([Sentence("x" * 2_001)]), "answer_sentence_long"),
        (Draft([Sentence("Ja.", [Pointer(exact="a")] * 11)]), "answer_sentence_citations"),
        (Draft([Sentence("Ja.", [Pointer(exact="a")] * 10)] * 21), "answer_citations"),
        (Draft([Sentence("Ja.", [Pointer(exact="x" * 10_001)])]), "answer_quote_long"),
        (Draft([Sentence("Ja.", [Pointer(exact="x" * 10_000)] * 7)] * 3), "answer_quoted"),
        (Draft([Sentence("Ja\0.")]), "answer_sentence_characters"),
        (Draft([Sentence("Ja.", [Pointer(exact="\ud800")])]), "answer_sentence_characters"),
        (Draft([Sentence("Ja.")], question="x" * 501), "answer_question"),
        (Draft([Sentence("Ja.")], model="x" * 101), "answer_model"),
        (Draft([Sentence("Ja.")], question="\0"), "answer_characters"),
    ],
)
def test_every_limit_has_a_name_and_a_message(draft: Draft, code: str) -> None:
    with pytest.raises(Refused) as refused:
        check(eva(), draft)
    assert refused.value.code == code and str(refused.value)


def test_a_refusal_says_which_sentence_and_citation() -> None:
    with pytest.raises(Refused) as refused:
        check(eva(), Draft([Sentence("Ja."), Sentence("Ja.", [Pointer(exact="a"), Pointer(exact="x" * 10_001)])]))
    assert refused.value.values == {"sentence": 2, "citation": 2, "limit": 10_000}
