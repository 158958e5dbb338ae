"""Groups consumed messages into runs from one partition, as clients deliver them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugwright.record import TopicPartition
    from plugwright.worker._host_protocols import KafkaMessage


class MessageRun(NamedTuple):
    """A series of consecutive messages from one partition.

    Attributes:
        size: number of messages.
    """

    topic: str
    partition: int
    size: int


def runs_of(
    messages: Sequence[KafkaMessage], only: TopicPartition | None = None
) -> list[MessageRun]:
    """The runs of a batch, in order. Hot path.

    Args:
        messages: the batch.
        only: the partition of all messages, if only one is assigned.
    """
    if only is not None and messages:
        return [MessageRun(*only, len(messages))]
    topics = [message.topic() for message in messages]
    partitions = [message.partition() for message in messages]
    runs, begin = [], 0
    one_topic = topics.count(topics[0]) == len(topics) if topics else True
    for _, run in groupby(partitions if one_topic else zip(topics, partitions, strict=True)):
        size = len(list(run))
        runs.append(MessageRun(topics[begin], partitions[begin], size))
        begin += size
    return runs
