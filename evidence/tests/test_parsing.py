"""Parsing in a confined process gives what parsing here gives, and says the same of what can't be read."""

import pytest

from evidence import formats, parsing
from evidence.errors import Refused
from evidence.formats.options import Options


def test_content_is_the_same_as_without_confinement() -> None:
    data = "# Kapitel\n\nEin **Wort**.\n\n- eins\n- zwei\n".encode()
    assert parsing.extract(".md", data) == formats.extract(formats.FORMATS[".md"], data)


def test_a_refusal_comes_back_with_its_values() -> None:
    with pytest.raises(Refused) as caught:
        parsing.extract(".txt", b"ab\xff", Options())
    assert (caught.value.code, caught.value.values) == ("text_not_utf8", {"offset": 2})
