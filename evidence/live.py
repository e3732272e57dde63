"""Live questions: what the origins of sensitive sources say at this moment."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def confirmed(
    classes: Mapping[int, Collection[int]], *, user: int, groups: Collection[int]
) -> Mapping[int, Collection[int] | None]:
    """For each source (its key), those of these access classes that its origin confirms for this person now.

    None: there was no answer in time.
    """
    return dict.fromkeys(classes)
