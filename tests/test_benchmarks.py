"""Benchmarks that need no JVM still run; what they measure is read by people."""

from __future__ import annotations

import re
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


@pytest.mark.kafka
def test_a_profile_divides_the_time_of_a_record():
    """Among the parts of the runtime, for a row of each kind, beside the bare loops."""
    command = [sys.executable, "-m", "tests.benchmarks.profile", "source-json", "sink"]
    done = subprocess.run(
        [*command, "--records", "5000"],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )

    assert done.returncode == 0, done.stderr
    source, sink = done.stdout.split("sink: 5,000 records")
    for text, parts in ((source, ("transformations", "converters")), (sink, ("Kafka's client",))):
        assert "of the bare loop" in text
        shares = dict(re.findall(r"^  (\w[\w' ]+?) +(\d+\.\d)%  ", text, re.MULTILINE))
        assert {*parts, "worker's loop"} <= shares.keys()
        assert sum(map(float, shares.values())) == pytest.approx(100, abs=0.5)
