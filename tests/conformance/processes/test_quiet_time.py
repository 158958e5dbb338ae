"""A limit counts the seconds in which no process waited for a core."""

from __future__ import annotations

import pytest

from plugwright_conformance.evidence.outcome import NotRunError
from plugwright_conformance.processes import quiet_time
from plugwright_conformance.processes.quiet_time import QuietTime, contended_s


class Machine:
    """A clock and a count of contention, which a test moves."""

    def __init__(self):
        self.now, self.busy = 1000.0, 77.0

    def passes(self, seconds, busy):
        """So long, and so much of it a process waited for a core."""
        self.now += seconds
        self.busy += busy


@pytest.fixture
def machine(monkeypatch):
    """In place of ours."""
    machine = Machine()
    monkeypatch.setattr(quiet_time.time, "monotonic", lambda: machine.now)
    return machine


@pytest.mark.parametrize(("seconds", "busy", "over"), [(9.9, 0, False), (10, 0, True)])
def test_on_a_quiet_machine_it_is_a_clock(machine, seconds, busy, over):
    """Nothing to leave out."""
    limit = QuietTime(10, lambda: machine.busy)
    machine.passes(seconds, busy)

    assert limit.is_over() is over


def test_contention_does_not_count(machine):
    """Ten of forty seconds were quiet."""
    limit = QuietTime(10, lambda: machine.busy)
    machine.passes(35, 30)
    assert not limit.is_over()
    machine.passes(5, 0)

    assert limit.is_over()


def test_a_count_that_is_ahead_of_the_clock_takes_nothing_back(machine):
    """Time does not run backwards."""
    limit = QuietTime(10, lambda: machine.busy)
    machine.passes(5, 50)

    assert not limit.is_over()


def test_a_restart_begins_anew(machine):
    """Something has moved."""
    limit = QuietTime(10, lambda: machine.busy)
    machine.passes(9, 0)
    limit.restart()
    machine.passes(9, 0)

    assert not limit.is_over()


def test_a_machine_that_is_never_quiet_decides_nothing(machine):
    """Eight times the limit, and less than one of it quiet."""
    limit = QuietTime(10, lambda: machine.busy)
    machine.passes(79, 75)
    assert not limit.is_over()
    machine.passes(1, 1)

    with pytest.raises(NotRunError) as raised:
        limit.is_over()

    assert str(raised.value).startswith("the machine was too busy: in 76 of 80 s something waited")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("some avg10=95.09 avg60=68.10 avg300=75.60 total=1211036385\nfull total=5\n", 1211.036385),
        ("", 0.0),
    ],
    ids=["linux", "no-count"],
)
def test_contention_is_read_from_linux(tmp_path, text, seconds):
    """In microseconds, from the first line."""
    (tmp_path / "cpu").write_text(text)

    assert contended_s(tmp_path / "cpu") == seconds
    assert contended_s(tmp_path / "absent") == 0.0
