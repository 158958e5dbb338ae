"""The source offset: how many rows of a file have been read, and whether those are all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["finished", "position_of"]


def finished(offset: Mapping[str, Any]) -> bool:
    """Whether a stored offset is that of a file's last row."""
    return offset.get("finished") is True


def position_of(offset: Mapping[str, Any]) -> int:
    """The number of rows in a stored offset.

    Raises:
        ConnectError: unless the offset is ``{"position": n}``, with or without ``finished``.
    """
    position = offset.get("position")
    wrong = type(position) is not int or position < 0
    if wrong or not set(offset) <= {"position", "finished"}:
        raise ConnectError(
            'a stored offset must be {"position": rows from 0, "finished": true or false}, found '
            f"{json.dumps(dict(offset), ensure_ascii=False, default=str)}",
            code="lake.bad-offset",
            hint="reset or alter the connector's offsets",
            facts={"offset": dict(offset)},
        )
    assert isinstance(position, int)  # noqa: S101  # seen above
    return position
