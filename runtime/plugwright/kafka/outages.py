"""Logs broker outages when they begin, once a minute, and when they end."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable

_EVERY_S = 60.0
_CHECK_S = 2.0
_FORGOTTEN_S = 300.0


@dataclass(slots=True)
class _Outage:
    """The outage of one broker.

    Attributes:
        client: the client that reported it first, with its message.
        answers: checks whether the broker answers again.
        began: when it was noticed.
        reported: when a client last reported it.
        logged: when it was last logged; ``None`` before the first check of the broker.
        unlogged: how many messages were not logged.
    """

    client: str
    reason: str
    answers: Callable[[], bool]
    began: float
    reported: float
    logged: float | None = None
    unlogged: int = 0


class Outages:
    """Logs few lines for the many messages of clients about a broker.

    Args:
        log: receives the lines.
        clock: seconds that only go forward.
        watch: runs the function that checks outages, in the background.
    """

    def __init__(
        self,
        log: logging.Logger,
        *,
        clock: Callable[[], float] = time.monotonic,
        watch: Callable[[Callable[[], None]], object] | None = None,
    ) -> None:
        self._log = log
        self._clock = clock
        self._watch = watch or _on_a_thread
        self._lock = threading.Lock()
        self._outages: dict[str, _Outage] = {}
        self._short_outages: dict[str, float] = {}
        self._is_watched = False

    def report(self, address: str, client: str, reason: str, answers: Callable[[], bool]) -> None:
        """Record that a broker does not answer a client.

        Args:
            address: the broker's address.
            client: the client's id.
            reason: the client's message.
            answers: checks whether the broker answers again; called on another thread.
        """
        now = self._clock()
        with self._lock:
            if (known := self._outages.get(address)) is not None:
                known.reported = now
                known.unlogged += 1
                return
            self._outages[address] = _Outage(client, reason, answers, now, now)
            starts, self._is_watched = not self._is_watched, True
        if starts:
            self._watch(self._check_until_over)

    def includes(self, address: str) -> bool:
        """Whether an outage of a broker is known."""
        with self._lock:
            return address in self._outages

    def check(self) -> bool:
        """Log which outages ended and which continue; returns whether any continues."""
        with self._lock:
            present = list(self._outages.items())
        for address, outage in present:
            self._check_one(address, outage)
        with self._lock:
            self._is_watched = bool(self._outages)
            return self._is_watched

    def _check_until_over(self) -> None:
        while self.check():
            time.sleep(_CHECK_S)

    def _check_one(self, address: str, outage: _Outage) -> None:
        if outage.answers():
            self._forget(address)
            self._log_end(address, outage)
            return
        now = self._clock()
        if outage.logged is None:
            outage.logged = now
            self._log.warning(
                "Kafka at %s does not answer client %s: %s; until it does, there is one line a "
                "minute about this broker",
                address,
                outage.client,
                outage.reason,
            )
        elif now - outage.reported >= _FORGOTTEN_S:
            self._forget(address)  # its clients are closed
        elif now - outage.logged >= _EVERY_S:
            outage.logged = now
            self._log.warning(
                "Kafka at %s has not answered for %.0f s; %d messages about it were not logged",
                address,
                now - outage.began,
                outage.unlogged,
            )

    def _log_end(self, address: str, outage: _Outage) -> None:
        now = self._clock()
        if outage.logged is not None:
            self._log.warning(
                "Kafka at %s answers again after %.0f s; %d messages about it were not logged",
                address,
                now - outage.began,
                outage.unlogged,
            )
        elif now - self._short_outages.get(address, -_EVERY_S) >= _EVERY_S:
            self._short_outages[address] = now
            self._log.warning(
                "Kafka at %s failed client %s but answers again: %s",
                address,
                outage.client,
                outage.reason,
            )

    def _forget(self, address: str) -> None:
        with self._lock:
            self._outages.pop(address, None)


def _on_a_thread(run: Callable[[], None]) -> None:
    threading.Thread(target=run, name="kafka-outages", daemon=True).start()
