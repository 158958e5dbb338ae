"""The record of a process's current plugin call in shared memory."""

from __future__ import annotations

PHASE_SIZE = 48
"""Size of a record in bytes."""


def phase_mark(phase: str) -> bytes:
    """Encode a phase; a long one is truncated."""
    return phase.encode()[:PHASE_SIZE].ljust(PHASE_SIZE, b"\0")


def marked_phase(mark: bytes) -> str:
    """Decode a phase; empty if there is none."""
    return mark.rstrip(b"\0").decode(errors="replace")
