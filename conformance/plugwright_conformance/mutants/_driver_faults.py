"""Faults that only a richer endpoint driver shows, as functions that break files of a location."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright_conformance.mutants._mutant import add_module, mutant, replace_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_CONNECTORS: Mapping[str, tuple[str, str]] = {
    "rows_source": ("source", "RowsSourceTask"),
    "rows_sink": ("sink", "RowsSinkTask"),
    "keyed_sink": ("keyed_sink", "KeyedSinkTask"),
}
"""The module and the task of each connector, by how the names of modules with its faults begin."""


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


def give_driver(location: Path, module: str, driver: str, task: str) -> None:
    """Replace the task and the endpoint driver of a reference connector by classes of one module.

    Args:
        location: of a reference connector.
        module: is added to its package; the name of the connector's own module is in it.
        driver: a class of the module.
        task: another one.
    """
    (declaration,) = location.glob("*/conformance.toml")
    package = declaration.parent
    own, good = _CONNECTORS["_".join(module.split("_")[:2])]
    replace_text(
        package / f"{own}.py",
        f"return {good}",
        f"from {package.name}.{module} import {task}\n\n        return {task}",
    )
    add_module(module, package)
    endpoint = re.compile(r'^endpoint = "(.+)\.\w+:\w+"$', re.MULTILINE)
    text = declaration.read_text("utf-8")
    declaration.write_text(endpoint.sub(rf'endpoint = "\1.{module}:{driver}"', text), "utf-8")
