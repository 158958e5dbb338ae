"""A broker of the suite's own that a check may cut off."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright_conformance.evidence.outcome import NotRunError
from plugwright_conformance.live.tcp_proxy import TcpProxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


__all__ = ["BreakableKafka"]

_LOOPBACK = "127.0.0.1"
# Faults are the check's to make: a topic that is missing stays missing.
_PROPERTIES: Mapping[str, str] = {"auto.create.topics.enable": "false"}


class BreakableKafka:
    """One Kafka node behind a proxy: clients reach it through the proxy alone.

    It is the suite's own also where a run was given a broker, which is not the suite's to break.

    Args:
        proxy: whose port the broker advertises.
        note: writes down what happens to the broker.
    """

    def __init__(self, proxy: TcpProxy, note: Callable[[str], object]) -> None:
        self._proxy, self._note = proxy, note
        self.bootstrap_servers = f"{_LOOPBACK}:{proxy.port}"

    @classmethod
    @contextmanager
    def open(cls, note: Callable[[str], object]) -> Iterator[BreakableKafka]:
        """Start one, and stop it at the end.

        Raises:
            NotRunError: if this machine cannot start a Kafka of its own.
        """
        from plugwright.kafka.brokers import open_broker  # noqa: PLC0415  # an extra

        with ExitStack() as stack:
            proxy = stack.enter_context(TcpProxy())
            advertised = f"PLAINTEXT://{_LOOPBACK}:{proxy.port}"
            properties = {**_PROPERTIES, "advertised.listeners": advertised}
            proxy.start(port := _free_port())  # before the broker tells its clients to go there
            try:
                stack.enter_context(open_broker(kind="embedded", port=port, properties=properties))
            except SetupError as error:
                raise NotRunError(f"needs a Kafka of its own: {error}") from error
            yield cls(proxy, note)

    @contextmanager
    def cut_off(self, at_least_s: float = 0.0) -> Iterator[None]:
        """No client reaches the broker for as long as the block lasts.

        Args:
            at_least_s: seconds that pass in any case before it is reached again.
        """
        self._note("nobody reaches the broker")
        self._proxy.cut()
        begun = time.monotonic()
        try:
            yield
            time.sleep(max(0.0, begun + at_least_s - time.monotonic()))
        finally:
            self._proxy.mend()
            self._note("the broker is reached again")


def _free_port() -> int:
    """A port that nobody listened on a moment ago."""
    with socket.create_server((_LOOPBACK, 0)) as server:
        port: int = server.getsockname()[1]
    return port
