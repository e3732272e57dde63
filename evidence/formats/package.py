"""Packages: ZIP files of parts, as office programs write them. Unpacks in memory, part by part, and only what is asked for.

The names of parts are keys and never paths. Sizes are counted while a part is unpacked: what a header says of them may be a lie.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from typing import Final

from evidence.errors import Refused, gettext_noop

MAX_PACKAGE_BYTES: Final = 100_000_000
"""Of the file itself: pictures make it large, and they are not unpacked."""
MAX_ENTRIES: Final = 20_000
"""Ten times what a presentation of 300 slides with a picture each has."""
MAX_PART_BYTES: Final = 100_000_000
"""Of one unpacked part: Word takes 10 to 25 MB for the text of 1,000 pages."""
MAX_UNPACKED_BYTES: Final = 200_000_000
"""Of all unpacked parts together."""
MAX_RATIO: Final = 300
"""How much a part may grow: the most repetitive table that Excel wrote grew 60 times, a bomb grows 1,000 times."""
RATIO_FROM_BYTES: Final = 1_000_000
"""What unpacks to less than this may grow as it likes."""

_OLE: Final = bytes.fromhex("d0cf11e0a1b11ae1")
_OLE_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_CENTRAL_ENTRY: Final = b"PK\x01\x02"
_CHUNK: Final = 1 << 16
_ENCRYPTED_FLAG: Final = 1
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_OUTSIDE: Final = re.compile(r"[/\\]|[a-zA-Z]:|(?:.*[/\\])?\.\.(?:[/\\]|$)", re.DOTALL)
_FAULTS: Final = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError, OverflowError, OSError)


class Package:
    """The parts of a file by their names, in which case does not count.

    Raises Refused on creation and on reading: `package_damaged`, `package_too_large`, `package_entries`, `package_ratio`,
    `package_names`, `package_duplicate`, `file_encrypted`, `file_old_format`.
    """

    def __init__(self, data: bytes) -> None:
        _refuse_old(data)
        if data.count(_CENTRAL_ENTRY) > MAX_ENTRIES:
            message = gettext_noop("This file consists of more than %(limit)d parts. Split it into several documents.")
            raise Refused("package_entries", message, limit=MAX_ENTRIES)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except _FAULTS as fault:
            raise damaged() from fault
        self._entries = _by_name(self._archive.infolist())
        self._unpacked = 0

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._entries

    def read(self, name: str) -> bytes | None:
        """The bytes of a part; None if there is no such part."""
        entry = self._entries.get(name.lower())
        if entry is None:
            return None
        if entry.compress_type not in _METHODS:
            raise damaged()
        try:
            return self._unpack(entry)
        except _FAULTS as fault:
            raise damaged() from fault

    def _unpack(self, entry: zipfile.ZipInfo) -> bytes:
        chunks: list[bytes] = []
        size, allowed = 0, max(RATIO_FROM_BYTES, entry.compress_size * MAX_RATIO)
        with self._archive.open(entry) as stream:
            while chunk := stream.read(_CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                self._unpacked += len(chunk)
                if size > MAX_PART_BYTES or self._unpacked > MAX_UNPACKED_BYTES:
                    raise _too_large()
                if size > allowed:
                    message = gettext_noop(
                        "A part of this file grows more than %(limit)d times when it is unpacked, as no document does. "
                        "Save the document again in the program it was made with."
                    )
                    raise Refused("package_ratio", message, limit=MAX_RATIO)
        return b"".join(chunks)


def damaged() -> Refused:
    """The refusal of a file that can't be unpacked, or lacks what makes it a document."""
    message = gettext_noop(
        "This file is damaged or incomplete. Get it again from where it comes from, "
        "or save it again in the program it was made with."
    )
    return Refused("package_damaged", message)


def encrypted() -> Refused:
    """The refusal of a file that a password protects from being read."""
    message = gettext_noop("This file is encrypted. Save it without a password and import it again.")
    return Refused("file_encrypted", message)


def _too_large() -> Refused:
    message = gettext_noop("This file holds more than %(limit)d bytes when it is unpacked. Split it into several documents.")
    return Refused("package_too_large", message, limit=MAX_PART_BYTES)


def _refuse_old(data: bytes) -> None:
    """What begins like this is an encrypted document or one of the binary formats before 2007."""
    if not data.startswith(_OLE):
        return
    if _OLE_ENCRYPTED in data:
        raise encrypted()
    message = gettext_noop(
        "This is a file in an old binary format. Save it in the current format of its program (as .docx, .xlsx or .pptx)."
    )
    raise Refused("file_old_format", message)


def _by_name(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        if entry.flag_bits & _ENCRYPTED_FLAG:
            raise encrypted()
        if _OUTSIDE.match(entry.filename):
            message = gettext_noop(
                "A part of this file has a name that points outside of it. No office program writes such files."
            )
            raise Refused("package_names", message)
        name = entry.filename.replace("\\", "/").lower()
        if name in found:
            message = gettext_noop(
                "Two parts of this file have the same name. Save the document again in the program it was made with."
            )
            raise Refused("package_duplicate", message)
        found[name] = entry
    return found
