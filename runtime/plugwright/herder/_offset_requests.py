"""Converts offsets between the REST API's form and the internal one (KIP-875)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from plugwright.control_plane import (
    BadRequestError,
    ConnectorOffset,
    ConnectorOffsets,
    Message,
)
from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.herder._worker_interface import Offsets

_TOPIC, _PARTITION, _OFFSET = "kafka_topic", "kafka_partition", "kafka_offset"
_WHOLE: Final = re.compile(r"[+-]?\d{1,20}")


def shown_offsets(offsets: Offsets) -> ConnectorOffsets:
    """Offsets in the form of ``GET /connectors/{name}/offsets``."""
    return ConnectorOffsets([ConnectorOffset(partition, offset) for partition, offset in offsets])


def requested_offsets(offsets: Sequence[ConnectorOffset], kind: str) -> Offsets:
    """Parse the offsets of a request that changes them.

    Args:
        offsets: partitions and offsets as sent.
        kind: ``source`` or ``sink``; a sink's partitions and offsets are Kafka's own.

    Raises:
        BadRequestError: if a sink's partition or offset is malformed.
        ConnectError: if it is negative.
    """
    if kind == "sink":
        asked = [_sink_offset(each) for each in offsets]
        _require_no_negative(asked)
        return asked
    given = (each for each in offsets if each.partition is not None or each.offset is not None)
    return [(each.partition or {}, each.offset) for each in given]


def outcome(*, altered: bool, by_plugin: bool) -> Message:
    """The response after offsets were altered (``altered``) or reset."""
    done = "altered" if altered else "reset"
    if by_plugin:
        return Message(f"The offsets for this connector have been {done} successfully")
    return Message(
        f"The Connect framework-managed offsets for this connector have been {done} successfully. "
        "However, if this connector manages offsets externally, they will need to be manually "
        f"{done} in the system that the connector uses."
    )


def _sink_offset(asked: ConnectorOffset) -> tuple[Mapping[str, Any], Mapping[str, Any] | None]:
    partition = asked.partition
    if partition is None:
        raise BadRequestError("The partition for a sink connector offset cannot be null or missing")
    if _TOPIC not in partition or _PARTITION not in partition:
        raise BadRequestError(
            f"The partition for a sink connector offset must contain the keys '{_TOPIC}' and "
            f"'{_PARTITION}'"
        )
    if partition[_TOPIC] is None:
        raise BadRequestError("Kafka topic names must be valid strings and may not be null")
    number = _number(partition[_PARTITION], "partition", 32)
    return {_TOPIC: _word(partition[_TOPIC]), _PARTITION: number}, _asked_offset(asked.offset)


def _asked_offset(offset: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if offset is None:
        return None
    if _OFFSET not in offset:
        raise BadRequestError(
            f"The offset for a sink connector should either be null or contain the key '{_OFFSET}'"
        )
    return {_OFFSET: _number(offset[_OFFSET], "offset", 64)}


def _require_no_negative(asked: Offsets) -> None:
    """Insist on offsets that Kafka can have, once all of them could be read.

    Raises:
        ConnectError: at the first that is negative.
    """
    for _, offset in asked:
        if offset is not None and offset[_OFFSET] < 0:
            raise ConnectError(
                f"Kafka has no negative offset such as {offset[_OFFSET]}",
                code="offsets.negative",
                facts={"value": str(offset[_OFFSET])},
            )


def _number(value: object, what: str, bits: int) -> int:
    """Parse an integer of at most this many bits; clients may also send it as text."""
    text = _word(value)
    if isinstance(value, int | str) and not isinstance(value, bool) and _WHOLE.fullmatch(text):
        number = int(text)
        if -(1 << bits - 1) <= number < 1 << bits - 1:
            return number
    raise BadRequestError(
        f"Failed to parse the following Kafka {what} value in the provided offsets: '{text}'. "
        f"{what.capitalize()} values for sink connectors need to be integers.",
        facts={"value": text},
    )


def _word(value: object) -> str:
    """A value as it was sent: text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)
