"""What is interrupted when its time is over."""

from __future__ import annotations

import time

import pytest

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


def test_error_of_code_that_is_in_time_stays_itself():
    """Nothing has been interrupted."""
    with pytest.raises(ConnectionError, match="refused"), time_budget(60):
        raise ConnectionError("refused")
