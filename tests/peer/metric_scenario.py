"""What both workers do while their figures are compared: the settings, connectors and steps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

__all__ = ["BAD", "GOOD", "LINES", "Scenario", "is_count", "worker_settings"]

LINES, GOOD, BAD = 1000, 30, 7
"""Lines of the file that is copied; those of another that are JSON, and those that are not."""

_JSON = "org.apache.kafka.connect.json.JsonConverter"
_COUNTS = (
    "connector-count",
    "deadletterqueue-produce-failures",
    "deadletterqueue-produce-requests",
    "offset-commit-skip-total",
    "partition-count",
    "sink-record-active-count",
    "source-record-active-count",
    "task-count",
)


def is_count(row: Mapping[str, Any]) -> bool:
    """Whether a figure tells what was done, and not when: no time, rate, average or maximum."""
    name = row["name"]
    if "rebalance" in row["group"] or name.startswith("offset-commit-completion"):
        return False  # as many as the clock of the worker has made
    return (
        name in _COUNTS
        or name == "status"
        or name.startswith("total-")
        or name.endswith(("-task-count", "-total"))
    )


def worker_settings() -> dict[str, str]:
    """Of a worker whose figures are compared."""
    return {
        "group.id": "measured",
        "config.storage.topic": "measured-configs",
        "offset.storage.topic": "measured-offsets",
        "status.storage.topic": "measured-status",
        "config.storage.replication.factor": "1",
        "offset.storage.replication.factor": "1",
        "status.storage.replication.factor": "1",
        "offset.flush.interval.ms": "1000",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
    }


class Scenario:
    """A source copies a file, and sinks take it: whole, filtered, with bad records, paused, failed.

    Args:
        directory: of the files.
        call: a request to the worker's API, with its method and body.
        wait_for_state: waits until a connector with its one task is in a state.
    """

    def __init__(
        self,
        directory: Path,
        call: Callable[[str, str, object], object],
        wait_for_state: Callable[[str, str], object],
    ) -> None:
        self._directory = directory
        self._call = call
        self._wait = wait_for_state

    def begin(self) -> None:
        """Make the files, and the connectors one after the other."""
        lines = "".join(f"line {n}\n" for n in range(LINES))
        (self._directory / "given.txt").write_text(lines, "utf-8")
        good = [f"{json.dumps({'n': n})}\n" for n in range(GOOD)]
        bad = [f"{{bad {n}\n" for n in range(BAD)]
        (self._directory / "mixed.txt").write_text("".join([*good[:20], *bad, *good[20:]]), "utf-8")
        for name, config in self._connectors().items():
            self._call(f"/connectors/{name}/config", "PUT", config)
            if name != "failing":
                self._wait(name, "RUNNING")
        self._call("/connectors/paused/pause", "PUT", None)
        self._wait("paused", "PAUSED")

    def is_at_rest(self, rows: Iterable[Mapping[str, Any]]) -> bool:
        """Whether all that there is to do is done and committed."""
        figures = {(row["tags"].get("connector"), row["name"]): row["value"] for row in rows}
        sinks = ("to-file", "filtered", "tolerant")
        return (
            figures.get(("from-file", "source-record-write-total")) == LINES
            and figures.get(("to-file", "sink-record-send-total")) == LINES
            and figures.get(("filtered", "sink-record-read-total")) == LINES + GOOD + BAD
            and figures.get(("tolerant", "sink-record-send-total")) == GOOD
            and all(figures.get((name, "sink-record-active-count")) == 0 for name in sinks)
            and figures.get(("from-file", "source-record-active-count")) == 0
            and figures.get(("paused", "connector-paused-task-count")) == 1
            and figures.get(("paused", "partition-count")) == 1
            and figures.get(("failing", "connector-failed-task-count")) == 1
        )

    def _connectors(self) -> dict[str, dict[str, str]]:
        return {
            "from-file": {
                **self._source("given.txt", "measured"),
                "batch.size": "100",
                "transforms": "named",
                "transforms.named.type": "InsertHeader",
                "transforms.named.header": "h",
                "transforms.named.value.literal": "v",
                "transforms.named.predicate": "all",
                "predicates": "all",
                "predicates.all.type": "TopicNameMatches",
                "predicates.all.pattern": ".*",
            },
            "from-mixed": self._source("mixed.txt", "mixed"),
            "to-file": self._sink("to-file", "measured"),
            "filtered": {
                **self._sink("filtered", "measured,mixed"),
                "transforms": "drop",
                "transforms.drop.type": "Filter",
                "transforms.drop.predicate": "mixed",
                "predicates": "mixed",
                "predicates.mixed.type": "TopicNameMatches",
                "predicates.mixed.pattern": "mixed",
            },
            "tolerant": {
                **self._sink("tolerant", "mixed"),
                "value.converter": _JSON,
                "value.converter.schemas.enable": "false",
                "errors.tolerance": "all",
                "errors.log.enable": "true",
                "errors.deadletterqueue.topic.name": "letters",
                "errors.deadletterqueue.topic.replication.factor": "1",
            },
            "paused": self._sink("paused", "empty"),
            "failing": {
                **self._sink("failing", "mixed"),
                "value.converter": _JSON,
                "value.converter.schemas.enable": "false",
            },
        }

    def _source(self, file: str, topic: str) -> dict[str, str]:
        return {
            "connector.class": "FileStreamSource",
            "file": str(self._directory / file),
            "topic": topic,
        }

    def _sink(self, name: str, topics: str) -> dict[str, str]:
        return {
            "connector.class": "FileStreamSink",
            "file": str(self._directory / f"{name}.txt"),
            "topics": topics,
        }
