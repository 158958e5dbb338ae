"""The suite's own Kafka, which checks may break."""

from __future__ import annotations

import pytest

from plugwright.errors import SetupError
from plugwright_conformance.evidence.outcome import NotRunError
from plugwright_conformance.live.breakable_kafka import BreakableKafka


class Link:
    """Stands for the proxy, and notes what is done."""

    address = "127.0.0.1:9092"

    def __init__(self):
        self.done = []

    def cut(self):
        """Let nothing through."""
        self.done.append("cut")

    def mend(self):
        """Let everything through."""
        self.done.append("mend")


class Broker:
    """Comes back, or does not."""

    def __init__(self, link, error=None):
        self._link, self._error = link, error

    def restart(self, *, kill=False):
        """End and start."""
        self._link.done.append("kill" if kill else "restart")
        if self._error is not None:
            raise self._error


@pytest.mark.parametrize(("kill", "how"), [(False, "restart"), (True, "kill")])
def test_no_client_reaches_a_broker_while_it_restarts(kill, how):
    """And it is back before it is reached again."""
    link = Link()

    with BreakableKafka(Broker(link), link, link.done.append).restarted(kill=kill):
        link.done.append("block")

    acts = [each for each in link.done if " " not in each]
    assert acts == ["cut", how, "block", "mend"]


def test_a_broker_that_does_not_come_back_is_not_the_connectors_fault():
    """The check has not run, and the link is whole again."""
    link = Link()
    kafka = BreakableKafka(Broker(link, SetupError("stuck")), link, lambda _: None)

    with pytest.raises(NotRunError, match=r"did not come back: stuck"), kafka.restarted():
        pytest.fail("there is no broker")

    assert link.done[-1] == "mend"
