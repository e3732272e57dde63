"""Packages and their XML: what is refused before anything is read of it, each with its reason."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.errors import Refused
from evidence.formats import package, titles, xml
from evidence.formats.opc import Office
from evidence.formats.package import Package
from evidence.tests import packages

STORED = packages.package({"a.xml": b"x" * 1_000, "B/c.xml": b"<c/>"})


def refusal(data: bytes, part: str = "a.xml") -> str:
    with pytest.raises(Refused) as refused:
        Package(data).read(part)
    assert str(refused.value)
    return refused.value.code


def named(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), b"x")
    return buffer.getvalue()


def test_parts_are_found_by_name_in_any_case() -> None:
    parts = Package(STORED)
    assert (parts.read("b/C.xml"), parts.read("none.xml"), "B/c.xml" in parts) == (b"<c/>", None, True)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "package_damaged"),
        (b"PK\x03\x04 but no more", "package_damaged"),
        (STORED[: len(STORED) // 2], "package_damaged"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512), "file_old_format"),
        (bytes.fromhex("d0cf11e0a1b11ae1") + "EncryptedPackage".encode("utf-16-le"), "file_encrypted"),
        (named("a.xml", "A.XML"), "package_duplicate"),
        (named("a.xml", "../a.xml"), "package_names"),
        (named("a.xml", "word/..\\..\\a.xml"), "package_names"),
        (named("a.xml", "/etc/passwd"), "package_names"),
        (named("a.xml", "C:\\a.xml"), "package_names"),
    ],
)
def test_what_is_no_whole_package_is_refused_with_the_reason(data: bytes, code: str) -> None:
    assert refusal(data) == code


def test_a_changed_byte_is_noticed() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.xml", b"genuine")
    assert refusal(buffer.getvalue().replace(b"genuine", b"forged!")) == "package_damaged"


def test_names_with_two_dots_inside_are_names() -> None:
    assert Package(named("a..b.xml", "...c")).read("a..b.xml") == b"x"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_what_office_programs_use_is_unpacked(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.xml", b"x" * 100)
    assert refusal(buffer.getvalue()) == "package_damaged"


def test_encrypted_entries_are_refused() -> None:
    data = bytearray(named("a.xml"))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(data)) == "file_encrypted"


def test_a_part_that_grows_too_much_is_refused() -> None:
    kept = packages.package({"a.xml": b"\0" * package.RATIO_FROM_BYTES})
    assert len(Package(kept).read("a.xml") or b"") == package.RATIO_FROM_BYTES
    assert refusal(packages.package({"a.xml": b"\0" * (package.RATIO_FROM_BYTES + 1)})) == "package_ratio"


def test_sizes_are_counted_and_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_PART_BYTES", 1_000)
    assert Package(STORED).read("a.xml") == b"x" * 1_000
    assert refusal(packages.package({"a.xml": b"x" * 1_001})) == "package_too_large"
    monkeypatch.setattr(package, "MAX_UNPACKED_BYTES", 1_003)
    parts = Package(STORED)
    parts.read("a.xml")
    with pytest.raises(Refused, match="holds more than 1000 bytes"):
        parts.read("B/c.xml")


def test_too_many_parts_are_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_ENTRIES", 2)
    assert Package(named("a.xml", "b.xml")).read("a.xml") == b"x"
    assert refusal(named("a.xml", "b.xml", "c.xml")) == "package_entries"


LAUGHS = '<!DOCTYPE a [<!ENTITY b "ha">{}]><a>&z;</a>'.format("".join(f'<!ENTITY {x} "{"&b;" * 10}">' for x in "cdefz"))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "xml_damaged"),
        (b"<a><b></a>", "xml_damaged"),
        (b"<a>&b;</a>", "xml_damaged"),
        (b"<a" * 300 + b">", "xml_damaged"),
        (b"<a>" * 257 + b"</a>" * 257, "xml_damaged"),
        (LAUGHS.encode(), "xml_doctype"),
        (LAUGHS.encode("utf-16"), "xml_doctype"),
        (f'<?xml version="1.0" encoding="utf-32"?>{LAUGHS}'.encode("utf-32"), "xml_doctype"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "xml_doctype"),
        (b'<!DOCTYPE a SYSTEM "http://example.org/a.dtd"><a/>', "xml_doctype"),
    ],
)
def test_xml_that_is_broken_deep_or_says_its_type_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(Refused, match="a.xml") as refused:
        xml.parse(data, "a.xml")
    assert refused.value.code == code


@pytest.mark.parametrize("data", [b"", b"<a><b/>", b"<b>" * 257 + b"</b>" * 257, LAUGHS.encode(), LAUGHS.encode("utf-16")])
def test_long_xml_is_refused_for_the_same_reasons(data: bytes) -> None:
    with pytest.raises(Refused, match="a.xml"):
        list(xml.stream(data, "a.xml", ("b",)))


def test_long_xml_is_read_element_by_element() -> None:
    data = b"<a xmlns='u'><b>1<c/></b><d/><b>2</b></a>"
    assert [(one.text, len(one)) for one in xml.stream(data, "a.xml", ("b",))] == [("1", 1), ("2", 0)]


def test_xml_of_too_many_elements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml, "MAX_NODES", 4)
    assert len(xml.parse(b"<a><b/><b/></a>", "a.xml")) == 2
    for data in (b"<a><b/><b/><b/></a>", b"<a b='1'><b/><b/></a>"):
        with pytest.raises(Refused, match="more than 4 elements"):
            xml.parse(data, "a.xml")


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf<a>\xc3\xa4</a>", "<a>ä</a>".encode("utf-16"), b"<!-- b --><a><?c?>\xc3\xa4</a>"])
def test_xml_with_a_byte_order_mark_is_read_and_comments_are_not(data: bytes) -> None:
    assert "".join(map(str, xml.parse(data, "a.xml").itertext())) == "ä"


@pytest.mark.parametrize(
    ("text", "number"), [("12", 12), ("-3", -3), ("+4", 4), ("1e9", 7), ("", 7), (None, 7), ("٣", 7), ("9" * 10, 7)]
)
def test_whole_numbers_have_nine_digits_at_most(text: str | None, number: int) -> None:
    assert xml.integer(text, 7) == number


def test_targets_lead_to_parts_and_never_outside() -> None:
    targets = {
        "a": "x ../b.xml",
        "b": "x /c/d.xml",
        "c": "x ../../../etc/passwd",
        "d": "x http://e/f",
        "e": f"x http://{'g' * 1_000}",
    }
    office = Office(packages.package({"c/_rels/a.xml.rels": packages.relations(targets), "c/d.xml": "<d/>"}))
    found = {name: (one.target, one.external) for name, one in office.relationships("c/a.xml").items()}
    assert found["a"] == ("b.xml", False)
    assert found["b"] == ("c/d.xml", False)
    assert office.tree(found["c"][0]) is None
    assert (found["d"], found["e"]) == (("http://e/f", True), ("", True))


def test_strict_names_become_the_usual_ones() -> None:
    spaces = 'xmlns:s="http://purl.oclc.org/ooxml/wordprocessingml/main" xmlns:o="o"'
    root = Office(packages.package({"a.xml": f'<s:a {spaces} s:b="1" o:c="2">http://purl.oclc.org/ooxml/d</s:a>'})).tree("a.xml")
    assert root is not None
    space = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    assert (root.tag, sorted(map(str, root.keys()))) == (f"{space}a", [f"{space}b", "{o}c"])
    assert root.text == "http://purl.oclc.org/ooxml/d"


@pytest.mark.parametrize(
    ("title", "sensible"),
    [
        (" Urlaubs-\n ordnung ", "Urlaubs- ordnung"),
        ("Microsoft Word - entwurf3.doc", ""),
        ("Dokument1", ""),
        ("PowerPoint-Präsentation", ""),
        ("vertrag_final.docx", ""),
        ("Title", ""),
        ("Titelseite der Satzung", "Titelseite der Satzung"),
        ("Dokumentation", "Dokumentation"),
    ],
)
def test_titles_that_a_program_made_up_are_none(title: str, sensible: str) -> None:
    assert titles.sensible(title) == sensible


@settings(deadline=None)
@given(st.binary(max_size=300), st.integers(0, len(STORED)))
def test_any_bytes_are_a_package_or_refused(data: bytes, at: int) -> None:
    for candidate in (data, STORED[:at] + data[:4] + STORED[at + len(data[:4]) :]):
        try:
            parts = Package(candidate)
            assert parts.read("a.xml") is None or parts.read("a.xml") == b"x" * 1_000
        except Refused as refused:
            assert str(refused)
