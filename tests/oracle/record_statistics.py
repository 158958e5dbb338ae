"""Records anew what Kafka's statistics of metrics measure: asks its Java classes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.oracle.record import connect_jars

from plugwright.java import find_java
from plugwright.kafka.brokers import class_path

__all__ = ["main", "recorded_statistics"]

_HERE = Path(__file__).parent
_RECORD = _HERE.parent / "golden" / "metrics" / "statistics-4.3.1.jsonl"
_SECONDS = 120


def recorded_statistics() -> list[dict[str, Any]]:
    """Each a window, and steps: milliseconds that pass, then a value, or what was measured."""
    return [json.loads(line) for line in _RECORD.read_text("utf-8").splitlines()]


def main() -> int:
    """Write the record."""
    done = subprocess.run(
        [find_java().executable, "-cp", class_path(connect_jars()), _HERE / "Statistics.java"],
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
