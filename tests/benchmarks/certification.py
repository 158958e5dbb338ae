"""Seconds for a whole certification of the bundled connectors, broker and Spark included.

The command runs several times; the first run may have to fetch Kafka, so it is not counted. The
target is 120 s after set-up.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLUGWRIGHT = Path(sys.executable).with_name("plugwright")
LOCATIONS = [str(ROOT / "plugin-path" / name) for name in ("file-source", "file-sink")]


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--runs", type=int, default=3, help="counted runs")
    options = parser.parse_args()
    seconds = [_shown(number, _run()) for number in range(options.runs + 1)][1:]
    sys.stdout.write(
        f"{os.cpu_count()} processors, {options.runs} runs after one that is not counted\n"
        f"two connectors: median {statistics.median(seconds):.1f} s, "
        f"{min(seconds):.1f} to {max(seconds):.1f} s\n"
    )
    return 0


def _shown(number: int, seconds: float) -> float:
    sys.stdout.write(f"run {number}: {seconds:.1f} s, load {os.getloadavg()[0]:.1f}\n")
    sys.stdout.flush()
    return seconds


def _run() -> float:
    begun = time.monotonic()
    command = [str(PLUGWRIGHT), "certify", *LOCATIONS]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main())
