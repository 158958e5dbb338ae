"""Reading files that may be anything: a pipe, a device, a link to itself, or endless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.plugins import read_regular

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST_LIMIT = 1 << 20
RECORD_LIMIT = 64 << 20


def content_of(path: Path, limit: int) -> bytes | None:
    """The bytes of a regular file, or ``None`` where nothing has that name.

    Raises:
        ConnectError: ``sync.not-a-file``, if it is something else, larger than the limit, or
            cannot be read.
    """
    try:
        data = read_regular(path, limit + 1)
    except FileNotFoundError:
        if not path.is_symlink():
            return None
        raise _unusable(path, "is a link to nothing") from None
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror}") from error
    if len(data) > limit:
        raise _unusable(path, f"is larger than {limit} bytes")
    return data


def _unusable(path: Path, what: str) -> ConnectError:
    return ConnectError(
        what,
        code="sync.not-a-file",
        hint="put a sound file there or remove it, then run the command again",
        facts={"path": str(path)},
    )
