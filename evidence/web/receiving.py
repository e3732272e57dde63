"""Receiving files: what a form sends is written to a file without a name in the data folder, as far as it can be read at all.

Django's own handlers would write whatever anybody sends, of any length, to the system's folder for temporary files, before a
view is asked. `settings.FILE_UPLOAD_HANDLERS` is empty therefore, and the one view that takes files brings this handler.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from evidence import uploads
from evidence.errors import Refused, gettext_noop


class Receiver(FileUploadHandler):
    """Takes at most uploads.MAX_FILES files, each of a kind that is read and no longer than that allows. refused: the others."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self.refused: list[tuple[str, Refused]] = []
        self._count = 0
        self._part: IO[bytes] | None = None

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Refuse by the name and the number, before anything is written."""
        super().new_file(*args, **kwargs)
        self.close()
        self._count += 1
        try:
            if self._count > uploads.MAX_FILES:
                message = gettext_noop("At most %(limit)d files can be sent at once. Send this one again.")
                raise Refused("too_many_files", message, limit=uploads.MAX_FILES)
            uploads.form_of(str(self.file_name))
        except Refused as error:
            self._skip(error)
        folder = Path(settings.DATA_DIR) / "incoming"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._part = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it stays open until the view has read it

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write it, unless the file is too long by now."""
        assert self._part is not None  # new_file made it
        try:
            uploads.refuse_large(str(self.file_name), start + len(raw_data))
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
