"""One batch of records in the place of a group member, for hosts that are given records.

The sink loop runs as it does behind a group. The batch is done once the task has said of all of
its records that they are durable; who gave the batch keeps the offsets.
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
from plugwright.worker._runs import runs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.errors import ConnectError
    from plugwright.worker._control import TaskControl
    from plugwright.worker._seams import KafkaMessage, RebalanceListener

log = logging.getLogger(__name__)

_REMEMBERED = 20_000
_PAUSE_S = 0.05
_RETRY_S = 1.0


class BatchConsumer:
    """The record consumer of a sink task that is given one batch.

    Args:
        chunks: the batch, in order within each partition.
        control: stops the loop once the batch is done.
        starts: where the batch begins in each partition, as far as that is known. A task cannot go
            back behind it.
        terms: what is asked of the task.

    Attributes:
        complete: whether everything of the batch is durable.
        request_commit: asks the loop for a commit; to be set before it runs.
        trouble: why the loop has the last records put or committed again; to be set likewise.
        begin: asks the task whether it wants the batch, before each poll; to be set before the loop
            runs. Partitions are then opened before a record is given.
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
        """Tell this listener of partitions as their first records come."""
        self._listener = listener

    def poll(self, max_records: int, timeout_s: float) -> Sequence[KafkaMessage]:
        """The next records of the batch. Hot path.

        At its end the task is asked what is durable, until everything is; then the loop is stopped.

        Raises:
            ConnectError: if that takes too long, or the task holds the batch up too long.
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
            self._hold(timeout_s, None)  # what is left is of partitions that the task has paused
        else:
            self._held_since = None
        return found

    def is_whole(self, offsets: Mapping[TopicPartition, int]) -> bool:
        """Whether these offsets are the end of the batch in every partition."""
        if self._waiting or not self._exhausted:
            return False
        return all(offsets.get(home, -1) >= end for home, end in self._ends.items())

    def assignment(self) -> Sequence[TopicPartition]:
        """The partitions that records have come from."""
        return list(self._ends)

    def committed(self, partitions: Sequence[TopicPartition]) -> Mapping[TopicPartition, int]:
        """None: nobody has committed anything within this batch."""
        del partitions
        return {}

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Take note of what is durable."""
        self._durable.update(offsets)

    def commit_async(
        self, offsets: Mapping[TopicPartition, int], done: Callable[[ConnectError | None], None]
    ) -> None:
        """The same; ``done`` is called at once."""
        self.commit(offsets)
        done(None)

    def seek(self, partition: TopicPartition, offset: int | None) -> None:
        """Go on from another offset within the batch.

        Raises:
            ConnectError: if it is not within, or too far back.
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
                partition, wanted, f"records before {kept} are not kept any more"
            )
        self._give_again(partition, wanted)

    def pause(self, partitions: Sequence[TopicPartition]) -> None:
        """Give nothing of these partitions."""
        self._paused.update(partitions)

    def resume(self, partitions: Sequence[TopicPartition]) -> None:
        """Give what there is of these partitions again."""
        self._paused.difference_update(partitions)

    def close(self) -> None:
        """Nothing is held."""

    def _take(self, most: int) -> list[KafkaMessage]:
        """The next messages that may be given; those that may not stay in front. Hot path."""
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
        """Whether records may be given: the partitions are open, and the task wants the batch."""
        if not self._ends:
            firsts: dict[tuple[str, int], int] = {}
            for message in self._waiting:
                firsts.setdefault((message.topic(), message.partition()), message.offset())
            for home, offset in firsts.items():
                self._meet(TopicPartition(*home), offset)
            return False  # the loop hears first whether they could be opened
        try:
            wanted = begin()
        except RetriableError as error:
            log.warning("begin_batch will be repeated in %g s: %s", _RETRY_S, error)
            self._hold(_RETRY_S, error)
            return False
        if not wanted:
            self.complete = True
            self._control.stop()
        return wanted

    def _meet(self, home: TopicPartition, offset: int) -> None:
        """A partition is opened when its first record comes."""
        if home not in self._ends:
            self._firsts[home] = self._ends[home] = offset
            self._listener.assigned([home])

    def _holds(self, home: TopicPartition, message: KafkaMessage, left: list[KafkaMessage]) -> bool:
        """Whether a record is not to be given now; one that is skipped never is."""
        if message.offset() < self._skipped.get(home, 0):
            return True
        if home in self._paused:
            left.append(message)
            return True
        return False

    def _hold(self, seconds: float, trouble: Exception | None) -> None:
        """Wait for a task that takes nothing, unless it has had its time."""
        if self._held_since is None:
            self._held_since = self._clock()
        elif self._clock() - self._held_since >= self._terms.held_s:
            raise self._terms.stuck(trouble) from trouble
        self._control.wait(seconds)

    def _note(self, found: list[KafkaMessage]) -> None:
        """Remember what was given, and how far it goes."""
        for home, end in _ends_of(found):
            if end <= self._ends[home]:  # numbers go back: what is durable says nothing of these
                self._durable.pop(home, None)
            self._ends[home] = end
        self._recent.append(found)
        self._remembered += len(found)
        while self._remembered > _REMEMBERED and len(self._recent) > 1:
            oldest = self._recent.popleft()
            self._forgotten.update(_ends_of(oldest))
            self._remembered -= len(oldest)

    def _give_again(self, partition: TopicPartition, offset: int) -> None:
        """Put records back in front of those that wait."""
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
        """Ask for what is durable; the batch is complete when that is everything."""
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
    """How far messages go in each partition, by what comes last."""
    end = 0
    for run in runs_of(messages):
        end += run.size
        yield TopicPartition(run.topic, run.partition), messages[end - 1].offset() + 1
