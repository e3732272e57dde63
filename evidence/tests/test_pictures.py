"""Pictures of pages: drawn when somebody who may looks, kept, never shown to anybody else, gone with the original."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from PIL import Image

from evidence import blobs, confinement, pictures, removal, worker
from evidence.access import Access
from evidence.confinement import Result
from evidence.errors import EvidenceError, Refused, Unavailable
from evidence.models import Document, Membership, Page, Revision
from evidence.pictures import Width, picture
from evidence.tests.builders import access, person, publish
from evidence.tests.papers import paper

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(tmp_path: Path) -> Document:
    return paper(tmp_path, ["Erste Seite.", "Zweite Seite."])


@pytest.fixture
def eva(row: Document) -> Access:
    return access(person("eva", ["alle"]))


def look(who: Access, row: Document, page: int = 1, width: Width = Width.SMALL) -> bytes:
    assert row.current is not None
    return picture(who, row.public_id, representation=row.current.public_id, page=page, width=width)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The pages that were really drawn."""
    seen: list[int] = []
    run = confinement.run

    def noting(task: str, header: dict[str, int], data: bytes, **options: object) -> Result:
        seen.append(header["page"])
        return run(task, header, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(confinement, "run", noting)
    yield seen


@pytest.mark.parametrize("width", list(Width))
def test_a_picture_is_as_wide_as_was_asked_for(row: Document, eva: Access, width: Width) -> None:
    image = Image.open(BytesIO(look(eva, row, width=width)))
    assert image.format == "PNG" and abs(image.width - width) <= 1


def test_words_are_black_where_their_boxes_are(row: Document, eva: Access) -> None:
    image = Image.open(BytesIO(look(eva, row))).convert("L")
    page = Page.objects.get(representation=row.current, number=1)
    scale = image.width / page.width
    area = tuple(round(edge * scale) for edge in (72, 72, 72 + 12 * 7.2, 72 + 15))
    assert image.crop(area).getextrema()[0] < 60  # type: ignore[arg-type,operator]
    assert image.crop((0, 0, image.width, area[1])).getextrema() == (255, 255)


def test_a_page_is_drawn_once(row: Document, eva: Access, drawn: list[int]) -> None:
    assert look(eva, row) == look(eva, row) != look(eva, row, page=2)
    assert drawn == [1, 2]


def test_a_strip_of_a_page_is_drawn_smaller() -> None:
    scale = Width.LARGE.scale(100, 14_400)
    assert round(100 * 14_400 * scale**2) == pictures.MAX_PIXELS
    assert Width.LARGE.scale(600, 850) == 4


@pytest.mark.parametrize("size", [(5e-324, 5e-324), (1e-200, 842), (1e308, 1e308)])
def test_no_size_of_a_page_is_too_odd_for_a_scale(size: tuple[float, float]) -> None:
    assert 0 <= Width.LARGE.scale(*size) <= Width.LARGE


@pytest.mark.parametrize("page", [0, -1, 3, 2**63, 10**30])
def test_a_page_that_is_none_is_unavailable(row: Document, eva: Access, page: int) -> None:
    with pytest.raises(Unavailable):
        look(eva, row, page)


def test_a_page_without_a_size_has_no_picture(row: Document, eva: Access) -> None:
    Page.objects.filter(number=2).update(width=0, height=0)
    with pytest.raises(Unavailable):
        look(eva, row, 2)


def test_a_kept_picture_is_for_nobody_who_may_not_read(row: Document, eva: Access, drawn: list[int]) -> None:
    look(eva, row)
    for who in (access(person("ida", ["netz"])), access(person("max"))):
        with pytest.raises(Unavailable):
            look(who, row)
    Membership.objects.get(user__username="eva").groups.clear()
    with pytest.raises(Unavailable):
        look(access(Membership.objects.get(user__username="eva").user), row)
    assert drawn == [1]


@pytest.mark.parametrize("which", ["document", "representation"])
def test_what_is_unknown_is_unavailable_for_the_same_queries(
    row: Document, eva: Access, which: str, django_assert_num_queries: object
) -> None:
    stranger = access(person("ida", ["netz"]))
    assert row.current is not None
    ids: dict[str, UUID] = {"document": row.public_id, "representation": row.current.public_id, which: uuid4()}
    with pytest.raises(Unavailable):
        picture(eva, ids["document"], representation=ids["representation"], page=1, width=Width.SMALL)
    for document in (row.public_id, uuid4()):
        with django_assert_num_queries(1), pytest.raises(Unavailable):  # type: ignore[operator]
            picture(stranger, document, representation=row.current.public_id, page=1, width=Width.SMALL)


def test_the_picture_of_an_encrypted_file_is_drawn_with_its_password(
    row: Document, eva: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, object] = {}

    def noting(task: str, header: dict[str, object], data: bytes, **options: object) -> Result:
        told.update(header)
        return _png()

    monkeypatch.setattr(confinement, "run", noting)
    Revision.objects.update(password="geheim")
    look(eva, row)
    assert told["password"] == "geheim"


def _png(size: tuple[int, int] = (80, 100)) -> Result:
    file = BytesIO()
    Image.new("L", size).save(file, "PNG")
    return Result({}, file.getvalue())


def test_a_damaged_file_has_no_picture_and_says_so(row: Document, eva: Access, drawn: list[int]) -> None:
    Revision.objects.update(source_sha256=blobs.put(b"%PDF-1.7 and nothing more"))
    for _ in range(2):
        with pytest.raises(Refused) as error:
            look(eva, row)
        assert error.value.code == "no_picture"
    assert drawn == [1]


def test_a_page_that_failed_is_tried_again_later(
    row: Document, eva: Access, drawn: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    Revision.objects.update(source_sha256=blobs.put(b"nonsense"))
    monkeypatch.setattr(pictures, "TRY_AGAIN_AFTER", pictures.TRY_AGAIN_AFTER * 0)
    for _ in range(2):
        with pytest.raises(Refused):
            look(eva, row)
    assert drawn == [1, 1]


def test_want_of_a_process_is_no_fault_of_the_page(row: Document, eva: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*given: object, **options: object) -> Result:
        raise confinement.NoProcess

    with monkeypatch.context() as busy, pytest.raises(Refused, match="parser_unavailable"):
        busy.setattr(confinement, "run", run)
        look(eva, row)
    assert look(eva, row)


@pytest.fixture
def twin(row: Document, tmp_path: Path) -> Document:
    """A document with the same original, for others."""
    return paper(tmp_path / "twin", ["Erste Seite.", "Zweite Seite."], source="zwilling", allowed='["group:netz"]')


def test_a_failure_is_remembered_for_its_own_document_alone(row: Document, twin: Document, eva: Access, drawn: list[int]) -> None:
    Revision.objects.update(source_sha256=blobs.put(b"nonsense"))
    for who, what in ((access(person("ben", ["netz"])), twin), (eva, row)):
        with pytest.raises(Refused):
            look(who, what)
    assert drawn == [1, 1]


def test_an_earlier_state_is_drawn_from_its_own_original(row: Document, eva: Access, tmp_path: Path) -> None:
    before = row.current
    assert before is not None
    paper(tmp_path, ["Ganz andere Worte.", "Zweite Seite."])
    now = look(eva, Document.objects.select_related("current").get())
    then = picture(eva, row.public_id, representation=before.public_id, page=1, width=Width.SMALL)
    assert Revision.objects.count() == 2 and then != now


@pytest.mark.parametrize("answer", [Result({}, b"<svg/>"), Result({}, b""), _png((6_000, 6_000)), Result({}, _png().body[:20])])
def test_an_answer_that_is_no_picture_of_that_size_is_not_passed_on(
    row: Document, eva: Access, answer: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confinement, "run", lambda *_, **__: answer)
    with pytest.raises(Refused, match="no_png"):
        look(eva, row)


def test_a_missing_original_has_no_picture(row: Document, eva: Access, data_folder: Path) -> None:
    for path in (data_folder / "blobs").glob("*/*"):
        path.unlink()
    with pytest.raises(EvidenceError, match="blob_missing"):
        look(eva, row)


@pytest.mark.django_db(transaction=True)
def test_pictures_of_a_purged_document_are_gone(row: Document, eva: Access, data_folder: Path, tmp_path: Path) -> None:
    other = paper(tmp_path / "other", ["Anderes Papier."], source="anderes")
    look(eva, row)
    kept = look(access(person("ben", ["alle"])), other)
    removal.request_purge(row)
    worker.run_due(threading.Event())
    assert [path.read_bytes() for path in data_folder.glob("pages/*/*")] == [kept]


@pytest.mark.django_db(transaction=True)
def test_a_picture_that_was_being_drawn_does_not_outlive_its_original(
    row: Document, eva: Access, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = confinement.run

    def purging(task: str, header: dict[str, object], data: bytes, **options: object) -> Result:
        removal.request_purge(row)
        worker.run_due(threading.Event())
        return run(task, header, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(confinement, "run", purging)
    look(eva, row)
    assert list(data_folder.glob("pages/*/*")) == []


def test_a_text_has_no_pictures(tmp_path: Path, eva: Access) -> None:
    publish(tmp_path / "t", {"t.txt": "Text."}, source="texte")
    with pytest.raises(Unavailable):
        look(eva, Document.objects.select_related("current").get(external_id="t"))
