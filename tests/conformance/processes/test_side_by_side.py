"""Work in processes of its own: as much at a time as may be, and each end is reported."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from pathlib import Path

import pytest

from plugwright_conformance.processes.side_by_side import side_by_side


def ends(works, most=2, limit_s=60.0):
    """How the works ended, by key."""
    return {end.key: end for end in side_by_side(iter(works.items()), most, limit_s)}


def test_each_result_comes_with_its_key():
    """From a process of its own."""
    found = ends({"one": os.getpid, "two": os.getpid, "three": os.getpid})

    numbers = {end.result for end in found.values()}
    assert set(found) == {"one", "two", "three"}
    assert len(numbers - {os.getpid()}) == 3


def test_a_process_that_ends_is_no_result():
    """Its end is described, and the others go on."""
    killed = ends(
        {"bad": lambda: os.kill(os.getpid(), signal.SIGKILL), "good": lambda: ["done", {"a": "b"}]}
    )

    assert killed["bad"].result is None
    assert str(killed["bad"].error) == "its process was ended by SIGKILL"
    assert killed["good"].result == ["done", {"a": "b"}]


def test_an_error_is_shown_with_its_trace():
    """As the error of the process."""
    (end,) = ends({"bad": lambda: 1 / 0}).values()

    assert "ZeroDivisionError: division by zero" in str(end.error)


@pytest.mark.slow
def test_work_that_is_late_is_given_up():
    """And its process is ended."""
    (end,) = ends({"slow": lambda: time.sleep(600)}, limit_s=0.1).values()

    assert (end.is_late, end.result, end.error) == (True, None, None)


def test_no_more_processes_run_than_may(tmp_path):
    """The next work is asked for when one has ended."""

    def work(number):
        def body():
            (tmp_path / str(number)).touch()
            here = len(list(tmp_path.iterdir()))
            (tmp_path / str(number)).unlink()
            return here

        return body

    found = ends({number: work(number) for number in range(6)})

    assert len(found) == 6
    assert max(end.result for end in found.values()) <= 2


def test_processes_end_with_the_iteration(tmp_path):
    """An early end leaves none behind."""

    def hang():
        (tmp_path / str(os.getpid())).touch()
        time.sleep(600)

    works = iter([("quick", lambda: 1), ("hanging", hang)])
    with closing(side_by_side(works, 2, 600)) as running:
        assert next(running).key == "quick"

    assert [p.name for p in tmp_path.iterdir() if Path("/proc", p.name).exists()] == []
