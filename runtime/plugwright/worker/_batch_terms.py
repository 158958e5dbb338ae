"""Time limits for a task that processes one batch, and the errors when it exceeds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.record import TopicPartition


@dataclass(frozen=True, slots=True)
class BatchTerms:
    """The host's time limits and error texts. The defaults are those of a streamed connector.

    Attributes:
        durable_s: time that the task may take at the end until everything is durable.
        held_s: time that the task may delay a batch, with retries or by pausing all partitions; a
            worker has no such limit.
        task: the name of the task in errors.
        not_durable: error code for a task that exceeds ``durable_s``.
        rewind: error code for a task that requests records outside of the batch.
        held_up: error code for a task that exceeds ``held_s``.
        mending: advice about the limits.
        elsewhere: advice about operations that a batch does not support.
    """

    durable_s: float = 60.0
    held_s: float = float("inf")
    task: str = "the task"
    not_durable: str = "stream.not-durable"
    rewind: str = "stream.rewind"
    held_up: str = "stream.held-up"
    mending: str = (
        "have pre_commit or flush write what the task holds, or set spark.engine=resident"
    )
    elsewhere: str = "set spark.engine=resident, which supports seeking to any offset"

    def out_of_reach(self, partition: TopicPartition, offset: int, why: str) -> ConnectError:
        """The error for a seek to an unavailable offset."""
        return ConnectError(
            f"{self.task} requested offset {offset} of {_named(partition)}, but {why}",
            code=self.rewind,
            hint=self.elsewhere,
            facts={"topic": partition.topic, "partition": partition.partition, "offset": offset},
        )

    def too_slow(
        self,
        missing: Mapping[TopicPartition, int],
        durable: Mapping[TopicPartition, int],
        trouble: Exception | None,
    ) -> ConnectError:
        """The error for a batch that is not reported durable in time."""
        partition, end = next(iter(missing.items()))
        said = durable.get(partition)
        return ConnectError(
            f"{self.durable_s:g} s after the end of a batch, pre_commit reports "
            f"{_named(partition)} durable up to {'no offset' if said is None else said} instead of "
            f"{end}; a batch can only be completed as a whole{_because(trouble)}",
            code=self.not_durable,
            hint=self._advice(trouble),
            facts={"topic": partition.topic, "partition": partition.partition, "offset": end},
        )

    def stuck(self, trouble: Exception | None) -> ConnectError:
        """The error for a task that does not take the batch in time."""
        return ConnectError(
            f"{self.task} did not take the records of one batch within {self.held_s:g} s"
            f"{_because(trouble)}",
            code=self.held_up,
            hint=self._advice(trouble),
        )

    def _advice(self, trouble: Exception | None) -> str:
        return (trouble.hint if isinstance(trouble, ConnectError) else "") or self.mending


def _named(partition: TopicPartition) -> str:
    return f"{partition.topic}-{partition.partition}"


def _because(trouble: Exception | None) -> str:
    return "" if trouble is None else f": {trouble}"
