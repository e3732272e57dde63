"""Synonyms: words that mean the same, as documents of the kind `synonyms` say that a person may read.

They have owners, revisions and rights like all documents: what a person may not read widens nothing that is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from evidence.access import Access
from evidence.index.questions import Synonym


def readable(access: Access) -> Sequence[Synonym]:
    """What the documents say that this person may read now."""
    return ()
