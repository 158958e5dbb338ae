"""Which source offsets may be stored: those below everything that Kafka has acknowledged.

Records are tracked in runs. A run is a series of consecutive records of one source partition that
were handed to the producer together; it counts as acknowledged when all of its records are. One
unacknowledged run holds back the offsets of its own source partition only.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.worker._seams import KafkaMessage

__all__ = ["Run", "SubmittedRecords"]


class Run:
    """Consecutive records of one source partition, waiting for their acknowledgements."""

    __slots__ = ("_refusals", "offset", "outstanding", "partition")

    def __init__(self, partition: Mapping[str, Any] | None, refusals: list[object]) -> None:
        self._refusals = refusals
        self.partition = partition
        self.offset: Mapping[str, Any] | None = None
        self.outstanding = 0

    def delivered(self, error: object | None, message: KafkaMessage) -> None:  # noqa: ARG002
        """Take one acknowledgement. Hot path: once per record.

        A refused record counts as outstanding for ever, so that its offset is never stored.
        """
        if error is None:
            self.outstanding -= 1
        else:
            self._refusals.append(error)


class SubmittedRecords:
    """The runs in flight, a queue for each source partition.

    Not locked: the producer's callbacks run on the loop's own thread.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[Run]] = {}
        self._refusals: list[object] = []

    def begin(self, partition: Mapping[str, Any] | None) -> Run:
        """Open a run at the end of its partition's queue.

        Raises:
            ConnectError: if the partition is not a map of plain values.
        """
        run = Run(partition, self._refusals)
        self._queues.setdefault(_key(partition), deque()).append(run)
        return run

    def withdraw(self, run: Run) -> None:
        """Take back the run that was opened last in its partition, because it stayed empty."""
        key = _key(run.partition)
        self._queues[key].pop()
        if not self._queues[key]:
            del self._queues[key]

    @property
    def outstanding(self) -> int:
        """How many records still wait for their acknowledgement."""
        return sum(run.outstanding for queue in self._queues.values() for run in queue)

    def take_committable(self) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Remove the acknowledged head of every queue; partition and last offset of each.

        The keys stand for the source partitions: equal partitions have equal keys.
        """
        ready: dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None]] = {}
        for key in list(self._queues):
            done = self._take_acknowledged(self._queues[key])
            if not self._queues[key]:
                del self._queues[key]
            if done is not None and done.partition is not None:
                ready[key] = (done.partition, done.offset)
        return ready

    @staticmethod
    def _take_acknowledged(queue: deque[Run]) -> Run | None:
        done = None
        while queue and queue[0].outstanding == 0:
            done = queue.popleft()
        return done

    def raise_refused(self) -> None:
        """Raise the first refusal, if there is one. Costs the same however much is in flight.

        Raises:
            ConnectError: if Kafka has refused a record.
        """
        if self._refusals:
            raise _refused(self._refusals[0])


def _refused(error: object) -> ConnectError:
    return ConnectError(
        f"Kafka refused a record: {error}",
        code="kafka.record-refused",
        hint="see the broker's message; records before it keep their stored offsets",
        facts={"error": str(error)},
    )


def _key(partition: Mapping[str, Any] | None) -> str:
    try:
        return json.dumps(partition, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise ConnectError(
            f"a source partition must be a map of plain values, found {partition!r}",
            code="offsets.not-plain",
            hint="use strings, numbers, booleans and null only (Connect's offset rules)",
        ) from error
