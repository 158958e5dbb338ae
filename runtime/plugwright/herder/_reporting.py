"""Tells the status store how one connector of this worker is."""

from __future__ import annotations

import logging
import time
from functools import partial
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.herder._startups import Startups
from plugwright.herder._status_store import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from plugwright.herder._seams import TaskNews
    from plugwright.herder._status_store import StatusStore
    from plugwright.rest import RestartRequest

__all__ = ["StatusReporter", "restart_plan"]

log = logging.getLogger(__name__)

_SURE_S = 3.0
"""Well below every session time-out: in a shorter sleep nobody can have taken over."""


class StatusReporter:
    """The statuses of one connector, as this worker sees them.

    A status that cannot be written is logged and given up: the connector goes on.

    Args:
        connector: name of the connector.
        store: where statuses are kept.
        worker_id: ``host:port`` of this worker's REST listener.
        generation: grows with every change of hands.
        tracks_topics: whether the topics that tasks use are told (KIP-558).
        startups: where the starts of the connector and its tasks are counted.

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
    ) -> None:
        self._connector = connector
        self._store = store
        self._worker_id = worker_id
        self._generation = generation
        self._tracks_topics = tracks_topics
        self._startups = startups or Startups()
        self.version = ""
        self._least = self._after(store.connector(connector))
        self._sure_at = time.monotonic()

    def starting(self) -> None:
        """The connector itself is about to be started."""
        self._startups.begun("connector", self._connector)

    def connector(self, state: str, trace: str = "") -> None:
        """The connector itself has come to a state."""
        self._startups.state("connector", self._connector, state)
        status = self._status(state, trace)
        self._attempt(
            lambda: self._store.put_connector(self._connector, status),
            late=state in {"FAILED", "UNASSIGNED"},
        )

    def tasks(self, news: Mapping[int, TaskNews]) -> None:
        """Some of its tasks have come to a state; unassigned are those that were just launched."""
        for number, each in news.items():
            self._count(f"{self._connector}-{number}", each.state)
        statuses = {n: self._status(each.state, each.trace) for n, each in news.items()}
        self._attempt(
            lambda: self._store.put_tasks(self._connector, statuses),
            late="FAILED" in {each.state for each in news.values()},
        )
        for number, each in news.items():
            for topic in each.topics if self._tracks_topics else ():
                now_ms = int(time.time() * 1000)
                self._attempt(
                    partial(self._store.put_topic, self._connector, number, topic, now_ms)
                )

    def restarting(self, numbers: Sequence[int], *, connector: bool) -> None:
        """These parts are about to be restarted."""
        if connector:
            self.connector("RESTARTING")
        statuses = dict.fromkeys(numbers, self._status("RESTARTING"))
        self._attempt(lambda: self._store.put_tasks(self._connector, statuses))

    def only_tasks(self, numbers: Collection[int]) -> None:
        """The connector has these tasks and no others."""
        gone = [n for n in self._store.tasks(self._connector) if n not in numbers]
        self._attempt(lambda: self._store.remove_tasks(self._connector, gone))

    def released(self, numbers: Sequence[int]) -> None:
        """This worker runs nothing of the connector any more."""
        self.connector("UNASSIGNED")
        statuses = dict.fromkeys(numbers, self._status("UNASSIGNED"))
        self._attempt(lambda: self._store.put_tasks(self._connector, statuses), late=True)

    def forget(self) -> None:
        """The connector has been removed."""
        self._attempt(lambda: self._store.remove(self._connector))

    def plan(self, request: RestartRequest) -> tuple[bool, list[int]] | None:
        """Whether the connector, and which of its tasks, a request means; see `restart_plan`."""
        return restart_plan(self._store, request)

    def _count(self, task: str, state: str) -> None:
        if state == "UNASSIGNED":
            self._startups.begun("task", task)
        else:
            self._startups.state("task", task, state)

    def _status(self, state: str, trace: str = "") -> Status:
        generation = max(self._generation(), self._least)
        return Status(state, self._worker_id, trace, generation, self.version)

    def _after(self, former: Status | None) -> int:
        """The least generation after that of a former owner, whose clock may be ahead."""
        if former is None:
            return 0
        return former.generation + (former.worker_id != self._worker_id)

    def _is_overtaken(self) -> bool:
        """Whether another worker has told of the connector since this one got it."""
        self._store.refresh()
        told = self._store.connector(self._connector)
        newest = max(self._generation(), self._least)
        return told is not None and told.worker_id != self._worker_id and told.generation > newest

    def _attempt(self, write: Callable[[], None], *, late: bool = False) -> None:
        """Write; not if another worker has begun anew, as ``putSafe`` looks for.

        Before what an end writes that is looked up always, else after a while: this process may
        have slept past its session, and whatever it was about to tell is another's to tell.
        """
        try:
            if late or time.monotonic() - self._sure_at > _SURE_S:
                if self._is_overtaken():
                    return
                self._sure_at = time.monotonic()
            write()
        except ConnectError as error:
            log.warning("status of connector %s was not written: %s", self._connector, error)


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
