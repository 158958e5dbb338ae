"""The source offset: how many bytes of the file have been read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["position_of"]


def position_of(offset: Mapping[str, Any]) -> int:
    """The byte position in a stored offset.

    Raises:
        ConnectError: unless the offset is ``{"position": n}`` with a whole number from 0.
    """
    position = offset.get("position")
    if set(offset) != {"position"} or type(position) is not int or position < 0:
        raise ConnectError(
            'a stored offset must be {"position": bytes from 0}, found '
            f"{json.dumps(dict(offset), ensure_ascii=False, default=str)}",
            code="file-source.bad-offset",
            hint="reset or alter the connector's offsets",
            facts={"offset": dict(offset)},
        )
    return position
