"""A long drill: rows between databases and into files arrive once, whatever is killed.

``DRILL_ROUNDS`` says how many faults of each kind there are (20 by default).
"""

from __future__ import annotations

from contextlib import closing

import pytest
from tests.e2e.cluster import Cluster
from tests.e2e.drill import ROUNDS, drill_settings
from tests.e2e.table_drill import TableDrill
from tests.postgres_server import postgres_server

pytestmark = [pytest.mark.drill, pytest.mark.timeout(300 + 120 * ROUNDS)]


@pytest.fixture
def tell(capsys):
    """Prints figures, which are the result."""

    def tell(figures):
        with capsys.disabled():
            print(f"\n{figures}")  # noqa: T201  # the result

    return tell


@pytest.mark.parametrize(
    "case",
    [(TableDrill.kill_task, 1), (TableDrill.kill_driver, 2)],
    ids=["kill -9 of a task", "kill -9 of a driver"],
)
def test_every_row_arrives_once(broker, fresh, tmp_path, tell, case):
    """In the topic, in the table of another database, and in Parquet files of both kinds."""
    fault, workers = case
    with (
        postgres_server() as url,
        closing(
            Cluster(broker.bootstrap_servers, fresh("tables"), **drill_settings("enabled"))
        ) as cluster,
    ):
        drill = TableDrill(cluster, tmp_path, url, workers)
        drill.run(fault)
        drill.account(tell)
