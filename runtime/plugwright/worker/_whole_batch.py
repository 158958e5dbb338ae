"""Runs an idempotent sink task over one batch, which becomes durable as a whole or not at all.

The sink loop commits at intervals, on a pause and at the end, as with a consumer group. If half a
batch became durable under the batch's identity, Spark's replay would take it for the whole batch,
and the other half would be lost. Therefore the task is only asked to commit the whole.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.errors import RetriableError
from plugwright.task import SinkTask

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright.record import SinkRecord, TopicPartition
    from plugwright.task import BatchIdentity, IdempotentSinkTask, SinkTaskContext
    from plugwright.worker._batch_consumer import BatchConsumer
    from plugwright.worker._identity import TaskIdentity

log = logging.getLogger(__name__)


class WholeBatchTask(SinkTask):
    """Wraps an idempotent task for the sink loop, for one batch.

    Args:
        task: a new instance of the plugin's task.
        batch: identity of the batch.
        consumer: provides the batch; asks this task whether it is needed.
        identity: identifies the task in errors.
    """

    def __init__(
        self,
        task: IdempotentSinkTask,
        batch: BatchIdentity,
        consumer: BatchConsumer,
        identity: TaskIdentity,
    ) -> None:
        self._task = task
        self._batch = batch
        self._consumer = consumer
        self._identity = identity
        self._begun = False
        self._durable: Mapping[TopicPartition, int] = {}
        consumer.begin = self.begin

    def version(self) -> str:
        """The version of the plugin."""
        return self._task.version()

    def initialize(self, context: SinkTaskContext) -> None:
        """Take the context."""
        self._task.initialize(context)

    def start(self, props: Mapping[str, str]) -> None:
        """Begin."""
        self._task.start(props)

    def stop(self) -> None:
        """Release everything."""
        self._task.stop()

    def open(self, partitions: Collection[TopicPartition]) -> None:
        """Called with the partitions that were just assigned."""
        self._task.open(partitions)

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Called with the partitions that are about to leave."""
        self._task.close(partitions)

    def begin(self) -> bool:
        """Whether the batch is needed; asks the task when the batch begins or restarts.

        Raises:
            RetriableError: if it cannot answer now.
            PluginError: if it fails.
        """
        if not self._begun:
            with self._identity.calling("begin_batch"):
                self._begun = bool(self._task.begin_batch(self._batch))
        return self._begun

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Pass on records once the batch has begun."""
        if self._begun:
            self._task.put(records)

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The durable offsets: the whole batch, or nothing.

        A `RetriableError` of the task repeats the call. Any other error repeats the batch,
        with ``begin_batch`` before it, because the failed commit may be durable after all.
        """
        if self._durable == offsets:
            return offsets
        if not self._begun or not self._consumer.is_whole(offsets):
            return {}
        try:
            durable = self._task.pre_commit(offsets) or {}
        except RetriableError as error:
            log.warning("%s: pre_commit will be retried: %s", self._identity, error)
            return {}
        except BaseException:
            self._begun = False
            raise
        if all(durable.get(home, -1) >= end for home, end in offsets.items()):
            self._durable = dict(offsets)
        return durable
