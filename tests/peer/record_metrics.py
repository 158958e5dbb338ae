"""Records the metrics of the real distributed worker after the scenario of `metric_scenario`.

Its connectors have done all that there is to do: what is recorded is a steady state.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.peer.java_connect import JavaConnect, peer_jars
from tests.peer.metric_scenario import Scenario, worker_settings

from plugwright.java import find_java
from plugwright.kafka.brokers import class_path, open_broker

__all__ = ["main", "recorded_worker_metrics"]

_HERE = Path(__file__).parent
_RECORD = _HERE.parent / "golden" / "metrics" / "worker-4.3.1.jsonl"
_STEADY_S = 120


def recorded_worker_metrics() -> list[dict[str, Any]]:
    """Group, name, tags, type and value of each of Kafka Connect's own."""
    return [json.loads(line) for line in _RECORD.read_text("utf-8").splitlines()]


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
                scenario = Scenario(directory, worker.call, worker.wait_for_state)
                scenario.begin()
                rows = _steady(dump, scenario)
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


def _steady(dump: Path, scenario: Scenario) -> list[dict[str, Any]]:
    deadline, rows = time.monotonic() + _STEADY_S, []
    while time.monotonic() < deadline:
        if dump.exists():
            rows = [json.loads(line) for line in dump.read_text("utf-8").splitlines()]
            if scenario.is_at_rest(rows):
                return rows
        time.sleep(0.5)
    raise TimeoutError(f"the worker has not come to rest: {rows}")


if __name__ == "__main__":
    sys.exit(main())
