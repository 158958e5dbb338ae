"""The frame format between processes: two lengths, a JSON head, and a body of any bytes.

A head may come from an unauthenticated peer, before anything is known of it; so it is plain
data in JSON, never a pickle, and neither part is read beyond a limit.
"""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["HEAD_LIMIT", "NonsenseError", "packed_head", "read_frame"]

HEAD_LIMIT = 1 << 16
"""Default maximum size of a head in bytes."""

_LENGTHS = struct.Struct("!IQ")


class NonsenseError(Exception):
    """The received data is not a frame, or too large."""


def packed_head(head: Any, body_size: int = 0) -> bytes:
    """The bytes to send before a body of this size.

    Args:
        head: what JSON can say.
        body_size: bytes of the body.
    """
    text = json.dumps(head, separators=(",", ":")).encode()
    return _LENGTHS.pack(len(text), body_size) + text


def read_frame(
    exactly: Callable[[int], bytes], *, head_limit: int = HEAD_LIMIT, body_limit: int = 0
) -> tuple[Any, bytes]:
    """The head and the body of the next frame.

    Args:
        exactly: reads so many bytes.
        head_limit: bytes of the head at most.
        body_limit: bytes of the body at most.

    Raises:
        NonsenseError: if it is larger than that, or the head is not JSON.
    """
    head_size, body_size = _LENGTHS.unpack(exactly(_LENGTHS.size))
    if head_size > head_limit or body_size > body_limit:
        raise NonsenseError
    try:
        head = json.loads(exactly(head_size))
    except (ValueError, RecursionError) as error:
        raise NonsenseError from error
    return head, exactly(body_size) if body_size else b""
