"""Counts attempted, successful and failed starts of connectors and tasks."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StartCounts:
    """The start counts of connectors, or of tasks."""

    attempts: int = 0
    successes: int = 0
    failures: int = 0


class Startups:
    """Counts starts, each of which succeeds, fails, or never reports.

    A start that is repeated before it reports counts as another attempt.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, StartCounts] = {}
        self._open: set[tuple[str, str]] = set()

    def begun(self, kind: str, name: str) -> None:
        """Count an attempt."""
        with self._lock:
            self._open.add((kind, name))
            self._add(kind, attempts=1)

    def state(self, kind: str, name: str, state: str) -> None:
        """Count a success or failure if the new state completes a start."""
        with self._lock:
            if (kind, name) not in self._open or state not in {"RUNNING", "PAUSED", "FAILED"}:
                return
            self._open.discard((kind, name))
            failed = state == "FAILED"
            self._add(kind, successes=not failed, failures=failed)

    def counts(self, kind: str) -> StartCounts:
        """The counts for ``connector`` or ``task``."""
        with self._lock:
            return self._counts.get(kind, StartCounts())

    def _add(self, kind: str, *, attempts: int = 0, successes: int = 0, failures: int = 0) -> None:
        old = self._counts.get(kind, StartCounts())
        self._counts[kind] = StartCounts(
            old.attempts + attempts, old.successes + successes, old.failures + failures
        )
