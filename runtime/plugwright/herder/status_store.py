"""Stores states and active topics of connectors and tasks in a log, in Connect's format."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from plugwright.kafka import is_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from plugwright.herder._log import Entry, Log

_Key = TypeVar("_Key", str, int)


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a connector or of one of its tasks.

    Attributes:
        state: UNASSIGNED, RUNNING, PAUSED, STOPPED, FAILED or RESTARTING.
        worker_id: the reporting worker, ``host:port``.
        trace: the stack trace of its failure.
        generation: when it was reported, as a number that increases with every change of ownership.
        version: of the running plugin.
        released: for a task, no earlier generation of task configurations runs.
    """

    state: str
    worker_id: str
    trace: str = ""
    generation: int = 0
    version: str = ""
    released: int = 0

    def to_bytes(self) -> bytes:
        """Serialise as an entry's value (`KafkaStatusBackingStore`)."""
        content = {
            "state": self.state,
            "trace": self.trace or None,
            "worker_id": self.worker_id,
            "generation": self.generation,
            "version": self.version or None,
            **({"released": self.released} if self.released else {}),
        }
        return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> Status:
        """Parse the decoded JSON of an entry's value."""
        return cls(
            str(content["state"]),
            str(content["worker_id"]),
            str(content.get("trace") or ""),
            int(content["generation"]),
            str(content.get("version") or ""),
            int(content.get("released", 0)),
        )


class StatusStore:
    """The newest status of every connector and task that any worker has reported.

    Args:
        log: stores the entries.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._connectors: dict[str, Status] = {}
        self._tasks: dict[str, dict[int, Status]] = {}
        self._topics: dict[str, set[str]] = {}
        self._forgotten: Callable[[str, int], None] = lambda *_: None
        self._released: Callable[[str], None] = lambda _: None

    def start(
        self,
        forgotten: Callable[[str, int], None] = lambda *_: None,
        released: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Read the existing entries.

        Args:
            forgotten: called, on the log's own thread, when a connector's topics were reset, with
                its name and the time of the reset in milliseconds since the epoch.
            released: called, on the same thread, when a task of a connector no longer runs.

        Raises:
            ConnectError: if the log cannot be read.
        """
        self._log.start(self._apply)
        self._forgotten, self._released = forgotten, released

    def connector(self, name: str) -> Status | None:
        """The status of a connector, or ``None`` if there is none."""
        with self._lock:
            return self._connectors.get(name)

    def tasks(self, name: str) -> Mapping[int, Status]:
        """The statuses of its tasks, by number."""
        with self._lock:
            return dict(sorted(self._tasks.get(name, {}).items()))

    def topics(self, name: str) -> list[str]:
        """The topics that a connector has used since the last reset (KIP-558)."""
        with self._lock:
            return sorted(self._topics.get(name, ()))

    def put_connector(self, name: str, status: Status) -> None:
        """Store the status of a connector."""
        self._log.send([(f"status-connector-{name}", status.to_bytes())])

    def put_tasks(self, name: str, statuses: Mapping[int, Status]) -> None:
        """Store the statuses of some of its tasks."""
        entries = [(f"status-task-{name}-{n}", s.to_bytes()) for n, s in statuses.items()]
        if entries:
            self._log.send(entries)

    def remove(self, name: str, *, connector: bool = True) -> None:
        """Delete the statuses and topics of a connector's tasks, and its own on request.

        Raises:
            ConnectError: if the log cannot be read or written.
        """
        if connector:
            self.refresh()  # a topic that was just stored may not have been read yet
        entries: list[Entry] = [(f"status-task-{name}-{n}", None) for n in self.tasks(name)]
        if connector:
            entries.append((f"status-connector-{name}", None))
            entries += self._forgotten_topics(name)
        if entries:
            self._log.send(entries)

    def remove_tasks(self, name: str, numbers: Iterable[int]) -> None:
        """Delete the statuses of some of a connector's tasks."""
        entries: list[Entry] = [(f"status-task-{name}-{n}", None) for n in numbers]
        if entries:
            self._log.send(entries)

    def put_topic(self, connector: str, task: int, topic: str, now_ms: int) -> None:
        """Record that a task uses a topic, unless that is known."""
        if topic in self.topics(connector):
            return
        content = {
            "topic": {
                "name": topic,
                "connector": connector,
                "task": task,
                "discoverTimestamp": now_ms,
            }
        }
        data = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        self._log.send([(f"status-topic-{topic}:connector-{connector}", data)])

    def reset_topics(self, name: str) -> None:
        """Reset the topics that a connector has used; afterwards, this store lists them no more.

        Raises:
            ConnectError: if the log cannot be read or written.
        """
        if entries := self._forgotten_topics(name):
            self._log.send_and_read(entries)

    def refresh(self) -> None:
        """Wait until the statuses that others have written so far have been read.

        Raises:
            ConnectError: if the log cannot be read.
        """
        self._log.read_to_end()

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def _forgotten_topics(self, name: str) -> list[Entry]:
        return [(f"status-topic-{topic}:connector-{name}", None) for topic in self.topics(name)]

    def _apply(self, key: str, value: bytes | None, at_ms: int) -> None:
        if key.startswith("status-topic-"):
            name = self._apply_topic(key.removeprefix("status-topic-"), value)
            if value is None:
                self._forgotten(name, at_ms)
            return
        content = None if value is None else json.loads(value)
        if not is_readable(key, content):
            return
        status = None if content is None else Status.from_plain(content)
        with self._lock:
            if key.startswith("status-connector-"):
                _put(self._connectors, key.removeprefix("status-connector-"), status)
            elif key.startswith("status-task-"):
                name, _, number = key.removeprefix("status-task-").rpartition("-")
                _put(self._tasks.setdefault(name, {}), int(number), status)
        if status is not None and status.released:
            self._released(name)

    def _apply_topic(self, key: str, value: bytes | None) -> str:
        """Apply a topic entry; returns the name of the connector."""
        topic, _, name = key.partition(":connector-")
        with self._lock:
            topics = self._topics.setdefault(name, set())
            if value is None:
                topics.discard(topic)
            else:
                topics.add(topic)
        return name


def _put(known: dict[_Key, Status], key: _Key, status: Status | None) -> None:
    if status is None:
        known.pop(key, None)
    else:
        known[key] = status
