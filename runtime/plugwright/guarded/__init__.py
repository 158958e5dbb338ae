"""Servers that are started for a process, end with it, and write logs that outlast them."""

from __future__ import annotations

from plugwright.guarded._logs import hold, new_log, tail
from plugwright.guarded._process import GuardedProcess

__all__ = ["GuardedProcess", "hold", "new_log", "tail"]
