"""Reads ranges of offsets to their ends, without a group."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka import TopicPartition as ClientPartition

from plugwright.errors import ConnectError
from plugwright.kafka._settings import client_settings
from plugwright.kafka.error_codes import is_of_unused_group, passes
from plugwright.kafka.login import LoginWatch, opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.kafka._ranges import OffsetRange
    from plugwright.record import TopicPartition
    from plugwright.worker import KafkaMessage

log = logging.getLogger(__name__)

_BATCH = 2_000  # fits a processor's cache; five times as many cost a quarter more each
_POLL_S = 0.2
_REQUEST_S = 10.0
_EOF = KafkaError._PARTITION_EOF  # noqa: SLF001  # the client's own name
_GONE = frozenset(
    {
        KafkaError._AUTO_OFFSET_RESET,  # noqa: SLF001  # the same
        KafkaError.OFFSET_OUT_OF_RANGE,
    }
)


def read_ranges(
    bootstrap_servers: str,
    ranges: Sequence[OffsetRange],
    overrides: Mapping[str, str],
    *,
    timeout_s: float = 120.0,
    fail_on_data_loss: bool = True,
) -> Iterator[Sequence[KafkaMessage]]:
    """The records of ranges, in batches, in order within each partition. Hot path.

    Args:
        bootstrap_servers: the address of Kafka.
        ranges: at most one per partition.
        overrides: settings for the client, in Kafka's property names. It reads committed records
            unless these settings say otherwise.
        timeout_s: how long to wait for the next record.
        fail_on_data_loss: whether to fail if Kafka has deleted a part of a range, instead of
            continuing with the rest.

    Raises:
        ConnectError: ``kafka.data-lost``, ``kafka.read-timeout``, ``kafka.consume-failed``, or if
            Kafka refuses the client's login.
    """
    reader = _RangeReader(bootstrap_servers, ranges, overrides, fail_on_data_loss)
    try:
        deadline = time.monotonic() + timeout_s
        while reader.open:
            messages = reader.poll()
            if messages is not None:
                deadline = time.monotonic() + timeout_s
            elif time.monotonic() > deadline:
                raise reader.too_late(timeout_s)
            if messages:
                yield messages
    finally:
        reader.close()


class _RangeReader:
    """A consumer with assigned ranges.

    Attributes:
        open: the ranges that are not yet read to their end, by partition.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        ranges: Sequence[OffsetRange],
        overrides: Mapping[str, str],
        fail_on_data_loss: bool,
    ) -> None:
        self._watch = LoginWatch(_settings(bootstrap_servers, overrides))
        self._consumer: Any = opened(Consumer, self._watch.settings)
        self._strict = fail_on_data_loss
        self._assigned = len(ranges)
        self.open = {(each.topic, each.partition): each for each in ranges}
        self._consumer.incremental_assign([_at(each.home, each.start) for each in ranges])

    def poll(self) -> list[KafkaMessage] | None:
        """The fetched messages; ``None`` if nothing has changed.

        Waits only for the first message: requesting a whole batch would wait for the last one.
        """
        first = self._consumer.poll(_POLL_S)
        if first is None:
            self._watch.require()
            return None
        messages = [first, *self._consumer.consume(_BATCH - 1, 0)]
        before = len(self.open)
        found = self._within(messages)
        return found if found or len(self.open) < before else None

    def too_late(self, timeout_s: float) -> ConnectError:
        """The error after the time-out."""
        waiting = ", ".join(str(each) for each in sorted(self.open.values())[:3])
        return ConnectError(
            f"no records from {waiting} within {timeout_s:g} s",
            code="kafka.read-timeout",
            hint="check that the brokers are reachable from this machine, or increase "
            "kafkaConsumer.pollTimeoutMs",
            facts={"ranges": waiting},
        )

    def close(self) -> None:
        """Release the consumer."""
        self._consumer.close()

    def _within(self, messages: Sequence[Any]) -> list[KafkaMessage]:
        """The messages that belong to open ranges; closes the ranges that they complete."""
        ranges = self.open
        if len(ranges) == self._assigned == 1:
            (only,) = ranges.values()
            if _are_inside(messages, only):
                return list(messages)
        found: list[KafkaMessage] = []
        for message in messages:
            home = (message.topic(), message.partition())
            mine = ranges.get(home)
            if mine is None:
                self._judge(message)
            elif message.error() is not None:
                self._notice(mine, message)
            else:
                offset = message.offset()
                if offset < mine.end:
                    found.append(message)
                if offset >= mine.end - 1:
                    self._finish(home)
        return found

    def _notice(self, mine: OffsetRange, message: Any) -> None:
        error = message.error()
        if error.code() == _EOF:
            if message.offset() >= mine.end:
                self._finish(mine.home)
            elif self._end(mine) < mine.end:
                self._lost(mine, f"the partition ends at offset {message.offset()}")
                self._finish(mine.home)
        elif error.code() in _GONE:
            begin, _ = self._bounds(mine)
            self._lost(mine, f"the partition begins at offset {begin}")
            if begin >= mine.end:
                self._finish(mine.home)
            else:
                # The client has dropped this partition and cannot seek in it any more.
                self._consumer.incremental_unassign([ClientPartition(*mine.home)])
                self._consumer.incremental_assign([_at(mine.home, max(begin, mine.start))])
        else:
            self._judge(message)

    def _finish(self, home: tuple[str, int]) -> None:
        del self.open[home]
        self._consumer.pause([ClientPartition(*home)])

    def _end(self, mine: OffsetRange) -> int:
        return self._bounds(mine)[1]

    def _bounds(self, mine: OffsetRange) -> tuple[int, int]:
        try:
            begin, end = self._consumer.get_watermark_offsets(
                ClientPartition(*mine.home), timeout=_REQUEST_S
            )
        except KafkaException as error:
            raise _failed(mine, error) from error
        return int(begin), int(end)

    def _lost(self, mine: OffsetRange, how: str) -> None:
        if self._strict:
            raise ConnectError(
                f"records of {mine} are no longer available: {how}",
                code="kafka.data-lost",
                hint="set failOnDataLoss=false to continue with the rest, and check the "
                "topic's retention",
                facts={"topic": mine.topic, "partition": mine.partition},
            )
        log.warning("records of %s are no longer available: %s", mine, how)

    @staticmethod
    def _judge(message: Any) -> None:
        error = message.error()
        if error is None or passes(error) or is_of_unused_group(error):
            return
        home = f"{message.topic()}-{message.partition()}" if message.topic() else "Kafka"
        raise _failed(home, error)


def _are_inside(messages: Sequence[Any], mine: OffsetRange) -> bool:
    """Whether all are records before the end of the only range.

    Offsets grow within a partition, so checking the last message is enough.
    """
    plain = all(message.error() is None for message in messages)
    return plain and messages[-1].offset() < mine.end - 1


def _failed(what: object, error: object) -> ConnectError:
    return ConnectError(f"reading {what} failed: {error}", code="kafka.consume-failed")


def _at(home: TopicPartition, offset: int) -> ClientPartition:
    return ClientPartition(home.topic, home.partition, offset)


def _settings(bootstrap_servers: str, overrides: Mapping[str, str]) -> dict[str, object]:
    return {
        "isolation.level": "read_committed",
        # Reports the end of a log at once, not after waiting half a second for more.
        "fetch.wait.max.ms": 10,
        "fetch.queue.backoff.ms": 10,
        **client_settings(bootstrap_servers, "plugwright-range-reader", overrides),
        "group.id": "plugwright-range-reader",  # required by the client; nothing is committed
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "error",
    }
