"""Source partitions and offsets: the tap, and its state as JSON text."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError
from plugwright_singer.values import exact_json

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_partition", "offset_of", "partition_of", "state_of"]

_TAP = "tap"
_STATE = "state"


def partition_of(tap: str) -> dict[str, str]:
    """The source partition of a tap."""
    return {_TAP: tap}


def offset_of(state: Any) -> dict[str, str | None]:
    """The source offset of a state; one without text for the time before the first."""
    if state is None:
        return {_STATE: None}
    return {_STATE: exact_json(state)}


def state_of(offset: Mapping[str, Any]) -> Any:
    """The state in a stored offset; ``None`` for the time before the first.

    Raises:
        ConnectError: unless the offset is ``{"state": text}`` with JSON in it.
    """
    text = offset.get(_STATE)
    if set(offset) == {_STATE} and (text is None or isinstance(text, str)):
        try:
            return None if text is None else json.loads(text, parse_float=Decimal)
        except ValueError:
            pass
    raise ConnectError(
        "a source offset must have a state, which is JSON text or null, found "
        f"{json.dumps(dict(offset), ensure_ascii=False, default=str)}",
        code="singer.bad-offset",
        hint="correct or reset the connector's offsets",
    )


def check_partition(partition: Mapping[str, Any]) -> None:
    """Reject an invalid source partition of a tap.

    Raises:
        ConnectError: unless it is ``{"tap": name}``.
    """
    if set(partition) != {_TAP} or not isinstance(partition[_TAP], str):
        raise ConnectError(
            "a source partition must have a tap and nothing else, found "
            f"{json.dumps(dict(partition), ensure_ascii=False, default=str)}",
            code="singer.bad-partition",
        )
