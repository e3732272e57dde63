"""Which document a file of a repository is: what keeps its id, what gets a new one, and which commits are its states."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from evidence.sources.git.renames import ALIKE, MAX_PAIRS, Effort, moves
from evidence.tests.repositories import OPEN, Repository, documents, ids, lines, listing

RULES = {"fundstelle.toml": OPEN}
TEXT = lines("a")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.at(tmp_path / "repository")


def commits(repository: Repository, document: str) -> list[int]:
    """The states of a document, as numbers of the commits that were made (from 0)."""
    return [repository.made.index(item.state.encode()) for item in documents(listing(repository))[document]]


def test_states_are_the_commits_in_which_the_bytes_changed(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": "one", "b.md": "other"})
    repository.commit({"a.md": "two"})
    repository.commit({"b.md": "another"})
    repository.commit({"a.md": "three"})
    assert (commits(repository, "a"), commits(repository, "b")) == ([0, 1, 3], [0, 2])


def test_a_renamed_file_stays_the_same_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit(moved={"a.md": "sub/b.md"})
    assert ids(listing(repository)) == {"sub/b.md": "a"}


def test_renaming_alone_makes_no_state_but_another_ending_does(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit(moved={"a.md": "b.md"})
    assert commits(repository, "a") == [0]
    repository.commit(moved={"b.md": "b.txt"})
    assert commits(repository, "a") == [0, 2]


def test_a_file_that_is_renamed_and_edited_stays_the_same_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"a.md": None, "b.md": TEXT + "one line more\n"})
    assert ids(listing(repository)) == {"b.md": "a"}
    assert commits(repository, "a") == [0, 1]


def test_a_file_of_which_too_little_is_left_is_a_new_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"a.md": None, "b.md": TEXT[: len(TEXT) // 2] + lines("b")})
    assert ids(listing(repository)) == {"b.md": "b"}


def test_a_new_file_at_an_old_path_takes_nothing_over(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit(moved={"a.md": "b.md"})
    repository.commit({"a.md": lines("new")})
    assert ids(listing(repository)) == {"b.md": "a", "a.md": "a.md"}
    assert (commits(repository, "a"), commits(repository, "a.md")) == ([0], [2])


def test_a_new_file_at_the_path_of_one_renamed_in_the_same_commit_is_new_too(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"a.md": lines("new"), "b.md": TEXT + "edited\n"})
    assert ids(listing(repository)) == {"b.md": "a", "a.md": "a.md"}


def test_a_third_file_at_one_path_is_named_after_its_commit(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit(moved={"a.md": "b.md"})
    repository.commit({"a.md": lines("second")})
    repository.commit(moved={"a.md": "c.md"})
    third = repository.commit({"a.md": lines("third")}).decode()
    assert ids(listing(repository)) == {"b.md": "a", "c.md": "a.md", "a.md": f"a.md@{third[:10]}"}


def test_a_filled_in_form_stays_itself_when_the_empty_form_is_copied(repository: Repository) -> None:
    form = lines("form", 40)
    repository.commit(RULES | {"2026-01-01.md": form})
    repository.commit({"2026-01-01.md": form + lines("filled in", 40), "2026-01-02.md": form})
    assert ids(listing(repository)) == {"2026-01-01.md": "2026-01-01", "2026-01-02.md": "2026-01-02"}


def test_a_copy_is_a_new_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"b.md": TEXT})
    assert ids(listing(repository)) == {"a.md": "a", "b.md": "b"}
    assert commits(repository, "b") == [1]


def test_renaming_back_keeps_the_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit(moved={"a.md": "b.md"})
    repository.commit(moved={"b.md": "a.md"})
    assert ids(listing(repository)) == {"a.md": "a"}


def test_documents_follow_their_bytes_when_two_paths_are_swapped(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT, "b.md": lines("b")})
    repository.commit(moved={"a.md": "b.md", "b.md": "a.md"})
    assert ids(listing(repository)) == {"a.md": "b", "b.md": "a"}


def test_a_file_moved_over_another_one_stays_itself(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT, "b.md": lines("b")})
    repository.commit(moved={"a.md": "b.md"})
    assert ids(listing(repository)) == {"b.md": "a"}


def test_files_with_equal_bytes_keep_their_names_when_a_folder_is_renamed(repository: Repository) -> None:
    repository.commit(RULES | {"x/z/one.md": TEXT, "x/two.md": TEXT})
    repository.commit(moved={"x/z/one.md": "a/z/one.md", "x/two.md": "b/two.md"})
    assert ids(listing(repository)) == {"a/z/one.md": "x/z/one", "b/two.md": "x/two"}


def test_a_deleted_file_is_no_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT, "b.md": "b"})
    repository.commit({"a.md": None})
    assert ids(listing(repository)) == {"b.md": "b"}


def test_a_file_that_is_put_back_as_it_was_is_the_same_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"a.md": None})
    repository.commit({"a.md": TEXT})
    assert (ids(listing(repository)), commits(repository, "a")) == ({"a.md": "a"}, [0])


def test_another_file_at_the_path_of_a_deleted_one_is_a_new_document(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"a.md": None})
    repository.commit({"a.md": lines("other")})
    assert ids(listing(repository)) == {"a.md": "a.md"}


def test_files_that_differ_in_their_ending_are_two_documents(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"a.txt": lines("txt")})
    assert ids(listing(repository)) == {"a.md": "a", "a.txt": "a.txt"}


def test_a_file_that_becomes_a_link_to_where_it_went_is_found_there(repository: Repository) -> None:
    repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"a.md": "new/a.md", "new/a.md": TEXT}, modes={"a.md": 0o120000})
    assert ids(listing(repository)) == {"new/a.md": "a"}


def test_bytes_that_come_back_are_a_state_of_their_own(repository: Repository) -> None:
    for text in ("one", "two", "one"):
        repository.commit(RULES | {"a.md": text})
    assert commits(repository, "a") == [0, 1, 2]


def test_a_branch_that_is_merged_brings_its_states_and_names(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": TEXT, "b.md": "b"})
    side = repository.commit({"a.md": None, "c.md": TEXT + "edited\n"}, parents=[first], branch="side")
    main = repository.commit({"b.md": "b, edited"}, parents=[first])
    repository.commit({"a.md": None, "c.md": TEXT + "edited\n"}, parents=[main, side])
    assert ids(listing(repository)) == {"b.md": "b", "c.md": "a"}
    assert (commits(repository, "a"), commits(repository, "b")) == ([0, 1], [0, 2])


def test_a_merge_that_edits_has_the_states_of_both_sides_by_time(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": TEXT})
    side = repository.commit({"a.md": "side\n" + TEXT}, parents=[first], day="2026-01-09")
    main = repository.commit({"a.md": TEXT + "main\n"}, parents=[first], day="2026-01-05")
    repository.commit({"a.md": "side\n" + TEXT + "main\n"}, parents=[main, side], day="2026-01-10")
    assert commits(repository, "a") == [0, 2, 1, 3]


def test_a_merge_that_keeps_one_side_has_that_sides_history(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": TEXT})
    side = repository.commit({"a.md": "side"}, parents=[first])
    main = repository.commit({"a.md": "main"}, parents=[first])
    repository.commit(parents=[main, side])
    assert commits(repository, "a") == [0, 2]


def test_edits_on_one_side_follow_a_file_renamed_on_the_other(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": TEXT})
    side = repository.commit(moved={"a.md": "b.md"}, parents=[first])
    main = repository.commit({"a.md": TEXT + "main\n"}, parents=[first])
    merged = repository.commit({"a.md": None, "b.md": TEXT + "main\n"}, parents=[main, side])
    assert (ids(listing(repository)), commits(repository, "a")) == ({"b.md": "a"}, [0, 2])
    repository.commit({"b.md": "merged\n" + TEXT + "main\n"}, parents=[merged, side])
    assert (ids(listing(repository)), commits(repository, "a")) == ({"b.md": "a"}, [0, 2, 4])


def test_of_two_files_that_were_one_the_first_parents_stays_it(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": TEXT})
    side = repository.commit(moved={"a.md": "side.md"}, parents=[first])
    main = repository.commit(moved={"a.md": "main.md"}, parents=[first])
    repository.commit({"side.md": TEXT}, parents=[main, side])
    assert ids(listing(repository)) == {"main.md": "a", "side.md": "side"}


def test_a_file_that_both_sides_added_at_one_path_is_one_document(repository: Repository) -> None:
    first = repository.commit(RULES)
    side = repository.commit({"a.md": "side"}, parents=[first])
    main = repository.commit({"a.md": "main"}, parents=[first])
    repository.commit({"a.md": "both"}, parents=[main, side])
    assert (ids(listing(repository)), commits(repository, "a")) == ({"a.md": "a"}, [1, 2, 3])


def test_a_file_deleted_by_a_merge_can_be_put_back(repository: Repository) -> None:
    first = repository.commit(RULES)
    side = repository.commit({"a.md": TEXT}, parents=[first])
    main = repository.commit({"b.md": "b"}, parents=[first])
    repository.commit(parents=[main, side])
    assert ids(listing(repository)) == {"b.md": "b"}
    repository.commit({"a.md": TEXT})
    assert (ids(listing(repository))["a.md"], commits(repository, "a")) == ("a", [1])


def test_branches_with_nothing_in_common_can_be_merged(repository: Repository) -> None:
    one = repository.commit(RULES | {"a.md": TEXT}, parents=[])
    other = repository.commit({"b.md": "b"}, parents=[])
    repository.commit({"b.md": "b"}, parents=[one, other])
    assert (ids(listing(repository)), commits(repository, "b")) == ({"a.md": "a", "b.md": "b"}, [1])


def test_a_pull_that_swaps_the_parents_changes_no_id(repository: Repository) -> None:
    first = repository.commit(RULES | {"a.md": TEXT})
    repository.commit({"b.md": lines("b")}, parents=[first])
    there = repository.commit(moved={"b.md": "c.md"})
    before = ids(listing(repository))
    mine = repository.commit({"d.md": "d"}, parents=[first])
    repository.commit({"c.md": lines("b")}, parents=[mine, there])
    assert ids(listing(repository)) == before | {"d.md": "d"}


def history(repository: Repository, seed: int) -> None:
    """A history at random: edits, renames, deletions, new files at old paths, branches and merges."""
    chance = random.Random(seed)
    names = [f"{folder}{name}.md" for folder in ("", "x/", "y/") for name in "abcde"]
    repository.commit(RULES | {name: lines(f"{name}{seed}") for name in names[:6]})
    state: dict[bytes, dict[str, str]] = {repository.made[0]: {name: lines(f"{name}{seed}") for name in names[:6]}}
    for step in range(30):
        parent = chance.choice(repository.made[-3:])
        files = dict(state[parent])
        changes: dict[str, str | None] = {}
        moved: dict[str, str] = {}
        for _ in range(chance.randint(1, 3)):
            here = sorted(files.keys() - changes.keys() - set(moved.values()))
            name, free = chance.choice(here or ["a.md"]), [one for one in names if one not in files and one not in changes]
            match chance.choice(["edit", "edit", "move", "delete", "add"]):
                case "edit" if name in here:
                    changes[name] = files[name] = files[name] + f"edit {step}\n"
                case "move" if name in here and free:
                    new = chance.choice(free)
                    moved[name], files[new] = new, files.pop(name)
                case "delete" if name in here:
                    changes[name] = None
                    del files[name]
                case "add" if free:
                    new = chance.choice(free)
                    changes[new] = files[new] = lines(f"{new}{step}{seed}")
        parents = [parent]
        if chance.random() < 0.3:
            other = chance.choice(repository.made)
            if other != parent:
                parents.append(other)
        repository.commit(changes, moved=moved, parents=parents)
        state[repository.made[-1]] = files


@pytest.mark.parametrize("seed", range(3))
def test_a_commit_that_is_added_changes_no_id_of_those_before(tmp_path: Path, seed: int) -> None:
    repository = Repository.at(tmp_path / "repository")
    history(repository, seed)
    told: dict[bytes, dict[tuple[str, str], str]] = {}
    for number, commit in enumerate(repository.made):
        repository.point(commit)
        found = [items[-1] for items in documents(listing(repository, tmp_path / f"{number}")).values()]
        told[commit] = {(item.path, item.stamp): item.external_id for item in found}
        assert len(set(told[commit].values())) == len(told[commit])
        for first in repository.parents(commit)[:1]:
            stayed = told[commit].keys() & told[first].keys()
            assert {one: told[commit][one] for one in stayed} == {one: told[first][one] for one in stayed}


@pytest.mark.parametrize("seed", range(3))
def test_another_clone_gives_the_same_listing(tmp_path: Path, seed: int) -> None:
    repository = Repository.at(tmp_path / "repository")
    history(repository, seed)
    first = listing(repository, tmp_path / "one")
    again = listing(repository, tmp_path / "one")  # from what is kept
    shutil.copytree(repository.path, tmp_path / "clone")
    other = listing(Repository(tmp_path / "clone"), tmp_path / "other")
    assert first.items == again.items == other.items
    assert first.stamp == again.stamp == other.stamp


def _length(contents: Mapping[bytes, bytes], oid: bytes) -> int:
    return len(contents[oid])


@pytest.mark.parametrize(("kept", "same"), [(60, True), (59, False)])
def test_likeness_is_measured_as_it_always_was(kept: int, same: bool) -> None:
    """Ids hang on it: nothing here may change without a way for documents to keep theirs."""
    old = [f"line {number:3} of the old file, as long as all others\n" for number in range(100)]
    new = [*old[:kept], *(f"line {number:3} of the new file, as long as all others\n" for number in range(100 - kept))]
    contents = {b"1": "".join(old).encode(), b"2": "".join(new).encode()}
    found = moves({b"old": (b"1", None), b"new": (None, b"2")}, partial(_length, contents), contents.__getitem__, Effort())
    assert (bool(found), ALIKE) == (same, 60)


def test_more_files_than_can_be_compared_are_found_by_equal_bytes_alone() -> None:
    number = int(MAX_PAIRS**0.5) + 1
    contents = {b"o%d" % one: (TEXT + f"{one}\n").encode() for one in range(number)}
    contents |= {b"n%d" % one: (TEXT + f"{one} edited\n").encode() for one in range(number)}
    changes: dict[bytes, tuple[bytes | None, bytes | None]] = {b"old/%d" % one: (b"o%d" % one, None) for one in range(number)}
    changes |= {b"new/%d" % one: (None, b"n%d" % one) for one in range(number)}
    assert moves(changes, partial(_length, contents), contents.__getitem__, Effort()) == {}
    changes[b"new/x"] = None, b"o7"
    assert moves(changes, partial(_length, contents), contents.__getitem__, Effort()) == {b"new/x": b"old/7"}


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git program to compare with")
@pytest.mark.parametrize("seed", range(6))
def test_git_itself_follows_the_same_renames(tmp_path: Path, seed: int) -> None:
    repository = Repository.at(tmp_path / "repository")
    chance = random.Random(seed)
    text = {name: lines(f"{name}{seed}", 30) for name in "abc"}
    repository.commit(RULES | {f"{name}.md": content for name, content in text.items()})
    paths = {name: f"{name}.md" for name in text}
    for step in range(15):
        name = chance.choice("abc")
        if chance.random() < 0.5:
            new = f"{name}{step}.md"
            text[name] += f"edit {step}\n" if chance.random() < 0.5 else ""
            repository.commit({paths[name]: None, new: text[name]})
            paths[name] = new
        else:
            text[name] += f"edit {step}\n"
            repository.commit({paths[name]: text[name]})
    states = documents(listing(repository))
    for name, path in paths.items():
        command = [
            "git",
            "-C",
            str(repository.path),
            "log",
            "--follow",
            f"-M{ALIKE}%",
            "--format=%H",
            "--raw",
            "--no-abbrev",
            "main",
        ]
        told = subprocess.run([*command, "--", path], capture_output=True, text=True, check=True).stdout.split("\n")
        ids_of_bytes = [line.split()[3] for line in reversed(told) if line.startswith(":")]
        changed = [one for one, before in zip(ids_of_bytes, [None, *ids_of_bytes], strict=False) if one != before]
        assert [item.stamp for item in states[name]] == changed


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git program to compare with")
@pytest.mark.parametrize("seed", range(3))
def test_git_itself_tells_the_same_history_through_merges(tmp_path: Path, seed: int) -> None:
    repository = Repository.at(tmp_path / "repository")
    chance = random.Random(seed)
    files = {f"{name}.md": name for name in "abcd"}
    state = {repository.commit(RULES | files): files}
    for step in range(30):
        parents = [chance.choice(repository.made[-4:])]
        other = chance.choice(repository.made[-6:])
        now = dict(state[parents[0]])
        if chance.random() < 0.4 and other not in parents:
            parents.append(other)
            now = {name: chance.choice([text, state[other][name], f"{text}merged {step},"]) for name, text in now.items()}
        else:
            now |= {name: f"{now[name]}{step}," for name in chance.sample(sorted(now), 2)}
        changed = {name: text for name, text in now.items() if text != state[parents[0]][name]}
        state[repository.commit(changed, parents=parents)] = now
    for document, items in documents(listing(repository)).items():
        command = ["git", "-C", str(repository.path), "log", "--format=%H", "main", "--", f"{document}.md"]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert {item.state for item in items} == set(told)
