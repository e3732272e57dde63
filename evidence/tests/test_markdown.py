"""Markdown files: passages, spans and text as a reader sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import profile
from evidence.content import Content, PassageKind, SpanKind
from evidence.errors import Refused
from evidence.formats import FORMATS, extract

SAMPLES = Path(__file__).parent / "samples"
SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
MARKDOWN = FORMATS[".md"]


def read(source: str) -> Content:
    return extract(MARKDOWN, source.encode())


def passages(content: Content) -> list[tuple[str, str]]:
    return [(passage.kind.value, content.text[passage.start : passage.end]) for passage in content.passages]


def marked(content: Content, kind: SpanKind) -> list[tuple[str, str]]:
    return [(content.text[span.start : span.end], span.value) for span in content.spans if span.kind is kind]


def test_a_sample_becomes_what_a_reader_sees() -> None:
    content = extract(MARKDOWN, (SAMPLES / "dienstanweisung.md").read_bytes())
    assert content.title == "Dienstanweisung: Akten"
    assert passages(content) == [
        ("code", 'title: "Dienstanweisung: Akten"\nstand: 2026-03-01'),
        ("heading", "Aktenführung"),
        ("paragraph", "(1) Unterlagen sind zehn Jahre aufzubewahren; siehe § 147 AO."),
        ("list_item", "1. Bücher, auch elektronische"),
        ("list_item", "2. Belege"),
        ("list_item", "• Rechnungen"),
        ("list_item", "• Quittungen"),
        ("list_item", "3) Briefe"),
        ("paragraph", "Auch empfangene Briefe."),
        ("table_row", "Frist\tDauer"),
        ("table_row", "Klage\tdrei Wochen"),
        ("table_row", "leer\t"),
        ("heading", "Sperrung"),
        ("quote", "Gesperrt ist, was niemand lesen darf."),
        ("code", 'akte --sperren 🔒\n\necho "fertig"'),
    ]
    assert [passage.headings for passage in content.passages[1:]] == [(), *[(1,)] * 11, (1, 12), (1, 12)]
    assert [passage.columns for passage in content.passages[9:12]] == [None, 9, 9]
    assert [passage.level for passage in content.passages[3:8]] == [1, 1, 2, 2, 1]
    assert marked(content, SpanKind.LINK) == [("§ 147 AO", "https://example.org/ao?p=147")]
    assert marked(content, SpanKind.STRONG) == [("zehn Jahre", "")]
    assert marked(content, SpanKind.CELL)[-2:] == [("leer", ""), ("", "")]


def test_blocks_stand_apart_and_items_and_rows_close_together() -> None:
    content = read("# A\n\n- b\n- c\n  - d\n\n\n\ne\n\n|f|g|\n|-|-|\n|h|i|\n")
    assert content.text == "A\n\n• b\n• c\n• d\n\ne\n\nf\tg\nh\ti"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("soft\nbreak", "soft break"),
        ("hard  \nbreak\\\nagain<br>and again", "hard\nbreak\nagain\nand again"),
        ("  many   spaces\tand tabs ", "many spaces and tabs"),
        ("5\u00a0000 &euro;&nbsp;&amp; &#x1F5D1;", "5\u00a0000 €\u00a0& 🗑"),
        ("Agree\u00adment oﬃce", "Agree\u00adment oﬃce"),
        ("a ![a plan](plan.png) b", "a a plan b"),
        ("![](pixel.png)", ""),
        ("~~old~~ **new** `co  de`", "old new co de"),
        ("Wasser H<sub>2</sub>O</sup> <span id='x'>ok</span>", "Wasser H2O ok"),
        ("a\n\n***\n\nb", "a\n\nb"),
        ("[ref]: https://example.org\n\nnothing else", "nothing else"),
        ("See[^1]\n\n[^1]: Ebenda", "See[^1]\n\n[^1]: Ebenda"),
        ("<script>no()</script>a<!-- no --><style>no</style><i hidden>no</i><b style='display: none'>no</b>", "a"),
        ("A <title> in words\n\nand <script> and <!-- too", "A <title> in words\n\nand <script> and <!-- too"),
        ("<details><summary>More</summary>\n\nFolded\n\n</details>", "More\n\nFolded"),
        ("<dl><dt>1.</dt><dd>First</dd></dl>", "1. First"),
        ("One<br><br>Two", "One\n\nTwo"),
        ("e&#769;\n\n<b>u</b>&#776;", "é\n\nü"),
        ("a&#0;b &#xD800;", "a\ufffdb \ufffd"),
        ("", ""),
        ("\n \n", ""),
    ],
)
def test_text_is_what_a_reader_sees(source: str, text: str) -> None:
    assert read(source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("7. a\n8. b", "7. a\n8. b"),
        ("3) a\n4) b", "3) a\n4) b"),
        ("* a\n+ b", "• a\n\n• b"),
        ("1. - a", "1. • a"),
        ("-\n- b", "•\n• b"),
        ("- # Title", "• Title"),
        ("-     code", "•\n\ncode"),
        ("> - a", "• a"),
        ("- a\n\n  > b\n- c", "• a\n\nb\n\n• c"),
        ('<ol data-delimiter=")" delimiters=")"><li>a</ol>', "1. a"),
    ],
)
def test_list_markers_are_text(source: str, text: str) -> None:
    assert read(source).text == text


def test_headings_are_named_outermost_first() -> None:
    content = read("# A\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\n> # quoted\n\nd")
    assert [passage.headings for passage in content.passages] == [(), (0,), (0, 1), (0,), (0, 3), (), (5,), (5,)]


def test_marks_inside_one_another_keep_their_order() -> None:
    content = read("*a **b** `c`* [**d**](#x)")
    assert [(span.kind.value, content.text[span.start : span.end]) for span in content.spans] == [
        ("emphasis", "a b c"),
        ("strong", "b"),
        ("code", "c"),
        ("link", "d"),
        ("strong", "d"),
    ]


def test_a_list_marker_is_outside_a_mark() -> None:
    assert marked(read("1. [a](b)\n2. **c** d"), SpanKind.LINK) == [("a", "b")]
    assert marked(read("1. [a](b)\n2. **c** d"), SpanKind.STRONG) == [("c", "")]


def test_a_dangerous_target_is_only_a_value() -> None:
    content = read('<a href="javascript:alert(1)">press</a>')
    assert marked(content, SpanKind.LINK) == [("press", "javascript:alert(1)")]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("---\nTitle: Grundgesetz\n---\n# Other", "Grundgesetz"),
        ("---\ntitle: 'It is: quoted'\n---\n", "It is: quoted"),
        ("---\ntitle: Long and\n  folded\nslug: x\n---\n", "Long and folded"),
        ("---\nTitle: !!python/unicode 'Gesetz'\n---\n", "Gesetz"),
        ("---\ntitle: >\n  block\n---\n# First", "First"),
        ("---\nslug: x\n---\n## Second\n# First", "First"),
        ("% Gesetz  (G)\n% Stand: 2026\n\n# § 1", "Gesetz (G)"),
        ("# *First* of two\n# Second", "First of two"),
        ("no heading", ""),
    ],
)
def test_the_title_is_the_one_that_the_file_gives_itself(source: str, title: str) -> None:
    assert read(source).title == title


def test_a_title_block_is_shown_without_its_signs() -> None:
    content = read("% Bürgerliches **Gesetzbuch**\n% Stand: 2026\n \n# § 1\n\n50 % davon\n")
    assert passages(content) == [
        ("heading", "Bürgerliches Gesetzbuch"),
        ("paragraph", "Stand: 2026"),
        ("heading", "§ 1"),
        ("paragraph", "50 % davon"),
    ]


def test_code_keeps_its_white_space() -> None:
    content = read("```\n\n  a\t b \n\n# c\n```\n\n    <b>d</b>\n")
    assert passages(content) == [("code", "\n  a\t b \n\n# c"), ("code", "<b>d</b>")]


def test_line_ends_and_decomposed_letters_follow_the_profile() -> None:
    assert read("# Pru\u0308fung\r\n\r\na\rb") == read("# Prüfung\n\na\nb")


@pytest.mark.parametrize(("data", "code"), [("ü".encode("latin-1"), "text_not_utf8"), (b"# a\0", "text_nul")])
def test_bytes_that_are_no_text_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        extract(MARKDOWN, data)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    "source",
    [">" * 100_000 + "a", "- " * 50_000, "<div>" * 50_000, "![" * 1000 + "a" + "](b)" * 1000, "<div><p></x>" * 40_000],
    ids=["quotes", "lists", "elements", "images", "stray ends"],
)
def test_absurd_depth_is_read_or_refused(source: str) -> None:
    try:
        assert read(source).text is not None
    except Refused as refusal:
        assert refusal.code == "markup_too_deep"


@pytest.mark.parametrize("source", ["> " * 30 + "a", "[" * 5000, "x <![CDATA[" * 1000, "**a _b " * 5000, "<b><p>x" * 3000])
def test_odd_sources_are_read(source: str) -> None:
    assert read(source).passages


PIECES = [
    "# ",
    "> ",
    "- ",
    "1) ",
    "    ",
    "\n",
    "\n\n",
    "|",
    "|-|-|\n",
    "```\n",
    "*",
    "**",
    "`",
    "[a](b)",
    "![",
    "<b>",
    "</b>",
    "<table><tr><td>",
]
PIECES += [
    "</table>",
    "<li>",
    "<pre>",
    "<br>",
    "<ol>",
    "<a href=x>",
    "% t\n",
    "---\n",
    "&amp;",
    "&#776;",
    "\u0308",
    "ü",
    "🗑",
    "word ",
    "\u00a0",
    "<p>",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_source_gives_content_that_fits(source: str) -> None:
    content = read(source)
    assert content.text == profile.normalise(content.text)
    assert all(text.strip("\n\t ") for _, text in content.pieces())
    assert content.text == content.text.strip("\n") or content.passages[0].kind is PassageKind.CODE
    assert Content.from_json(content.to_json()) == content


@pytest.mark.skipif(not SHARED.exists(), reason="the shared laws are not here")
def test_every_law_is_read() -> None:
    for path in [*(SHARED / "laws" / "current").glob("*.md"), *(SHARED / "laws" / "other_flavour").rglob("*.md")]:
        content = extract(MARKDOWN, path.read_bytes())
        assert content.title and content.passages


@pytest.mark.skipif(not SHARED.exists(), reason="the shared tricky files are not here")
def test_tricky_files_hold_what_their_list_says() -> None:
    for entry in json.loads((SHARED / "tricky" / "manifest.json").read_text("utf-8")):
        if entry["kind"] == "markdown":
            content = extract(MARKDOWN, (SHARED / "tricky" / entry["file"]).read_bytes())
            spaced = " ".join(content.text.split())
            headings = [words for kind, words in passages(content) if kind == "heading"]
            assert all(words in content.text for words in entry["must_contain"])
            assert all(words in spaced for words in entry.get("normalised", []))
            assert not any(words in content.text for words in entry.get("must_not_contain", []))
            assert set(entry.get("headings", [])) <= set(headings)
            assert content.title == entry.get("title", content.title)
