"""Benchmarks that need no JVM still run; what they measure is read by people."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SMALL = {
    "archives": ["--megabytes", "1"],
    "isolation": ["--batches", "1"],
    "lake": ["--records", "10000"],
    "loops": ["--records", "500"],
    "transforms": ["--records", "500"],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_runs_with_its_control(name):
    """One round of next to nothing."""
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", "--rounds", "1", *SMALL[name]]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[1]
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "A/A" in done.stdout
