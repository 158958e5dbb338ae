"""A driver is believed only if it can be read where no process has seen what was seeded (H03)."""

from __future__ import annotations

import os
import re
from types import SimpleNamespace

import pytest

from plugwright_conformance.execution import endpoint_trial
from plugwright_conformance.execution.endpoint_trial import read_back_problem

pytestmark = pytest.mark.slow

HERE_ONLY = ", or the endpoint lives in one process alone, where no task on Spark can reach it"


class Lines:
    """An honest driver."""

    def __init__(self, directory):
        self._file = directory / "lines"

    def start(self):
        """Make the file."""
        self._file.touch()
        return {"file": str(self._file)}

    def stop(self):
        """Leave it."""

    def seed(self, values):
        """Append."""
        with self._file.open("a", newline="") as file:
            file.writelines(f"{value}\n" for value in values)

    def read_back(self):
        """Every line."""
        return self._file.read_bytes().decode().split("\n")[:-1]


class Remembering(Lines):
    """Answers what it received."""

    received = ()

    def seed(self, values):
        """Remember."""
        Remembering.received = [*self.received, *values]

    def read_back(self):
        """Remember."""
        return self.received


class Found(Lines):
    """Knows its place only once it was started, as with a port that was free."""

    def __init__(self, directory):
        self._directory = directory

    def start(self):
        """Find a place."""
        self._file = self._directory / "found"
        return super().start()


class Tied(Found):
    """Holds something that another process cannot use."""

    def start(self):
        """Take hold of it."""
        self._mine = os.getpid()
        return super().start()

    def read_back(self):
        """Every line, with what it holds."""
        if self._mine != os.getpid():
            raise ConnectionError("not my session")
        return super().read_back()


class Attached(Tied):
    """Can take hold of it again."""

    def attach(self, settings):
        """By what ``start`` has returned."""
        self._mine, self._file = os.getpid(), self._directory.joinpath(settings["file"])


class Forgetful(Lines):
    """Loses what it is given."""

    def seed(self, values):
        """Lose it."""


class CheckEnd(Lines):
    """Ends another process that asks it."""

    home = os.getpid()

    def read_back(self):
        """End it."""
        return super().read_back() if os.getpid() == self.home else os._exit(0)


@pytest.fixture
def problem(monkeypatch, tmp_path):
    """What is wrong with a kind of driver."""

    def problem(kind):
        monkeypatch.setattr(endpoint_trial, "load_driver", lambda _: kind)
        declaration = SimpleNamespace(excluded_characters=("\n",), visible_after_s=0.0)
        return read_back_problem(SimpleNamespace(declaration=declaration), tmp_path)

    return problem


@pytest.mark.parametrize("kind", [Lines, Found, Attached])
def test_driver_that_reads_the_endpoint_is_believed(problem, kind):
    """By the directory alone, by what it knew before it was seeded, or by the settings."""
    assert problem(kind) == ""


def test_driver_that_remembers_is_not_believed(problem, monkeypatch):
    """A process that has seen nothing hears something else (H03)."""
    monkeypatch.setattr(Remembering, "received", ())

    assert re.sub(r"of \d+", "of N", problem(Remembering)) == (
        "the endpoint driver answers from memory: where it has not seen what was seeded, "
        f"read_back gives 0 of N values, and 0 others{HERE_ONLY}; "
        "let read_back read the endpoint itself each time"
    )


def test_driver_that_is_tied_to_its_process_gets_a_way_out(problem):
    """It is not said to lie."""
    found = re.sub(r"test_endpoint_trial.py:\d+", "testing.py:7", problem(Tied))

    assert found == (
        "the endpoint driver cannot be tried in another process: the endpoint driver failed: "
        "AttributeError: 'Tied' object has no attribute '_mine' in testing.py:7"
        f"{HERE_ONLY}; let a new object of its class, given the directory, read the endpoint, "
        "or write a method attach(settings) that leads it to what start() has set up"
    )


def test_driver_that_ends_the_other_process_is_not_believed(problem):
    """It has not read anything there."""
    assert problem(CheckEnd).startswith("the endpoint driver cannot be tried in another process: ")


def test_driver_that_loses_what_it_is_given_is_useless(problem):
    """Even in the process that has seeded."""
    found = re.sub(r"of \d+", "of N", problem(Forgetful))

    assert found == (
        "the endpoint driver does not read back its seeded values: 0 of N values, and 0 others; "
        "let seed write to the endpoint itself, for sinks too, and declare visible_after_s if "
        "what was written shows only later"
    )


@pytest.mark.parametrize("method", ["__init__", "start", "seed", "read_back", "stop"])
def test_driver_that_fails_says_where(problem, method):
    """Whichever call it is; nothing is raised before the values are read back."""

    def fail(*_):
        raise OSError("no room")

    kind = type("Failing", (Lines,), {method: fail})

    assert problem(kind).startswith("the endpoint driver failed: OSError: no room in test_endp")


def test_a_part_is_seeded_that_is_not_known_before(problem):
    """Neither the values nor their number repeat."""
    seeded = []
    kind = type("Seen", (Lines,), {"seed": lambda _, values: seeded.append(tuple(values))})

    for _ in range(8):
        problem(kind)

    assert len(set(seeded)) == 8
    assert len({len(values) for values in seeded}) > 1
