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
_LOOK_S = 2.0
_FORGOTTEN_S = 300.0


@dataclass(slots=True)
class _Outage:
    """The outage of one broker.

    Attributes:
        client: the client that reported it first, with its message.
        answers: checks whether the broker answers again.
        began: when it was noticed.
        heard: when a client last reported it.
        logged: when it was last logged; ``None`` before the first check of the broker.
        left_out: how many messages were not logged.
    """

    client: str
    reason: str
    answers: Callable[[], bool]
    began: float
    heard: float
    logged: float | None = None
    left_out: int = 0


class Outages:
    """Summarizes the clients' messages about brokers in few log lines.

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
        self._hiccups: dict[str, float] = {}
        self._is_watched = False

    def complain(self, address: str, client: str, reason: str, answers: Callable[[], bool]) -> None:
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
                known.heard = now
                known.left_out += 1
                return
            self._outages[address] = _Outage(client, reason, answers, now, now)
            starts, self._is_watched = not self._is_watched, True
        if starts:
            self._watch(self._look_after)

    def knows(self, address: str) -> bool:
        """Whether an outage of a broker is known."""
        with self._lock:
            return address in self._outages

    def look(self) -> bool:
        """Log which outages ended and which continue; returns whether there are any left."""
        with self._lock:
            present = list(self._outages.items())
        for address, outage in present:
            self._look_at(address, outage)
        with self._lock:
            self._is_watched = bool(self._outages)
            return self._is_watched

    def _look_after(self) -> None:
        while self.look():
            time.sleep(_LOOK_S)

    def _look_at(self, address: str, outage: _Outage) -> None:
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
        elif now - outage.heard >= _FORGOTTEN_S:
            self._forget(address)  # its clients are closed
        elif now - outage.logged >= _EVERY_S:
            outage.logged = now
            self._log.warning(
                "Kafka at %s has not answered for %.0f s; %d messages about it were not logged",
                address,
                now - outage.began,
                outage.left_out,
            )

    def _log_end(self, address: str, outage: _Outage) -> None:
        now = self._clock()
        if outage.logged is not None:
            self._log.warning(
                "Kafka at %s answers again after %.0f s; %d messages about it were not logged",
                address,
                now - outage.began,
                outage.left_out,
            )
        elif now - self._hiccups.get(address, -_EVERY_S) >= _EVERY_S:
            self._hiccups[address] = now
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
