"""A broker that checks may restart and disconnect."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from plugwright.errors import SetupError
from plugwright_conformance.evidence.outcome import NotRunError
from plugwright_conformance.live.tcp_proxy import TcpProxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from plugwright.kafka.brokers import RestartableBroker

__all__ = ["BreakableKafka"]

_LOOPBACK = "127.0.0.1"
# Faults are the check's to make: a topic that is missing stays missing.
_PROPERTIES: Mapping[str, str] = {"auto.create.topics.enable": "false"}


class BreakableKafka:
    """One Kafka node behind a proxy, through which all clients connect.

    It is the suite's own also where a run was given a broker, which is not the suite's to break.

    Args:
        broker: behind the proxy.
        proxy: whose address the broker advertises.
        note: writes down what happens to the broker.
    """

    def __init__(
        self, broker: RestartableBroker, proxy: TcpProxy, note: Callable[[str], object]
    ) -> None:
        self._broker, self._proxy, self._note = broker, proxy, note
        self.bootstrap_servers = proxy.address

    @classmethod
    @contextmanager
    def open(cls, note: Callable[[str], object], host: str = "") -> Iterator[BreakableKafka]:
        """Start one, and stop it at the end.

        Args:
            note: writes down what happens to the broker.
            host: the address of this machine where clients connect; by default loopback.

        Raises:
            NotRunError: if this machine cannot start a Kafka of its own that clients reach.
        """
        from plugwright.kafka.brokers import free_ports, open_restartable  # noqa: PLC0415  # an extra

        with ExitStack() as stack:
            try:
                proxy = stack.enter_context(TcpProxy(host or _LOOPBACK))
            except OSError as error:
                raise NotRunError(f"not measured: no Kafka can be at {host}: {error}") from error
            advertised = f"PLAINTEXT://{proxy.address}"
            properties = {**_PROPERTIES, "advertised.listeners": advertised}
            (port,) = free_ports(1)
            proxy.start(port)  # before the broker sends its clients there
            try:
                broker = stack.enter_context(open_restartable(port=port, properties=properties))
            except SetupError as error:
                raise NotRunError(f"needs a Kafka of its own: {error}") from error
            yield cls(broker, proxy, note)

    @contextmanager
    def cut_off(self, at_least_s: float = 0.0) -> Iterator[None]:
        """No client reaches the broker for as long as the block lasts.

        Args:
            at_least_s: seconds that pass in any case before it is reached again.
        """
        self._note("no client reaches the broker")
        self._proxy.cut()
        begun = time.monotonic()
        try:
            yield
            time.sleep(max(0.0, begun + at_least_s - time.monotonic()))
        finally:
            self._proxy.mend()
            self._note("the broker is reached again")

    @contextmanager
    def restarted(self, *, kill: bool = False) -> Iterator[None]:
        """The broker is down when the block begins, and answers again some time after its end.

        Args:
            kill: end it with SIGKILL instead of in order.

        Raises:
            NotRunError: if it does not come back, which is not the connector's fault.
        """
        with self.cut_off():
            self._note("the broker is killed" if kill else "the broker is restarted")
            try:
                self._broker.restart(kill=kill)
            except SetupError as error:
                raise NotRunError(f"the suite's Kafka did not come back: {error}") from error
            yield
