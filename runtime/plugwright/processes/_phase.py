"""The mark that a process leaves in shared memory: which call of its plugin it is in."""

from __future__ import annotations

PHASE_SIZE = 48
"""Bytes of a mark."""


def phase_mark(phase: str) -> bytes:
    """The mark of a phase; one that is too long is cut off."""
    return phase.encode()[:PHASE_SIZE].ljust(PHASE_SIZE, b"\0")


def marked_phase(mark: bytes) -> str:
    """The phase of a mark, empty if there is none."""
    return mark.rstrip(b"\0").decode(errors="replace")
