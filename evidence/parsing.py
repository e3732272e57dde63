"""Parsing: bytes to Content in a confined process, whatever the bytes do to the parser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Final

from django.conf import settings

from evidence import confinement
from evidence.confinement.barriers import Limits
from evidence.content import Content, Page, Passage, Span
from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.formats import FORMATS, MAX_PASSAGES, MAX_TEXT_BYTES
from evidence.formats.options import NOTHING_SAID, Options

OUTPUT_MB: Final = 128
"""Content as JSON: the longest text that is taken (20 MB), a quarter of a million passages (15 MB), and spans and boxes."""
MAX_LEVEL: Final = 32_767
"""Of a heading or a list item, as it can be kept."""
MAX_SIDE: Final = 1e7
"""Of a page, in points: three kilometres."""
AT_ONCE: Final = 2
"""Files of one run that are read at the same time, each in a process of its own."""
_NOT_IN_LINE: Final = dict.fromkeys(
    (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), " "
)
"""Controls, line ends, and marks that change the direction of what follows."""
_NO_CONTENT: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
"""What reading an answer raises that is something else."""

Awaited = Callable[[], Content]
"""Waits for the content of a file; raises Refused when it can't be read."""
Begin = Callable[[str, bytes, Options], Awaited]
"""Ending, bytes and options: a way to have a file read."""


def extract(ending: str, data: bytes, options: Options = NOTHING_SAID) -> Content:
    """The content of a file with this ending. Raises Refused: what `formats.extract` and `confinement.run` say."""
    limits = Limits(settings.PARSE_SECONDS, settings.PARSE_MEMORY_MB, OUTPUT_MB)
    told = {"ending": ending, "encoding": options.encoding, "password": options.password}
    result = confinement.run("extract", told, data, limits=limits)
    try:
        content = Content.from_json(result.body.decode())
        _check(content)
        return _in_line(content)
    except EvidenceError:
        raise
    except _NO_CONTENT as fault:  # a hostile file may have written the answer
        message = gettext_noop(
            "The parser %(parser)s can't cope with this file (%(kind)s). Please report it to whoever runs this."
        )
        parser = FORMATS[ending].parser.name
        raise Refused("parser_fault", message, parser=parser, kind=type(fault).__name__) from fault


def when_needed(ending: str, data: bytes, options: Options) -> Awaited:
    """Read a file when its content is asked for."""
    return partial(extract, ending, data, options)


@contextmanager
def beside() -> Iterator[Begin]:
    """A way to have files read while the caller does something else."""
    threads = ThreadPoolExecutor(AT_ONCE)
    try:
        yield lambda ending, data, options: threads.submit(extract, ending, data, options).result
    finally:
        threads.shutdown(cancel_futures=True)


def _check(content: Content) -> None:
    """Raise ValueError for what would break those who keep it or show it. Ranges fit, or there would be no Content."""
    _expect(len(content.passages) <= MAX_PASSAGES and len(content.text) <= MAX_TEXT_BYTES)
    strings = chain([content.title, content.text], (span.value for span in content.spans), (page.label for page in content.pages))
    for string in strings:
        _expect(isinstance(string, str))
        string.encode()  # raises for lone surrogates
    for number, passage in enumerate(content.passages):
        _expect(_is_whole(passage.level) and passage.level <= MAX_LEVEL)
        above = passage.headings if passage.columns is None else (*passage.headings, passage.columns)
        _expect(all(_is_whole(one) and one < number for one in above))
    parts: Iterator[Passage | Span | Page] = chain(content.passages, content.spans, content.pages)
    for part in parts:
        _expect(_is_whole(part.start) and _is_whole(part.end))
    for page in content.pages:
        _expect(all(isinstance(side, int | float) and 0 <= side <= MAX_SIDE for side in (page.width, page.height)))


def _in_line(content: Content) -> Content:
    """The same with a title and labels that can stand in a line of ours without breaking it or turning its words round."""
    title = content.title.translate(_NOT_IN_LINE)
    pages = tuple(replace(page, label=page.label.translate(_NOT_IN_LINE)) for page in content.pages)
    return content if (title, pages) == (content.title, content.pages) else replace(content, title=title, pages=pages)


def _is_whole(number: object) -> bool:
    return type(number) is int and number >= 0


def _expect(condition: bool) -> None:
    if not condition:
        raise ValueError
