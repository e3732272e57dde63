"""The line to a place on another machine: every question ends in time, is asked a bounded number of times, and fails in one way.

Questions go out through libraries that raise what they like. Here each becomes FileNotFoundError, PermissionError or
Unreachable, with a short reason that is a code or the name of a type: never a text that the other side wrote.
"""

from __future__ import annotations

import errno
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from importlib.util import find_spec
from typing import Final, TypeVar

from evidence.errors import EvidenceError, Refused, gettext_noop
from evidence.sources.trees import missing

CONNECT_SECONDS: Final = 5.0
"""Until a connection stands."""
ANSWER_SECONDS: Final = 15.0
"""Without one byte of an answer."""
CALL_SECONDS: Final = 30.0
"""For one whole answer: a page of a listing, the rules file."""
FILE_SECONDS: Final = 120.0
"""For one whole file: the longest one at 170 kB a second."""
PAUSES: Final = (0.5, 1.5)
"""Seconds before a question is asked again, and up to twice as many: three attempts."""
REST_SECONDS: Final = 60.0
"""A place that did not answer at last is not asked for so long: else each of thousands of files would wait for its own answer."""
MAX_LISTED: Final = 1_000_000
"""Files that one listing may name; all of them are in memory, some 1.5 kB each."""

T = TypeVar("T")
_REASON = re.compile(r"[A-Za-z0-9._-]{1,60}")


class Trouble(Enum):
    """What kind of no an answer is."""

    ABSENT = auto()
    DENIED = auto()
    PASSING = auto()
    LASTING = auto()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What went wrong. reason: a code of the other side, shown as it is only where it looks like one."""

    trouble: Trouble
    reason: str


Judge = Callable[[Exception], Verdict]


class Unreachable(OSError):
    """There was no answer, or one that can't be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EHOSTUNREACH, reason)


class Line:
    """Asks one place. judge: what its library's exceptions mean."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._rests_until = 0.0
        self._reason = ""

    def ask(self, question: Callable[[], T], *, anew: Callable[[], object] = lambda: None) -> T:
        """The answer. Raises FileNotFoundError, PermissionError or Unreachable; EvidenceError passes through.

        anew: what is done before the question is asked again.
        """
        if time.monotonic() < self._rests_until:
            raise Unreachable(self._reason)
        for pause in (*PAUSES, None):
            try:
                return question()
            except EvidenceError:
                raise
            except Exception as error:  # whatever a library raises
                verdict = self._judge(error)
                reason = verdict.reason if _REASON.fullmatch(verdict.reason) else type(error).__name__
                if verdict.trouble is not Trouble.PASSING or pause is None:
                    raise self._failure(verdict.trouble, reason) from error
            time.sleep(pause * random.uniform(1, 2))
            anew()
        raise AssertionError("the last attempt returns or raises")

    def _failure(self, trouble: Trouble, reason: str) -> OSError:
        match trouble:
            case Trouble.ABSENT:
                return FileNotFoundError(errno.ENOENT, reason)
            case Trouble.DENIED:
                return PermissionError(errno.EACCES, reason)
            case Trouble.PASSING:
                self._rests_until, self._reason = time.monotonic() + REST_SECONDS, reason
        return Unreachable(reason)


@contextmanager
def reached(place: str) -> Iterator[None]:
    """Say what is wrong with a place as a whole, as an error with a code of its own."""
    try:
        yield
    except FileNotFoundError as error:
        raise missing(place) from error
    except PermissionError as error:
        message = gettext_noop("The place of this source denies access (%(reason)s). See the operator's credentials.")
        raise EvidenceError("origin_denied", message, reason=error.strerror) from error
    except OSError as error:
        message = gettext_noop("The place of this source can't be reached (%(reason)s).")
        raise EvidenceError("origin_unreachable", message, reason=error.strerror or type(error).__name__) from error


def changed() -> Refused:
    """What was read is not what the listing named."""
    message = gettext_noop("The file changed while the source was being read. The next run takes it in.")
    return Refused("file_changed", message)


def too_many() -> Refused:
    """The listing has no end that is worth waiting for."""
    message = gettext_noop("There are more than %(limit)d files at this place.")
    return Refused("origin_too_large", message, limit=MAX_LISTED)


def need(package: str, scheme: str) -> None:
    """Refuse an address for which something is not installed."""
    if find_spec(package) is None:
        message = gettext_noop(
            "Addresses with %(scheme)s:// need the package %(package)s, which is not installed: pip install fundstelle[origins]"
        )
        raise Refused("origin_package_missing", message, scheme=scheme, package=package)


def flag(options: Mapping[str, str], key: str) -> bool:
    """An option that is yes or no. Raises Refused."""
    value = options.get(key, "no")
    if value not in {"yes", "no"}:
        raise Refused("origin_option", gettext_noop("%(key)s in the operator's credentials is yes or no."), key=key)
    return value == "yes"
