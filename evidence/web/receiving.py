"""Receiving files from a form: as many as are taken at once, each of a kind that is read and no longer than that allows."""

from __future__ import annotations

from django.http import HttpRequest

from evidence import uploads
from evidence.errors import Refused, gettext_noop
from evidence.incoming import Incoming


class Receiver(Incoming):
    """Takes at most uploads.MAX_FILES files."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request)
        self._count = 0

    def begins(self) -> None:
        """Refuse by the name and the number."""
        self._count += 1
        if self._count > uploads.MAX_FILES:
            message = gettext_noop("At most %(limit)d files can be sent at once. Send this one again.")
            raise Refused("too_many_files", message, limit=uploads.MAX_FILES)
        uploads.form_of(str(self.file_name))

    def grows(self, size: int) -> None:
        """Refuse by the length."""
        uploads.refuse_large(str(self.file_name), size)
