"""``plugwright demo``: every row arrives once, although a task was killed, and nothing is left."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pyarrow import dataset

pytestmark = [pytest.mark.spark, pytest.mark.kafka, pytest.mark.timeout(400)]

PLUGINS = Path(__file__).parents[2] / "plugin-path"
ITSELF = "from plugwright._programs import plugwright; plugwright()"


def test_every_row_is_in_the_lake_once(tmp_path):
    """Read back by pyarrow; cards are masked, and the shop is added by a transformation."""
    kept, scratch = tmp_path / "kept", tmp_path / "scratch"
    scratch.mkdir()

    done = subprocess.run(
        [
            *(sys.executable, "-c", ITSELF, "demo", "--rows", "3000"),
            *("--plugin-path", str(PLUGINS), "--keep", str(kept)),
        ],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
        timeout=380,
    )

    assert done.returncode == 0, done.stderr
    rows = dataset.dataset(kept / "lake", format="parquet").to_table().to_pylist()
    assert sorted(row["id"] for row in rows) == list(range(1, 3001))
    assert {(row["card"], row["shop"]) for row in rows} == {("", "Main Street")}
    assert re.search(
        r"^killed +process \d+ of a task, after [\d,]+ rows$", done.stdout, re.MULTILINE
    )
    assert "Parquet  3,000 rows, 3,000 of them different" in done.stdout
    assert list(scratch.glob("plugwright-*")) == []
