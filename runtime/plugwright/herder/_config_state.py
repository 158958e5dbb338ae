"""What the configs topic says: connectors, their tasks, and what they should be doing.

The format is Kafka Connect's own (`KafkaConfigBackingStore`): JSON without schemas under
``connector-<c>``, ``task-<c>-<n>``, ``commit-<c>``, ``target-state-<c>``, ``tasks-fencing-<c>``,
``restart-connector-<c>`` and ``logger-cluster-<n>``. Task configurations count from their
``commit`` entry on, so that a half-written set never runs, and may run from the
``tasks-fencing`` entry on that names their generation and where each of them runs. Kafka Connect
does not look at these further fields.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from plugwright.control_plane import RestartRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.herder._log import Entry

log = logging.getLogger(__name__)


class TargetState(Enum):
    """What a connector should be doing."""

    STARTED = "STARTED"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"

    @property
    def status(self) -> str:
        """The state of a connector that is doing it."""
        return "RUNNING" if self is TargetState.STARTED else self.value


class EntrySubject(Enum):
    """What an entry of the configs topic is about."""

    CONNECTOR = "connector-"
    TASK = "task-"
    COMMIT = "commit-"
    TARGET_STATE = "target-state-"
    FENCING = "tasks-fencing-"
    RESTART = "restart-connector-"
    LOGGER = "logger-cluster-"


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """What an entry has changed.

    Attributes:
        name: of the connector, or of the logger.
        restart: the request, of an entry that is one.
        level: the new level, of an entry about a logger.
    """

    subject: EntrySubject
    name: str
    restart: RestartRequest | None = None
    level: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """The leave for the tasks of a connector to run.

    Attributes:
        generation: the one of their configurations that it is for.
        shards: the shard of each task, by its number: the shard's owner runs it.
    """

    generation: int
    shards: tuple[int, ...]


@dataclass(slots=True)
class ConfigState:
    """The configs topic up to some entry.

    Attributes:
        configs: configuration of each connector, as it was given: references to config providers
            are not resolved.
        targets: what each should be doing.
        task_configs: configurations of its tasks, by number.
        applied: the connector's configuration that these were made from.
        generations: which set of them it is; grows with every set, and is 0 where none was told.
        openings: the last leave for tasks to run, which outlives its generation, and even the
            connector: what ran by it has to be stopped before others run.
        fencing_counts: how many tasks the last generation had that producers were fenced for.
        removals: how often each was removed, so that one that came back at once is known for new.
        inconsistent: connectors whose last set of task configurations is not complete.
    """

    configs: dict[str, Mapping[str, str]] = field(default_factory=dict)
    targets: dict[str, TargetState] = field(default_factory=dict)
    task_configs: dict[str, Mapping[int, Mapping[str, str]]] = field(default_factory=dict)
    applied: dict[str, Mapping[str, str] | None] = field(default_factory=dict)
    generations: dict[str, int] = field(default_factory=dict)
    openings: dict[str, Opening] = field(default_factory=dict)
    fencing_counts: dict[str, int] = field(default_factory=dict)
    removals: dict[str, int] = field(default_factory=dict)
    inconsistent: set[str] = field(default_factory=set)
    _deferred: dict[str, dict[int, Mapping[str, str]]] = field(default_factory=dict)

    def copy(self) -> ConfigState:
        """The state as it is now; what is known of each connector is shared, and never changes."""
        return ConfigState(
            dict(self.configs),
            dict(self.targets),
            dict(self.task_configs),
            dict(self.applied),
            dict(self.generations),
            dict(self.openings),
            dict(self.fencing_counts),
            dict(self.removals),
            set(self.inconsistent),
        )

    def is_open(self, name: str) -> bool:
        """Whether the newest task configurations of a connector may run."""
        opening = self.openings.get(name)
        newest = self.generations.get(name, 0)
        return name in self.task_configs and opening is not None and opening.generation == newest

    def open_tasks(
        self, name: str, holds: Callable[[int], bool]
    ) -> Mapping[int, Mapping[str, str]]:
        """The tasks of a connector that may run and are in shards that a worker holds."""
        if name not in self.configs or not self.is_open(name):
            return {}
        shards = self.openings[name].shards
        configs = self.task_configs[name].items()
        return {n: config for n, config in configs if n < len(shards) and holds(shards[n])}

    def apply(self, key: str, value: bytes | None) -> ConfigChange | None:
        """Take one entry; what it changed, or ``None`` where it makes no sense or no difference."""
        subject = next((s for s in _BY_LENGTH if key.startswith(s.value)), None)
        if subject is None:
            return None
        handlers: Mapping[EntrySubject, Callable[[str, Any], ConfigChange | None]] = {
            EntrySubject.CONNECTOR: self._connector,
            EntrySubject.TASK: self._task,
            EntrySubject.COMMIT: self._commit,
            EntrySubject.TARGET_STATE: self._target,
            EntrySubject.FENCING: self._fencing,
            EntrySubject.RESTART: _restart,
            EntrySubject.LOGGER: _logger,
        }
        try:
            content = None if value is None else json.loads(value)
            return handlers[subject](key.removeprefix(subject.value), content)
        except (ValueError, KeyError, TypeError) as error:
            # One entry that cannot be understood must not hide those after it.
            log.warning("Ignoring entry %s of the configs topic: %r", key, error)
            return None

    def _connector(self, name: str, content: Any) -> ConfigChange | None:
        if content is None:
            if name in self.configs:
                self.removals[name] = self.removals.get(name, 0) + 1
            for known in (self.configs, self.task_configs, self.applied, self.fencing_counts):
                known.pop(name, None)
            self._deferred.pop(name, None)
            self.inconsistent.discard(name)
            return ConfigChange(EntrySubject.CONNECTOR, name)
        self.configs[name] = _properties(content)
        self.targets.setdefault(name, TargetState.STARTED)
        return ConfigChange(EntrySubject.CONNECTOR, name)

    def _task(self, task: str, content: Any) -> None:
        name, _, text = task.rpartition("-")
        number, properties = int(text), _properties(content)
        self._deferred.setdefault(name, {})[number] = properties

    def _commit(self, name: str, content: Any) -> ConfigChange | None:
        count = int(content["tasks"])
        found = self._deferred.pop(name, {})
        if set(range(count)) - set(found):
            # Compaction took entries of this set away, so a newer one follows; or there is none.
            self.inconsistent.add(name)
            return None
        self.inconsistent.discard(name)
        self.task_configs[name] = {number: found[number] for number in range(count)}
        self.applied[name] = self.configs.get(name)
        self.generations.pop(name, None)  # a worker of Kafka Connect tells none
        if generation := int(content.get("generation", 0)):
            self.generations[name] = generation
        return ConfigChange(EntrySubject.COMMIT, name)

    def _target(self, name: str, content: Any) -> ConfigChange | None:
        if content is None:
            self.targets.pop(name, None)
            return None
        state = content["state.v2"] if "state.v2" in content else content["state"]
        self.targets[name] = TargetState(state)
        return ConfigChange(EntrySubject.TARGET_STATE, name)

    def _fencing(self, name: str, content: Any) -> ConfigChange | None:
        if content is None:
            self.fencing_counts.pop(name, None)
            return None
        self.fencing_counts[name] = int(content["task-count"])
        if "shards" in content:
            shards = tuple(int(shard) for shard in content["shards"])
            self.openings[name] = Opening(int(content["generation"]), shards)
        return ConfigChange(EntrySubject.FENCING, name)


def connector_entry(name: str, config: Mapping[str, str]) -> Entry:
    """Entry for a connector's configuration."""
    return f"connector-{name}", _plain({"properties": dict(config)})


def task_entries(
    name: str, configs: Sequence[Mapping[str, str]], generation: int = 0
) -> list[Entry]:
    """Entries for a complete set of task configurations; the last one makes it count."""
    tasks: list[Entry] = [
        (f"task-{name}-{number}", _plain({"properties": dict(config)}))
        for number, config in enumerate(configs)
    ]
    numbered = {"generation": generation} if generation else {}
    return [*tasks, (f"commit-{name}", _plain({"tasks": len(configs), **numbered}))]


def target_entry(name: str, target: TargetState) -> Entry:
    """Entry for what a connector should be doing; workers before 3.5 read STOPPED as PAUSED."""
    old = TargetState.PAUSED if target is TargetState.STOPPED else target
    return f"target-state-{name}", _plain({"state": old.value, "state.v2": target.value})


def removal_entries(name: str) -> list[Entry]:
    """Entries that forget a connector."""
    return [(f"connector-{name}", None), (f"target-state-{name}", None)]


def fencing_entry(name: str, count: int) -> Entry:
    """Entry for how many transactional producers the next generation has to fence."""
    return f"tasks-fencing-{name}", _plain({"task-count": count})


def opening_entry(name: str, opening: Opening) -> Entry:
    """Entry that lets tasks run; it also says how many producers are to be fenced next time."""
    content = {
        "task-count": len(opening.shards),
        "generation": opening.generation,
        "shards": list(opening.shards),
    }
    return f"tasks-fencing-{name}", _plain(content)


def restart_entry(request: RestartRequest) -> Entry:
    """Entry that asks for a restart."""
    content = {"include-tasks": request.include_tasks, "only-failed": request.only_failed}
    return f"restart-connector-{request.connector}", _plain(content)


def logger_entry(namespace: str, level: str) -> Entry:
    """Entry that sets a log level on every worker (KIP-976)."""
    return f"logger-cluster-{namespace}", _plain({"level": level})


_BY_LENGTH = sorted(EntrySubject, key=lambda subject: -len(subject.value))


def _plain(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()


def _properties(content: Any) -> Mapping[str, str]:
    properties: Mapping[str, str] = content["properties"]
    return dict(properties)


def _restart(name: str, content: Any) -> ConfigChange:
    request = RestartRequest(
        name,
        only_failed=bool(content["only-failed"]),
        include_tasks=bool(content["include-tasks"]),
    )
    return ConfigChange(EntrySubject.RESTART, name, restart=request)


def _logger(name: str, content: Any) -> ConfigChange:
    return ConfigChange(EntrySubject.LOGGER, name, level=str(content["level"]))
