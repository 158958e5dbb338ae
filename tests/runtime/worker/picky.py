"""A converter that fails at certain bytes, and the loop of a sink task that uses it."""

from __future__ import annotations

from dataclasses import replace

from tests.runtime.worker.rigs import CODEC, SinkRig

from plugwright.converters import StringConverter
from plugwright.errors import DataError
from plugwright.record import TopicPartition
from plugwright.worker import ErrorSettings

__all__ = ["ALL", "T0", "Picky", "serve_when_waiting", "sink_rig"]

T0 = TopicPartition("t", 0)
ALL = ErrorSettings(tolerate_all=True)


class Picky(StringConverter):
    """Fails as often as specified at certain bytes, and remembers what it was asked."""

    def __init__(self, error=None, **failures):
        super().__init__()
        self.error = error or DataError("cannot")
        self.failures = dict(failures)
        self.asked = []

    def to_connect_data(self, topic, value):
        """Convert, or not."""
        self.asked.append(value)
        name = (value or b"").decode()
        if self.failures.get(name, 0):
            self.failures[name] -= 1
            raise self.error
        return super().to_connect_data(topic, value)

    def to_connect_header(self, topic, header_key, value):
        """The same for headers."""
        return self.to_connect_data(topic, value)


def sink_rig(*values, errors=ALL, transform=None, producer=None, converters=None, **plan):
    """The loop over these values of one partition."""
    rig = SinkRig(
        errors=errors,
        transform=transform,
        dead_letters=producer,
        codec=replace(CODEC, **(converters or {})),
        **plan,
    )
    rig.consumer.produce(T0, *values)
    return rig


def serve_when_waiting(producer):
    """Answer every record at once, as a thread of the producer's own does."""
    send = producer.send
    producer.send = lambda batch: (send(batch), producer.serve())
