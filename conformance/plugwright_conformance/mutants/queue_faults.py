"""Faults that need another declaration, as functions that break the files of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import add_module, exchange_task, mutant, replace_text

if TYPE_CHECKING:
    from pathlib import Path

_SETTINGS = "return settings().define("
_PLANNED = 'tables = tables_of(self._props["rows.url"])'
_ACKNOWLEDGED = f"""{_PLANNED}
        queue = Path(directory_of(self._props["rows.url"]))
        lines = sum(len(each.read_text().splitlines()) for each in queue.glob("*"))
        Path(f"{{queue}}.acknowledged").write_text(str(lines))"""


@mutant(
    "M078",
    "the endpoint is acknowledged when poll() returns",
    base="lines-source",
    killed_by="SRC-OFF-08",
    failure="of them missing",
)
def acknowledge_at_poll(location: Path) -> None:
    """Read a queue that removes records when they are polled.

    Reported at https://github.com/apache/iggy/issues/3847: what is polled and not delivered when
    the process ends is lost.
    """
    keep_place_at_endpoint(location, "AcknowledgesAtPollTask")


@mutant(
    "M326",
    "the endpoint is acknowledged when offsets are committed, whatever Kafka has",
    base="lines-source",
    killed_by="SRC-OFF-08",
    failure="of them missing",
)
def acknowledge_at_commit(location: Path) -> None:
    """Read a queue that removes what was polled before offsets were committed.

    Reported at https://github.com/lensesio/stream-reactor/pull/353.
    """
    keep_place_at_endpoint(location, "AcknowledgesAtCommitTask", "rows_source_acknowledged")


@mutant(
    "M327",
    "a record that was dropped on the way to Kafka is never acknowledged",
    base="lines-source",
    killed_by="SRC-OFF-21",
    failure="values once more",
)
def acknowledge_with_metadata(location: Path) -> None:
    """Read a queue that keeps what transformations drop.

    Reported at https://github.com/apache/kafka/pull/12602.
    """
    keep_place_at_endpoint(location, "NeedsMetadataTask", "rows_source_acknowledged")


def keep_place_at_endpoint(
    location: Path, task: str, module: str = "rows_source_interrupted"
) -> None:
    """Replace the task by one that keeps its position at the endpoint, and declare this."""
    (declaration,) = location.glob("*/conformance.toml")
    package = declaration.parent
    exchange_task(package, module, task)
    replace_text(declaration, "exactly-once", "at-least-once")
    replace_text(declaration, "parallel = false", 'parallel = false\nresumes = "endpoint"')


@mutant(
    "M101b",
    "a batch that has failed overwrites what came after it",
    base="keyed-sink",
    killed_by="CON-DLV-10",
    failure="the last of its key",
)
def overwrite_newer_rows(location: Path) -> None:
    """Retry a failed batch after the next one, in a sink that declares the order of each key."""
    (declaration,) = location.glob("*/conformance.toml")
    exchange_task(declaration.parent, "keyed_sink_order", "QueuesFailedRowsTask")
    keep_order_of_keys(location)


def keep_order_of_keys(location: Path) -> None:
    """Declare that the values of a key keep their order."""
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration, "parallel = true", 'parallel = true\norder = "key"')


@mutant(
    "M081",
    "alter-offsets accepts anything",
    base="file-source",
    killed_by="SRC-OFF-12",
    failure="no error",
)
def accept_any_offset(location: Path) -> None:
    """Accept any offset that is to be stored."""
    (connector,) = location.glob("*/connector.py")
    replace_text(connector, "            position_of(offset)\n", "")


@mutant(
    "M232c",
    "tombstones are left out, declared as written",
    base="lines-sink",
    killed_by="SNK-TYP-06",
    failure="and a null",
)
def claim_written_tombstones(location: Path) -> None:
    """Declare that tombstones are written as nulls.

    Reported at https://github.com/confluentinc/kafka-connect-storage-cloud/issues/683.
    """
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration, 'tombstones = "left out"', 'tombstones = "written as null"')


def read_page_or_all(location: Path) -> None:
    """Add a page size without a validator; numbers below 1 mean everything."""
    (source,) = location.glob("*/source.py")
    exchange_task(source.parent, "rows_source_pages", "PagesOrAllTask")
    page = '"page.rows", ConfigType.INT, 100, documentation="Rows read at once; 0 for all."'
    replace_text(source, _SETTINGS, f"{_SETTINGS}{page}).define(")


@mutant(
    "M292",
    "records of one key come from several tables, one after the other; order by key is declared",
    base="rows-source",
    killed_by="SRC-OFF-03",
    failure="in order",
)
def claim_order_of_keys(location: Path) -> None:
    """Claim the order of keys whose records are in several source partitions.

    Reported at https://github.com/artie-labs/reader/pull/422: shards were read in parallel with
    those that they had been split from.
    """
    (declaration,) = location.glob("*/conformance.toml")
    package = declaration.parent
    add_module("rows_benign_endpoint", package)
    replace_text(declaration, "testing:RowsEndpoint", "rows_benign_endpoint:SpreadingEndpoint")
    replace_text(declaration, 'order = "partition"', 'order = "key"')
    exchange_task(package, "rows_source_key_order", "OneKeyForAllTask")


@mutant(
    "M299",
    "a batch is written backwards; order by key is declared",
    base="lines-sink",
    killed_by="SNK-TYP-07",
    failure="in their order",
)
def claim_order_of_stored_keys(location: Path) -> None:
    """Claim that the values of each key keep their order."""
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration, 'order = "partition"', 'order = "key"')
    replace_text(
        declaration.parent / "sink.py",
        "for record in records if record.value is not None]",
        "for record in reversed(records) if record.value is not None]",
    )


@mutant(
    "M159",
    "the endpoint is acknowledged when tasks are planned",
    base="lines-source",
    killed_by="CON-SPK-06",
    failure="of them missing",
)
def acknowledge_when_planned(location: Path) -> None:
    """Read a queue that removes what a plan contains."""
    keep_place_at_endpoint(location, "RemembersItselfTask")
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration.parent / "source.py", _PLANNED, _ACKNOWLEDGED)


@mutant(
    "M316a",
    "errors of reported records have the password",
    base="lines-sink",
    killed_by="SNK-ERR-09",
    failure="an error without the value of rows.password",
)
def report_password(location: Path) -> None:
    """Put the login into the error of every bad record.

    Reported at https://github.com/risingwavelabs/risingwave/issues/19766: the error of a sink shows
    user and password.
    """
    report_bad_rows(location, "ReportsPasswordTask")


def report_bad_rows(location: Path, task: str) -> None:
    """Replace the task by one that reports records, and declare this."""
    (declaration,) = location.glob("*/conformance.toml")
    exchange_task(declaration.parent, "rows_sink_reports", task)
    replace_text(declaration, "parallel = true", "parallel = true\ndlq = true")


@mutant(
    "M317",
    "poll() returns everything that is there, whatever the size of a batch",
    base="lines-source",
    killed_by="CON-RES-06",
    failure="at most 100 records from one poll()",
)
def return_whole_tables(location: Path) -> None:
    """Leave the size of a batch alone, but for the declaration.

    Reported at https://github.com/apache/kafka/pull/4356: a large file did not fit into the memory.
    """
    declare_batches(location)
    (declaration,) = location.glob("*/conformance.toml")
    exchange_task(declaration.parent, "rows_source_batches", "WholeTablesTask")


def declare_batches(location: Path) -> None:
    """Declare the most records of one poll."""
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration, "parallel = false", "parallel = false\nmax_poll_records = 100")
