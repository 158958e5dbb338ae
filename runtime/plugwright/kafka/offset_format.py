"""The bytes of a source offset in Kafka Connect's own format.

Key ``["<connector>",{partition}]``, value ``{offset}``, both JSON without schemas, a null value for
a deleted offset (`OffsetStorageWriter` and `KafkaOffsetBackingStore` of Kafka Connect), so that
each runtime reads what the other wrote.
"""

from __future__ import annotations

import json
import logging
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.worker import KafkaMessage, SourceOffset

_KEY_LENGTH = 2
_EXAMPLES: Mapping[str, str] = MappingProxyType(
    {"partition": '{"file": "orders.csv"}', "offset": '{"position": 42}'}
)

log = logging.getLogger(__name__)


def serialized_offsets(
    connector: str, offsets: Sequence[SourceOffset]
) -> list[tuple[bytes, bytes | None]]:
    """The keys and values of a connector's offsets, in Kafka Connect's format.

    Raises:
        DataError: if a partition or an offset is not a flat map of plain values.
    """
    return [
        (
            partition_key(connector, partition),
            None if offset is None else plain_json(offset, "offset"),
        )
        for partition, offset in offsets
    ]


def partition_of(message: KafkaMessage, connector: str) -> Mapping[str, Any] | None:
    """The source partition of a message, if it belongs to this connector."""
    found = _parsed(message.key())
    if not isinstance(found, list) or len(found) != _KEY_LENGTH or not isinstance(found[0], str):
        _log_ignored("partition key", message)
        return None
    name, partition = found
    if name != connector or partition is None:
        return None
    if not isinstance(partition, dict):
        _log_ignored("partition key", message)
        return None
    return partition


def offset_of(message: KafkaMessage) -> Mapping[str, Any] | None:
    """The offset in a message; ``None`` if it deletes one or is invalid."""
    data = message.value()
    if data is None:
        return None
    offset = _parsed(data)
    if not isinstance(offset, dict):
        _log_ignored("value", message)
        return None
    return offset


def _parsed(data: bytes | None) -> Any:
    try:
        return json.loads(data or b"")
    except ValueError:
        return None


def _log_ignored(what: str, message: KafkaMessage) -> None:
    log.warning(
        "Ignoring offset %s with an unexpected format at %s-%s@%s",
        what,
        message.topic(),
        message.partition(),
        message.offset(),
    )


def partition_key(connector: str, partition: Mapping[str, Any]) -> bytes:
    """The key under which a partition of a connector has its offset.

    Raises:
        DataError: if the partition is not a flat map of plain values.
    """
    name = json.dumps(connector, ensure_ascii=False).encode()
    return b"[%s,%s]" % (name, plain_json(partition, "partition"))


def plain_json(data: Mapping[str, Any], what: str) -> bytes:
    """The map as JSON, checked by Connect's rules for offsets.

    Args:
        data: a partition or an offset.
        what: which of them, for messages.

    Raises:
        DataError: if it is not a flat map of plain values.
    """
    if not isinstance(data, dict):
        raise DataError(
            f"a source {what} must be specified as a map, found {type(data).__name__}",
            code="offsets.not-plain",
            hint=f"give SourceRecord a dict as source_{what}, such as {_EXAMPLES[what]}",
        )
    for key, value in data.items():
        if not isinstance(key, str):
            raise DataError(
                f"a source {what} may only use string keys, found {key!r}",
                code="offsets.not-plain",
                hint=f"use strings as keys of source_{what}, such as {_EXAMPLES[what]}",
            )
        if value is not None and not isinstance(value, str | int | float | bool):
            raise DataError(
                f"a source {what} may only contain plain values, "
                f"but {key} holds {type(value).__name__}",
                code="offsets.not-plain",
                hint=f"use only strings, numbers, booleans and None in source_{what}; convert "
                "other values to strings, for example a time with isoformat()",
                facts={"field": key},
            )
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()
