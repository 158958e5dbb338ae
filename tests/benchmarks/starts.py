"""Seconds until Kafka answers and Spark has run a task, with and without archives of classes.

Run it as ``python -m tests.benchmarks.starts``, after ``plugwright prepare``. Each start is one of
a process of its own, whose cache has the archives or lacks them. A/A: the start with archives is
measured a second time; what the two differ by is the error of the method.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

import plugwright
from plugwright.cache import cache_directory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KAFKA = """\
import time
from plugwright.kafka.brokers import open_broker
begun = time.monotonic()
with open_broker():
    print(time.monotonic() - begun)
"""
_SPARK = """\
import time
from plugwright.spark import close_session, open_session
begun = time.monotonic()
session = open_session()
assert session.range(0, 1, 1, 1).mapInArrow(lambda batches: batches, "id bigint").count() == 1
print(time.monotonic() - begun)
close_session(session)
"""
PROGRAMS = {"Kafka until it answers": _KAFKA, "Spark until a task has run": _SPARK}


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each figure")
    rounds = parser.parse_args().rounds
    _say(
        f"plugwright {plugwright.__version__}, spark {pyspark.__version__}, python "
        f"{platform.python_version()}, {os.cpu_count()} processors, {platform.system()} "
        f"{platform.machine()}, load {os.getloadavg()[0]:.1f}; {rounds} rounds; seconds, "
        "median (least to most)\n"
    )
    with tempfile.TemporaryDirectory() as directory:
        bare = Path(directory)
        (bare / "jars").symlink_to(cache_directory() / "jars")
        sides = {
            "archive": os.environ,
            "none": {**os.environ, "PLUGWRIGHT_CACHE": str(bare)},
            "archive A/A": os.environ,
        }
        for name, program in PROGRAMS.items():
            _print(name, _measured(program, sides, rounds))
    return 0


def _measured(
    program: str, sides: Mapping[str, Mapping[str, str]], rounds: int
) -> Mapping[str, Sequence[float]]:
    """The seconds of each side, taken in turns so that drift hits all of them."""
    found: dict[str, list[float]] = {side: [] for side in sides}
    for turn in range(rounds + 1):
        for side, environment in sides.items():
            done = subprocess.run(
                [sys.executable, "-c", program],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            if turn:  # the first round warms up
                found[side].append(float(done.stdout))
    return found


def _print(name: str, found: Mapping[str, Sequence[float]]) -> None:
    medians = {side: statistics.median(seconds) for side, seconds in found.items()}
    sides = [
        f"{side} {medians[side]:.2f} ({min(seconds):.2f} to {max(seconds):.2f})"
        for side, seconds in found.items()
    ]
    ratio = medians["none"] / medians["archive"]
    _say(f"{name:28}{ratio:5.2f} x   {'   '.join(sides)}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
