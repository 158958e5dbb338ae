"""Seconds from ``plugwright up`` until a first record has gone through Kafka into a file.

Run it as ``python -m tests.benchmarks.up``, after ``plugwright prepare``. A round is a broker, a
worker, a source and a sink, all started by the one command and stopped by Ctrl-C; the cache has
what a first run fetches.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import plugwright

if TYPE_CHECKING:
    from collections.abc import Mapping

PLUGINS = Path(__file__).parents[2] / "plugin-path"
PROGRAM = "from plugwright._programs import plugwright; plugwright()"
_LIMIT_S, _LOOK_S = 180.0, 0.01


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=5, help="rounds after the first one")
    rounds = parser.parse_args().rounds
    sys.stdout.write(
        f"plugwright {plugwright.__version__}, python {platform.python_version()}, "
        f"{os.cpu_count()} processors, {platform.system()} {platform.machine()}, load "
        f"{os.getloadavg()[0]:.1f}; {rounds} rounds; seconds, median (least to most)\n"
    )
    found = [_first_record_s() for _ in range(rounds + 1)][1:]
    sys.stdout.write(
        f"up until a first record has arrived: {statistics.median(found):.1f} "
        f"({min(found):.1f} to {max(found):.1f})\n"
    )
    return 0


def _first_record_s() -> float:
    """One round.

    Raises:
        TimeoutError: with the log, if nothing arrives.
    """
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        files = _connectors(directory)
        command = [sys.executable, "-c", PROGRAM, "up", "--port", "0", "--plugin-path", PLUGINS]
        with (directory / "log").open("wb") as log:
            began = time.monotonic()
            process = subprocess.Popen([*command, *files], stdout=log, stderr=log)
        try:
            arrived = directory / "out.txt"
            while not (arrived.is_file() and arrived.stat().st_size):
                if time.monotonic() - began > _LIMIT_S or process.poll() is not None:
                    raise TimeoutError((directory / "log").read_text("utf-8"))
                time.sleep(_LOOK_S)
            return time.monotonic() - began
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()


def _connectors(directory: Path) -> list[Path]:
    """The files of a source and a sink; the source has a line to read."""
    (directory / "in.txt").write_text("a line\n", "utf-8")
    settings: Mapping[str, str] = {
        "source": f"connector.class=FileStreamSource\nfile={directory}/in.txt\ntopic=lines\n",
        "sink": f"connector.class=FileStreamSink\nfile={directory}/out.txt\ntopics=lines\n",
    }
    for name, text in settings.items():
        (directory / name).with_suffix(".properties").write_text(f"name={name}\n{text}", "utf-8")
    return [(directory / name).with_suffix(".properties") for name in settings]


if __name__ == "__main__":
    sys.exit(main())
