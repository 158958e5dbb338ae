"""Short-lived admin clients end with their requests, against a live Kafka."""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest

from plugwright.errors import ConfigError
from plugwright.kafka import TopicShape, create_topic, topic_exists

pytestmark = pytest.mark.kafka


def _clients():
    """The number of clients of librdkafka in this process; each has a thread of that name."""
    names = []
    for thread in Path("/proc/self/task").iterdir():
        try:
            names.append((thread / "comm").read_text("ascii").strip())
        except OSError:
            continue  # it has ended
    return names.count("rdk:main")


def test_requests_that_fail_leave_no_client_behind(broker, fresh):
    """Not even until the next garbage collection, which an idle task does not have."""
    topic, servers = fresh("there"), broker.bootstrap_servers
    create_topic(servers, topic, partitions=2, config={"cleanup.policy": "delete"})
    gc.collect()
    before = _clients()
    gc.disable()
    try:
        assert not create_topic(servers, topic)
        assert not topic_exists(servers, fresh("missing"))
        with pytest.raises(ConfigError):
            TopicShape(25).topic(topic).require(servers)
        deadline = time.monotonic() + 30
        while _clients() > before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert _clients() == before
    finally:
        gc.enable()
