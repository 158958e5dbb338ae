"""The simulated Kafka and a live one come to the same end of the same history."""

from __future__ import annotations

import pytest
from tests.conformance.simulator.histories import HISTORIES, cooperative_members_keep
from tests.conformance.simulator.simulated_host import SimulatedHost

each_history = pytest.mark.parametrize("history", HISTORIES, ids=lambda history: history.__name__)


@each_history
def test_simulated_kafka_ends_as_the_documentation_says(history):
    """The expected ends are literal."""
    host = SimulatedHost(cooperative=history is cooperative_members_keep)

    assert history(host) == HISTORIES[history]


@pytest.mark.kafka
@each_history
def test_live_kafka_ends_the_same(history, broker, fresh):
    """What the simulator claims of Kafka is true of Kafka."""
    from tests.conformance.simulator.live_host import LiveHost  # noqa: PLC0415  # an extra

    host = LiveHost(broker, fresh, cooperative=history is cooperative_members_keep)
    try:
        assert history(host) == HISTORIES[history]
    finally:
        host.close()
