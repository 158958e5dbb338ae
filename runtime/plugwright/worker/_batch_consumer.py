"""A consumer over one batch, for hosts that receive records instead of joining a group.

The sink loop runs as with a consumer group. The batch is complete once the task has reported
all of its records durable; the host stores the offsets.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING

from plugwright.errors import RetriableError
from plugwright.record import TopicPartition
from plugwright.worker._batch_terms import BatchTerms
from plugwright.worker.runs import runs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.errors import ConnectError
    from plugwright.worker._control import TaskControl
    from plugwright.worker._host_protocols import KafkaMessage, RebalanceListener

log = logging.getLogger(__name__)

_REMEMBERED = 20_000
_PAUSE_S = 0.05
_RETRY_S = 1.0


class BatchConsumer:
    """The record consumer of a sink task for one batch.

    Args:
        chunks: the batch, in order within each partition.
        control: stops the loop once the batch is done.
        starts: first offset of the batch in each partition, if known. A task cannot seek
            before it.
        terms: time limits and error texts.

    Attributes:
        complete: whether the whole batch is durable.
        request_commit: requests a commit from the loop; set before the loop runs.
        trouble: why the loop puts or commits the last records again; set before the loop runs.
        begin: asks the task whether it needs the batch, before each poll; set before the loop
            runs. Partitions are then opened before the first record.
    """

    def __init__(
        self,
        chunks: Iterator[Sequence[KafkaMessage]],
        control: TaskControl,
        *,
        starts: Mapping[TopicPartition, int] | None = None,
        terms: BatchTerms | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.complete = False
        self.request_commit: Callable[[], None] = lambda: None
        self.trouble: Callable[[], Exception | None] = lambda: None
        self.begin: Callable[[], bool] | None = None
        self._chunks = chunks
        self._control = control
        self._starts = dict(starts or {})
        self._terms = terms or BatchTerms()
        self._clock = clock
        self._waiting: deque[KafkaMessage] = deque()
        self._recent: deque[list[KafkaMessage]] = deque()
        self._remembered = 0
        self._firsts: dict[TopicPartition, int] = {}
        self._ends: dict[TopicPartition, int] = {}
        self._skipped: dict[TopicPartition, int] = {}
        self._forgotten: dict[TopicPartition, int] = {}
        self._paused: set[TopicPartition] = set()
        self._durable: dict[TopicPartition, int] = {}
        self._deadline: float | None = None
        self._held_since: float | None = None
        self._exhausted = False

    def subscribe(self, topics: Sequence[str], listener: RebalanceListener) -> None:  # noqa: ARG002  # a batch has its topics
        """Notify this listener of each partition when its first record arrives."""
        self._listener = listener

    def poll(self, max_records: int, timeout_s: float) -> Sequence[KafkaMessage]:
        """The next records of the batch. Hot path.

        At the end of the batch, requests commits until all is durable, then stops the loop.

        Raises:
            ConnectError: if that takes too long, or the task delays the batch too long.
        """
        if self._ends and self._paused.issuperset(self._ends):
            self._hold(timeout_s, self.trouble())
            return ()
        while len(self._waiting) < max_records:
            chunk = next(self._chunks, None)
            if chunk is None:
                self._exhausted = True
                break
            self._waiting.extend(chunk)
        if self.begin is not None and not self._has_begun(self.begin):
            return ()
        found = self._take(max_records)
        if not found and not self._waiting:
            self._conclude(timeout_s)
        elif not found:
            self._hold(timeout_s, None)  # what remains is of partitions that the task paused
        else:
            self._held_since = None
        return found

    def is_whole(self, offsets: Mapping[TopicPartition, int]) -> bool:
        """Whether these offsets are the end of the batch in every partition."""
        if self._waiting or not self._exhausted:
            return False
        return all(offsets.get(home, -1) >= end for home, end in self._ends.items())

    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions of the records so far."""
        return list(self._ends)

    def positions(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return nothing: a partition is known here once it has records."""
        del partitions
        return {}

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Record the durable offsets."""
        self._durable.update(offsets)

    def commit_async(
        self, offsets: Mapping[TopicPartition, int], done: Callable[[ConnectError | None], None]
    ) -> None:
        """Record the durable offsets and call ``done`` at once."""
        self.commit(offsets)
        done(None)

    def seek(self, partition: TopicPartition, offset: int | None) -> None:
        """Continue from another offset within the batch.

        Raises:
            ConnectError: if it is outside of the batch, or too far back.
        """
        first = self._firsts[partition]
        start = self._starts.get(partition, first)
        wanted = start if offset is None else offset
        end = self._ends[partition]
        if wanted >= end:
            self._skipped[partition] = self._ends[partition] = wanted
            return
        if wanted < start and partition in self._starts:
            raise self._terms.out_of_reach(partition, wanted, f"the batch begins at {start}")
        if wanted < (kept := self._forgotten.get(partition, 0)):
            raise self._terms.out_of_reach(
                partition, wanted, f"records before {kept} are no longer buffered"
            )
        self._give_again(partition, wanted)

    def pause(self, partitions: Sequence[TopicPartition]) -> None:
        """Return no records of these partitions."""
        self._paused.update(partitions)

    def resume(self, partitions: Sequence[TopicPartition]) -> None:
        """Return records of these partitions again."""
        self._paused.difference_update(partitions)

    def close(self) -> None:
        """Do nothing: no resource is open."""

    def _take(self, most: int) -> list[KafkaMessage]:
        """The next available messages; unavailable ones stay at the front. Hot path."""
        found: list[KafkaMessage] = []
        left: list[KafkaMessage] = []
        waiting = self._waiting
        while waiting and len(found) < most:
            size = min(most - len(found), len(waiting))
            messages = [waiting.popleft() for _ in range(size)]
            rest = iter(messages)
            for run in runs_of(messages):
                home = TopicPartition(run.topic, run.partition)
                part = list(islice(rest, run.size))
                self._meet(home, part[0].offset())
                if self._paused or self._skipped:
                    part = [each for each in part if not self._holds(home, each, left)]
                found += part
        waiting.extendleft(reversed(left))
        self._note(found)
        return found

    def _has_begun(self, begin: Callable[[], bool]) -> bool:
        """Whether records may be returned: partitions are open, and the task needs the batch."""
        if not self._ends:
            firsts: dict[tuple[str, int], int] = {}
            for message in self._waiting:
                firsts.setdefault((message.topic(), message.partition()), message.offset())
            for home, offset in firsts.items():
                self._meet(TopicPartition(*home), offset)
            return False  # the loop first checks whether they could be opened
        try:
            wanted = begin()
        except RetriableError as error:
            log.warning("begin_batch will be retried in %g s: %s", _RETRY_S, error)
            self._hold(_RETRY_S, error)
            return False
        if not wanted:
            self.complete = True
            self._control.stop()
        return wanted

    def _meet(self, home: TopicPartition, offset: int) -> None:
        """Open a partition when its first record arrives."""
        if home not in self._ends:
            self._firsts[home] = self._ends[home] = offset
            self._listener.assigned([home])

    def _holds(self, home: TopicPartition, message: KafkaMessage, left: list[KafkaMessage]) -> bool:
        """Whether to withhold a record for now; skipped records are dropped."""
        if message.offset() < self._skipped.get(home, 0):
            return True
        if home in self._paused:
            left.append(message)
            return True
        return False

    def _hold(self, seconds: float, trouble: Exception | None) -> None:
        """Wait for a task that takes no records, unless it has exceeded its time."""
        if self._held_since is None:
            self._held_since = self._clock()
        elif self._clock() - self._held_since >= self._terms.held_s:
            raise self._terms.stuck(trouble) from trouble
        self._control.wait(seconds)

    def _note(self, found: list[KafkaMessage]) -> None:
        """Record what was returned, and its end offsets."""
        for home, end in _ends_of(found):
            if end <= self._ends[home]:  # offsets go backwards: earlier commits do not cover these
                self._durable.pop(home, None)
            self._ends[home] = end
        self._recent.append(found)
        self._remembered += len(found)
        while self._remembered > _REMEMBERED and len(self._recent) > 1:
            oldest = self._recent.popleft()
            self._forgotten.update(_ends_of(oldest))
            self._remembered -= len(oldest)

    def _give_again(self, partition: TopicPartition, offset: int) -> None:
        """Return records to the front of the queue."""
        again: list[KafkaMessage] = []
        for given in self._recent:
            mine = [m for m in given if (m.topic(), m.partition()) == partition]
            back = [m for m in mine if m.offset() >= offset]
            again += back
            if back:
                gone = {id(m) for m in back}
                given[:] = [m for m in given if id(m) not in gone]
        self._remembered -= len(again)
        self._waiting.extendleft(reversed(again))
        self._ends[partition] = offset
        self._skipped.pop(partition, None)

    def _conclude(self, timeout_s: float) -> None:
        """Request a commit; the batch is complete once everything is durable."""
        missing = {p: e for p, e in self._ends.items() if self._durable.get(p, -1) < e}
        if not missing:
            self.complete = True
            self._control.stop()
            return
        if self._deadline is None:
            self._deadline = self._clock() + self._terms.durable_s
        elif self._clock() >= self._deadline:
            trouble = self.trouble()
            raise self._terms.too_slow(missing, self._durable, trouble) from trouble
        else:
            self._control.wait(min(timeout_s, _PAUSE_S))
        self.request_commit()


def _ends_of(messages: Sequence[KafkaMessage]) -> Iterator[tuple[TopicPartition, int]]:
    """The end offset of messages in each partition, from the last message."""
    end = 0
    for run in runs_of(messages):
        end += run.size
        yield TopicPartition(run.topic, run.partition), messages[end - 1].offset() + 1
