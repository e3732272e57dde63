"""The journal of what was removed."""

from pathlib import Path
from uuid import UUID, uuid4

import pytest

from evidence import purged, removal, worker
from evidence.errors import Refused
from evidence.tests.builders import document, publish


@pytest.fixture(autouse=True)
def folder(data_folder: Path) -> None:
    data_folder.mkdir()


def test_ids_are_added_and_read_in_their_order() -> None:
    ids = [uuid4() for _ in range(3)]
    purged.note(ids[0])
    purged.note(*ids[1:])
    assert purged.read(purged.path()) == ids
    assert purged.path().stat().st_mode & 0o777 == 0o600


def test_a_torn_line_is_left_alone_and_does_not_touch_the_next() -> None:
    first, last = uuid4(), uuid4()
    purged.path().write_text(f"{first}\n{str(uuid4())[:20]}")
    purged.note(last)
    assert purged.read(purged.path()) == [first, last]


def test_no_journal_is_an_empty_one() -> None:
    assert purged.read(purged.path()) == []


@pytest.mark.parametrize("content", [b"# notes\n", b"\xff\xfe", b"10000000-0000-0000-0000-00000000000g\n"])
def test_another_file_is_refused(content: bytes) -> None:
    purged.path().write_bytes(content)
    with pytest.raises(Refused, match="no journal"):
        purged.read(purged.path())


A, B, C = (UUID(int=number) for number in range(3))


@pytest.mark.parametrize(
    ("earlier", "now", "later"),
    [([], [A], [A]), ([A], [A, B], [B]), ([A], [A, A], [A]), ([A, B], [A], [A]), ([A], [B, C], [B, C]), ([A], [], [])],
)
def test_what_was_removed_since_is_what_goes_on_from_there_or_all(
    earlier: list[UUID], now: list[UUID], later: list[UUID]
) -> None:
    assert list(purged.since(earlier, now)) == later


@pytest.mark.django_db(transaction=True)
def test_a_removed_document_is_in_the_journal(tmp_path: Path) -> None:
    publish(tmp_path, {"a.txt": "Text."})
    row = document("a")
    removal.request_purge(row)
    assert purged.read(purged.path()) == []
    worker.run_due()
    assert purged.read(purged.path()) == [row.public_id]
