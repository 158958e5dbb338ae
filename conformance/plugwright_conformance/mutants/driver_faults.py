"""Faults that only a richer endpoint driver shows, as functions that break files of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import exchange_task, mutant, replace_text

if TYPE_CHECKING:
    from pathlib import Path


@mutant(
    "M082",
    "the stream begins at whatever is there when the snapshot ends",
    base="lines-source",
    killed_by="SRC-OFF-14",
    failure="of a snapshot of 10 values",
)
def stream_from_now(location: Path) -> None:
    """Look for the place of the stream after the snapshot.

    Reported at https://github.com/apache/flink-cdc/issues/1206.
    """
    take_snapshots(location, "StreamsFromNowTask")


@mutant(
    "M082a",
    "a restart during the snapshot begins the stream",
    base="lines-source",
    killed_by="SRC-OFF-14",
    failure="a crash at event",
)
def skip_rest_of_snapshot(location: Path) -> None:
    """Leave out what of a snapshot was not read before a crash."""
    take_snapshots(location, "SkipsRestOfSnapshotTask")


@mutant(
    "M301",
    "a refusal is retried for ever",
    base="lines-source",
    killed_by="CON-ERR-06",
    failure="denied the service for good, after 0 values",
)
def retry_refusals(location: Path) -> None:
    """Retry whatever happens.

    Reported at https://github.com/airbytehq/airbyte/pull/29741: 403 is retried for ever.
    """
    give_driver(location, "rows_source_denied", "DeniedEndpoint", "RetriesRefusalsTask")


@mutant(
    "M302",
    "values of the time at which a page ends are skipped",
    base="lines-source",
    killed_by="SRC-OFF-20",
    failure="have the same time at the endpoint",
)
def skip_equal_times(location: Path) -> None:
    """Go on behind the time of the last line of a page.

    Reported at https://github.com/confluentinc/kafka-connect-jdbc/pull/1093.
    """
    give_driver(location, "rows_source_bursts", "BurstsEndpoint", "SkipsEqualTimesTask")


@mutant(
    "M303",
    "the key of a record is the number of its line",
    base="lines-source",
    killed_by="SRC-TYP-13",
    failure="key 'row 0'",
)
def key_by_line(location: Path) -> None:
    """Make keys of positions.

    Reported at https://github.com/mongodb/mongo-kafka/pull/145.
    """
    give_driver(location, "rows_source_keys", "KeysEndpoint", "KeysByLineTask")


@mutant(
    "M304",
    "all topics are written to one table, where equal keys overwrite each other",
    base="keyed-sink",
    killed_by="SNK-TYP-22",
    failure="two topics with equal keys",
)
def write_one_table(location: Path) -> None:
    """Leave the topic out.

    Reported at https://github.com/Aiven-Open/opensearch-connector-for-apache-kafka/pull/193.
    """
    give_driver(location, "keyed_sink_topics", "TopicsEndpoint", "OneTableTask")


@mutant(
    "M118b",
    "the answers of single items of a bulk write are ignored",
    base="lines-sink",
    killed_by="SNK-ERR-08",
    failure="took some items of a request only",
)
def ignore_items(location: Path) -> None:
    """Look at the answer of the whole request only.

    Reported at https://github.com/risingwavelabs/risingwave/pull/17865.
    """
    give_driver(location, "rows_sink_bulk", "BulkEndpoint", "IgnoresItemsTask")


@mutant(
    "M318",
    "the error of a corrupt line does not tell where it is",
    base="lines-source",
    killed_by="SRC-ERR-03",
    failure="a Connect error with table0, row 6",
)
def hide_place_of_corrupt_line(location: Path) -> None:
    """Tell what the parser says, and nothing else.

    Reported at https://github.com/ClickHouse/ClickHouse/issues/7697: a message of thousands cannot
    be parsed, and nobody knows which.
    """
    give_driver(location, "rows_source_corrupt", "CorruptEndpoint", "HidesPlaceTask")


@mutant(
    "M318a",
    "a corrupt line that may be passed over takes the rest of its batch along",
    base="lines-source",
    killed_by="SRC-ERR-03",
    failure="all 10 others",
)
def pass_over_rest(location: Path) -> None:
    """Pass over more than a corrupt line.

    Reported at https://github.com/streamthoughts/kafka-connect-file-pulse/issues/717.
    """
    give_driver(location, "rows_source_corrupt", "ToleratedEndpoint", "PassesRestTask")


@mutant(
    "M328",
    "the status of an answer is not looked at",
    base="lines-sink",
    killed_by="CON-ERR-08",
    failure="answered with 503",
)
def ignore_status(location: Path) -> None:
    """Take every answer for a success.

    Reported at https://github.com/apache/seatunnel/pull/12312.
    """
    give_driver(location, "rows_sink_post", "RowsService", "IgnoresStatusTask")


@mutant(
    "M329",
    "a service that is busy fails the task",
    base="lines-sink",
    killed_by="CON-ERR-09",
    failure="answered with 503",
)
def give_up_when_busy(location: Path) -> None:
    """Take every other answer for a refusal.

    Reported at https://github.com/databricks/iceberg-kafka-connect/issues/257.
    """
    give_driver(location, "rows_sink_post", "RowsService", "GivesUpTask")


@mutant(
    "M330",
    "requests have no time limit",
    base="lines-sink",
    killed_by="CON-ERR-10",
    failure="waits for ever",
)
def wait_for_ever(location: Path) -> None:
    """Give the client no timeout.

    Reported at https://github.com/OpenCTI-Platform/connectors/issues/6813.
    """
    give_driver(location, "rows_sink_post", "RowsService", "WaitsForEverTask")


def give_driver(location: Path, module: str, driver: str, task: str) -> None:
    """Replace the task and the endpoint driver of a reference connector by classes of one module.

    Args:
        location: of the connector.
        module: see `exchange_task`.
        driver: a class of the module.
        task: another one.
    """
    (declaration,) = location.glob("*/conformance.toml")
    exchange_task(declaration.parent, module, task, driver)


def take_snapshots(location: Path, task: str) -> None:
    """Let a source read a snapshot first, and declare it.

    Args:
        location: of the connector.
        task: a class of the module of such sources.
    """
    give_driver(location, "rows_source_snapshot", "SnapshotEndpoint", task)
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration, "parallel = false", "parallel = false\nsnapshot = true")
