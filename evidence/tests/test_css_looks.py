"""What a reader sees of a page: what styles hide is left out, and what they make unseen is marked."""

from __future__ import annotations

from time import perf_counter

import pytest

from evidence.content import Note, SpanKind
from evidence.errors import Refused
from evidence.formats import markup
from evidence.formats.css import styles


def shown(html: str) -> str:
    """The text, with what nobody sees in square brackets."""
    content = markup.extract(html)
    text = content.text
    for span in reversed([span for span in content.spans if span.kind is SpanKind.UNSEEN]):
        text = f"{text[: span.start]}[{text[span.start : span.end]}]{text[span.end :]}"
    assert (Note.UNSEEN_TEXT in content.notes) is ("[" in text)
    return text.replace("\n\n", "|")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p hidden>no<p style='display:none'>no<p style='DISPLAY : None !important'>no<p>a", "a"),
        ("<p hidden style='display:block'>a", "a"),
        ("<p style='visibility:hidden'>no <b style='visibility:visible'>a</b> <img alt=no>", "a"),
        ("<p style='visibility:collapse'>no<p style='content-visibility:hidden'>no<p>a", "a"),
        ("<p aria-hidden=true>a", "a"),
        ("<dialog>no</dialog><dialog open>a</dialog><details><summary>b</summary>c</details>", "a|b|c"),
        ("a<noscript>no</noscript><template>no</template><script>no</script><!-- no -->", "a"),
        ("<style>.x{display:none}</style><p class=x>no<p class=y>a", "a"),
        ("<style>.x{display:none}.y .x{display:block}</style><div class=y><p class=x>a</div><p class=x>no", "a"),
        ("<style>.x{display:none!important}#y{display:block}</style><p class=x id=y>no<p>a", "a"),
        ("<style>p{display:none}</style><p style='display:block'>a<p>no", "a"),
        ("<style>p:hover,p:has(b),p::before{display:none}</style><p>a <b>b</b>", "a b"),
        ("<style media=print>p{display:none}</style><p>a", "a"),
        ("<style>body{display:none!important} html{opacity:0}</style>a", "a"),
        ("<style>p{color:red} } p{display:none} .x{</style><p>a", "a"),
        ("<style>/*</style><p>a", "a"),
    ],
)
def test_what_takes_no_place_on_the_page_is_left_out(html: str, text: str) -> None:
    assert shown(html) == text


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("@media screen", True),
        ("@media all", True),
        ("@media only screen and (min-width: 600px)", True),
        ("@media (min-width:48rem) and (max-width: 1500px)", True),
        ("@media print, (max-width: 2000px)", True),
        ("@media (width >= 40rem)", True),
        ("@media (prefers-color-scheme: light)", True),
        ("@media not print", True),
        ("@supports (display: grid)", True),
        ("@layer base", True),
        ("@media print", False),
        ("@media (max-width: 600px)", False),
        ("@media screen and (min-width: 2000px)", False),
        ("@media (prefers-color-scheme: dark)", False),
        ("@media (min-width: 1.2.3px)", False),
        ("@supports not (display: grid)", False),
        ("@container (width > 400px)", False),
        ("@font-face", False),
    ],
)
def test_conditions_are_those_of_a_desktop_screen(condition: str, holds: bool) -> None:
    assert shown(f"<style>{condition} {{ p {{ display: none }} }}</style>a<p>b") == ("a" if holds else "a|b")


@pytest.mark.parametrize(
    "style",
    [
        "color: white",
        "color: #fefefe",
        "color: rgba(0, 0, 0, .05)",
        "color: rgb(0 0 0 / 1%)",
        "color: transparent",
        "color: hsl(0, 0%, 100%)",
        "-webkit-text-fill-color: #fff",
        "background: #000",
        "background: navy; color: #000081",
        "font-size: 0",
        "font-size: .1em",
        "font: italic 1px/2 Arial, sans-serif",
        "opacity: 0",
        "opacity: 5%",
        "text-indent: -9999px",
        "text-indent: 100%; overflow: hidden",
        "position: absolute; left: -9999px",
        "position: fixed; top: -100vh",
        "margin-left: -100%",
        "transform: scale(0)",
        "transform: rotate(3deg) translateX(-9999px)",
        "position: absolute; clip: rect(0, 0, 0, 0)",
        "position: absolute; clip: rect(1px 1px 1px 1px)",
        "clip-path: inset(50%)",
        "clip-path: circle(0)",
        "height: 0; overflow: hidden",
        "overflow-x: clip; max-width: 1px",
    ],
)
def test_text_that_is_made_not_to_be_seen_is_marked(style: str) -> None:
    assert shown(f'a <span style="{style}">b</span> c') == "a [b] c"
    assert shown(f"<style>.x {{{style}}}</style>a <span class=x>b</span> c") == "a [b] c"


@pytest.mark.parametrize(
    "style",
    [
        "color: #eee",
        "color: white; background: #333",
        "color: white; background: url(dark.png)",
        "color: white; background: linear-gradient(red, blue)",
        "color: white; background: var(--dark)",
        "color: var(--light)",
        "color: transparent; background: linear-gradient(red, blue); background-clip: text",
        "color: inherit",
        "color: currentColor",
        "font-size: 4px",
        "font-size: larger",
        "opacity: .2",
        "opacity: 0; animation: appear 1s forwards",
        "left: -9999px",
        "position: relative; left: -5px",
        "text-indent: 100%",
        "margin-left: -2em",
        "clip: rect(0, 0, 0, 0)",
        "position: absolute; clip: auto",
        "clip-path: inset(10%)",
        "height: 0",
        "height: calc(1px * 0); overflow: hidden",
        "transform: scale(.5) translate(-10px)",
        "opacity: none; color: nothing; font-size: 3; left: ;",
    ],
)
def test_text_that_can_be_seen_is_not_marked(style: str) -> None:
    assert shown(f'a <span style="{style}">b</span> c') == "a b c"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<div style='background:#000;color:#fff'>a<p style='background:white'>b <a href=x>c</a>", "a|[b] c"),
        ("<body bgcolor=black text=white>a<font color=000000>b</font><mark>c</mark></body>", "a[b]c"),
        ("<table bgcolor='#0000ff'><tr><td><font color=blue>a</font><td>b</table>", "[a]\tb"),
        ("<p style='font-size:0'>a<span style='font-size:12px'>b</span></p>", "[a]b"),
        ("<p style='text-indent:-999em'>a<span style='text-indent:0'>b</span></p>", "[a]b"),
        ("<p style='opacity:0'>a<span style='opacity:1'>b</span></p>", "[ab]"),
        ("<style>.x{color:#fff}</style><p class=x>a<p class=x>b<p>c", "[a]|[b]|c"),
        ("<style>.x{color:#fff}.x{color:#000}</style><p class=x>a", "a"),
        ("<style>.x{background:red}.x{background:none}</style><p class=x style='color:white'>a", "[a]"),
        (
            "<p style='background-image:url(a.png);color:white'>a<p style='background:#000;background-color:#fff;color:#fff'>b",
            "a|[b]",
        ),
        ("<div style='background:rgba(0,0,0,.9);color:#fff'>a</div>", "a"),
        ("<p style='color:white'><input value=a><textarea>b</textarea>", "a|b"),
    ],
)
def test_colours_and_sizes_come_down_to_what_is_inside(html: str, text: str) -> None:
    assert shown(html) == text


@pytest.mark.parametrize(
    "elsewhere",
    [
        "<link rel='alternate Stylesheet' href=x.css>",
        "<style>@import 'x.css';</style>",
        "<style>:has(p){background:#000}</style>",
    ],
)
def test_the_ground_is_not_known_where_a_style_sheet_is_not(elsewhere: str) -> None:
    assert shown(f"{elsewhere}<p style='color:white'>a<p style='color:transparent'>b<p style='color:#fff;background:#fff'>c") == (
        "a|[b]|[c]"
    )


def test_marks_of_what_is_unseen_lie_inside_or_around_others() -> None:
    content = markup.extract(
        "<b>a<i style='color:#fff'>b<u>c</u></i></b><p style='opacity:0'>d<b>e</b><table><tr><td>f<td>g</table>"
    )
    spans = [(span.kind.value, content.text[span.start : span.end]) for span in content.spans]
    assert spans[:4] == [("strong", "abc"), ("unseen", "bc"), ("emphasis", "bc"), ("unseen", "de")]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<style>span{display:block}</style><span>a</span><span>b</span>", "a|b"),
        ("<style>p{display:inline}</style><p>a</p> <p>b</p>", "a b"),
        ("<div style='display:flex'><a>a</a><a>b</a></div>", "a b"),
        ("<b style='display:table-cell'>a</b><b style='display:table-cell'>b</b>", "a b"),
        ("<div style='white-space:pre-wrap'>a\n  b\n\nc\n</div>d", "a\nb|c|d"),
        ("<div style='white-space:pre'>a\n<b style='white-space:normal'>b\nc</b></div>", "a\nb c"),
        ("<ul style='list-style:none'><li>a<ol type=a><li>b</ol></ul>", "a\na. b"),
        ("<ol style='list-style-type:upper-roman'><li>a<li style='list-style-type:decimal-leading-zero'>b</ol>", "I. a\n02. b"),
        ("<style>li{list-style:'– ' inside}</style><ol><li>a</ol>", "– a"),
        ("<style>.nav li{display:inline}</style><ul class=nav><li>a</li> <li>b</li></ul>", "a b"),
    ],
)
def test_styles_part_and_mark_what_stands_beside_each_other(html: str, text: str) -> None:
    assert shown(html) == text


def test_more_styles_than_can_be_weighed_are_refused() -> None:
    with pytest.raises(Refused) as refusal:
        markup.extract(f"<style>{'p{color:red}' * (styles.MAX_STYLE_CHARS // 12 + 1)}</style><p>a")
    assert refusal.value.code == "styles_too_heavy"


def test_embedded_fonts_and_pictures_do_not_count_as_styles() -> None:
    font = "A" * styles.MAX_STYLE_CHARS
    assert shown(f"<style>@font-face{{src:url(data:font/woff2;base64,{font})}} .x{{display:none}}</style>a<p class=x>no") == "a"


@pytest.mark.parametrize(
    "html",
    [
        "<style>" + "*{color:red}" * 3000 + "</style>" + "<p>a" * 2000,
        "<style>" + "p p p p p p p p{color:red}" * 9000 + "</style>" + "<p>a" * 10_000,
        "<style>" + "@media screen{" * 5000 + "</style><p>a",
    ],
    ids=["fits all", "weighs much", "deep"],
)
def test_heavy_styles_are_refused_before_they_cost_minutes(html: str) -> None:
    started = perf_counter()
    with pytest.raises(Refused, match="more styles than can be weighed"):
        markup.extract(html)
    assert perf_counter() - started < 20


@pytest.mark.parametrize(
    "html",
    [
        "<style>" + "".join(f".c{number}{{color:red}}" for number in range(100_000)) + "</style><p class=c7>a",
        "".join(f"<p style='left:{number}px;top:1px'>a" for number in range(20_000)),
        f"<style>p{{color:{'(' * 100_000}}}</style><p>a",
        f"<style>{':is(' * 500}p{')' * 500}{{display:none}}</style><p>a",
        f"<p style='{'opacity:0;' * 10_000}opacity:1'>a",
    ],
    ids=["100,000 rules", "as many attributes", "brackets", "functions", "declarations"],
)
def test_many_styles_are_read_in_seconds(html: str) -> None:
    started = perf_counter()
    assert markup.extract(html).text.startswith("a")
    assert perf_counter() - started < 20
