"""What logs and error reports may hold: paths, codes, ids and places in the code, never what a person typed or read.

A query string, a form, a cookie, a local variable or the message of an exception can repeat a query or a quote, so none of
them is written. `CONFIGURATION` is one for Django, gunicorn and uvicorn.
"""

from __future__ import annotations

import logging
import re
import time
import traceback
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter

QUERY_STRING = re.compile(r"\?.*(?= HTTP/)|\?.*")
"""From a question mark to the end of the line, or to the protocol that ends a request line."""

PUSHED_DOCUMENT = re.compile(r"(/sources/[^/\s]+/documents/)(?:.*(?= HTTP/[\d.]+\"| \d{3} [\d-]+ \d+ms$)|.*)", re.DOTALL)
"""The address of a document that another system pushes ends with its id there, which often is a path or a name."""

MALFORMED_REQUEST = re.compile(r"(Invalid request from ip=[^\s:]*|Bad request version).*")
"""What servers write about a request line that they cannot read: they repeat a part of it, which may be half a query."""


class Deliberate(logging.Filter):
    """Lets what says on purpose that something can't be done at this moment (503) be no error."""

    def filter(self, record: logging.LogRecord) -> bool:
        """All of them."""
        if getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE:
            record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True


class PrivateFormatter(logging.Formatter):
    """Writes records without query strings and names, and exceptions as their types and places. Times are UTC, whoever writes."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        record.exc_text = None  # another formatter may have kept the full text there
        return super().format(record)

    def formatMessage(self, record: logging.LogRecord) -> str:
        line = QUERY_STRING.sub("", PUSHED_DOCUMENT.sub(r"\1…", super().formatMessage(record)))
        return MALFORMED_REQUEST.sub(r"\1", line)

    def formatException(self, ei: Any) -> str:
        _kind, error, _frames = ei
        return outline(error) if error is not None else ""


class PrivateReporter(ExceptionReporter):
    """An error report that says where it happened and nothing of the request."""

    def get_traceback_text(self) -> SafeString:
        return SafeString(outline(self.exc_value) if self.exc_value is not None else "")

    def get_traceback_html(self) -> SafeString:
        """No HTML: text is enough for a place in the code."""
        return SafeString()


def outline(error: BaseException) -> str:
    """The types of an exception and of those that led to it, each with its lines of code, without their messages."""
    return "\n".join(_outline_of_one(link) for link in reversed(list(_chain(error))))


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _outline_of_one(error: BaseException) -> str:
    kind = type(error)
    return "".join(traceback.format_tb(error.__traceback__)) + f"{kind.__module__}.{kind.__qualname__}"


CONFIGURATION: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"deliberate": {"()": Deliberate}},
    "formatters": {
        "private": {"()": PrivateFormatter, "style": "{", "format": "{asctime} {levelname} {name} {message}"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "private"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO"},
        # what a client asked for in vain has its line in the access log
        "django.request": {"level": "ERROR", "filters": ["deliberate"]},
        "django.server": {"handlers": [], "level": "INFO", "propagate": True},
        "gunicorn.error": {"handlers": [], "propagate": True},  # levels: gunicorn's --log-level
        "gunicorn.access": {"handlers": [], "propagate": True},
        "uvicorn": {"handlers": [], "propagate": True},  # it writes with handlers of its own, questions and all
        "uvicorn.access": {"handlers": [], "propagate": True},
        "mcp": {"level": "ERROR"},  # its warnings repeat what was sent; errors are written as their places
        "evidence": {"level": "INFO"},
    },
}
