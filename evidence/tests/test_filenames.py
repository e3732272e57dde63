"""Names of downloads: no path, nothing hidden, no device, and a header that any program can read."""

from __future__ import annotations

import pytest

from evidence import filenames


@pytest.mark.parametrize(
    ("title", "path", "name"),
    [
        ("Hausordnung", "a/b.pdf", "Hausordnung.pdf"),
        ("../../etc/passwd", "a.pdf", "etc passwd.pdf"),
        ("C:\\Windows\\x", "a.PDF", "C Windows x.pdf"),
        ("Rechnung\u202efdp.exe", "a.pdf", "Rechnung fdp.exe.pdf"),
        ("ein\u200bs\u00ad zwei\n\t drei", "a.pdf", "ein s zwei drei.pdf"),
        ("", "ordner/brief.docx", "brief.docx"),
        ("???", "", "document"),
        ("Con", "a.txt", "_Con.txt"),
        (".versteckt", "a.txt", "versteckt.txt"),
        ("Größe “neu” 🔧", "a.md", "Größe “neu” 🔧.md"),
    ],
)
def test_a_name_is_safe(title: str, path: str, name: str) -> None:
    assert filenames.safe(title, path) == name


def test_a_long_title_is_cut_and_keeps_its_ending() -> None:
    name = filenames.safe("ß" * 500, "a.pdf")
    assert (len(name), name[-5:]) == (filenames.MAX_LENGTH, "ß.pdf")


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a b.pdf", "attachment; filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf"),
        ("Größe.pdf", "attachment; filename=\"Groesse.pdf\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf"),
        ("опись.pdf", "attachment; filename=\"document.pdf\"; filename*=UTF-8''%D0%BE%D0%BF%D0%B8%D1%81%D1%8C.pdf"),
    ],
)
def test_a_header_says_the_name_twice(name: str, header: str) -> None:
    assert filenames.attachment(name) == header
