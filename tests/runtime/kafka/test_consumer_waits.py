"""The consumer of sink tasks, while nothing arrives."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from plugwright.kafka import KafkaRecordConsumer

NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "group.id": "waits", "log_level": 0}


class Listener:
    """Hears nothing."""


@pytest.mark.parametrize("timeout_s", [0.0009, 0.0021])
def test_a_wait_is_not_cut_off_to_whole_milliseconds(timeout_s):
    """Else the rest before a commit is spent in polls, each with an empty batch for the task."""
    with closing(KafkaRecordConsumer(NOWHERE)) as consumer:
        consumer.subscribe(["nothing"], Listener())
        consumer.poll(1, 0.1)
        began = time.monotonic()
        consumer.poll(1, timeout_s)

        assert time.monotonic() - began >= timeout_s
