"""Frames: what goes between the two sides of a confined task. A JSON object, then raw bytes, both with their lengths first.

Nothing else is ever taken from a child: unpickling would run what a hostile file wrote.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any, Final

MAX_HEADER_BYTES: Final = 65_536
"""A task or a refusal with its values is a few hundred bytes."""
_LENGTHS: Final = struct.Struct("!IQ")
_PIECE: Final = 1 << 20


class Broken(Exception):
    """The other side ended in the middle, or sent what is no frame."""


class TooLarge(Exception):
    """The other side announced more bytes than are taken."""


def send(channel: socket.socket, header: Mapping[str, object], body: bytes, *, until: float | None = None) -> None:
    """Write a frame. until: time.monotonic() at which TimeoutError is raised."""
    words = json.dumps(header).encode()
    _wait_until(channel, until)
    channel.sendall(_LENGTHS.pack(len(words), len(body)) + words)
    if body:  # the other side has the whole frame without it, and may have gone
        _wait_until(channel, until)
        channel.sendall(body)


def receive(
    channel: socket.socket, *, max_body: int | None = None, until: float | None = None
) -> tuple[dict[str, Any], bytearray]:
    """Read a frame. Raises Broken, TooLarge, and TimeoutError at `until`."""
    words, size = _LENGTHS.unpack(_exactly(channel, _LENGTHS.size, until))
    if words > MAX_HEADER_BYTES or (max_body is not None and size > max_body):
        raise TooLarge
    try:
        header = json.loads(_exactly(channel, words, until))
    except (ValueError, RecursionError) as error:
        raise Broken from error
    if not isinstance(header, dict):
        raise Broken
    return header, _exactly(channel, size, until)


def _exactly(channel: socket.socket, size: int, until: float | None) -> bytearray:
    """So many bytes; memory is taken as they arrive, not as they are announced."""
    got = bytearray()
    while len(got) < size:
        _wait_until(channel, until)
        piece = channel.recv(min(size - len(got), _PIECE))
        if not piece:
            raise Broken
        got += piece
    return got


def _wait_until(channel: socket.socket, until: float | None) -> None:
    if until is None:
        return
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    channel.settimeout(left)
