"""Processes that run plugin code: their limits, and how they end.

Uses only the standard library, because it is imported before a location is on the import path.
"""

from __future__ import annotations

from plugwright.processes._limits import (
    ending,
    forbid_core_dumps,
    limit_import,
    limit_memory,
    memory_variables,
)
from plugwright.processes._linux import (
    adopt_orphans,
    await_threads,
    children,
    command_of,
    descendants,
    die_with_parent,
    leave_network,
    no_new_privileges,
    system_call,
)
from plugwright.processes._network import refuse_network
from plugwright.processes._phase import PHASE_SIZE, marked_phase, phase_mark
from plugwright.processes._started import await_or_kill, kill_group, start_linked

__all__ = [
    "PHASE_SIZE",
    "adopt_orphans",
    "await_or_kill",
    "await_threads",
    "children",
    "command_of",
    "descendants",
    "die_with_parent",
    "ending",
    "forbid_core_dumps",
    "kill_group",
    "leave_network",
    "limit_import",
    "limit_memory",
    "marked_phase",
    "memory_variables",
    "no_new_privileges",
    "phase_mark",
    "refuse_network",
    "start_linked",
    "system_call",
]
