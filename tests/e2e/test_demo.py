"""``plugwright demo``: every row arrives once, although a task was killed, and nothing is left."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from pyarrow import dataset

from plugwright.databases import SYSTEMS, installed_servers

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(400)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
ITSELF = "from plugwright._programs import plugwright; plugwright()"


@pytest.fixture
def scratch():
    """A directory for temporary files that the user of a database server reaches, too."""
    with tempfile.TemporaryDirectory(prefix="plugwright-scratch-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize(
    "database", ["sqlite", "postgresql", pytest.param("mariadb", marks=pytest.mark.drill)]
)
def test_every_row_is_in_the_lake_once(tmp_path, scratch, database):
    """Read back by pyarrow; cards are masked, and the shop is added by a transformation."""
    if database in SYSTEMS and not installed_servers(SYSTEMS[database]):
        pytest.skip(f"no {database} is installed that this user can start")
    kept = tmp_path / "kept"

    done = subprocess.run(
        [
            *(sys.executable, "-c", ITSELF, "demo", "--rows", "3000"),
            *("--database", database),
            *("--plugin-path", str(PLUGINS), "--keep", str(kept)),
        ],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
        timeout=380,
    )

    assert done.returncode == 0, done.stderr
    assert re.match(r"loaded   3,000 rows into (SQLite|PostgreSQL|MariaDB) \d", done.stdout)
    rows = dataset.dataset(kept / "lake", format="parquet").to_table().to_pylist()
    assert sorted(row["id"] for row in rows) == list(range(1, 3001))
    assert {(row["card"], row["shop"]) for row in rows} == {("", "Main Street")}
    assert re.search(
        r"^killed +process \d+ of a task, after [\d,]+ rows$", done.stdout, re.MULTILINE
    )
    assert "Parquet  3,000 rows, 3,000 of them different" in done.stdout
    assert list(scratch.glob("plugwright-*")) == []
