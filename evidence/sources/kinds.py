"""The kinds of source that can be asked: one line each. What is not here only receives (local, push)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from evidence.sources import Origin, Source, folder, git

KINDS: Final[Mapping[str, Callable[[Origin], Source]]] = {
    "folder": folder.at,
    "git": git.at,
}
"""models.SourceKind -> what makes the source of an origin. Raises EvidenceError for a place that is none."""
