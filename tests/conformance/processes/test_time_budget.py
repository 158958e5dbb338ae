"""What is interrupted when its time is over."""

from __future__ import annotations

import subprocess
import sys
import time
from traceback import walk_tb

import pytest

from plugwright_conformance.processes import cpu_share
from plugwright_conformance.processes.time_budget import OverBudgetError, time_budget

pytestmark = pytest.mark.slow


def _interrupted():
    """A call that is interrupted, and says something else."""
    with time_budget(0.2):
        try:
            time.sleep(60)
        finally:
            raise ConnectionError("it was stopped")


def test_interruption_is_not_replaced_by_an_error_after_it():
    """What a task says that was interrupted would be taken for its own failure."""
    with pytest.raises(OverBudgetError, match=r"budget of 0\.2 s") as interruption:
        _interrupted()

    assert isinstance(interruption.value.__cause__, ConnectionError)


def _hangs_twice():
    """A task that hangs in a call, and in its end, too."""
    with time_budget(0.2):
        try:
            time.sleep(60)
        finally:
            time.sleep(60)


def test_first_interruption_says_what_hangs():
    """The second one is of a call that began after the budget was over."""
    with pytest.raises(OverBudgetError) as interruption:
        _hangs_twice()

    assert interruption.value.lasting
    assert isinstance(interruption.value.__cause__, OverBudgetError)


def _calls(seconds):
    """Calls that take so long, until one is interrupted; whether it had lasted, and how many."""

    def call():
        calls.append(seconds)
        time.sleep(seconds)

    def go_on():
        with time_budget(0.5):
            while True:
                call()

    calls = []
    with pytest.raises(OverBudgetError) as interruption:
        go_on()
    (last,) = (frame for frame, _ in walk_tb(interruption.tb) if frame.f_code is call.__code__)
    return id(last) in interruption.value.lasting, len(calls)


@pytest.mark.parametrize(("seconds", "lasts"), [(0.05, False), (60, True)])
def test_a_call_that_does_not_return_is_distinguished_from_many_that_do(seconds, lasts):
    """A check may be slow though nothing in it hangs."""
    lasting, calls = _calls(seconds)

    assert lasting is lasts
    assert (calls > 1) is not lasts


_COMPUTES = "import time\nwhile time.process_time() < 1.2: pass"


def _works_and_waits():
    """What takes longer than a second and the work of its program."""
    with time_budget(1.0):
        subprocess.run([sys.executable, "-ISc", _COMPUTES], check=True)
        time.sleep(1.5)


def test_programs_that_have_ended_may_have_waited_for_a_core(monkeypatch):
    """On a machine on which something always does."""
    monkeypatch.setattr(cpu_share, "contended_s", time.monotonic)

    _works_and_waits()


def test_programs_that_have_ended_had_their_core_on_a_quiet_machine(monkeypatch):
    """So the time is over."""
    monkeypatch.setattr(cpu_share, "contended_s", lambda: 0.0)

    with pytest.raises(OverBudgetError) as interruption:
        _works_and_waits()

    assert interruption.value.busy


def test_error_of_code_that_is_in_time_stays_itself():
    """Nothing has been interrupted."""
    with pytest.raises(ConnectionError, match="refused"), time_budget(60):
        raise ConnectionError("refused")
