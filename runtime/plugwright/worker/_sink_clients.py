"""The clients through which a sink loop reads records and sends failing ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.worker._host_protocols import RecordConsumer, RecordProducer


@dataclass(frozen=True, slots=True)
class SinkClients:
    """The Kafka clients of a sink loop, or what stands in for them.

    Attributes:
        consumer: a group member; polled only on the loop's thread.
        topics: the topics that it subscribes to.
        dead_letters: sends failing records to their queue, if configured; served elsewhere.
    """

    consumer: RecordConsumer
    topics: Sequence[str] = ()
    dead_letters: RecordProducer | None = None
