"""Records anew which settings, errors and metrics Kafka itself defines: asks its Java classes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.oracle.record import connect_jars

from plugwright.java import find_java
from plugwright.kafka.brokers import class_path

__all__ = ["main", "recorded_errors", "recorded_metrics", "recorded_settings"]

_HERE = Path(__file__).parent
_RECORD = _HERE.parent / "golden" / "settings" / "connect-4.3.1.jsonl"
_SECONDS = 120


def recorded_settings() -> dict[str, dict[str, dict[str, Any]]]:
    """By kind (such as ``distributed`` or ``producer``) and key: what Java defines."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in _rows():
        if "key" in row:
            found.setdefault(row["kind"], {})[row["key"]] = row
    return found


def recorded_errors() -> dict[int, bool]:
    """Whether Java retries, by error code of Kafka's protocol."""
    return {row["error"]: row["retriable"] for row in _rows() if "error" in row}


def recorded_metrics() -> dict[tuple[str, str], list[str]]:
    """The tags of each metric of ``ConnectMetricsRegistry``, by group and name."""
    return {(row["group"], row["metric"]): row["tags"] for row in _rows() if "metric" in row}


def _rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _RECORD.read_text("utf-8").splitlines()]


def main() -> int:
    """Write the record."""
    done = subprocess.run(
        [find_java().executable, "-cp", class_path(connect_jars()), _HERE / "Settings.java"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=_SECONDS,
        check=True,
    )
    _RECORD.parent.mkdir(parents=True, exist_ok=True)
    _RECORD.write_text(done.stdout, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
