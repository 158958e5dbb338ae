"""Whether processes have ended."""

from __future__ import annotations

import time
from pathlib import Path


def gone(pid, seconds=10.0):
    """Whether a process ends in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
