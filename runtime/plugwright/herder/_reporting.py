"""Tells the status store how one connector of this worker is."""

from __future__ import annotations

import logging
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.herder._appointment import start_timer
from plugwright.herder._startups import Startups
from plugwright.herder._status_store import Status
from plugwright.herder._untold import UntoldStatuses

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from plugwright.control_plane import RestartRequest
    from plugwright.herder._appointment import TimerStart
    from plugwright.herder._seams import TaskNews
    from plugwright.herder._status_store import StatusStore

log = logging.getLogger(__name__)

_SURE_S = 3.0
"""Well below every session time-out: in a shorter sleep nobody can have taken over."""


class StatusReporter:
    """The statuses of one connector, as this worker sees them.

    A status that cannot be written is logged, and written later unless a newer one or another
    worker's has taken its place: the connector goes on meanwhile.

    Args:
        connector: name of the connector.
        store: where statuses are kept.
        worker_id: ``host:port`` of this worker's REST listener.
        generation: grows with every change of hands.
        tracks_topics: whether the topics that tasks use are told (KIP-558).
        startups: where the starts of the connector and its tasks are counted.
        hide: removes from a trace what is not to be shown.
        start_timer: has something done after a while.
        exists: whether a task, or the connector itself (``None``), is configured by now.

    Attributes:
        version: of the plugin that runs, once one does.
    """

    def __init__(  # noqa: PLR0913  # what it tells of and where, the choices named at the call
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
        self._untold = UntoldStatuses(self._tell_again, start_timer)
        self.acquired([None])

    def acquired(self, parts: Iterable[int | None]) -> None:
        """These tasks, or the connector itself (``None``), are this worker's from now on."""
        for part in parts:
            self._least[part] = self._after(self._stored(part))

    def starting(self) -> None:
        """The connector itself is about to be started."""
        self._startups.begun("connector", self._connector)

    def connector(self, state: str, trace: str = "") -> None:
        """The connector itself has come to a state."""
        self._startups.state("connector", self._connector, state)
        status = self._status(None, state, trace)
        self._tell({None: status}, late=state in {"FAILED", "UNASSIGNED"})

    def tasks(self, news: Mapping[int, TaskNews]) -> None:
        """Some of its tasks have come to a state; unassigned are those that were just launched."""
        for number, each in news.items():
            self._count(f"{self._connector}-{number}", each.state)
        statuses = {n: self._status(n, each.state, each.trace) for n, each in news.items()}
        self._tell(statuses, late="FAILED" in {each.state for each in news.values()})
        for number, each in news.items():
            for topic in each.topics if self._tracks_topics and not self._holds else ():
                now_ms = int(time.time() * 1000)
                told = partial(self._store.put_topic, self._connector, number, topic, now_ms)
                self._attempt([number], told)

    def hold_topics(self) -> None:
        """Tell of no topic until `release_topics`: what is under way was used before."""
        with self._turning:
            self._holds += 1

    def release_topics(self) -> None:
        """Tell of topics again, as often as they were held."""
        with self._turning:
            self._holds -= 1

    def restarting(self, numbers: Sequence[int], *, connector: bool) -> None:
        """These parts are about to be restarted."""
        if connector:
            self.connector("RESTARTING")
        statuses = {n: self._status(n, "RESTARTING") for n in numbers}
        self._tell(statuses)

    def only_tasks(self, numbers: Collection[int]) -> None:
        """The connector has these tasks and no others."""
        gone = [n for n in self._store.tasks(self._connector) if n not in numbers]
        self._attempt([None], lambda: self._store.remove_tasks(self._connector, gone))

    def unassigned(
        self, numbers: Collection[int], *, connector: bool = False, released: int = 0
    ) -> None:
        """These parts do not run on this worker any more.

        Args:
            numbers: of the tasks.
            connector: whether the connector itself is one of them.
            released: no generation of task configurations before this one runs in their shards.
        """
        if connector:
            self.connector("UNASSIGNED")
        statuses = {n: self._status(n, "UNASSIGNED", released=released) for n in numbers}
        self._tell(statuses, late=bool(numbers))

    def released(self) -> Mapping[int, int]:
        """For each task, before which generation nothing of it runs, as its worker has told."""
        return {n: status.released for n, status in self._store.tasks(self._connector).items()}

    def forget(self) -> None:
        """The connector has been removed."""
        self._untold.take()
        self._attempt([None], lambda: self._store.remove(self._connector))

    def forget_tasks(self) -> None:
        """The connector, which another worker tells of, has been removed."""
        self._untold.take()
        self._attempt([], lambda: self._store.remove(self._connector, connector=False))

    def close(self) -> None:
        """Try no more to write what could not be written."""
        self._untold.close()

    def plan(self, request: RestartRequest) -> tuple[bool, list[int]] | None:
        """Whether the connector, and which of its tasks, a request means; see `restart_plan`."""
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

    def _stored(self, part: int | None) -> Status | None:
        if part is None:
            return self._store.connector(self._connector)
        return self._store.tasks(self._connector).get(part)

    def _after(self, former: Status | None) -> int:
        """The least generation after that of a former owner, whose clock may be ahead."""
        if former is None:
            return 0
        return former.generation + (former.worker_id != self._worker_id)

    def _is_overtaken(self, parts: Collection[int | None]) -> bool:
        """Whether another worker has told of any of these since this one got them."""
        self._store.refresh()
        told = {part: self._stored(part) for part in parts}
        return any(
            status.worker_id != self._worker_id and status.generation > self._newest(part)
            for part, status in told.items()
            if status is not None
        )

    def _tell(
        self, statuses: Mapping[int, Status] | Mapping[None, Status], *, late: bool = False
    ) -> None:
        """Write statuses in place of older ones that could not be written; keep them if need be."""
        fresh: dict[int | None, Status] = dict(statuses.items())
        with self._telling:
            self._untold.drop(fresh)
            if not self._attempt(fresh, partial(self._put, fresh), late=late):
                self._untold.keep(fresh)

    def _tell_again(self) -> None:
        """Write what could not be written; each part may be another worker's or gone by now."""
        with self._telling:
            for part, status in self._untold.take().items():
                one = {part: status}
                if self._exists(part) and not self._attempt(
                    one, partial(self._put, one), late=True
                ):
                    self._untold.keep(one)

    def _put(self, statuses: Mapping[int | None, Status]) -> None:
        tasks = {n: status for n, status in statuses.items() if n is not None}
        if None in statuses:
            self._store.put_connector(self._connector, statuses[None])
        self._store.put_tasks(self._connector, tasks)

    def _attempt(
        self, parts: Collection[int | None], write: Callable[[], None], *, late: bool = False
    ) -> bool:
        """Write; not if another worker has begun anew, as ``putSafe`` looks for.

        Before what an end writes that is looked up always, else after a while: this process may
        have slept past its session, and whatever it was about to tell is another's to tell.

        Returns:
            Whether nothing is left to write.
        """
        try:
            if late or time.monotonic() - self._sure_at > _SURE_S:
                if self._is_overtaken(parts):
                    return True
                self._sure_at = time.monotonic()
            write()
        except ConnectError as error:
            log.warning("status of connector %s was not written: %s", self._connector, error)
            return False
        return True


def restart_plan(store: StatusStore, request: RestartRequest) -> tuple[bool, list[int]] | None:
    """Whether the connector, and which of its tasks, a restart request means (KIP-745).

    Returns:
        ``None`` where no status of the connector is known.
    """
    status = store.connector(request.connector)
    if status is None:
        return None
    tasks = store.tasks(request.connector) if request.include_tasks else {}
    meant = [n for n, task in tasks.items() if not request.only_failed or task.state == "FAILED"]
    return not request.only_failed or status.state == "FAILED", meant
