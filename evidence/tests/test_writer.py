"""The writer: where marks stand after the profile, and what stands under which heading."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import profile
from evidence.content import PassageKind, SpanKind
from evidence.formats.writer import Writer, places_after_profile

TEXTS = st.text(st.sampled_from("aé e\u0301\u0323ü\r\n\u1100\u1161\u11a8\u0958\u0928\u093c가\uac00\u3099か~")).filter(bool)


@settings(deadline=None)
@given(TEXTS, st.data())
def test_places_are_the_lengths_of_normalised_beginnings(raw: str, data: st.DataObject) -> None:
    positions = data.draw(st.sets(st.integers(0, len(raw))))
    assert places_after_profile(raw, positions) == {at: len(profile.normalise(raw[:at])) for at in positions}


def test_a_passage_of_many_marks_is_written_in_one_pass() -> None:
    writer = Writer()
    writer.write("e\u0301 ")
    for _ in range(20_000):  # took a minute when every mark looked at all the text before it
        writer.begin_mark(SpanKind.STRONG)
        writer.write("Wort ")
        writer.end_mark(SpanKind.STRONG)
    content = writer.content()
    assert {content.text[span.start : span.end] for span in content.spans} == {"Wort"}


def test_what_follows_the_end_of_the_outline_stands_under_no_heading() -> None:
    writer = Writer()
    for kind, level, words in ((PassageKind.HEADING, 1, "A"), (PassageKind.PARAGRAPH, 0, "a"), (PassageKind.PARAGRAPH, 0, "b")):
        writer.open(kind, level=level)
        writer.write(words)
        if words == "a":
            writer.end_outline()
    assert [passage.headings for passage in writer.content().passages] == [(), (0,), ()]
