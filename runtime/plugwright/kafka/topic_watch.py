"""Watches which topics match a pattern."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from plugwright.kafka._topic_pattern import TopicPattern

log = logging.getLogger(__name__)

_RETRY_S = 1.0


class TopicWatch:
    """Looks up topics on a separate thread, so that polling does not wait for Kafka.

    Args:
        pattern: the pattern for topics.
        opened: opens the function that lists all topics, which may take seconds.
        interval_s: time between two lookups, in seconds; a failed one is retried sooner.
    """

    def __init__(
        self,
        pattern: TopicPattern,
        opened: Callable[[], AbstractContextManager[Callable[[], Iterable[str]]]],
        interval_s: float,
    ) -> None:
        self._pattern = pattern
        self._opened = opened
        self._interval_s = interval_s
        self._over = threading.Event()
        self._found: tuple[str, ...] = ()
        self._taken: tuple[str, ...] = ()
        self._thread = threading.Thread(target=self._watch, name="topic-watch", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def changed(self) -> tuple[str, ...] | None:
        """The sorted topics, if they have changed since the last call. Costs almost nothing."""
        found = self._found
        if found == self._taken:
            return None
        self._taken = found
        log.info("topics that match %s: %s", self._pattern.pattern, ", ".join(found) or "none")
        return found

    def close(self) -> None:
        """Stop the thread and wait for its end."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        with self._opened() as look:
            wait_s = 0.0
            while not self._over.wait(wait_s):
                wait_s = self._interval_s
                try:
                    self._found = tuple(self._pattern.matching(look()))
                except KafkaException as error:
                    # The reading client reports missing permissions of the login.
                    log.debug("topics not looked up, will be tried again: %s", error)
                    wait_s = min(_RETRY_S, self._interval_s)
