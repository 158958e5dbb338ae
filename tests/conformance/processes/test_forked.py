"""What a maker of a process knows of its end, and how it brings that about."""

from __future__ import annotations

import os
import signal
import time

import pytest

from plugwright_conformance.processes.forked import Forked, fork


@pytest.fixture
def forked():
    """Makes a process that does this."""

    def forked(act):
        pid = fork()
        if not pid:
            try:
                act()
            finally:
                os._exit(0)
        return Forked(pid)

    return forked


@pytest.mark.parametrize(
    ("act", "code"),
    [(lambda: os._exit(3), 3), (lambda: os.kill(os.getpid(), signal.SIGKILL), -9)],
    ids=["exit", "signal"],
)
def test_end_is_noticed_with_its_code(forked, act, code):
    """Once, and it stays."""
    process = forked(act)

    process.await_end()

    assert (process.has_ended(), process.code) == (True, code)


def test_process_that_goes_on_is_ended(forked):
    """And nothing of it is left, which may be asked for twice."""
    process = forked(lambda: time.sleep(600))
    assert not process.has_ended()

    process.end()
    process.end()

    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)
