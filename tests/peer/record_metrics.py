"""Records the metrics of the real distributed worker that copies a file to a topic and back.

Its connectors have done all that there is to do, and are paused once between: what is recorded is
one source task and one sink task in a steady state.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.peer.java_connect import JavaConnect, peer_jars

from plugwright.java import find_java
from plugwright.kafka.brokers import class_path, open_broker

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LINES", "connector_configs", "main", "recorded_worker_metrics"]

_HERE = Path(__file__).parent
_RECORD = _HERE.parent / "golden" / "metrics" / "worker-4.3.1.jsonl"
LINES = 1000
_STEADY_S = 120


def recorded_worker_metrics() -> list[dict[str, Any]]:
    """Group, name, tags, type and value of each of Kafka Connect's own."""
    return [json.loads(line) for line in _RECORD.read_text("utf-8").splitlines()]


def connector_configs(directory: Path) -> dict[str, dict[str, str]]:
    """A source of `LINES` lines and a sink of the same, by name."""
    given = directory / "given.txt"
    given.write_text("".join(f"line {n}\n" for n in range(LINES)), "utf-8")
    return {
        "from-file": {
            "connector.class": "FileStreamSource",
            "file": str(given),
            "topic": "measured",
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
        "to-file": {
            "connector.class": "FileStreamSink",
            "file": str(directory / "taken.txt"),
            "topics": "measured",
        },
    }


def worker_settings() -> dict[str, str]:
    """Of a worker whose figures are compared."""
    return {
        "group.id": "measured",
        "config.storage.topic": "measured-configs",
        "offset.storage.topic": "measured-offsets",
        "status.storage.topic": "measured-status",
        "offset.flush.interval.ms": "1000",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
    }


def is_steady(figures: Mapping[tuple[str, str], Any]) -> bool:
    """Whether all lines have gone both ways, and have been committed."""
    sent = figures.get(("source-task-metrics", "source-record-write-total"))
    put = figures.get(("sink-task-metrics", "sink-record-send-total"))
    waiting = figures.get(("sink-task-metrics", "sink-record-active-count"))
    commits = figures.get(("sink-task-metrics", "offset-commit-completion-total")) or 0
    return sent == put == LINES and waiting == 0 and commits > 0


def main() -> int:
    """Write the record."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        reporter = _compiled(directory)
        dump = directory / "metrics.jsonl"
        settings = {
            **worker_settings(),
            "metric.reporters": "MetricsDump",
            "metrics.dump.file": str(dump),
        }
        with open_broker() as broker:
            logging = [reporter, *(jar for jar in peer_jars() if jar.name.startswith("slf4j-"))]
            with JavaConnect(broker.bootstrap_servers, settings, logging=logging) as worker:
                for name, config in connector_configs(directory).items():
                    worker.call(f"/connectors/{name}/config", "PUT", config)
                    worker.wait_for_state(name)
                rows = _steady(dump)
    wanted = [row for row in rows if row["group"].endswith("-metrics")]
    wanted.sort(key=lambda row: (row["group"], row["name"], sorted(row["tags"].items())))
    lines = [json.dumps(row) for row in wanted]
    _RECORD.parent.mkdir(parents=True, exist_ok=True)
    _RECORD.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return 0


def _compiled(directory: Path) -> Path:
    """The directory with the class of the reporter."""
    into = directory / "slf4j-reporter"
    javac = find_java().executable.with_name("javac")
    source = _HERE / "MetricsDump.java"
    command = [javac, "-d", into, "-cp", class_path(peer_jars()), source]
    subprocess.run(command, check=True, timeout=120, stdin=subprocess.DEVNULL)
    return into


def _steady(dump: Path) -> list[dict[str, Any]]:
    deadline, rows = time.monotonic() + _STEADY_S, []
    while time.monotonic() < deadline:
        if dump.exists():
            rows = [json.loads(line) for line in dump.read_text("utf-8").splitlines()]
            if is_steady({(row["group"], row["name"]): row["value"] for row in rows}):
                return rows
        time.sleep(0.5)
    raise TimeoutError(f"the worker has not come to rest: {rows}")


if __name__ == "__main__":
    sys.exit(main())
