"""What a host that gives a task one batch asks of it, and the errors where it does not get that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.record import TopicPartition


@dataclass(frozen=True, slots=True)
class BatchTerms:
    """Times, and how errors name the host. The defaults are those of a streamed connector.

    Attributes:
        durable_s: how long the task may take, at the end, until everything is durable.
        held_s: how long it may hold up a batch, with retries or by pausing all of it; a worker
            lets it do so for ever.
        task: how errors name it.
        not_durable: code of the error of a task that takes too long.
        rewind: code of the error of a task that asks for records outside of the batch.
        held_up: code of the error of a task that holds the batch up too long.
        mending: advice about the times.
        elsewhere: advice about what a batch cannot do.
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
    elsewhere: str = "set spark.engine=resident, where a task may go to any offset"

    def out_of_reach(self, partition: TopicPartition, offset: int, why: str) -> ConnectError:
        """The task asks for records that it cannot have."""
        return ConnectError(
            f"{self.task} asks to go to offset {offset} of {_named(partition)}, but {why}",
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
        """The task does not say of the whole batch that it is durable."""
        partition, end = next(iter(missing.items()))
        said = durable.get(partition)
        return ConnectError(
            f"pre_commit returned that {_named(partition)} is durable up to "
            f"{'nothing' if said is None else said}, not up to {end}, {self.durable_s:g} s after "
            f"the end of a batch, which can only be done as a whole{_because(trouble)}",
            code=self.not_durable,
            hint=self._advice(trouble),
            facts={"topic": partition.topic, "partition": partition.partition, "offset": end},
        )

    def stuck(self, trouble: Exception | None) -> ConnectError:
        """The task does not take the batch."""
        return ConnectError(
            f"{self.task} had {self.held_s:g} s to take the records of one batch, and has not"
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
