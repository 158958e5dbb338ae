"""Benchmarks that need no JVM still run; what they measure is read by people."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.benchmarks.profile import Samples

SMALL = {
    "archives": ["--megabytes", "1"],
    "cluster": ["--workers", "3", "--executors", "2", "--connectors", "8", "--tasks", "40"],
    "copying": ["--records", "1000"],
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


SINK_PARTS = {"worker's loop", "Kafka's client", "converters", "task"}
SOURCE_PARTS = SINK_PARTS | {"transformations"}


@pytest.mark.kafka
def test_a_profile_divides_the_time_of_a_record():
    """Among the parts of the runtime, for a row of each kind, beside the bare loops."""
    command = [sys.executable, "-m", "tests.benchmarks.profile", "source-json", "sink"]
    done = subprocess.run(
        [*command, "--records", "200000"],  # a second or two
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )

    assert done.returncode == 0, done.stderr
    texts = done.stdout.split("sink: 200,000 records")
    for text, parts in zip(texts, (SOURCE_PARTS, SINK_PARTS), strict=True):
        assert "of the bare loop" in text
        shares = dict(re.findall(r"^  (\w[\w' ]+?) +(\d+\.\d)%  ", text, re.MULTILINE))
        assert parts <= shares.keys() <= parts | {"rest"}
        assert sum(map(float, shares.values())) == pytest.approx(100, abs=0.5)


def test_an_instruction_of_no_line_counts_for_its_function():
    """Python has no line number for some."""
    code = SimpleNamespace(co_filename=str(Path(__file__)), co_firstlineno=7)
    samples = Samples()

    samples.look(signal.SIGALRM, SimpleNamespace(f_code=code, f_lineno=None, f_back=None))

    assert samples.lines == {("tests/test_benchmarks.py", 7): 1}


def test_each_part_has_its_files():
    """Whatever has been seen too rarely to be shown."""
    files = ["transforms/_cast", "schema/_struct", "converters/_json", "kafka/_producer", "record"]
    lines = Counter({(f"runtime/plugwright/{file}.py", 1): 2 for file in files})
    lines["plugin-path/file-sink/task.py", 7] = 3

    assert Samples(lines).parts() == {
        "transformations": 4,
        "converters": 2,
        "Kafka's client": 2,
        "worker's loop": 2,
        "task": 3,
    }
