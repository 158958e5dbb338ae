"""Reports the statuses of one connector to the status store."""

from __future__ import annotations

import logging
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.herder._unwritten_statuses import UnwrittenStatuses
from plugwright.herder.delayed_call import start_timer
from plugwright.herder.startups import Startups
from plugwright.herder.status_store import Status
from plugwright.origin import status_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from plugwright.control_plane import RestartRequest
    from plugwright.herder._worker_interface import TaskUpdate
    from plugwright.herder.delayed_call import TimerStart
    from plugwright.herder.status_store import StatusStore

log = logging.getLogger(__name__)

_SURE_S = 3.0
"""Well below every session time-out: after a shorter pause no other worker can have taken over."""


class StatusReporter:
    """Reports the statuses of one connector on this worker.

    A status that cannot be written is logged, and written later unless a newer one or another
    worker's has replaced it; the connector keeps running.

    Args:
        connector: name of the connector.
        store: stores statuses.
        worker_id: ``host:port`` of this worker's REST listener.
        generation: increases with every change of ownership.
        tracks_topics: whether to report the topics that tasks use (KIP-558).
        startups: counts the starts of the connector and its tasks.
        hide: removes secrets from a trace.
        start_timer: calls a function after a delay.
        exists: whether a task, or the connector itself (``None``), is configured now.

    Attributes:
        version: of the running plugin, once there is one.
    """

    def __init__(  # noqa: PLR0913  # identity and stores, the options by keyword
        self,
        connector: str,
        store: StatusStore,
        worker_id: str,
        generation: Callable[[], int],
        *,
        tracks_topics: bool = True,
        startups: Startups | None = None,
        hide: Callable[[str], str] = str,
        start_timer: TimerStart = start_timer,
        exists: Callable[[int | None], bool] = lambda _: True,
    ) -> None:
        self._hide = hide
        self._connector = connector
        self._store = store
        self._worker_id = worker_id
        self._generation = generation
        self._tracks_topics = tracks_topics
        self._startups = startups or Startups()
        self.version = ""
        self._turning = threading.Lock()
        self._holds = 0
        self._least: dict[int | None, int] = {}
        self._sure_at = time.monotonic()
        self._exists = exists
        self._telling = threading.Lock()
        self._unwritten = UnwrittenStatuses(self._tell_again, start_timer)
        self.acquired([None])

    def acquired(self, parts: Iterable[int | None]) -> None:
        """Record that these tasks, or the connector itself (``None``), now belong here."""
        for part, status in self._stored(parts).items():
            self._least[part] = self._after(status)

    def starting(self) -> None:
        """Count an attempt to start the connector itself."""
        self._startups.begun("connector", self._connector)

    def connector(self, state: str, trace: str = "") -> None:
        """Report the state of the connector itself."""
        self._startups.state("connector", self._connector, state)
        status = self._status(None, state, trace)
        self._tell({None: status}, late=state in {"FAILED", "UNASSIGNED"})

    def connector_failed(self, how: str, error: ConnectError) -> None:
        """Report a failure of the connector in the log and in its status."""
        trace = status_text(error)
        log.error("connector %s %s: %s", self._connector, how, trace)
        self.connector("FAILED", trace)

    def tasks(self, updates: Mapping[int, TaskUpdate]) -> None:
        """Report the states of some tasks; newly launched ones are unassigned."""
        for number, each in updates.items():
            self._count(f"{self._connector}-{number}", each.state)
        statuses = {n: self._status(n, each.state, each.trace) for n, each in updates.items()}
        self._tell(statuses, late="FAILED" in {each.state for each in updates.values()})
        self.used_topics({number: each.topics for number, each in updates.items()})

    def superseded(self, number: int, update: TaskUpdate) -> None:
        """Count the state of a task that has changed again before it was reported."""
        self._count(f"{self._connector}-{number}", update.state)

    def used_topics(self, used: Mapping[int, Collection[str]]) -> None:
        """Report the topics that some tasks have used (KIP-558)."""
        for number, topics in used.items():
            for topic in topics if self._tracks_topics and not self._holds else ():
                self._attempt([number], partial(self._put_topic, number, topic))

    def hold_topics(self) -> None:
        """Report no topics until `release_topics`, because current batches began before a reset."""
        with self._turning:
            self._holds += 1

    def release_topics(self) -> None:
        """Undo one `hold_topics`."""
        with self._turning:
            self._holds -= 1

    def restarting(self, numbers: Sequence[int], *, connector: bool) -> None:
        """Report that these parts are about to restart."""
        if connector:
            self.connector("RESTARTING")
        statuses = {n: self._status(n, "RESTARTING") for n in numbers}
        self._tell(statuses)

    def only_tasks(self, numbers: Collection[int]) -> None:
        """Remove the statuses of all tasks but these."""
        gone = [n for n in self._store.tasks(self._connector) if n not in numbers]
        self._attempt([None], lambda _: self._store.remove_tasks(self._connector, gone))

    def unassigned(
        self, numbers: Collection[int], *, connector: bool = False, released: int = 0
    ) -> None:
        """Report that these parts no longer run on this worker.

        Args:
            numbers: the tasks.
            connector: whether the connector itself is included.
            released: no earlier generation of task configurations runs in their shards.
        """
        if connector:
            self.connector("UNASSIGNED")
        statuses = {n: self._status(n, "UNASSIGNED", released=released) for n in numbers}
        self._tell(statuses, late=bool(numbers))

    def released(self) -> Mapping[int, int]:
        """For each task, the generation before which its worker has reported that nothing runs."""
        return {n: status.released for n, status in self._store.tasks(self._connector).items()}

    def forget(self) -> None:
        """Remove the statuses of a connector that was deleted."""
        self._unwritten.take()
        self._attempt([None], lambda _: self._store.remove(self._connector))

    def forget_tasks(self) -> None:
        """Remove the task statuses of a deleted connector that another worker reports on."""
        self._unwritten.take()
        self._attempt([], lambda _: self._store.remove(self._connector, connector=False))

    def close(self) -> None:
        """Try no more to write what could not be written."""
        self._unwritten.close()

    def plan(self, request: RestartRequest) -> tuple[bool, list[int]] | None:
        """The connector and tasks that a restart request selects; see `restart_plan`."""
        return restart_plan(self._store, request)

    def _count(self, task: str, state: str) -> None:
        if state == "UNASSIGNED":
            self._startups.begun("task", task)
        else:
            self._startups.state("task", task, state)

    def _status(self, part: int | None, state: str, trace: str = "", released: int = 0) -> Status:
        hidden = self._hide(trace)
        newest = self._newest(part)
        return Status(state, self._worker_id, hidden, newest, self.version, released)

    def _newest(self, part: int | None) -> int:
        return max(self._generation(), self._least.get(part, 0))

    def _stored(self, parts: Iterable[int | None]) -> dict[int | None, Status | None]:
        """The stored status of each of these parts."""
        tasks = self._store.tasks(self._connector)
        connector = self._store.connector(self._connector)
        return {part: connector if part is None else tasks.get(part) for part in parts}

    def _after(self, former: Status | None) -> int:
        """The lowest generation above that of a former owner, whose clock may be ahead."""
        if former is None:
            return 0
        return former.generation + (former.worker_id != self._worker_id)

    def _overtaken(self, parts: Collection[int | None]) -> set[int | None]:
        """Those of these that another worker has reported on since this one acquired them."""
        self._store.refresh()
        return {
            part
            for part, status in self._stored(parts).items()
            if status is not None
            and status.worker_id != self._worker_id
            and status.generation > self._newest(part)
        }

    def _tell(
        self, statuses: Mapping[int, Status] | Mapping[None, Status], *, late: bool = False
    ) -> None:
        """Write statuses in place of older ones that could not be written; keep them if need be."""
        fresh: dict[int | None, Status] = dict(statuses.items())
        if not fresh:
            return  # Kafka need not be asked who has the connector
        with self._telling:
            self._unwritten.drop(fresh)
            if not self._attempt(fresh, partial(self._put, fresh), late=late):
                self._unwritten.keep(fresh)

    def _tell_again(self) -> None:
        """Write what could not be written; each part may be another worker's or gone by now."""
        with self._telling:
            for part, status in self._unwritten.take().items():
                one = {part: status}
                if self._exists(part) and not self._attempt(
                    one, partial(self._put, one), late=True
                ):
                    self._unwritten.keep(one)

    def _put_topic(self, number: int, topic: str, _: Collection[int | None]) -> None:
        self._store.put_topic(self._connector, number, topic, int(time.time() * 1000))

    def _put(self, statuses: Mapping[int | None, Status], own: Collection[int | None]) -> None:
        tasks = {n: status for n, status in statuses.items() if n is not None and n in own}
        if None in statuses and None in own:
            self._store.put_connector(self._connector, statuses[None])
        self._store.put_tasks(self._connector, tasks)

    def _attempt(
        self,
        parts: Collection[int | None],
        write: Callable[[Collection[int | None]], None],
        *,
        late: bool = False,
    ) -> bool:
        """Write statuses unless another worker has taken over, as Kafka's ``putSafe`` does.

        The check always precedes the report of an end; otherwise it is repeated after some time,
        because this process may have been suspended beyond its session.

        Args:
            parts: what the statuses are about.
            write: writes them, given the parts that no other worker has taken over.
            late: whether the check is due in any case.

        Returns:
            Whether nothing is left to write.
        """
        try:
            if late or time.monotonic() - self._sure_at > _SURE_S:
                if overtaken := self._overtaken(parts):
                    own = [part for part in parts if part not in overtaken]
                    if own:
                        write(own)
                    return True
                self._sure_at = time.monotonic()
            write(parts)
        except ConnectError as error:
            log.warning("status of connector %s was not written: %s", self._connector, error)
            return False
        return True


def restart_plan(store: StatusStore, request: RestartRequest) -> tuple[bool, list[int]] | None:
    """Whether a restart request selects the connector, and which of its tasks (KIP-745).

    Returns:
        ``None`` if the connector has no status.
    """
    status = store.connector(request.connector)
    if status is None:
        return None
    tasks = store.tasks(request.connector) if request.include_tasks else {}
    meant = [n for n, task in tasks.items() if not request.only_failed or task.state == "FAILED"]
    return not request.only_failed or status.state == "FAILED", meant
