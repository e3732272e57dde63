"""Whether the protocol is installed here: the official SDK is an extra, for it brings a web framework and a client of its own."""

from __future__ import annotations

from functools import cache
from importlib import import_module, util
from types import ModuleType
from typing import Final

from evidence.errors import EvidenceError, gettext_noop

SDK: Final = "mcp"


class NotInstalled(EvidenceError):
    """The operator has not installed the SDK."""

    def __init__(self) -> None:
        message = gettext_noop("MCP is not installed on this server. Whoever runs it installs it with requirements-mcp.txt.")
        super().__init__("mcp_missing", message)


@cache
def protocol() -> ModuleType:
    """The module evidence.mcp.protocol; loading it takes a second, so nobody pays who calls no tool. Raises NotInstalled."""
    if util.find_spec(SDK) is None:
        raise NotInstalled
    return import_module("evidence.mcp.protocol")
