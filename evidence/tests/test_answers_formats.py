"""Formats: the shapes that the big APIs return, each taken for sentences and places; nonsense is refused with its path."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from evidence.answers import formats
from evidence.answers.values import Draft, Pointer, Sentence
from evidence.citations import NOTHING
from evidence.errors import Refused

HOST = "wissen.example.org"
A, B, STATE = (UUID(int=n, version=5) for n in (1, 2, 3))
LINK = f"https://{HOST}/documents/{A}/?representation={STATE}&passage=4#p-4"
AT_LINK = Pointer(document=A, representation=STATE, passage=4)
GRASS = "The grass is green."


def read(sent: object) -> Draft:
    return formats.read(sent, host=HOST)


def told(sent: object) -> list[tuple[str, list[Pointer]]]:
    return [(one.text, list(one.pointers)) for one in read(sent).sentences]


def refused(sent: object) -> tuple[str, object]:
    with pytest.raises(Refused) as error:
        read(sent)
    assert str(error.value)
    return error.value.code, error.value.values.get("field")


# our own form


def own(*citations: object, text: str = "So ist es.") -> dict[str, object]:
    return {"sentences": [{"text": text, "citations": list(citations)}]}


ANCHOR: dict[str, object] = {
    "document": str(A),
    "revision": "1",
    "representation": str(STATE),
    "source_sha256": "a",
    "parser": {"name": "text", "version": "1", "configuration": ""},
    "profile": "p",
    "text_sha256": "b",
    "unit": "unicode-codepoint",
    "start": 1,
    "end": 2,
    "exact": "x",
    "prefix": "",
    "suffix": "",
}


@pytest.mark.parametrize(
    ("citation", "pointer"),
    [
        ({"citation": str(B)}, Pointer(citation=B)),
        ({"citation": f"https://{HOST}/citations/{B}/"}, Pointer(citation=B)),
        ({"citation": str(B), "exact": "ein Teil"}, Pointer(citation=B, exact="ein Teil")),
        ({"anchor": ANCHOR}, Pointer(anchor=ANCHOR)),
        ({"anchor": {**ANCHOR, "more": 1}}, Pointer(anchor=ANCHOR)),
        ({"document": str(A), "exact": "so"}, Pointer(document=A, exact="so")),
        ({"document": LINK, "exact": "so", "prefix": "p", "suffix": "s"}, Pointer(A and None, None, A, STATE, 4, "so", "p", "s")),
        ({"url": LINK}, AT_LINK),
        ({"url": f"/documents/{A}/", "exact": "so"}, Pointer(document=A, exact="so")),
        ({"url": f"/documents/{A}/?passage=4"}, Pointer(document=A)),
        ({"url": f"https://{HOST}/citations/{B}/"}, Pointer(citation=B)),
        ({"url": f"https://elsewhere.example/documents/{A}/", "exact": "so"}, Pointer(document=NOTHING, exact="so")),
    ],
)
def test_our_own_form_names_places_in_four_ways(citation: dict[str, object], pointer: Pointer) -> None:
    assert told(own(citation)) == [("So ist es.", [pointer])]


def test_question_and_model_are_taken_along() -> None:
    found = read({"question": "Wie?", "model": "m-1", "sentences": [{"text": "So."}]})
    assert found == Draft([Sentence("So.", [])], "Wie?", "m-1")


def test_words_in_quotation_marks_count_where_only_a_place_is_given() -> None:
    text = "Es heißt „die Frist beträgt acht Tage“ und „das ist so gewollt“."
    assert told(own({"document": str(A)}, text=text))[0][1] == [
        Pointer(document=A, exact="die Frist beträgt acht Tage"),
        Pointer(document=A, exact="das ist so gewollt"),
    ]
    assert told(own({"document": str(A), "exact": "so"}, text=text))[0][1] == [Pointer(document=A, exact="so")]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ([], "format"),
        ({"sentences": {}}, "sentences"),
        ({"sentences": [1]}, "sentences[0]"),
        ({"sentences": [{"text": 1}]}, "sentences[0].text"),
        (own({}), "sentences[0].citations[0]"),
        (own({"citation": str(B), "url": LINK}), "sentences[0].citations[0]"),
        (own({"citation": "x"}), "sentences[0].citations[0].citation"),
        (own({"document": "x", "exact": "so"}), "sentences[0].citations[0].document"),
        (own({"url": LINK}, {"url": 1}), "sentences[0].citations[1].url"),
        (own({"anchor": {**ANCHOR, "start": True}}), "sentences[0].citations[0].anchor.start"),
        (own({"anchor": "x"}), "sentences[0].citations[0].anchor"),
        ({**own(), "question": 1}, "question"),
    ],
)
def test_nonsense_is_refused_with_the_path_to_it(sent: object, field: str) -> None:
    code, path = refused(sent)
    assert (code, path) == ("answer_field", field if field != "format" else "{}")


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Refused) as error:
        read({"format": "telepathy"})
    assert error.value.code == "answer_format" and "anthropic" in str(error.value)


def test_limits_hold_for_what_is_read() -> None:
    assert refused({"sentences": []})[0] == "answer_empty"
    assert refused({"format": "text", "text": "x" * 200_001})[0] == "answer_long"
    assert refused({"format": "text", "text": f"So. {LINK} " * 201})[0] == "answer_citations"


# Anthropic


def anthropic(*citations: dict[str, object], documents: object = (), **more: object) -> dict[str, object]:
    content = [
        {"type": "thinking", "thinking": "..."},
        {"type": "text", "text": "According to it, "},
        {"type": "text", "text": "the grass is green", "citations": list(citations)},
        {"type": "text", "text": ". Nobody knows more.", "citations": None},
    ]
    response = {"type": "message", "model": "claude", "content": content, **more}
    return {"format": "anthropic", "response": response, "documents": documents or [str(B), LINK]}


CHAR = {"type": "char_location", "cited_text": f"{GRASS} ", "document_index": 1, "document_title": "x", "start_char_index": 0}


@pytest.mark.parametrize(
    ("citation", "pointer"),
    [
        ({**CHAR, "end_char_index": 20}, Pointer(document=A, representation=STATE, passage=4, exact=GRASS)),
        (
            {"type": "page_location", "cited_text": GRASS, "document_index": 0, "start_page_number": 1},
            Pointer(document=B, exact=GRASS),
        ),
        ({"type": "content_block_location", "cited_text": GRASS, "document_index": 0}, Pointer(document=B, exact=GRASS)),
        (
            {"type": "search_result_location", "cited_text": GRASS, "source": LINK, "search_result_index": 0},
            Pointer(document=A, representation=STATE, passage=4, exact=GRASS),
        ),
        ({"type": "search_result_location", "cited_text": GRASS, "source": str(B)}, Pointer(document=B, exact=GRASS)),
        (
            {"type": "web_search_result_location", "cited_text": GRASS, "url": "https://example.com"},
            Pointer(document=NOTHING, exact=GRASS),
        ),
    ],
)
def test_blocks_of_anthropic_become_sentences_with_their_cited_words(citation: dict[str, object], pointer: Pointer) -> None:
    sent = anthropic(citation)
    assert told(sent) == [("According to it, the grass is green. ", [pointer]), ("Nobody knows more.", [])]
    assert read(sent).model == "claude"


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (anthropic({"type": "telepathy"}), "response.content[2].citations[0].type"),
        (anthropic({**CHAR, "document_index": 2}), "response.content[2].citations[0].document_index"),
        (anthropic({**CHAR, "cited_text": None}), "response.content[2].citations[0].cited_text"),
        (anthropic(CHAR, documents=["x", "y"]), "documents[1]"),
        (anthropic(CHAR, documents={}) | {"documents": None}, "documents"),
        ({"format": "anthropic"}, "response"),
    ],
)
def test_nonsense_of_anthropic_is_refused(sent: dict[str, object], field: str) -> None:
    assert refused(sent) == ("answer_field", field)


# OpenAI


MARK = f"([Handbook]({LINK}))"
WITH_MARK = f"The grass is green. {MARK} Nobody “knows any more of it”. More"


def annotation(**named: object) -> dict[str, object]:
    start = WITH_MARK.index("([")
    return {"type": "url_citation", "start_index": start, "end_index": start + len(MARK), "url": LINK, "title": "x", **named}


def responses(text: str, *annotations: object, **more: object) -> dict[str, object]:
    part = {"type": "output_text", "text": text, "annotations": list(annotations)}
    output = [{"type": "reasoning"}, {"type": "message", "content": [part, {"type": "refusal", "refusal": "no"}]}]
    return {"format": "openai", "response": {"model": "gpt", "output": output}, **more}


def chat(text: str, *annotations: object) -> dict[str, object]:
    return {"format": "openai", "response": {"choices": [{"message": {"content": text, "annotations": list(annotations)}}]}}


def test_a_mark_belongs_to_the_sentence_before_it() -> None:
    found = told(responses(WITH_MARK, annotation()))
    assert [text for text, _ in found] == [f"The grass is green. {MARK} ", "Nobody “knows any more of it”. ", "More"]
    assert [pointers for _, pointers in found] == [[AT_LINK], [], []]
    assert read(responses(WITH_MARK)).model == "gpt"


def test_chat_completions_give_the_same() -> None:
    nested = {"type": "url_citation", "url_citation": {key: value for key, value in annotation().items() if key != "type"}}
    assert told(chat(WITH_MARK, nested)) == told(responses(WITH_MARK, annotation()))


def test_an_annotation_of_the_words_themselves_takes_their_quotation_marks() -> None:
    start = WITH_MARK.index("Nobody")
    found = told(responses(WITH_MARK, annotation(start_index=start, end_index=start + 10)))
    assert found[1][1] == [Pointer(None, None, A, STATE, 4, "knows any more of it")]


def test_files_are_named_by_whoever_asked() -> None:
    file = {"type": "file_citation", "index": 19, "file_id": "file-1", "filename": "h.pdf"}
    for documents in ({"file-1": str(B)}, {"h.pdf": str(B)}):
        assert told(responses(f"{GRASS} The sky.", file, documents=documents))[0] == (f"{GRASS} ", [Pointer(document=B)])
    assert told(responses(f"{GRASS} The sky.", file))[0][1] == [Pointer(document=NOTHING)]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (responses("x", annotation(start_index=2)), "response.output[1].content[0].annotations[0].start_index"),
        (responses("x" * 9, annotation(start_index=5, end_index=4)), "response.output[1].content[0].annotations[0].end_index"),
        (responses("x", {"type": "telepathy"}), "response.output[1].content[0].annotations[0].type"),
        (responses("x", annotation(start_index="1")), "response.output[1].content[0].annotations[0].start_index"),
        ({"format": "openai", "response": {}}, "response.output"),
        ({"format": "openai", "response": {"choices": [{}]}}, "response.choices[0].message"),
    ],
)
def test_nonsense_of_openai_is_refused(sent: dict[str, object], field: str) -> None:
    assert refused(sent) == ("answer_field", field)


# Gemini


def gemini(text: str, segment: object, *chunks: object, **more: object) -> dict[str, object]:
    support = {"segment": segment, "groundingChunkIndices": list(range(len(chunks))), "confidenceScores": [0.9]}
    metadata = {"groundingChunks": list(chunks), "groundingSupports": [support]}
    candidate = {"content": {"parts": [{"text": text}]}, "groundingMetadata": metadata}
    return {"format": "gemini", "response": {"modelVersion": "gemini", "candidates": [candidate]}, **more}


UMLAUT = "Überall grünt es. Überall blüht es. \U0001f600 Ende"


def test_segments_of_gemini_count_bytes() -> None:
    first = len("Überall grünt es. ".encode())
    segment = {"startIndex": first, "endIndex": first + len("Überall blüht es.".encode())}
    found = told(gemini(UMLAUT, segment, {"web": {"uri": LINK, "title": "x"}}))
    assert [pointers for _, pointers in found] == [[], [AT_LINK], []]
    assert "".join(text for text, _ in found) == UMLAUT


def test_words_of_a_segment_decide_where_positions_disagree() -> None:
    segment = {"startIndex": 3, "endIndex": 5, "text": "Überall blüht es."}
    assert told(gemini(UMLAUT, segment, {"web": {"uri": LINK}}))[1][1] == [AT_LINK]


@pytest.mark.parametrize(
    ("chunk", "documents"),
    [
        ({"retrievedContext": {"uri": str(B), "text": "Es grünt."}}, None),
        ({"retrievedContext": {"uri": "gs://x", "title": "h.pdf", "text": "Es grünt."}}, {"h.pdf": str(B)}),
        ({"retrieved_context": {"uri": "gs://x", "text": " Es grünt. "}}, [str(B)]),
    ],
)
def test_a_retrieved_chunk_names_its_place_and_its_words(chunk: dict[str, object], documents: object) -> None:
    found = told(gemini(UMLAUT, {"endIndex": 5}, chunk, documents=documents))
    assert found[0][1] == [Pointer(document=B, exact="Es grünt.")]


def test_quotation_marks_count_before_the_words_of_a_chunk() -> None:
    chunk = {"retrievedContext": {"uri": str(B), "text": "Es grünt."}}
    assert told(gemini("Dort „grünt es gar sehr“.", {}, chunk))[0][1] == [Pointer(document=B, exact="grünt es gar sehr")]


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"format": "gemini", "response": {"candidates": []}}, "response.candidates"),
        (gemini("x", {"text": "y"}, {"web": {}}), "response.candidates[0].groundingMetadata.groundingSupports[0].segment.text"),
        (
            gemini("x", {"partIndex": 1}, {"web": {}}),
            "response.candidates[0].groundingMetadata.groundingSupports[0].segment.partIndex",
        ),
    ],
)
def test_nonsense_of_gemini_is_refused(sent: dict[str, object], field: str) -> None:
    assert refused(sent) == ("answer_field", field)


# Cohere


def cohere(*sources: dict[str, object], **named: object) -> dict[str, object]:
    documents = named.pop("documents", None)
    citation = {"start": 10, "end": 18, "text": "is green", "sources": list(sources), "type": "TEXT_CONTENT", **named}
    content = [{"type": "text", "text": f"{GRASS} More."}]
    return {"format": "cohere", "response": {"message": {"content": content, "citations": [citation]}}, "documents": documents}


@pytest.mark.parametrize(
    ("source", "documents", "pointer"),
    [
        ({"type": "document", "id": str(B), "document": {"snippet": "Grass is."}}, None, Pointer(document=B, exact="Grass is.")),
        ({"type": "document", "id": "doc:1", "document": {"id": "1"}}, [str(A), str(B)], Pointer(document=B)),
        ({"type": "document", "id": "h", "document": {"url": LINK}}, None, AT_LINK),
        ({"type": "document", "id": "h"}, {"h": str(B)}, Pointer(document=B)),
        ({"type": "tool", "id": "t", "tool_output": {"content": "x y"}}, None, Pointer(document=NOTHING, exact="x y")),
    ],
)
def test_sources_of_cohere_name_their_place(source: dict[str, object], documents: object, pointer: Pointer) -> None:
    assert told(cohere(source, documents=documents)) == [(f"{GRASS} ", [pointer]), ("More.", [])]


def test_citations_of_a_plan_are_left_aside() -> None:
    assert told(cohere({"id": str(B)}, type="PLAN"))[0][1] == []


def test_nonsense_of_cohere_is_refused() -> None:
    assert refused(cohere(text="is blue")) == ("answer_field", "response.message.citations[0].text")
    assert refused(cohere(content_index=1)) == ("answer_field", "response.message.citations[0].content_index")
    assert refused(cohere(start=99, end=100, text="")) == ("answer_field", "response.message.citations[0].end")


# pasted text


def test_a_number_that_no_list_reaches_names_no_document() -> None:
    source: dict[str, object] = {"id": "doc:" + "9" * 5000}
    assert told(cohere(source, documents=[str(A)]))[0][1] == [Pointer(document=NOTHING)]


def gemini_of(text: str, supports: list[object]) -> dict[str, object]:
    candidate = {"content": {"parts": [{"text": text}]}, "groundingMetadata": {"groundingSupports": supports}}
    return {"format": "gemini", "response": {"candidates": [candidate]}}


MANY = [{"type": "url_citation", "url": f"/documents/{UUID(int=n)}/", "start_index": 0, "end_index": 10**9} for n in range(200)]
SHOUTED = {"content": "A! " * 60_000, "annotations": MANY}
QUOTES = "„a b c“ " * 20_000


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ({"format": "text", "text": "[" * 1_000_000}, "answer_long"),
        ({"format": "openai", "response": {"choices": [{"message": SHOUTED}]}}, "answer_sentences"),
        (own(*[{"document": str(A)}] * 20_000, text=QUOTES), "answer_sentence_long"),
        ({"sentences": [{"text": "„a b c“ " * 200, "citations": [{"document": str(A)}] * 20_000}]}, "answer_sentence_citations"),
        ({"sentences": [{"text": "So."}] * 101}, "answer_sentences"),
        (gemini_of("ä" * 300_000, [{"segment": {"startIndex": 1}}] * 20_000), "answer_long"),
        (gemini_of("ä" * 100_000, [{"segment": {"startIndex": 1}}] * 20_000), "answer_citations"),
    ],
)  # fmt: skip
def test_more_than_an_answer_holds_is_refused_before_any_work_is_done_on_it(sent: object, code: str) -> None:
    assert refused(sent)[0] == code  # each took minutes


def test_a_pasted_text_has_quotes_and_links() -> None:
    text = f"Es gilt „eine Frist von acht Tagen“ ({LINK}). Das ist alles.\n{LINK}."
    found = told({"format": "text", "text": text})
    assert "".join(sentence for sentence, _ in found) == text
    assert [pointers for _, pointers in found] == [[Pointer(None, None, A, STATE, 4, "eine Frist von acht Tagen")], [AT_LINK]]


def test_links_of_markdown_are_links() -> None:
    found = told({"format": "text", "text": f"Es gilt. [Handbuch]({LINK})\n\nNichts."})
    assert [pointers for _, pointers in found] == [[AT_LINK], []]


EXAMPLES = re.findall(
    r'^    (\{"format": "(?!text).*?)\n\n', (settings.BASE_DIR / "docs" / "answers.md").read_text(), re.S | re.M
)


def test_the_examples_of_the_documentation_are_read() -> None:
    read_ones = [json.loads(one) for one in EXAMPLES]
    assert {one["format"] for one in read_ones} == {"anthropic", "openai", "gemini", "cohere"}
    for one in read_ones:
        (sentence,) = formats.read(one, host="fundstelle.example").sentences
        (pointer,) = sentence.pointers
        assert pointer.exact.lower().startswith("the term is eight days") and str(pointer.document).startswith("5b771348")


NAMES = """format response content type text citations sentences document exact url documents output choices message annotations
candidates parts groundingMetadata groundingChunks groundingSupports segment sources id index start end"""
SENT = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.text(max_size=5) | st.sampled_from([str(A), LINK]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES.split()),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(st.sampled_from(sorted(formats.FORMATS)), SENT, SENT, SENT)
def test_whatever_is_sent_gives_an_answer_or_is_refused(name: str, response: Any, documents: Any, sentences: Any) -> None:
    try:
        found = read({"format": name, "response": response, "documents": documents, "sentences": sentences, "text": response})
    except Refused:
        return
    assert found.sentences
