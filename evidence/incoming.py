"""Incoming files: what a form or a program sends is written to a file without a name in the data folder, as far as it is wanted.

Django's own handlers would write whatever anybody sends, of any length, to the system's folder for temporary files, before a
view is asked. `settings.FILE_UPLOAD_HANDLERS` is empty therefore, and whoever takes files brings a handler made of this one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile

from evidence.errors import Refused


class Incoming(FileUploadHandler):
    """Takes the files that `begins` and `grows` let pass. refused: the names of the others, and why."""

    def __init__(self, request: Any) -> None:
        """request: of Django's, which modules below the interfaces do not know."""
        super().__init__(request)
        self.refused: list[tuple[str, Refused]] = []
        self._part: IO[bytes] | None = None

    def begins(self) -> None:
        """A file begins, with what `field_name` and `file_name` say. Raises Refused before anything is written."""

    def grows(self, size: int) -> None:
        """The file has so many bytes by now. Raises Refused when they are too many."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Make room for a file."""
        super().new_file(*args, **kwargs)
        self.close()
        try:
            self.begins()
        except Refused as error:
            self._skip(error)
        folder = Path(settings.DATA_DIR) / "incoming"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._part = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it stays open until the view has read it

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write it, unless the file is too long by now."""
        assert self._part is not None  # new_file made it
        try:
            self.grows(start + len(raw_data))
        except Refused as error:
            self._skip(error)
        self._part.write(raw_data)

    def file_complete(self, file_size: int) -> UploadedFile[Any]:
        """The file, to be read from its beginning."""
        part, self._part = self._part, None
        assert part is not None
        part.seek(0)
        return UploadedFile(part, name=self.file_name, size=file_size)

    def upload_interrupted(self) -> None:
        """The connection ended within a file: what came of it is gone."""
        self.close()

    def close(self) -> None:
        """Let go of a file that did not come to its end."""
        if self._part is not None:
            self._part.close()
            self._part = None

    def _skip(self, error: Refused) -> None:
        self.close()
        self.refused.append((str(self.file_name), error))
        raise SkipFile
