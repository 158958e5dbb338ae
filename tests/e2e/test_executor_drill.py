"""Long drill: executors of a local cluster are killed under load, and no line is lost.

``DRILL_ROUNDS`` says how many are killed (20 by default).
"""

from __future__ import annotations

import itertools
import os
import signal
from contextlib import closing
from pathlib import Path

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.drill import ROUNDS, Drill, drill_settings
from tests.e2e.ledger_plugin import Ledger
from tests.e2e.spark_cluster import executors

PLUGINS = Path(__file__).parents[2] / "plugin-path"
MASTER = {"spark.master": "local-cluster[2,2,1024]"}
pytestmark = [pytest.mark.drill, pytest.mark.timeout(120 + 90 * ROUNDS)]


class ExecutorKiller:
    """Kill -9 of an executor, each in turn."""

    def __init__(self):
        self._turn = itertools.count()

    def __call__(self, drill):
        """Of those that are there now."""
        (worker,) = drill.cluster.workers
        found = list(executors(worker.pid))
        os.kill(found[next(self._turn) % len(found)], signal.SIGKILL)


@pytest.fixture
def tell(capsys):
    """Prints the result."""

    def report(figures):
        with capsys.disabled():
            print(f"\nkill -9 of an executor: {figures}")  # noqa: T201  # the result

    return report


@pytest.mark.parametrize("support", ["enabled", "disabled"], ids=["exactly once", "at least once"])
def test_every_line_survives_the_executors(broker, fresh, tmp_path, tell, support):
    """Tasks come back on another executor, and Spark's worker brings the executor back."""
    settings = drill_settings(support) | MASTER
    with closing(Cluster(broker.bootstrap_servers, fresh("drill"), **settings)) as cluster:
        drill = Drill(cluster, tmp_path, workers=1)
        drill.run(ExecutorKiller())
        drill.account(tell)


def test_a_streamed_sink_survives_the_executors(broker, fresh, tmp_path, tell):
    """Killed in mid-query; a sink that knows its batches has no record twice."""
    ledger = Ledger(tmp_path)
    settings = drill_settings("disabled") | MASTER
    settings["plugin.path"] = f"{PLUGINS},{ledger.path}"
    streamed = {
        "spark.engine": "stream",
        "spark.engine.checkpoint.location": f"{tmp_path}/checkpoints",
    }
    with closing(Cluster(broker.bootstrap_servers, fresh("drill"), **settings)) as cluster:
        drill = Drill(cluster, tmp_path, workers=1, ledger=ledger, **streamed)
        drill.run(ExecutorKiller())
        drill.account(tell)
