"""What a rules file says of a path, and what is wrong with a rules file."""

from __future__ import annotations

from datetime import date, timedelta
from time import perf_counter

import pytest

from evidence.errors import Refused
from evidence.formats.options import Options
from evidence.sources import Metadata, Rights
from evidence.sources.rules import Described, Rules, parse

ALL_FIELDS = """
[[document]]
path = "{id}/{date}_*.md"
id = "{id}"
date = "{date}"
version = "as of {date}"
title = "The {id}"
owner = "Law"
origin = "https://example.org/{path}"
language = "de"
kind = "law"
status = "draft"
valid_from = 2024-01-01
valid_until = "2030-12-31"
sensitivity = "internal"
encoding = "Latin1"
password = "{not} a {part}"
allowed = ["group:all", "user:eva", "group:all"]
denied = ["user:max"]
"""


def rules(text: str) -> Rules:
    return parse(text.encode(), "fundstelle.toml")


def described(text: str, path: str) -> Described:
    return rules(text).describe(path)


def document(**fields: str) -> str:
    return "\n".join(["[[document]]", *(f"{key} = {value}" for key, value in ({"path": '"**"'} | fields).items()), ""])


def refused(text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        rules(text)
    return caught.value


def test_every_field_reaches_the_document() -> None:
    found = described(ALL_FIELDS, "BGB/2024-05-01_a1.md")
    assert (found.external_id, found.label, found.dated) == ("BGB", "as of 2024-05-01", date(2024, 5, 1))
    assert found.rights == Rights(("group:all", "user:eva"), ("user:max",))
    assert found.options == Options(encoding="windows-1252", password="{not} a {part}")
    assert found.metadata == Metadata(
        title="The BGB",
        owner="Law",
        origin="https://example.org/BGB/2024-05-01_a1",
        language="de",
        kind="law",
        status="draft",
        valid_from=date(2024, 1, 1),
        valid_until=date(2030, 12, 31),
        sensitivity="internal",
    )


def test_without_rules_a_document_has_an_id_a_label_and_no_reader() -> None:
    found = described("", "a/b.c.md")
    assert (found.external_id, found.label, found.dated, found.rights) == ("a/b.c", "1", None, Rights())
    assert found.rules == ()


def test_the_label_is_the_day_where_no_version_is_given() -> None:
    assert described(document(date='"2024-05-01"'), "a.md").label == "2024-05-01"


def test_a_later_rule_replaces_fields_one_by_one() -> None:
    text = document(title='"First"', owner='"Law"', allowed='["group:all"]') + document(path='"a.md"', title='"Second"')
    found = described(text, "a.md")
    assert (found.metadata.title, found.metadata.owner, found.rights.allowed) == ("Second", "Law", ("group:all",))


def test_an_empty_day_and_an_empty_denial_take_an_earlier_one_away() -> None:
    text = document(allowed='["group:a"]', denied='["user:x"]', valid_until="2024-01-01")
    found = described(text + document(valid_until='""', denied="[]"), "a.md")
    assert (found.metadata.valid_until, found.rights) == (None, Rights(("group:a",)))


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "a.md", True),
        ("*.md", "a/b.md", False),
        ("*.md", ".md", True),
        ("**/*.md", "b.md", True),
        ("**/*.md", "a/c/b.md", True),
        ("a/**", "a/c/b.md", True),
        ("a/**", "a", False),
        ("a/**/z.md", "a/z.md", True),
        ("a/**/z.md", "ab/z.md", False),
        ("a.md", "axmd", False),
        ("A.md", "a.md", False),
        ("[a]+.md", "[a]+.md", True),
        ("{id}/{id}.md", "x/x.md", True),
        ("{id}/{id}.md", "x/y.md", False),
        ("{date}.md", "2024-1-1.md", False),
        ("{date}.md", "２０２４-01-01.md", False),
        ("Ma\u0308rz.md", "März.md", True),
    ],
)
def test_a_pattern_fits_whole_paths(pattern: str, path: str, fits: bool) -> None:
    assert bool(described(document(path=f'"{pattern}"'), path).rules) is fits


@pytest.mark.parametrize(
    ("pattern", "template", "path", "result"),
    [
        ("{id}_{date}_*.md", "{id}", "SGB_IX_2024-01-01_x.md", "SGB_IX"),
        ("{number}_{topic}.md", "{number}", "12_a_b.md", "12"),
        ("**/{topic}.md", "{folder}|{name}|{path}|{topic}", "a/b/c.d.md", "a/b|c.d|a/b/c.d|c.d"),
        ("**", "{folder}", "c.md", ""),
    ],
)
def test_parts_of_a_name_fill_values(pattern: str, template: str, path: str, result: str) -> None:
    assert described(document(path=f'"{pattern}"', title=f'"{template}"'), path).metadata.title == result


def test_a_part_that_looks_like_a_placeholder_stays_text() -> None:
    assert described(document(path='"{id}.md"', title='"{id}"'), "{folder}.md").metadata.title == "{folder}"


def test_parts_of_a_name_may_name_a_group() -> None:
    assert described(document(path='"{team}/*"', allowed='["group:{team}"]'), "grid/a.md").rights.allowed == ("group:grid",)


@pytest.mark.parametrize(
    "allowed",
    [
        '["grp:x"]',
        '"group:x"',
        "[]",
        "[1]",
        '["group:"]',
        '["group: x"]',
        '["group:x\\ny"]',
        '["group:x", ""]',
        f'["user:{"u" * 151}"]',
    ],
)
def test_rights_that_mean_nothing_open_nothing(allowed: str) -> None:
    rights = described(document(allowed=allowed), "a.md").rights
    assert (rights.allowed, rights.denied) == (None, ())
    assert rights.problem.startswith("fundstelle.toml, [[document]] 1, allowed: ")
    assert len(rights.problem) <= 300


def test_a_denial_that_means_nothing_closes_the_document() -> None:
    rights = described(document(allowed='["group:all"]', denied='["eva"]'), "a.md").rights
    assert rights.allowed is None
    assert "“eva” is neither" in rights.problem


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[[document]", "rules_syntax"),
        ("a = " + "[" * 5000, "rules_syntax"),
        ("[documents]", "rules_unknown_key"),
        ("document = 1", "rules_type"),
        ("document = [1]", "rules_type"),
        ("source = 1", "rules_type"),
        ("[source]\nsla = 1", "rules_unknown_key"),
        ("[source]\ntitle = 1", "rules_type"),
        (f'[source]\ntitle = "{"t" * 201}"', "rules_too_long"),
        ('[source]\nkind = "git"', "rules_kind"),
        ('[source]\nrevocation_sla = "1 day"', "rules_duration"),
        ('[source]\nrevocation_sla = "0h"', "rules_duration"),
        ('[source]\nrevocation_sla = "367d"', "rules_duration"),
        ('[source]\nannounced_to = ["user:eva"]', "rules_type"),
        ('[source]\nleave_out = "a"', "rules_type"),
        ('[[document]]\ntitle = "a"', "rules_missing_path"),
        (document(titel='"a"'), "rules_unknown_key"),
        (document(title="1"), "rules_type"),
        (document(title='"{topic}"'), "rules_placeholder"),
        (document(title='"{"'), "rules_placeholder"),
        (document(allowed='["group:{team}"]'), "rules_placeholder"),
        (document(title=f'"{"t" * 501}"'), "rules_too_long"),
        (document(title='"a\\u0000"'), "rules_control"),
        (document(id='""'), "rules_empty"),
        (document(version='""'), "rules_empty"),
        (document(date='"01.02.2024"'), "rules_date"),
        (document(date='"2024-02-30"'), "rules_date"),
        (document(date='"20240229"'), "rules_date"),
        (document(date="2024-02-01T10:00:00"), "rules_type"),
        (document(status='"secret"'), "rules_status"),
        (document(encoding='"utf-7"'), "rules_encoding"),
        (document(encoding='"{topic}"'), "rules_placeholder"),
        (document(password=f'"{"p" * 201}"'), "rules_too_long"),
        (document(password="1"), "rules_type"),
        (document(path='"/a"'), "rules_pattern"),
        (document(path='"../a"'), "rules_pattern"),
        (document(path='""'), "rules_pattern"),
        (document(path='"{}.md"'), "rules_pattern"),
        (document(path='"{Id}.md"'), "rules_pattern"),
        (document(path='"{path}.md"'), "rules_pattern"),
        (document(path='"*a*b*c*d*"'), "rules_pattern"),
        (document(path='"**/**/**/a"'), "rules_pattern"),
        (f'[[document]]\npath = "{"a" * 1001}"', "rules_pattern"),
    ],
)
def test_a_broken_file_is_refused(text: str, code: str) -> None:
    assert refused(text).code == code


def test_a_refusal_names_file_rule_and_key() -> None:
    error = refused(document() + document(status='"secret"'))
    assert str(error) == "fundstelle.toml, [[document]] 2, status: “secret” is none of: draft, valid, expired."


@pytest.mark.parametrize(
    "value", ['"Ge{heim}"', f'"Geheim{"!" * 200}"', '"Geheim\\u0007"', "['Geheim']", '"Geheim\\q"', '"Geheim']
)
def test_a_password_is_in_no_message_and_no_representation(value: str) -> None:
    try:
        found = described(document(password=value), "a.md")
    except Refused as error:
        assert "Geheim" not in f"{error} {error.values}"
    else:
        assert "eheim" not in repr(found) + repr(found.options)


def test_an_unknown_encoding_is_named_with_some_that_are_known() -> None:
    assert "“ansi-x” is no encoding that is known here. Known are utf-8, windows-1252" in str(
        refused(document(encoding='"ansi-x"'))
    )


def test_an_encoding_may_come_from_a_name_and_be_taken_away_again() -> None:
    text = document(path='"{text}.txt"', encoding='"{text}"') + document(path='"cp850.txt"', encoding='""')
    assert described(text, "cp437.txt").options == Options(encoding="cp437")
    assert described(text, "cp850.txt").options == Options()
    with pytest.raises(Refused, match="is no encoding"):
        _ = described(text, "readme.txt").options


def test_a_day_that_is_none_is_refused_for_its_path_only() -> None:
    read = rules(document(path='"{date}.md"', date='"{date}"'))
    assert read.describe("2024-02-29.md").dated == date(2024, 2, 29)
    with pytest.raises(Refused) as caught:
        _ = read.describe("2023-02-29.md").label
    assert caught.value.code == "rules_date"


@pytest.mark.parametrize(("field", "code"), [("external_id", "rules_too_long"), ("label", "rules_too_long")])
def test_a_captured_value_that_is_too_long_is_refused(field: str, code: str) -> None:
    found = described(document(path='"{text}.md"', version='"{text}"'), "x" * 201 + ".md")
    with pytest.raises(Refused) as caught:
        getattr(found, field)
    assert caught.value.code == code


def test_settings_are_none_where_the_file_says_nothing() -> None:
    settings = rules("").settings
    assert (settings.title, settings.kind, settings.revocation_sla, settings.announced_to) == (None, None, None, None)


def test_settings_are_read() -> None:
    settings = rules('[source]\ntitle = "Grid"\nkind = "local"\nrevocation_sla = "36h"\nannounced_to = ["group:grid"]').settings
    assert (settings.title, settings.kind, settings.announced_to) == ("Grid", "local", ("grid",))
    assert settings.revocation_sla == timedelta(hours=36)


def test_a_byte_order_mark_and_decomposed_letters_are_no_obstacle() -> None:
    read = parse("\ufeff[source]\r\ntitle = 'Ma\u0308rz'\r\n".encode(), "rules.toml")
    assert read.settings.title == "März"


@pytest.mark.parametrize(("source", "code"), [(b"\xff", "rules_not_utf8"), (b"#" * 1_000_001, "rules_too_large")])
def test_a_file_that_is_no_text_is_refused(source: bytes, code: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(source, "rules.toml")
    assert caught.value.code == code


def test_a_long_name_that_almost_fits_costs_little() -> None:
    started = perf_counter()
    assert not described(document(path='"*a*a*b"'), "a" * 250).rules
    assert perf_counter() - started < 20  # minutes, if a pattern went back over a name for every wildcard


def test_eighteen_thousand_files_and_fifty_rules_take_no_minutes() -> None:
    read = rules("".join(document(path=f'"part{number}/{{id}}_{{date}}_*.md"', id='"{id}"') for number in range(50)))
    paths = [f"part{number % 60}/law{number}_2024-01-01_abc.md" for number in range(18_000)]
    started = perf_counter()
    ids = {read.describe(path).external_id for path in paths}
    assert perf_counter() - started < 20
    assert len(ids) == 18_000


def test_the_order_of_the_file_holds_whatever_the_paths_begin_with() -> None:
    written = [
        ("a/b.md", "1"),
        ("**", "2"),
        ("a/*", "3"),
        ("a/b.md", "4"),
        ("a/**", "5"),
        ("a/*/**", "6"),
        ("a", "7"),
        ("*/b.md", "8"),
    ]
    read = rules("".join(document(path=f'"{path}"', owner=f'"{owner}"') for path, owner in written))
    assert [rule.fields["owner"] for rule in read.describe("a/b.md").rules] == ["1", "2", "3", "4", "5", "8"]
    assert [rule.fields["owner"] for rule in read.describe("a").rules] == ["2", "7"]


def test_ten_thousand_rules_and_as_many_files_take_no_minutes() -> None:
    paths = [f"abteilung{number % 50}/akte-{number:06d}.md" for number in range(10_000)]
    read = rules("".join(document(path=f'"{path}"', allowed='["group:g"]') for path in paths))
    started = perf_counter()
    assert all(read.describe(path).rights.allowed == ("group:g",) for path in paths)
    assert perf_counter() - started < 20
