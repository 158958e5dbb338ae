"""What config providers told a connector, and when it is to be asked for again (KIP-297)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.herder._appointment import Appointment, start_timer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.herder._appointment import TimerStart

log = logging.getLogger(__name__)


class Reload:
    """Has a connector restarted when what it was told is no longer good.

    Args:
        connector: its name.
        restart: has it restarted; called on a foreign thread.
        start: has something done after a while.
    """

    def __init__(
        self, connector: str, restart: Callable[[], object], start: TimerStart = start_timer
    ) -> None:
        self._connector = connector
        self._restart = restart
        self._appointment = Appointment(start)
        self._supplied: Mapping[str, str] | None = None

    def after(self, ttl_ms: int) -> None:
        """What the connector was told is good for so many milliseconds; forgets what was before."""
        log.info("Scheduling a restart of connector %s in %d ms", self._connector, ttl_ms)
        self._appointment.make(ttl_ms / 1000, self._restart)

    def call_off(self) -> None:
        """The connector is stopped, or is told anew."""
        self._appointment.call_off()

    def is_new(self, supplied: Mapping[str, str]) -> bool:
        """Whether tasks run with other texts of config providers than these, as far as is known."""
        before, self._supplied = self._supplied, supplied
        return before is not None and before != supplied

    def forget(self) -> None:
        """The connector is removed, or is another worker's, who gives tasks what they need."""
        self._appointment.call_off()
        self._supplied = None
