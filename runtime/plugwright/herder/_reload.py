"""Restarts a connector when a config provider's value expires (KIP-297)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.herder.delayed_call import DelayedCall, start_timer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.herder.delayed_call import TimerStart

log = logging.getLogger(__name__)


class Reload:
    """Schedules the restart of a connector whose supplied values expire.

    Args:
        connector: its name.
        restart: restarts it; called on another thread.
        start: calls a function after a delay.
    """

    def __init__(
        self, connector: str, restart: Callable[[], object], start: TimerStart = start_timer
    ) -> None:
        self._connector = connector
        self._restart = restart
        self._delayed_call = DelayedCall(start)
        self._supplied: Mapping[str, str] | None = None

    def after(self, ttl_ms: int) -> None:
        """Restart after so many milliseconds, replacing an earlier schedule."""
        log.info("Scheduling a restart of connector %s in %d ms", self._connector, ttl_ms)
        self._delayed_call.schedule(ttl_ms / 1000, self._restart)

    def cancel(self) -> None:
        """Cancel the scheduled restart."""
        self._delayed_call.cancel()

    def is_new(self, supplied: Mapping[str, str]) -> bool:
        """Whether these supplied values differ from those that the tasks are known to run with."""
        before, self._supplied = self._supplied, supplied
        return before is not None and before != supplied

    def forget(self) -> None:
        """Forget the supplied values: the connector was removed, or moved to another worker."""
        self._delayed_call.cancel()
        self._supplied = None
