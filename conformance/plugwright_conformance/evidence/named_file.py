"""Reads files named on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_named"]


def read_named(path: Path, code: str, hint: str, *, what: str = "") -> bytes:
    """The bytes of a file.

    Args:
        path: path of the file.
        code: of the error.
        hint: of the error.
        what: text before the path in the error.

    Raises:
        ConnectError: if it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConnectError(
            f"{what}{path} cannot be read: {error.strerror}",
            code=code,
            hint=hint,
            facts={"path": str(path)},
        ) from error
