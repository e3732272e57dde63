"""E-mails: who wrote what to whom, in which parts, and what was attached."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence import profile
from evidence.content import Content, Note, SpanKind
from evidence.errors import Refused
from evidence.formats import FORMATS, eml, extract, headers

SAMPLES = Path(__file__).parent / "samples"
EML = FORMATS[".eml"]


def read(source: str | bytes) -> Content:
    return extract(EML, source.encode() if isinstance(source, str) else source)


def passages(content: Content) -> list[tuple[str, str]]:
    return [(passage.kind.value, content.text[passage.start : passage.end]) for passage in content.passages]


def body(source: str | bytes) -> list[str]:
    """The passages after subject and sender."""
    return [text for _, text in passages(read(source))][2:]


def mail(head: str, text: str | bytes) -> bytes:
    return b"Subject: s\nFrom: f\n" + head.encode() + b"\n\n" + (text.encode() if isinstance(text, str) else text)


def parts(*some: str, kind: str = "mixed", boundary: str = "b") -> bytes:
    return mail(f"Content-Type: multipart/{kind}; boundary={boundary}", "".join(f"\n--{boundary}\n{part}" for part in some))


def test_a_sample_becomes_what_a_reader_sees() -> None:
    content = read((SAMPLES / "rundmail.eml").read_bytes())
    assert content.title == "Schlüssel für die Werkstatt"
    assert content.notes == (Note.UNSEEN_TEXT, Note.ATTACHMENTS)
    assert passages(content) == [
        ("heading", "Schlüssel für die Werkstatt"),
        (
            "paragraph",
            'From: Eva Müller <eva@example.org>\nTo: "Alle, die es angeht" <alle@example.org>, Max <max@example.org>\n'
            "Date: Mon, 02 Nov 2026 09:30:00 +0100",
        ),
        ("paragraph", "Guten Tag,"),
        ("paragraph", "die Schlüssel kosten 12 € und liegen ab Montag an der Pforte."),
        ("quote", "> Wo liegen sie?"),
        ("paragraph", "An der Pforte."),
        ("paragraph", "--\nEva"),
        ("quote", "Subject: Frage\nFrom: Max <max@example.org>"),
        ("quote", "Wo liegen die Schlüssel?"),
        ("quote", "Kennung 17"),
        ("list_item", "Attachment: Plan März.pdf"),
    ]
    assert [content.text[span.start : span.end] for span in content.spans if span.kind is SpanKind.UNSEEN] == ["Kennung 17"]


@pytest.mark.parametrize(
    ("raw", "letters"),
    [
        ("Grüße", "Grüße"),
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße"),
        ("=?UTF-8?B?R3LDvMOfZQ==?=", "Grüße"),
        ("=?utf-8?b?R3LDvMOfZQ?= an_alle", "Grüße an_alle"),
        ("=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3=9Fe?=", "Grüße"),
        ("=?utf-8*de?q?Gr=C3=BC=C3=9Fe?= =?cp1252?q?=80?=", "Grüße€"),
        ("a =?utf-8?q?b?= c", "a b c"),
        ("=?no-such?q?=FC?=", "ü"),
        ("=?utf-8?q?=FC?= =?utf-8?b?!!!?=", "\ufffd"),
        ("=?utf-16le?q?=00?=", "\ufffd"),
        ("a=?utf-8?q?=0D=0AFrom:_b=E2=80=A8To:_c=00?=", "a From: b To: c\ufffd"),
        ("a\n\tb\r\n c", "a b c"),
    ],
)
def test_headers_are_letters_on_one_line(raw: str, letters: str) -> None:
    assert headers.decoded(raw) == letters


def test_raw_bytes_in_headers_are_read_as_what_they_can_be() -> None:
    content = read(b"Subject: Gr\xfc\xdfe\nFrom: Gr\xc3\xbc\xc3\x9fe\n\n.")
    assert [text for _, text in passages(content)] == ["Grüße", "From: Grüße", "."]


def test_a_header_that_is_there_twice_is_shown_twice() -> None:
    content = read("From: a\nSubject: s\nFROM: b\nBcc: c\nX-Other: no\n\n.")
    assert [text for _, text in passages(content)] == ["s", "From: a\nFrom: b\nBcc: c", "."]


@pytest.mark.parametrize(
    ("head", "text", "notes"),
    [
        ("Content-Type: text/plain; charset=utf-8", "ü €".encode(), ()),
        ("Content-Type: text/plain; charset=iso-8859-15", "ü €".encode("iso-8859-15"), ()),
        ("X: y", "ü €".encode(), ()),
        ("X: y", "ü €".encode("cp1252"), (Note.ENCODING_ASSUMED,)),
        ("Content-Type: text/plain; charset=no-such", "ü €".encode("cp1252"), (Note.ENCODING_ASSUMED,)),
        ("Content-Type: text/html", "<meta charset=windows-1252>ü €".encode("cp1252"), ()),
        ("Content-Type: text/html; charset=windows-1252", "<meta charset=utf-8>ü €".encode("cp1252"), ()),
        ("Content-Transfer-Encoding: base64", b"w7wg4oKs", ()),
        ("Content-Transfer-Encoding: quoted-printable", b"=C3=BC =\n=E2=82=AC", ()),
    ],
)
def test_a_text_is_read_in_the_encoding_that_its_part_names(head: str, text: bytes, notes: tuple[Note, ...]) -> None:
    assert body(mail(head, text)) == ["ü €"]
    assert read(mail(head, text)).notes == notes


def test_a_part_that_is_no_text_is_no_reason_to_refuse_the_others() -> None:
    content = read(parts("\na\n", "Content-Type: text/plain; charset=utf-8\n\n\x00", "Content-Transfer-Encoding: base64\n\ngYE="))
    assert [text for _, text in passages(content)][2:] == ["a", "\ufffd", "\ufffd\ufffd"]
    assert content.notes == (Note.ENCODING_ASSUMED, Note.REPAIRED)


@pytest.mark.parametrize(
    ("alternatives", "text"),
    [
        (["\na", "Content-Type: text/html\n\n<p>b"], ["a"]),
        (["Content-Type: text/html\n\n<p>b", "\na"], ["a"]),
        (["\n  \n", "Content-Type: text/html\n\n<p>b"], ["b"]),
        (["Content-Type: text/html\n\n<p>b", "Content-Type: text/calendar\n\nc"], ["b", "Attachment: text/calendar"]),
        (["Content-Type: image/png\n\n"], ["Attachment: image/png"]),
    ],
)
def test_of_alternatives_plain_text_is_read_else_html(alternatives: list[str], text: list[str]) -> None:
    assert body(parts(*alternatives, kind="alternative")) == text


def test_parts_that_nobody_can_tell_apart_are_shown_as_they_are() -> None:
    content = read(mail("Content-Type: multipart/mixed; boundary=b", "--c\n\na\n--c--"))
    assert [text for _, text in passages(content)][2:] == ["--c", "a\n--c--"]
    assert content.notes == (Note.REPAIRED,)


def test_what_is_attached_to_the_other_alternative_is_named() -> None:
    other = (
        "Content-Type: multipart/related; boundary=c\n\n--c\nContent-Type: text/html\n\n<p>b\n"
        "--c\nContent-Type: image/png\n\n\n--c--"
    )
    assert body(parts("\na", other, kind="alternative")) == ["a", "Attachment: image/png"]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("Content-Disposition: attachment; filename=a.txt", "a.txt"),
        ('Content-Disposition: attachment; filename="a\\"b; c.txt"', 'a"b; c.txt'),
        ("Content-Disposition: attachment; filename==?utf-8?q?=C3=BC.txt?=", "ü.txt"),
        ("Content-Disposition: attachment; filename*=utf-8''%C3%BC%0A.txt", "ü .txt"),
        ("Content-Disposition: attachment; filename*=no-such''%C3%BC.txt", "Ã¼.txt"),
        ("Content-Disposition: attachment; filename*0=a; filename*1=b.txt", "ab.txt"),
        ("Content-Disposition: inline; filename=../../a.pdf\nContent-Type: application/pdf", "../../a.pdf"),
        ("Content-Disposition: attachment", "text/plain"),
        ("Content-Type: application/octet-stream; name=b.bin", "b.bin"),
    ],
)
def test_attachments_are_named_and_not_opened(head: str, name: str) -> None:
    content = read(parts("\na", f"{head}\n\nno"))
    assert [text for _, text in passages(content)][2:] == ["a", f"Attachment: {name}"]
    assert content.notes == (Note.ATTACHMENTS,)


@pytest.mark.parametrize(
    "head", ["Content-Type: application/pkcs7-mime; name=smime.p7m", "Content-Type: multipart/encrypted; boundary=b"]
)
def test_what_is_encrypted_is_told_of(head: str) -> None:
    assert Note.NOT_SHOWN in read(mail(head, "--b\nContent-Type: application/octet-stream\n\nx\n--b--")).notes


def test_a_delivery_report_is_read() -> None:
    report = "Content-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\nFinal-Recipient: rfc822; b\nStatus: 5.1.1\n"
    assert body(parts("\nfailed", report, kind="report")) == [
        "failed",
        "Reporting-MTA: dns; a",
        "Final-Recipient: rfc822; b\nStatus: 5.1.1",
    ]


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("a \nb", ["a b"]),
        ("a \n\nb", ["a", "b"]),
        ("> a \n> b\n>> c \n> d", ["> a b\n>> c\n> d"]),
        ("a\n b \n  c", ["a\nb  c"]),
        ("a\n-- \nb", ["a\n--\nb"]),
    ],
)
def test_flowed_lines_go_on(text: str, read_as: list[str]) -> None:
    assert body(mail("Content-Type: text/plain; format=flowed", text)) == read_as


def test_lines_of_other_texts_stay() -> None:
    assert body(mail("X: y", "a \nb\r\n\r\nc\n> d\ne\n \n\n\tf")) == ["a\nb", "c", "> d", "e", "\tf"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "mail_not_one"),
        (b"Just some words.", "mail_not_one"),
        (b"Subject: s\nX: " + b"x" * eml.MAX_HEAD, "mail_head_too_long"),
        (b"Subject: s\nTo: " + b"x" * (headers.MAX_HEADER + 1) + b"\n\n", "mail_header_too_long"),
        (b"Subject: s\n" + b"To: eva@example.org\n" * 10_000, "mail_header_too_long"),
        (parts(*["\na"] * eml.MAX_PARTS), "mail_too_many_parts"),
        (b"Subject: s\n" + b"Content-Type: message/rfc822\n\nFrom: a\n" * (eml.MAX_DEPTH + 1), "mail_too_many_parts"),
        (mail("Content-Type: text/html", "<div>" * 100_000), "markup_too_deep"),
    ],
)
def test_what_is_no_mail_or_too_much_is_refused(data: bytes, code: str) -> None:
    started = perf_counter()
    with pytest.raises(Refused) as refusal:
        read(data)
    assert refusal.value.code == code
    assert perf_counter() - started < 20


def test_parts_inside_one_another_without_end_are_refused() -> None:
    nested = "".join(f"Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n" for number in range(1500))
    with pytest.raises(Refused, match="too many inside one another"):
        read(f"Subject: s\n{nested}")


def test_the_most_parts_and_the_deepest_are_read() -> None:
    assert len(body(parts(*["\na"] * (eml.MAX_PARTS - 1)))) == eml.MAX_PARTS - 1
    assert body(b"Subject: s\nFrom: f\n" + b"Content-Type: message/rfc822\n\nFrom: a\n" * eml.MAX_DEPTH + b"\nend")[-1] == "end"


HEADS = st.sampled_from(["Content-Type", "Content-Disposition", "Content-Transfer-Encoding", "Subject", "From", "To"])
KINDS = (
    "multipart/mixed; boundary=b",
    "multipart/alternative; boundary=b",
    "message/rfc822",
    "message/delivery-status",
    "text/html",
)
ODD = (
    "text/plain; charset=utf-7; format=flowed",
    "attachment; filename*=x''%FF",
    "=?utf-8?b?/w==?=",
    "quoted-printable",
    "base64",
)
VALUES = st.one_of(st.text(max_size=30), st.sampled_from(KINDS), st.sampled_from(ODD))
LINES = st.one_of(st.builds("{}: {}".format, HEADS, VALUES), st.sampled_from(["--b", "--b--", "", "> a ", "<p>b", " c"]))


@settings(deadline=None)
@given(st.lists(LINES, max_size=25), st.binary(max_size=20))
def test_any_mail_is_read_or_refused(lines: list[str], end: bytes) -> None:
    try:
        content = read("\n".join(["Subject: s", *lines, ""]).encode("utf-8", "replace") + end)
    except Refused as refusal:
        assert refusal.code != "parser_fault"
        return
    assert content.text == profile.normalise(content.text)
    assert content.text.encode().decode() == content.text
    assert Content.from_json(content.to_json()) == content


def test_a_mail_of_the_standard_library_is_read() -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Grüße aus Köln", "Eva Müller <eva@example.org>", "max@example.org"
    message.set_content("Schöne Grüße\n")
    message.add_alternative("<p>Schöne <b>Grüße</b>", subtype="html")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="Fahrpläne für März.pdf")
    assert [text for _, text in passages(read(message.as_bytes()))] == [
        "Grüße aus Köln",
        "From: Eva Müller <eva@example.org>\nTo: max@example.org",
        "Schöne Grüße",
        "Attachment: Fahrpläne für März.pdf",
    ]
