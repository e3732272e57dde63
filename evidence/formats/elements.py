"""HTML's elements, by how a browser treats them."""

from __future__ import annotations

from typing import Final


def names(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


BLOCKS: Final = names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table"
    " tbody text textarea tfoot thead tr ul"
)
"""Begin and end on a line of their own. A `text` is one of a picture in SVG."""

NEVER_SHOWN: Final = names(
    "annotation annotation-xml applet audio canvas clipPath datalist defs desc embed frame head iframe link meta metadata meter"
    " noembed noframes noscript object progress script style symbol template title video"
)
"""Show nothing that could be read, or nothing that is in the file."""

ELSEWHERE: Final = names("applet embed frame iframe object")
"""Show another file."""

APART: Final = names("button img input select")
"""Stand apart from the words beside them."""

FORMATTING: Final = names("a b big code em font i nobr s small strike strong tt u")
"""Begin again in the next block when they were not ended."""

WITHOUT_END: Final = names(
    "a area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track wbr"
)
"""Have no end tag, may leave it out, or are ended by the next one of their kind."""
