"""Task hosts have the worker's standard input, if they are on its machine."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from plugwright.spark.input import input_variables

READ = (
    "import os; os.dup2(os.open(os.devnull, os.O_RDONLY), 0)\n"
    "from plugwright.spark.input import take_input; take_input(); print(os.read(0, 9))"
)


@pytest.mark.parametrize("master", ["spark://h:7077", "local-cluster[1,1,1024]", "yarn", "k8s://h"])
def test_elsewhere_the_path_means_nothing(master):
    """Another machine has another process of that number."""
    assert input_variables(master) == {}


@pytest.mark.parametrize("master", ["local", "local[*]", "local[4,2]"])
def test_on_its_machine_a_host_learns_where_it_is(master):
    """As a path of the system's table of processes."""
    assert input_variables(master) == {"PLUGWRIGHT_STDIN": f"/proc/{os.getpid()}/fd/0"}


def _read(place):
    command = [sys.executable, "-c", READ]
    done = subprocess.run(
        command,
        env=os.environ | {"PLUGWRIGHT_STDIN": place},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_host_reads_what_is_piped_into_the_worker():
    """Though its own input was nothing."""
    reading, writing = os.pipe()
    with open(reading, "rb"), open(writing, "wb", buffering=0) as end:  # noqa: PTH123
        end.write(b"a line\n")
        assert _read(f"/proc/{os.getpid()}/fd/{reading}") == r"b'a line\n'"


@pytest.mark.parametrize("place", ["/nowhere", ""])
def test_what_cannot_be_had_stays_away(place):
    """A worker without any input is no error."""
    assert _read(place) == "b''"
