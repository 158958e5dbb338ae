"""Logs librdkafka's messages with Python's logging, and broker outages once each."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from plugwright.kafka.outages import Outages

if TYPE_CHECKING:
    from collections.abc import Mapping

log = logging.getLogger(__name__)

_ABOUT_BROKERS = frozenset({"FAIL", "REQTMOUT", "ERROR"})
"""The client's names for messages about connections and unanswered requests."""
_ADDRESS = re.compile(
    r"(?:^|\]: )(?:[A-Za-z]+: )?(?:\w+://)?([^\s/:]+:\d+|\[[^\]]+\]:\d+)(?:/[-\w]+)?: "
)
_PROBE_S = 3.0
_SHARED = ("security.", "ssl.", "sasl.", "socket.", "client.dns", "enable.ssl", "broker.address")


class _NoLog:
    """Discards the messages of a client that only checks whether a broker answers."""

    @staticmethod
    def log(*_: object) -> None:
        """Discard it."""


@dataclass(frozen=True, slots=True)
class ClientLog:
    """Receives the messages of one client instead of a logger.

    Attributes:
        servers: the bootstrap servers of its cluster.
        settings: librdkafka's settings; those for connections are used.
        outages: the broker outages of all clients of this process.
    """

    servers: str
    settings: Mapping[str, object] = field(repr=False)
    outages: Outages | None = field(default=None, compare=False, repr=False)

    def log(self, level: int, text: str, facility: str, client: str, message: str) -> None:
        """Receive a message, with the arguments that the client passes to a logger."""
        if facility not in _ABOUT_BROKERS:
            log.log(level, text, facility, client, message)
            return
        found = _ADDRESS.search(message)
        address = self.servers if found is None else found.group(1)
        outages = self.outages or _outages()
        if level >= logging.WARNING or outages.includes(address):
            outages.report(address, client, message, lambda: self._answers(address))
        else:
            log.log(level, text, facility, client, message)

    def _answers(self, address: str) -> bool:
        connection = {k: v for k, v in self.settings.items() if k.startswith(_SHARED)}
        settings = {**connection, "bootstrap.servers": address, "logger": _NoLog()}
        try:
            AdminClient(settings).list_topics(timeout=_PROBE_S)
        except KafkaException:
            return False
        return True


@cache
def _outages() -> Outages:
    """The outages of this process."""
    return Outages(log)
