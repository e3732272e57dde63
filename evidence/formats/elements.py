"""HTML's elements, by how a browser treats them."""

from __future__ import annotations

from typing import Final


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


BLOCKS: Final = _names(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol optgroup option p pre search section summary table"
    " tbody tfoot thead tr ul"
)
"""Begin and end on a line of their own."""

NEVER_SHOWN: Final = _names(
    "audio canvas datalist embed head iframe link meta noembed noframes object rp script style template title video"
)
"""Show nothing that could be read, or nothing that is in the file."""

WITHOUT_END: Final = _names(
    "a area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track wbr"
)
"""Have no end tag, may leave it out, or are ended by the next one of their kind."""
