"""Faults that need another declaration, as functions that break the files of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import add_module, mutant

if TYPE_CHECKING:
    from pathlib import Path

_TASK = "return RowsSourceTask"
_SETTINGS = "return settings().define("


@mutant(
    "M078",
    "the endpoint is acknowledged when poll() returns",
    base="lines-source",
    killed_by="SRC-OFF-08",
    says="of them missing",
)
def acknowledge_at_poll(location: Path) -> None:
    """Read a queue that forgets what was polled.

    Reported at https://github.com/apache/iggy/issues/3847: what is polled and not delivered when
    the process ends is lost.
    """
    keep_place_at_endpoint(location, "AcknowledgesAtPollTask")


def keep_place_at_endpoint(location: Path, task: str) -> None:
    """Have a source whose endpoint remembers what was read, with a task of its own."""
    (declaration,) = location.glob("*/conformance.toml")
    package = declaration.parent
    add_module("rows_source_interrupted", package)
    replace_text(
        package / "source.py",
        _TASK,
        f"from {package.name}.rows_source_interrupted import {task}\n\n        return {task}",
    )
    replace_text(declaration, "exactly-once", "at-least-once")
    replace_text(declaration, "parallel = false", 'parallel = false\nresumes = "endpoint"')


@mutant(
    "M081",
    "alter-offsets accepts anything",
    base="file-source",
    killed_by="SRC-OFF-12",
    says="no error",
)
def accept_any_offset(location: Path) -> None:
    """Claim that offsets can be altered, and look at none of them."""
    declare_alterable(location)
    (connector,) = location.glob("*/connector.py")
    replace_text(connector, "            position_of(offset)\n", "")


def declare_alterable(location: Path) -> None:
    """Claim that offsets can be altered."""
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration, "parallel = false", "parallel = false\nalter_offsets = true")


@mutant(
    "M232c",
    "tombstones are left out, declared as written",
    base="lines-sink",
    killed_by="SNK-TYP-06",
    says="and a null",
)
def claim_written_tombstones(location: Path) -> None:
    """Claim that tombstones are written as nulls.

    Reported at https://github.com/confluentinc/kafka-connect-storage-cloud/issues/683.
    """
    (declaration,) = location.glob("*/conformance.toml")
    replace_text(declaration, 'tombstones = "left out"', 'tombstones = "written as null"')


def read_page_or_all(location: Path) -> None:
    """Give a source a page size without a validator, in which numbers below 1 mean everything."""
    (source,) = location.glob("*/source.py")
    add_module("rows_source_pages", source.parent)
    task = "PagesOrAllTask"
    replace_text(
        source,
        _TASK,
        f"from {source.parent.name}.rows_source_pages import {task}\n\n        return {task}",
    )
    page = '"page.rows", ConfigType.INT, 100, documentation="Rows read at once; 0 for all."'
    replace_text(source, _SETTINGS, f"{_SETTINGS}{page}).define(")


def replace_text(file: Path, old: str, new: str) -> None:
    """Replace text, which has to be there."""
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{file} does not say {old!r}")
    file.write_text(text.replace(old, new), encoding="utf-8")


@mutant(
    "M292",
    "records of one key come from several tables, one after the other; order by key is declared",
    base="rows-source",
    killed_by="SRC-OFF-03",
    says="in order",
)
def claim_order_of_keys(location: Path) -> None:
    """Claim the order of keys whose records are in several source partitions.

    Reported at https://github.com/artie-labs/reader/pull/422: shards were read in parallel with
    those that they had been split from.
    """
    (declaration,) = location.glob("*/conformance.toml")
    package = declaration.parent
    for name in ("rows_benign_endpoint", "rows_source_key_order"):
        add_module(name, package)
    replace_text(declaration, "testing:RowsEndpoint", "rows_benign_endpoint:SpreadingEndpoint")
    replace_text(declaration, 'order = "partition"', 'order = "key"')
    replace_text(
        package / "source.py",
        _TASK,
        f"from {package.name}.rows_source_key_order import OneKeyForAllTask\n\n"
        "        return OneKeyForAllTask",
    )


@mutant(
    "M299",
    "a batch is written backwards; order by key is declared",
    base="lines-sink",
    killed_by="SNK-TYP-07",
    says="in their order",
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
