"""Benign controls: correct connectors with unusual behaviour, which no check may fail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import Mutant, add_module

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _benign(name: str, oddity: str, base: str, class_name: str = "") -> Mutant:
    module = f"rows_benign_{base.rpartition('-')[2]}" if class_name else ""
    return Mutant(name, oddity, base, module=module, class_name=class_name)


def _stores(
    name: str, oddity: str, class_name: str, spoil: Callable[[Path], None] | None = None
) -> Mutant:
    return Mutant(
        name,
        oddity,
        "lines-sink",
        module="rows_benign_stores",
        spoil=spoil,
        class_name=class_name,
    )


def _declaring(old: str, new: str) -> Callable[[Path], None]:
    """A function that edits the declaration of a copied location."""

    def change(location: Path) -> None:
        (file,) = location.glob("*/conformance.toml")
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(old, new), encoding="utf-8")

    return change


def _settling(location: Path) -> None:
    """Use an endpoint that shows writes with a delay, and declare the delay."""
    _declaring("testing:RowsEndpoint", "rows_benign_stores:SettlingEndpoint")(location)
    _declaring("parallel = true", "parallel = true\nvisible_after_s = 0.2")(location)


def _exchange_endpoint(location: Path, class_name: str) -> None:
    (declaration,) = location.glob("*/conformance.toml")
    add_module("rows_benign_endpoint", declaration.parent)
    _declaring("testing:RowsEndpoint", f"rows_benign_endpoint:{class_name}")(location)


def _scattering(location: Path) -> None:
    """Use an endpoint without order, and declare no order."""
    _exchange_endpoint(location, "ScatteringEndpoint")
    _declaring('order = "partition"\n', "")(location)


def _spreading(location: Path) -> None:
    """Use an endpoint that gives every task several source partitions."""
    _exchange_endpoint(location, "SpreadingEndpoint")


def _scattered(name: str, base: str) -> Mutant:
    oddity = "the endpoint keeps no order, and none is declared"
    return Mutant(name, oddity, base, spoil=_scattering)


def _slow(name: str, base: str) -> Mutant:
    module = f"rows_slow_{base.rpartition('-')[2]}"
    oddity = "every call takes four fifths of its budget"
    return Mutant(name, oddity, base, module=module, class_name="TakesItsTime")


BENIGN = (
    _slow("G01", "lines-sink"),
    _slow("G01s", "lines-source"),
    _benign("G02", "buffers until flush", "lines-sink", "BuffersUntilFlush"),
    _stores("G03", "reorders across partitions, never inside", "ReversesPartitions"),
    _stores("G04", "duplicates after a crash, declared", "RepeatsAfterCrash"),
    _benign("G05", "single-task source for any number of tasks", "lines-source"),
    _benign("G06", "poll blocks until its legal limit", "lines-source", "BlocksToTheLimit"),
    _stores(
        "G07",
        "schemaless only, refuses schemas with a clear error",
        "TakesNoSchema",
        _declaring("parallel = true", "parallel = true\nschemaless = true"),
    ),
    Mutant(
        "G08",
        "leaves headers out, declared",
        "lines-sink",
        spoil=_declaring("parallel = true", 'parallel = true\nheaders = "ignored"'),
    ),
    _benign("G09", "leaves tombstones out, declared", "lines-sink"),
    replace(
        _benign("G10", "acknowledges late", "lines-sink", "LagsBehind"),
        not_passed=("CON-REB-02",),  # what it has not acknowledged at a stop comes again
    ),
    _benign("G11", "promises nothing when nothing is new", "lines-sink", "SilentWhenNothingIsNew"),
    _benign("G12", "threads of its own, joined", "lines-sink", "ThreadsOfItsOwn"),
    _stores(
        "G13",
        "what was written can be seen a while later, within the declared bound",
        "RowsSinkConnector",
        _settling,
    ),
    _benign("G14", "integers and nulls in its maps", "lines-source", "IntegersInMaps"),
    _stores("G15", "no secret, no network", "KnowsNoSecret"),
    _stores(
        "G16",
        "exactly once, with offsets at the endpoint instead of Kafka",
        "KeepsOffsetsItself",
        _declaring("at-least-once", "exactly-once"),
    ),
    _scattered("G17", "lines-sink"),
    _scattered("G17s", "lines-source"),
    Mutant(
        "G18",
        "one task has several source partitions, each in its own order",
        "rows-source",
        spoil=_spreading,
    ),
    _benign(
        "G19s",
        "headers and timestamps of the moment, and a memory of the last 5000 rows",
        "lines-source",
        "SaysWhenItRead",
    ),
)
"""The controls, as mutants that no check kills; ids of sources end in ``s``."""
