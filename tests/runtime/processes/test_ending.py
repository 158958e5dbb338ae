"""How processes have ended, in words."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from plugwright.processes import ending


@pytest.mark.parametrize(
    ("code", "words"),
    [(0, "ended with status 0"), (7, "ended with status 7"), (-9, "was ended by SIGKILL")],
)
def test_an_end_is_told_by_status_or_signal(code, words):
    """As a predicate, for whoever knows which process it was."""
    assert ending(code) == words
    assert ending(-signal.SIGSEGV) == "was ended by SIGSEGV"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "work"),
    [
        ("limit_memory(1 << 28)", "bytearray(1 << 29)"),
        ("limit_import(1 << 29, 60)", "bytearray(1 << 30)"),
    ],
)
def test_a_process_within_limits_cannot_have_more(limits, work):
    """A MemoryError tells it."""
    code = f"from plugwright import processes; processes.{limits}; {work}"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (ending(done.returncode), done.stderr.split()[-1]) == (
        "ended with status 1",
        "MemoryError",
    )
