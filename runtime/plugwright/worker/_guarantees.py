"""The delivery guarantees that a host can choose for a source task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from plugwright.worker._at_least_once import AtLeastOnce
from plugwright.worker._delivery import Dispatcher
from plugwright.worker._exactly_once import ExactlyOnce
from plugwright.worker._topic_creation import TopicCreation

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.worker._delivery import Delivery, DeliveryParts, TaskListener
    from plugwright.worker._host_protocols import (
        OffsetStore,
        RecordProducer,
        TransactionalProducer,
    )


@dataclass(frozen=True, slots=True)
class AtLeastOnceGuarantee:
    """Records may arrive twice: offsets are stored after Kafka has acknowledged the records.

    Attributes:
        producer: sends the records; served only under the loop's lock.
        offsets: reads and stores offsets.
        creation: creates topics.
    """

    is_transactional: ClassVar[bool] = False
    producer: RecordProducer
    offsets: OffsetStore
    creation: TopicCreation = field(default_factory=TopicCreation)

    def delivery(self, parts: DeliveryParts) -> Delivery:
        """A delivery that stores offsets at intervals."""
        dispatcher = Dispatcher(self.producer, self.creation, parts)
        return AtLeastOnce(dispatcher, self.producer, self.offsets, parts)


@dataclass(frozen=True, slots=True)
class ExactlyOnceGuarantee:
    """Records and their offsets are committed in one transaction (KIP-618).

    Attributes:
        producer: sends records and offsets; served only under the loop's lock.
        offsets: reads offsets.
        creation: creates topics.
    """

    is_transactional: ClassVar[bool] = True
    producer: TransactionalProducer
    offsets: OffsetStore
    creation: TopicCreation = field(default_factory=TopicCreation)

    def delivery(self, parts: DeliveryParts) -> Delivery:
        """A delivery that ends transactions where the settings say."""
        return ExactlyOnce(Dispatcher(self.producer, self.creation, parts), self.producer, parts)


@dataclass(frozen=True, slots=True)
class HostGuarantee:
    """The guarantee of a host without Kafka, which takes the records and their offsets itself.

    Attributes:
        offsets: reads offsets.
        deliver: creates the delivery, which notifies the listener of the outcome.
    """

    is_transactional: ClassVar[bool] = False
    offsets: OffsetStore
    deliver: Callable[[TaskListener], Delivery]

    def delivery(self, parts: DeliveryParts) -> Delivery:
        """The host's own delivery."""
        return self.deliver(parts.listener)
