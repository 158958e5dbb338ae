"""A long drill: faults of every kind at random, and nothing is lost, comes twice or stays stuck.

``DRILL_MINUTES`` says how long the faults go on (4 by default), ``DRILL_SEED`` repeats a drill.
"""

from __future__ import annotations

import os
import secrets
from contextlib import closing

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.drill import drill_settings
from tests.e2e.killable_broker import KillableBroker
from tests.e2e.long_drill import LongDrill

MINUTES = float(os.environ.get("DRILL_MINUTES", "4"))
SEED = int(os.environ.get("DRILL_SEED", str(secrets.randbelow(10**6))))
pytestmark = [pytest.mark.drill, pytest.mark.timeout(60 * (3 * MINUTES + 30))]


def test_two_workers_live_through_every_kind_of_fault(fresh, tmp_path, capsys):
    """Five connectors; exactly once in topics and in the sink that knows its batches."""

    def tell(line):
        with capsys.disabled():
            print(line, flush=True)  # noqa: T201  # the result

    tell(f"\nDRILL_SEED={SEED} DRILL_MINUTES={MINUTES:g}")
    settings = {**drill_settings("enabled"), "spark.master": "local[32]"}
    with closing(KillableBroker()) as broker:
        servers = broker.bootstrap_servers
        with closing(Cluster(servers, fresh("long"), **settings)) as cluster:
            drill = LongDrill(cluster, broker, tmp_path, SEED, tell)
            drill.run(MINUTES)
            drill.account()
