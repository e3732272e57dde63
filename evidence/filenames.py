"""File names: as they are kept when they come from elsewhere, and for downloads, where no system may misread them."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

import unicodedata2

MAX_LENGTH: Final = 120
"""Code points: four bytes each still fit into the 255 bytes plus folder that file systems and unpackers take."""
_RESERVED: Final = frozenset({"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10))})
"""Names of devices on Windows, whatever their ending."""
_NO_PART_OF_NAMES: Final = dict.fromkeys(map(ord, '/\\:*?"<>|%'), " ")
_LETTERS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


def as_text(name: str, *, limit: int) -> str:
    """A file's name as text: its last part, what can't be seen replaced, its ending whole. It is never used as a path."""
    last = unicodedata2.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    text = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in last)
    ending = PurePosixPath(text).suffix[:limit]
    return text if len(text) <= limit else text[: limit - len(ending)] + ending


def safe(title: str, path: str) -> str:
    """A name made of a document's title and the ending of its file's path."""
    ending = _cleaned(PurePosixPath(path).suffix.lower())
    stem = _cleaned(title)[: MAX_LENGTH - len(ending)].strip(" .") or _cleaned(PurePosixPath(path).stem).strip(" .")
    stem = stem[: MAX_LENGTH - len(ending)] or "document"
    return (f"_{stem}" if stem.partition(".")[0].lower() in _RESERVED else stem) + ending


def attachment(name: str) -> str:
    """The value of Content-Disposition: in ASCII for old programs, and as it is (RFC 5987, RFC 6266)."""
    plain = unicodedata.normalize("NFKD", name.translate(_LETTERS)).encode("ascii", "ignore").decode()
    plain = plain if plain.removesuffix(PurePosixPath(name).suffix).strip(" .") else f"document{PurePosixPath(name).suffix}"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _cleaned(words: str) -> str:
    """Without parts of paths, controls, marks of direction and anything else that is not seen; blanks are single ones."""
    seen = "".join(" " if unicodedata.category(one)[0] in "CZ" else one for one in words.translate(_NO_PART_OF_NAMES))
    return " ".join(seen.split())
