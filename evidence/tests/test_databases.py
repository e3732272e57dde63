"""SQLite and PostgreSQL keep the same: lengths that only one of them enforces, order, lists of ids, texts with odd characters."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from evidence.formats import FORMATS
from evidence.formats.encodings import canonical
from evidence.formats.options import Options
from evidence.models import Citation, Document, Representation, Revision, Upload, id_list
from evidence.tests.builders import document, publish
from evidence.uploads import ENCODINGS, named

LONGEST_NAME = max((*ENCODINGS, *(canonical(one) or "" for one in ENCODINGS)), key=len)


def longest(model: type, field: str) -> int:
    return model._meta.get_field(field).max_length  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_what_read_a_file_fits_into_its_columns(ending: str) -> None:
    options = Options(encoding=LONGEST_NAME, password="x" * 200)
    parser = FORMATS[ending].parser_with(options)
    for model in (Representation, Citation):
        assert len(parser.name) <= longest(model, "parser_name")
        assert len(parser.version) <= longest(model, "parser_version") // 2  # room for libraries with longer versions
        assert len(parser.configuration) <= longest(model, "parser_configuration") // 2
    assert len(named(FORMATS[ending], options)) <= longest(Upload, "parser")
    assert len(FORMATS[ending].media_type) <= longest(Revision, "media_type")


@pytest.mark.django_db
def test_a_title_that_grows_when_it_is_lowered_is_kept(tmp_path: Path) -> None:
    publish(tmp_path, {"a.md": f"# {'İ' * 500}"})
    row = document("a")
    assert (len(row.title), len(row.title_key)) == (500, longest(Document, "title_key"))


@pytest.mark.django_db
def test_titles_stand_in_the_order_of_code_points(tmp_path: Path) -> None:
    titles = ["a b", "a-b", "ab", "b", "z", "ß", "ä", "ö b", "中"]
    publish(tmp_path, {f"{number}.md": f"# {title}" for number, title in enumerate(reversed(titles))})
    assert [row.title for row in Document.objects.order_by("title_key")] == titles


@pytest.mark.django_db
@pytest.mark.parametrize("ids", [[], [1], range(70_000)])
def test_any_number_of_ids_can_be_asked_for(ids: list[int]) -> None:
    one = User.objects.create_user("eva")
    wanted = id_list([*ids, *([one.pk] if ids else [])], using=connection.alias)
    assert User.objects.filter(pk__in=wanted).count() == (1 if ids else 0)
