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
from tests.runtime.spark.datasource.tally import Shop, each

from plugwright.spark import register

pytestmark = [pytest.mark.drill, pytest.mark.timeout(120 + 90 * ROUNDS)]

ROWS = 100  # of each of two tasks, in every round: a dozen batches, so that a kill meets one
LATE = 5  # kills that may come when the last batch was written: those rounds are made again


class Killer:
    """Kills a process in the middle of a query, and waits until the sink has more again.

    Args:
        out: where the sink writes a file for each batch.
        turn: chooses among the processes.

    Attributes:
        recovery_s: how long that took; ``None`` if the query has ended before.
    """

    def __init__(self, out, turn):
        self.recovery_s = None
        self._out, self._turn = out, turn
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        begun = self._files()
        if until(lambda: self._files() > begun, 90) and until(self._kill, pause=0.01):
            killed, written = time.monotonic(), self._files()
            if until(lambda: self._files() > written, 90):
                self.recovery_s = time.monotonic() - killed

    def _kill(self):
        found = _python_workers()
        try:
            os.kill(found[self._turn % len(found)], signal.SIGKILL)
        except (ProcessLookupError, ZeroDivisionError):
            return False
        return True

    def _files(self):
        return len(list(self._out.glob("*.json")))

    def join(self):
        """Wait until it is done."""
        self._thread.join(200)


def _python_workers():
    """Spark's Python processes beneath this one: children of a daemon, and those of sources."""
    parents = {int(p.name): _parent(p) for p in Path("/proc").glob("[0-9]*")}

    def is_mine(pid):
        while pid not in {0, os.getpid()}:
            pid = parents.get(pid, 0)
        return pid != 0

    daemons = {pid for pid in parents if is_mine(pid) and "daemon" in _command(pid)}
    return sorted(pid for pid in daemons if parents[pid] in daemons)


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


def _restarts(shop, last):
    """Run the stream until it ends in order; how often it was started again."""
    for restarts in range(10):
        try:
            shop.stream(last=last)
        except PySparkException:
            continue
        return restarts
    raise AssertionError(last)


def test_every_row_survives_the_python_workers(spark_session, tmp_path, capsys):
    """At both ends, of a query that is started again: each row is written once."""
    register(spark_session)
    shop, restarts, recoveries = Shop(spark_session, tmp_path), 0, []
    out = shop.root / "out"
    for turn in range(ROUNDS + LATE):
        killer = Killer(out, turn)
        restarts += _restarts(shop, (turn + 1) * ROWS)
        killer.join()
        recoveries += [] if killer.recovery_s is None else [killer.recovery_s]
        if len(recoveries) == ROUNDS:
            break

    found, expected = shop.written(), each((turn + 1) * ROWS)
    missing, twice = sum((expected - found).values()), sum((found - expected).values())
    again = len(list(out.glob("*.again")))
    with capsys.disabled():
        print(  # noqa: T201  # the result
            f"\nkill -9 of a Python worker of the data source: {len(recoveries)} rounds of "
            f"{turn + 1}, query restarted "
            f"{restarts} times, {len(expected)} rows, missing {missing}, twice {twice}, "
            f"batches given again {again}, back after {max(recoveries):.1f} s at most, "
            f"{statistics.median(recoveries):.1f} s in the middle"
        )
    assert (missing, twice) == (0, 0)
    assert len(recoveries) == ROUNDS
