"""Kafka as a data source of Spark: ranges of offsets, planned on the driver, read on executors."""

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
    admitted,
    ranges_between,
    read_ranges,
    shared_out,
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
_WAIT_S = 0.02  # an idle stream asks again and again, and each time costs


class KafkaPartition(InputPartition):
    """What one Spark task reads."""

    def __init__(self, ranges: Sequence[OffsetRange]) -> None:
        super().__init__(tuple(ranges))
        self.ranges = tuple(ranges)


class KafkaDataSource(DataSource):
    """The format ``plugwright-kafka``: topics of Kafka as rows, for batches and streams.

    Options and columns are those of Spark's own Kafka source, which need not be there. Offsets of
    a stream are in its checkpoint; nothing is read in a consumer group.
    """

    @classmethod
    def name(cls) -> str:
        """What ``format`` is given."""
        return FORMAT

    def schema(self) -> str:
        """Spark's columns of Kafka's records.

        Raises:
            ConfigError: if the option that they depend on is wrong.
        """
        headers = str(self.options.get("includeHeaders", "false")).strip().lower()
        compact = "plugwright.tasks" in self.options
        return spark_schema(headers=headers == "true", compact=compact)

    def reader(self, schema: Any) -> DataSourceReader:  # noqa: ARG002  # it has one schema
        """Reads once.

        Raises:
            ConfigError: naming every option that is wrong.
        """
        return KafkaReader(KafkaOptions.parse(dict(self.options), streaming=False))

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: ARG002, N802  # pyspark's name; one schema
        """Reads on and on.

        Raises:
            ConfigError: naming every option that is wrong.
        """
        return KafkaStreamReader(KafkaOptions.parse(dict(self.options), streaming=True))


class _RangeReading:
    """What batches and streams share: reading what was planned."""

    def __init__(self, options: KafkaOptions) -> None:
        self._options = options

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of some ranges, as batches of Arrow; runs on an executor."""
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
            return [KafkaPartition(mine) for mine in shared_out(ranges, options.tasks).values()]
        return [KafkaPartition([each]) for each in split_ranges(ranges, options.min_partitions)]

    def _positions(self) -> LogPositions:
        options = self._options
        return LogPositions(options.servers, options.subscription, options.client)


class KafkaReader(_RangeReading, DataSourceReader):
    """Reads what is there, from its start to its end.

    Args:
        options: what to read.
    """

    def partitions(self) -> Sequence[InputPartition]:
        """The ranges of each Spark task.

        Raises:
            ConnectError: if a topic is not there, an offset is not there any more, or Kafka does
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
    """Reads on, from what a checkpoint says; its planning is asked for within one process.

    Args:
        options: what to read.
    """

    def __init__(self, options: KafkaOptions) -> None:
        super().__init__(options)
        self._asked: LogPositions | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802  # pyspark's name
        """Where a stream without a checkpoint begins.

        Raises:
            ConnectError: if Kafka does not answer.
        """
        positions = self._log()
        return offsets_json(_started(self._options, positions, positions.partitions()))

    def getDefaultReadLimit(self) -> Any:  # noqa: N802  # pyspark's name
        """How much a batch takes, unless its trigger says otherwise."""
        from pyspark.sql.streaming.datasource import (  # noqa: PLC0415  # from 4.2 on
            ReadAllAvailable,
            ReadMaxRows,
        )

        limit = self._options.max_offsets
        return ReadMaxRows(limit) if limit else ReadAllAvailable()

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802  # pyspark's name
        """How far the next batch goes.

        Raises:
            ConnectError: if Kafka does not answer, or has lost what was to be read.
        """
        begin, positions = _offsets(start), self._log()
        end = self._ends(begin, positions)
        if not ranges_between(begin, end):
            time.sleep(_WAIT_S)
            end = self._ends(begin, positions)
        most = getattr(limit, "max_rows", None)
        return offsets_json(admitted(begin, end, most) if most else end)

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802  # pyspark's name
        """Where the logs end, for the progress of the query."""
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
        """Where the logs end; a partition never goes back, nor does one that is gone."""
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
                "topic was made anew, or Kafka has lost records",
                code="kafka.data-lost",
                hint="set failOnDataLoss=false to wait for newer records, or begin with a new "
                "checkpoint",
                facts={"topic": home.topic, "partition": home.partition},
            )

    def _log(self) -> LogPositions:
        if self._asked is None:
            self._asked = self._positions()
        return self._asked

    def __getstate__(self) -> dict[str, Any]:
        """Executors read and do not plan: the client stays where it is."""
        return {"_options": self._options, "_asked": None}


def _require_topics(options: KafkaOptions, homes: Sequence[TopicPartition]) -> None:
    there = {home.topic for home in homes}
    missing = [topic for topic in options.subscription.topics if topic not in there]
    if missing:
        raise ConfigError(
            f"subscribe: there is no topic {', '.join(missing)} in Kafka at {options.servers}",
            code="kafka.no-topic",
            hint="make the topic, or correct the option subscribe",
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
    """Named offsets of those partitions that are there; -2 and -1 looked up."""
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
