"""The generation of a group, out of the client's opaque bytes."""

from __future__ import annotations

import pytest
from confluent_kafka import Consumer

from plugwright.kafka.shards import generation_of


@pytest.mark.parametrize(
    ("metadata", "generation"),
    [
        (b"CGMDv2:" + (7).to_bytes(4, "little") + b"group\0member\0", 7),
        (b"CGMDv2:" + (-1).to_bytes(4, "little", signed=True) + b"group\0", 0),
        (b"CGMDv3:" + (7).to_bytes(4, "little"), 0),
        (None, 0),
    ],
    ids=["member", "no member", "another form", "none"],
)
def test_the_generation_follows_the_mark(metadata, generation):
    """Librdkafka's own form; any other means that it is not known."""
    assert generation_of(metadata) == generation


def test_this_client_has_that_form():
    """A new version of the client that changes it is noticed here."""
    consumer = Consumer({"bootstrap.servers": "127.0.0.1:9", "group.id": "g"})

    assert consumer.consumer_group_metadata().startswith(b"CGMDv2:")
