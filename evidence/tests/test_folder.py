"""What a folder lists: states of documents in order, and everything that was not taken in, with its reason."""

from __future__ import annotations

import hashlib
import os
import time
from datetime import date
from pathlib import Path

import pytest

from evidence.errors import Refused
from evidence.formats.options import Options
from evidence.sources import Listing, Origin, Rights
from evidence.sources.folder import Folder, at
from evidence.sources.trees import MAX_FILE_BYTES

ROOT = Path(__file__).resolve().parents[2]
LAWS = ROOT.parent / "shared" / "data" / "laws"
OPEN = '[[document]]\npath = "**"\nallowed = ["group:all"]\n'
STATES = OPEN + '[[document]]\npath = "{id}_{date}*.md"\nid = "{id}"\ndate = "{date}"\n'


def folder(root: Path, rules: Path | None = None) -> Folder:
    return at(Origin(str(root), str(rules or ""), (".md", ".txt"), {}, cache=root))


def listing(root: Path, rules: str = OPEN) -> Listing:
    kept = root.with_name(f"{root.name}-rules.toml")
    kept.write_text(rules)
    return folder(root, kept).list()


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"Text of {path}")


def reasons(found: Listing) -> dict[str, str]:
    return {refusal.path: refusal.error.code for refusal in found.refusals}


def test_files_of_all_depths_are_items_in_the_order_of_their_ids(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/c/d.TXT", "a.md")
    found = listing(tmp_path)
    assert [(item.external_id, item.path) for item in found.items] == [("a", "a.md"), ("a/c/d", "a/c/d.TXT"), ("b", "b.md")]
    assert found.items[1].read() == b"Text of a/c/d.TXT"
    assert (found.refusals, found.complete) == ([], True)


def test_how_a_file_is_to_be_read_comes_with_it(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    found = listing(tmp_path, '[[document]]\npath = "**"\nencoding = "cp850"\npassword = "Geheim"')
    assert found.items[0].options == Options(encoding="cp850", password="Geheim")
    assert "Geheim" not in repr(found)


def test_a_denial_whose_path_fits_no_file_is_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path, "minutes/a.md")
    found = listing(tmp_path, OPEN + '[[document]]\npath = "minuts/*"\ndenied = ["user:eva"]')
    assert reasons(found) == {"minuts/*": "rules_denial_unused"}
    assert len(found.items) == 1


def test_hidden_names_and_the_rules_file_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, ".git/a.md", ".b.md", "fundstelle.toml", "c.md")
    found = listing(tmp_path)
    assert ([item.path for item in found.items], found.unread) == (["c.md"], {})


def test_other_formats_are_counted(tmp_path: Path) -> None:
    write(tmp_path, "a.pdf", "b.PDF", "LICENSE", "sub/fundstelle.toml")
    assert listing(tmp_path).unread == {"": 1, ".pdf": 2, ".toml": 1}


def test_what_the_rules_leave_out_is_not_looked_at(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "old/b/c.md", "note.draft.md")
    found = listing(tmp_path, '[source]\nleave_out = ["old", "*.draft.md"]\n' + OPEN)
    assert [item.path for item in found.items] == ["a.md"]


def test_a_document_that_no_rule_names_is_listed_for_nobody(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    found = listing(tmp_path, OPEN.replace("**", "a.md"))
    assert found.unnamed == ["b.md"]
    assert [item.rights for item in found.items] == [Rights(("group:all",)), Rights()]


def test_a_rule_that_fits_nothing_is_named(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert listing(tmp_path, OPEN + '[[document]]\npath = "minuts/*"\ndenied = ["user:eva"]').unused == ["minuts/*"]


def test_several_paths_of_one_document_are_its_states_by_day(tmp_path: Path) -> None:
    write(tmp_path, "a_2024-03-01.md", "a_2023-01-01.md", "a_2025-01-01.md", "b.md")
    found = listing(tmp_path, STATES)
    assert [(item.external_id, item.label) for item in found.items] == [
        ("a", "2023-01-01"),
        ("a", "2024-03-01"),
        ("a", "2025-01-01"),
        ("b", "1"),
    ]
    assert found.items[0].dated == date(2023, 1, 1)


@pytest.mark.parametrize(
    "paths",
    [
        ("a_2024-03-01.md", "a_2024-03-01x.md"),
        ("a.md", "a.txt"),
        ("a.md", "a_2024-03-01.md"),
        ("a_2024-03-01.md", "a_2024-03-01x.md", "a_2025-01-01.md"),
    ],
)
def test_states_without_a_day_of_their_own_are_refused_with_their_document(tmp_path: Path, paths: tuple[str, ...]) -> None:
    write(tmp_path, "b.md", *paths)
    found = listing(tmp_path, STATES)
    assert [item.external_id for item in found.items] == ["b"]
    assert reasons(found) == dict.fromkeys(paths, "duplicate_document")
    assert {refusal.external_id for refusal in found.refusals} == {"a"}


def test_a_duplicate_names_both_files(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "a.txt")
    assert str(listing(tmp_path).refusals[0].error).startswith("a.md and a.txt are the same state of the document “a”.")


def test_two_states_with_one_version_label_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "a_2024-03-01.md", "a_2023-01-01.md")
    found = listing(tmp_path, STATES + 'version = "2"\n')
    assert set(reasons(found).values()) == {"duplicate_version"}


def test_an_older_state_does_not_pass_for_the_current_one_when_that_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a_2023-01-01.md", "a_2024-02-31.md")
    found = listing(tmp_path, STATES)
    assert found.items == []
    assert reasons(found) == {"a_2023-01-01.md": "state_refused", "a_2024-02-31.md": "rules_date"}


def test_states_with_different_rights_are_for_nobody(tmp_path: Path) -> None:
    write(tmp_path, "a_2023-01-01.md", "a_2024-01-01.md")
    found = listing(tmp_path, STATES + '[[document]]\npath = "a_2023*"\nallowed = ["group:law"]\n')
    assert {item.rights.allowed for item in found.items} == {None}
    assert found.items[0].rights.problem == "The states of this document have different rights."


def test_links_are_followed_to_files_inside_the_folder_only(tmp_path: Path) -> None:
    write(tmp_path, "out/secret.md", "in/a.md", "in/sub/b.md")
    root = tmp_path / "in"
    (root / "inside.md").symlink_to(root / "a.md")
    (root / "outside.md").symlink_to(tmp_path / "out" / "secret.md")
    (root / "broken.md").symlink_to(root / "none.md")
    (root / "loop").symlink_to(root)
    found = listing(root)
    assert [item.path for item in found.items] == ["a.md", "inside.md", "sub/b.md"]
    assert reasons(found) == {"broken.md": "link_broken", "loop": "not_a_file", "outside.md": "link_not_followed"}
    assert found.complete


def test_a_file_that_became_a_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", "in/a.md")
    item = listing(tmp_path / "in").items[0]
    (tmp_path / "in/a.md").unlink()
    (tmp_path / "in/a.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(Refused) as caught:
        item.read()
    assert caught.value.code == "link_not_followed"


def test_something_that_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert reasons(listing(tmp_path)) == {"pipe.md": "not_a_file"}


def test_names_that_are_no_text_are_refused_and_shown_escaped(tmp_path: Path) -> None:
    write(tmp_path, "a\nb.md", "c\u2028.md", "d\u00a0e.md")
    (tmp_path / os.fsdecode(b"\xff.md")).write_text("x")
    found = listing(tmp_path)
    assert set(reasons(found)) == {"a\\nb.md", "c\\u2028.md", "\\xff.md"}
    assert set(reasons(found).values()) == {"path_not_text"}
    assert [item.path for item in found.items] == ["d\u00a0e.md"]


def test_decomposed_names_become_nfc_and_are_still_read(tmp_path: Path) -> None:
    write(tmp_path, "Ma\u0308rz.md")
    item = listing(tmp_path).items[0]
    assert (item.path, item.external_id) == ("März.md", "März")
    assert item.read() == "Text of Ma\u0308rz.md".encode()


def test_two_names_that_differ_only_in_composition_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "Ma\u0308rz.md", "März.md")
    assert [refusal.error.code for refusal in listing(tmp_path).refusals] == ["duplicate_document"] * 2


def test_a_path_that_is_too_long_is_refused(tmp_path: Path) -> None:
    deep = "/".join(["d" * 200] * 5)
    write(tmp_path, f"{deep}/a.md")
    assert list(reasons(listing(tmp_path)).values()) == ["path_too_long"]


def test_an_id_that_is_too_long_is_refused(tmp_path: Path) -> None:
    write(tmp_path, f"{'d' * 150}/{'e' * 60}.md")
    assert list(reasons(listing(tmp_path)).values()) == ["rules_too_long"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
@pytest.mark.parametrize("closed", ["sub", "sub/a.md"])
def test_what_can_not_be_read_makes_a_listing_incomplete(tmp_path: Path, closed: str) -> None:
    write(tmp_path, "sub/a.md", "b.md")
    (tmp_path / closed).chmod(0)
    found = listing(tmp_path)
    (tmp_path / closed).chmod(0o700)
    assert (reasons(found), found.complete) == ({closed: "unreadable"}, False)
    assert [item.path for item in found.items] == ["b.md"]


def test_a_folder_too_deep_for_the_system_makes_a_listing_incomplete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "b.md")
    monkeypatch.chdir(tmp_path)
    for _ in range(20):
        os.mkdir("d" * 250)  # noqa: PTH102 (a Path from the root would be too long)
        os.chdir("d" * 250)
    monkeypatch.chdir(tmp_path)
    found = listing(tmp_path)
    assert (list(reasons(found).values()), found.complete) == (["unreadable"], False)
    assert [item.path for item in found.items] == ["b.md"]


def test_a_folder_that_is_not_there_can_not_be_listed(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        listing(tmp_path / "none")
    assert caught.value.code == "folder_missing"


def test_a_file_that_is_too_long_is_refused_when_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(Refused) as caught:
        listing(tmp_path).items[0].read()
    assert caught.value.code == "file_too_large"


def test_a_file_that_is_gone_raises_an_operating_system_error(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    item = listing(tmp_path).items[0]
    (tmp_path / "a.md").unlink()
    with pytest.raises(FileNotFoundError):
        item.read()


@pytest.mark.skipif(not LAWS.exists(), reason=f"{LAWS} is absent")
@pytest.mark.parametrize(
    ("folder_name", "rules", "documents", "states"),
    [("", "laws", 76, 121), ("other_flavour", "laws-other", 8, 14), ("addendum", "laws-addendum", 2, 2)],
)
def test_the_laws_are_listed_whole(folder_name: str, rules: str, documents: int, states: int) -> None:
    found = folder(LAWS / folder_name, ROOT / "bench" / f"{rules}.toml").list()
    assert (len({item.external_id for item in found.items}), len(found.items)) == (documents, states)
    assert (found.refusals, found.unread, found.unnamed, found.unused) == ([], {}, [], [])


def test_a_folder_without_rules_is_for_nobody(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert folder(tmp_path).list().items[0].rights == Rights()


def test_the_file_beside_the_documents_is_optional_but_a_named_one_is_not(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert folder(tmp_path).stamp() == hashlib.sha256(b"").hexdigest()
    for asked in (Folder.list, Folder.stamp):
        with pytest.raises(Refused) as caught:
            asked(folder(tmp_path, tmp_path / "other.toml"))
        assert caught.value.code == "rules_unreadable"


def test_rules_that_are_no_file_are_an_error_and_wait_for_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fundstelle.toml")
    with pytest.raises(Refused) as caught:
        folder(tmp_path).stamp()
    assert caught.value.code == "rules_unreadable"


def test_links_in_a_circle_lead_to_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "circle.md").symlink_to(tmp_path / "circle.md")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    found = listing(tmp_path)
    assert (reasons(found), len(found.items), found.complete) == ({"circle.md": "link_broken"}, 1, True)


def test_a_stamp_names_the_rules_of_this_moment_and_a_listing_its_own(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "fundstelle.toml").write_text(OPEN)
    asked = folder(tmp_path)
    found = asked.list()
    assert found.stamp == asked.stamp()
    (tmp_path / "fundstelle.toml").write_text("")
    assert found.stamp != asked.stamp()
    assert found.stated_at is not None and abs(time.time() - found.stated_at.timestamp()) < 60


def test_rights_are_those_of_this_moment(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    (tmp_path / "fundstelle.toml").write_text(OPEN)
    asked = folder(tmp_path)
    asked.list()
    (tmp_path / "fundstelle.toml").write_text(OPEN.replace("group:all", "group:law"))
    (tmp_path / "b.md").unlink()
    assert asked.rights(["a.md", "b.md"]) == {"a.md": Rights(("group:law",))}
    (tmp_path / "fundstelle.toml").unlink()
    assert asked.rights(["a.md"]) == {"a.md": Rights()}


def test_there_are_no_rights_by_rules_that_can_not_be_read(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "fundstelle.toml").write_text("[")
    with pytest.raises(Refused, match="TOML"):
        folder(tmp_path).rights(["a.md"])


def test_rights_are_stated_only_of_what_a_listing_takes_in(tmp_path: Path) -> None:
    write(tmp_path, "out.md", "in/a.md", "in/.b.md", "in/old/c.md", "in/Ma\u0308rz/Ma\u0308rz.md")
    root = tmp_path / "in"
    (root / "fundstelle.toml").write_text('[source]\nleave_out = ["old"]\n' + OPEN)
    (root / "outside.md").symlink_to(tmp_path / "out.md")
    (root / "inside.md").symlink_to(root / "a.md")
    (root / "loop").symlink_to(root)
    others = [".b.md", "old/c.md", "outside.md", "loop/a.md", "../out.md", "", "fundstelle.toml"]
    assert set(folder(root).rights([*others, "a.md", "inside.md", "März/März.md"])) == {"a.md", "inside.md", "März/März.md"}


def test_a_thousand_paths_are_answered_at_once(tmp_path: Path) -> None:
    paths = [f"{number % 10}/{number}.md" for number in range(1000)]
    write(tmp_path, *paths)
    (tmp_path / "fundstelle.toml").write_text(OPEN)
    started = time.perf_counter()
    assert len(folder(tmp_path).rights(paths)) == 1000
    assert time.perf_counter() - started < 1
