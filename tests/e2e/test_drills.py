"""Long drills: processes are killed or stand still under load, and no line is lost.

``DRILL_ROUNDS`` says how many faults of each kind there are (20 by default).
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.drill import ROUNDS, Drill, drill_settings
from tests.e2e.killable_broker import KillableBroker
from tests.e2e.ledger_plugin import Ledger

PLUGINS = Path(__file__).parents[2] / "plugin-path"
pytestmark = [pytest.mark.drill, pytest.mark.timeout(120 + 90 * ROUNDS)]


@pytest.fixture(params=["enabled", "disabled"], ids=["exactly once", "at least once"])
def drilled(request, fresh, tmp_path, capsys):
    """Runs a drill on a broker with so many workers, and accounts for each line.

    Exactly once: none is missing, none comes twice, for committed readers; else none is missing.
    """

    def tell(figures):
        with capsys.disabled():
            print(f"\n{request.node.callspec.id}: {figures}")  # noqa: T201  # the result

    def run(servers, workers, fault, *, ledger=None, **sink):
        settings = drill_settings(request.param)
        if ledger:
            settings["plugin.path"] = f"{PLUGINS},{ledger.path}"
        with closing(Cluster(servers, fresh("drill"), **settings)) as cluster:
            drill = Drill(cluster, tmp_path, workers, ledger=ledger, **sink)
            drill.run(fault)
            drill.account(tell)

    return run


@pytest.mark.parametrize(
    ("fault", "workers"),
    [
        (Drill.kill_task, 1),
        (Drill.stop_task, 1),
        (Drill.kill_driver, 2),
        (Drill.stop_driver, 2),
    ],
    ids=["kill -9 of a task", "SIGSTOP of a task", "kill -9 of a driver", "SIGSTOP of a driver"],
)
def test_every_line_survives_the_workers(broker, drilled, fault, workers):
    """Its processes are killed or stand still, and come back."""
    drilled(broker.bootstrap_servers, workers, fault)


@pytest.mark.parametrize("drilled", ["disabled"], ids=["at least once"], indirect=True)
@pytest.mark.parametrize(
    ("fault", "workers"),
    [(Drill.kill_each_in_turn, 1), (Drill.kill_driver_of_sinks, 2)],
    ids=["kill -9 of a process", "kill -9 of a driver"],
)
def test_every_line_survives_a_streamed_sink(broker, drilled, fault, workers, tmp_path):
    """Processes are killed in mid-query; a sink that knows its batches has no record twice."""
    streamed = {
        "spark.engine": "stream",
        "spark.engine.checkpoint.location": f"{tmp_path}/checkpoints",
    }
    drilled(broker.bootstrap_servers, workers, fault, ledger=Ledger(tmp_path), **streamed)


def test_every_line_survives_the_broker(drilled):
    """The broker is killed again and again, and comes back with what it had written."""
    with closing(KillableBroker()) as broker:
        drilled(broker.bootstrap_servers, 1, lambda _: broker.kill_and_return())
