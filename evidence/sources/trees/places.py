"""From the address of a place to its tree. Only what is named here can be an address; everything else is a path."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from evidence.errors import Refused, gettext_noop
from evidence.sources.trees import Tree, s3, sftp, webdav
from evidence.sources.trees.local import LocalTree

SCHEMES: Final[dict[str, Callable[[str, str, Mapping[str, str]], Tree]]] = {
    "http": partial(webdav.at, "http"),
    "https": partial(webdav.at, "https"),
    "s3": s3.at,
    "sftp": sftp.at,
}
"""Scheme -> what makes the tree at scheme://authority/path with the operator's options, which are texts."""
OPTIONS: Final = frozenset((*s3.OPTIONS, *sftp.OPTIONS, *webdav.OPTIONS))
"""What the operator can say about places; each scheme takes its own of them."""

_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<chain>:|//(?P<authority>[^/]*)(?P<path>.*))", re.DOTALL)


def at(location: str, options: Mapping[str, str]) -> Tree:
    """The tree at a path or an address. Raises Refused, with nothing of an address that may hold a password in its message."""
    if not location:
        raise Refused("origin_missing", gettext_noop("The source names no folder."))
    found = _ADDRESS.match(location)
    if found is None:
        return LocalTree(Path(location))
    scheme, authority, path = found["scheme"].lower(), found["authority"] or "", found["path"] or ""
    if found["chain"] == ":" or "::" in location:
        message = gettext_noop("The address leads through several places (::). Only one is possible.")
        raise Refused("origin_chained", message)
    if "@" in authority:
        message = gettext_noop("The address holds a user name or a password. They belong into the operator's credentials.")
        raise Refused("origin_password", message)
    if scheme == "file":
        return _local(authority, path)
    if scheme not in SCHEMES:
        message = gettext_noop("Addresses with %(scheme)s:// can't be read. Known are: %(known)s.")
        raise Refused("origin_scheme", message, scheme=scheme[:40], known=", ".join(("file", *sorted(SCHEMES))))
    check_options(options, OPTIONS)
    return SCHEMES[scheme](authority, path, options)


def check_options(options: Mapping[str, str], known: Set[str]) -> None:
    """Raises Refused for what the operator says that nobody would look at."""
    if unknown := sorted(options.keys() - known):
        message = gettext_noop("“%(key)s” in the operator's credentials is not known for an address. Known are: %(known)s.")
        raise Refused("origin_option", message, key=unknown[0][:40], known=", ".join(sorted(known)))


def settled(location: str) -> str:
    """The same place, whatever folder this process stands in. An address is that already."""
    return location if _ADDRESS.match(location) else str(Path(location).resolve())


def parted(location: str) -> tuple[str, str]:
    """The place of a file's folder, and its name."""
    folder, slash, name = location.rpartition("/")
    if not slash:
        folder = "."
    return folder + ("/" if folder.endswith("/") or not folder else ""), name


def _local(authority: str, path: str) -> LocalTree:
    if authority not in {"", "localhost"} or "?" in path or "#" in path or "\0" in unquote(path):
        raise Refused("origin_address", gettext_noop("The address is not of the form %(form)s."), form="file:///folder")
    return LocalTree(Path(unquote(path)))
