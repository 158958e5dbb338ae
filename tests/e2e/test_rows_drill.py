"""Long drill: Python workers are killed in the middle of a query over the data source.

``DRILL_ROUNDS`` says how many are killed (20 by default).
"""

from __future__ import annotations

import os
import signal
import statistics
import threading
import time
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from tests.e2e.drill import ROUNDS
from tests.e2e.workers import until
from tests.runtime.spark.datasource.test_dataframes import Shop, each

from plugwright.spark import register

pytestmark = [pytest.mark.drill, pytest.mark.timeout(120 + 90 * ROUNDS)]

ROWS = 100  # of each of two tasks, in every round


class Stream:
    """A query from the tally to the tally that is started again until it ends in order."""

    def __init__(self, shop, last):
        self.restarts = 0
        self._shop, self._last = shop, last
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while True:
            try:
                self._shop.stream(last=self._last)
            except PySparkException:
                self.restarts += 1
            else:
                return

    @property
    def runs(self):
        """Whether it has not ended."""
        return self._thread.is_alive()


def _python_workers():
    """Spark's Python processes beneath this one: children of a daemon, and those of sources."""
    parents = {int(p.name): _parent(p) for p in Path("/proc").glob("[0-9]*")}
    mine, found = {os.getpid()}, []
    for pid in sorted(parents):
        if parents[pid] in mine:
            mine.add(pid)
            if "daemon" in _command(pid) and "daemon" in _command(parents[pid]):
                found.append(pid)
    return found


def _parent(place):
    try:
        return int((place / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _kill(stream, turn):
    """Kill one while the query runs; whether there was one."""

    def kill():
        found = _python_workers()
        try:
            os.kill(found[turn % len(found)], signal.SIGKILL)
        except (ProcessLookupError, ZeroDivisionError):
            return not stream.runs
        return True

    assert until(kill, pause=0.01)
    return stream.runs


def test_every_row_survives_the_python_workers(spark_session, tmp_path, capsys):
    """Both ends are told of nothing else: each row is written once."""
    register(spark_session)
    shop, recoveries, restarts = Shop(spark_session, tmp_path), [], 0
    out = shop.root / "out"
    for turn in range(ROUNDS):
        written = len(list(out.glob("*.json")))
        stream = Stream(shop, (turn + 1) * ROWS)
        assert until(lambda: len(list(out.glob("*.json"))) > written, 90), turn  # noqa: B023  # called at once
        written, begun = len(list(out.glob("*.json"))), time.monotonic()
        assert _kill(stream, turn), turn
        assert until(lambda: len(list(out.glob("*.json"))) > written + 2, 90), turn  # noqa: B023  # called at once
        recoveries.append(time.monotonic() - begun)
        assert until(lambda: not stream.runs, 240), turn  # noqa: B023  # called at once
        restarts += stream.restarts

    found, expected = shop.written(), each(ROUNDS * ROWS)
    missing, twice = sum((expected - found).values()), sum((found - expected).values())
    again = len(list(out.glob("*.again")))
    with capsys.disabled():
        print(  # noqa: T201  # the result
            f"\nkill -9 of a Python worker of the data source: {ROUNDS} rounds, query restarted "
            f"{restarts} times, {len(expected)} rows, missing {missing}, twice {twice}, "
            f"batches given again {again}, back after {max(recoveries):.1f} s at most, "
            f"{statistics.median(recoveries):.1f} s in the middle"
        )
    assert (missing, twice) == (0, 0)
