"""The Kafka data source: offset ranges are planned on the driver and read on executors."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
)

from plugwright.errors import ConfigError, ConnectError
from plugwright.kafka import (
    LogPositions,
    OffsetRange,
    batch_end,
    ranges_between,
    ranges_by_task,
    read_ranges,
    split_ranges,
)
from plugwright.record import TopicPartition
from plugwright.spark.kafka_source._columns import batch_of, spark_schema
from plugwright.spark.kafka_source._options import EARLIEST, KafkaOptions, offsets_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

FORMAT = "plugwright-kafka"
_FIRST = -2
_WAIT_S = 0.02  # an idle stream polls continuously, and each poll costs time


class KafkaPartition(InputPartition):
    """The offset ranges of one Spark task."""

    def __init__(self, ranges: Sequence[OffsetRange]) -> None:
        super().__init__(tuple(ranges))
        self.ranges = tuple(ranges)


class KafkaDataSource(DataSource):
    """The format ``plugwright-kafka``: Kafka topics as rows, for batches and streams.

    Options and columns are those of Spark's own Kafka source, which is not required. Offsets of
    a stream are in its checkpoint; the source uses no consumer group.
    """

    @classmethod
    def name(cls) -> str:
        """The name for ``format``."""
        return FORMAT

    def schema(self) -> str:
        """Spark's columns of Kafka's records.

        Raises:
            ConfigError: if the option that determines them is invalid.
        """
        headers = str(self.options.get("includeHeaders", "false")).strip().lower()
        compact = "plugwright.tasks" in self.options
        return spark_schema(headers=headers == "true", compact=compact)

    def reader(self, schema: Any) -> DataSourceReader:  # noqa: ARG002  # it has one schema
        """Create a batch reader.

        Raises:
            ConfigError: naming every invalid option.
        """
        return KafkaReader(KafkaOptions.parse(dict(self.options), streaming=False))

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: ARG002, N802  # pyspark's name; one schema
        """Create a stream reader.

        Raises:
            ConfigError: naming every invalid option.
        """
        return KafkaStreamReader(KafkaOptions.parse(dict(self.options), streaming=True))


class _RangeReading:
    """The common part of batch and stream readers: reading planned ranges."""

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Read the records of ranges as Arrow batches, on an executor."""
        options = self._options
        ranges = partition.value
        for messages in read_ranges(
            options.servers,
            ranges,
            options.client,
            timeout_s=options.timeout_s,
            fail_on_data_loss=options.fail_on_data_loss,
        ):
            yield batch_of(messages, headers=options.include_headers, compact=bool(options.tasks))

    def _planned(self, ranges: Sequence[OffsetRange]) -> Sequence[InputPartition]:
        options = self._options
        if options.tasks:
            return [KafkaPartition(mine) for mine in ranges_by_task(ranges, options.tasks).values()]
        return [KafkaPartition([each]) for each in split_ranges(ranges, options.min_partitions)]

    def _positions(self) -> LogPositions:
        options = self._options
        return LogPositions(options.servers, options.subscription, options.client)


class KafkaReader(_RangeReading, DataSourceReader):
    """Reads a batch from its starting to its ending offsets.

    Args:
        options: the options of the query.
    """

    def partitions(self) -> Sequence[InputPartition]:
        """The ranges of each Spark task.

        Raises:
            ConnectError: if a topic or an offset does not exist, or Kafka does
                not answer.
        """
        positions = self._positions()
        homes = positions.partitions()
        _require_topics(self._options, homes)
        start, end = (
            _started(self._options, positions, homes),
            _ended(self._options, positions, homes),
        )
        return self._planned(ranges_between(start, end))


class KafkaStreamReader(_RangeReading, DataSourceStreamReader):
    """Reads a stream from the offsets of a checkpoint; its planning calls share one process.

    Args:
        options: the options of the query.
    """

    def __init__(self, options: KafkaOptions) -> None:
        super().__init__(options)
        self._asked: LogPositions | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # pyspark's name
        """The starting offsets of a stream without a checkpoint.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        positions = self._log()
        return offsets_json(_started(self._options, positions, positions.partitions()))

    def getDefaultReadLimit(self) -> Any:  # noqa: N802  # pyspark's name
        """The size of a batch, unless the trigger sets one."""
        from pyspark.sql.streaming.datasource import (  # noqa: PLC0415  # from 4.2 on
            ReadAllAvailable,
            ReadMaxRows,
        )

        limit = self._options.max_offsets
        return ReadMaxRows(limit) if limit else ReadAllAvailable()

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802  # pyspark's name
        """The end offsets of the next batch.

        Raises:
            ConnectError: if Kafka does not answer, or has lost unread records.
        """
        begin, positions = _offsets(start), self._log()
        end = self._ends(begin, positions)
        if not ranges_between(begin, end):
            time.sleep(_WAIT_S)
            end = self._ends(begin, positions)
        most = getattr(limit, "max_rows", None)
        return offsets_json(batch_end(begin, end, most) if most else end)

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802  # pyspark's name
        """The end offsets of the topics, for the progress of the query."""
        positions = self._log()
        return offsets_json(positions.latest(positions.partitions(afresh=False)))

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The ranges of each Spark task of a batch.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        begin, last = _offsets(start), _offsets(end)
        if new := [home for home in last if home not in begin]:
            begin |= self._log().earliest(new)
        return self._planned(ranges_between(begin, last))

    def _ends(
        self, begin: Mapping[TopicPartition, int], positions: LogPositions
    ) -> dict[TopicPartition, int]:
        """The end offsets of the logs; they never decrease, even if a partition is deleted."""
        ends = positions.latest(positions.partitions(afresh=False))
        for home, offset in begin.items():
            found = ends.get(home, -1)
            if found < offset:
                self._missing(home, offset, found)
                ends[home] = offset
        return ends

    def _missing(self, home: TopicPartition, offset: int, found: int) -> None:
        if self._options.fail_on_data_loss:
            where = f"ends at offset {found}" if found >= 0 else "is gone"
            raise ConnectError(
                f"{home.topic}-{home.partition} {where}, but was read up to offset {offset}: the "
                "topic was recreated, or Kafka has lost records",
                code="kafka.data-lost",
                hint="set failOnDataLoss=false to wait for newer records, or start with a new "
                "checkpoint",
                facts={"topic": home.topic, "partition": home.partition},
            )

    def _log(self) -> LogPositions:
        if self._asked is None:
            self._asked = self._positions()
        return self._asked

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the client: executors only read, and do not plan."""
        return {"_options": self._options, "_asked": None}


def _require_topics(options: KafkaOptions, homes: Sequence[TopicPartition]) -> None:
    there = {home.topic for home in homes}
    missing = [topic for topic in options.subscription.topics if topic not in there]
    if missing:
        raise ConfigError(
            f"subscribe: topic {', '.join(missing)} does not exist in Kafka at {options.servers}",
            code="kafka.no-topic",
            hint="create the topic, or correct the option subscribe",
            facts={"topics": tuple(missing)},
        )


def _started(
    options: KafkaOptions, positions: LogPositions, homes: Sequence[TopicPartition]
) -> dict[TopicPartition, int]:
    place = options.starting
    if isinstance(place, str):
        ask = positions.earliest if place == EARLIEST else positions.latest
        return ask(homes)
    found = _placed(place, positions, homes)
    return found | positions.earliest([home for home in homes if home not in found])


def _ended(
    options: KafkaOptions, positions: LogPositions, homes: Sequence[TopicPartition]
) -> dict[TopicPartition, int]:
    place = options.ending
    latest = positions.latest(homes)
    return latest if isinstance(place, str) else latest | _placed(place, positions, homes)


def _placed(
    place: Mapping[TopicPartition, int],
    positions: LogPositions,
    homes: Sequence[TopicPartition],
) -> dict[TopicPartition, int]:
    """The configured offsets of existing partitions; -2 and -1 are looked up."""
    named = {home: place[home] for home in homes if home in place}
    earliest = positions.earliest([home for home, offset in named.items() if offset == _FIRST])
    latest = positions.latest([home for home, offset in named.items() if offset == -1])
    return named | earliest | latest


def _offsets(plain: Mapping[str, Mapping[str, int]]) -> dict[TopicPartition, int]:
    return {
        TopicPartition(topic, int(number)): offset
        for topic, numbers in plain.items()
        for number, offset in numbers.items()
    }
