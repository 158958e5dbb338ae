"""The contents of the configs topic: connectors, tasks and target states.

The format is Kafka Connect's own (`KafkaConfigBackingStore`): JSON without schemas under
``connector-<c>``, ``task-<c>-<n>``, ``commit-<c>``, ``target-state-<c>``, ``tasks-fencing-<c>``,
``restart-connector-<c>`` and ``logger-cluster-<n>``. Task configurations count from their
``commit`` entry on, so that a half-written set never runs, and may run from the
``tasks-fencing`` entry on that names their generation and their shards. Kafka Connect
ignores these additional fields.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from plugwright.control_plane import RestartRequest
from plugwright.kafka import is_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.herder._log import Entry

log = logging.getLogger(__name__)


class TargetState(Enum):
    """The state that a connector should be in."""

    STARTED = "STARTED"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"

    @property
    def status(self) -> str:
        """The status that a connector in this state reports."""
        return "RUNNING" if self is TargetState.STARTED else self.value


class EntrySubject(Enum):
    """The subject of an entry of the configs topic."""

    CONNECTOR = "connector-"
    TASK = "task-"
    COMMIT = "commit-"
    TARGET_STATE = "target-state-"
    FENCING = "tasks-fencing-"
    RESTART = "restart-connector-"
    LOGGER = "logger-cluster-"


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """The change that an entry makes.

    Attributes:
        name: of the connector, or of the logger.
        restart: the restart request, if the entry is one.
        level: the new level, if the entry is about a logger.
    """

    subject: EntrySubject
    name: str
    restart: RestartRequest | None = None
    level: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """Permission for the tasks of a connector to run.

    Attributes:
        generation: the generation of task configurations that may run.
        shards: the shard of each task, by task number; the shard's owner runs the task.
    """

    generation: int
    shards: tuple[int, ...]


@dataclass(slots=True)
class ConfigState:
    """The state that results from the entries of the configs topic read so far.

    Attributes:
        configs: configuration of each connector as submitted, with references to config
            providers unresolved.
        targets: target state of each connector.
        task_configs: configurations of its tasks, by number.
        applied: the connector configuration that the task configurations were generated from.
        generations: generation of the task configurations; increases with every set, 0 if unknown.
        openings: the last permission for tasks to run. It outlives its generation, and even the
            connector: the tasks that it started must stop before others run.
        fencing_counts: number of tasks in the last generation for which producers were fenced.
        removals: how often each connector was removed, to recognise one that was created again.
        inconsistent: connectors whose last set of task configurations is incomplete.
        placed: number of tasks that may run in each shard.
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
    placed: Counter[int] = field(default_factory=Counter)
    _deferred: dict[str, dict[int, Mapping[str, str]]] = field(default_factory=dict)

    def copy(self) -> ConfigState:
        """A snapshot of the state. The immutable data of each connector is shared, not copied."""
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
            Counter(self.placed),
        )

    def is_open(self, name: str) -> bool:
        """Whether the newest task configurations of a connector may run."""
        opening = self.openings.get(name)
        newest = self.generations.get(name, 0)
        return name in self.task_configs and opening is not None and opening.generation == newest

    def shards_of(self, name: str) -> tuple[int, ...]:
        """The shards of the tasks of a connector that may run."""
        return self.openings[name].shards if name in self.configs and self.is_open(name) else ()

    def open_tasks(
        self, name: str, holds: Callable[[int], bool]
    ) -> Mapping[int, Mapping[str, str]]:
        """The tasks of a connector that may run and whose shards a worker holds."""
        if not (shards := self.shards_of(name)):
            return {}
        configs = self.task_configs[name].items()
        return {n: config for n, config in configs if n < len(shards) and holds(shards[n])}

    def apply(self, key: str, value: bytes | None) -> ConfigChange | None:
        """Apply one entry; ``None`` if it is invalid or changes nothing."""
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
        name = key.removeprefix(subject.value)
        before = self.shards_of(name)
        try:
            content = None if value is None else json.loads(value)
            return handlers[subject](name, content) if is_readable(key, content) else None
        except (ValueError, KeyError, TypeError) as error:
            # An invalid entry must not hide those after it.
            log.warning("Ignoring entry %s of the configs topic: %r", key, error)
            return None
        finally:
            self.placed.subtract(before)
            self.placed.update(self.shards_of(name))

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
            # Compaction has removed entries of this set, so a newer set follows, or none exists.
            self.inconsistent.add(name)
            return None
        self.inconsistent.discard(name)
        self.task_configs[name] = {number: found[number] for number in range(count)}
        self.applied[name] = self.configs.get(name)
        self.generations.pop(name, None)  # workers of Kafka Connect write no generation
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
    """The entry for a connector's configuration."""
    return f"connector-{name}", _plain({"properties": dict(config)})


def task_entries(
    name: str, configs: Sequence[Mapping[str, str]], generation: int = 0
) -> list[Entry]:
    """The entries for a complete set of task configurations; the last one activates it."""
    tasks: list[Entry] = [
        (f"task-{name}-{number}", _plain({"properties": dict(config)}))
        for number, config in enumerate(configs)
    ]
    numbered = {"generation": generation} if generation else {}
    return [*tasks, (f"commit-{name}", _plain({"tasks": len(configs), **numbered}))]


def target_entry(name: str, target: TargetState) -> Entry:
    """The entry for a target state; workers before Kafka 3.5 read STOPPED as PAUSED."""
    old = TargetState.PAUSED if target is TargetState.STOPPED else target
    return f"target-state-{name}", _plain({"state": old.value, "state.v2": target.value})


def removal_entries(name: str) -> list[Entry]:
    """The entries that delete a connector."""
    return [(f"connector-{name}", None), (f"target-state-{name}", None)]


def fencing_entry(name: str, count: int) -> Entry:
    """The entry for the number of transactional producers that the next generation has to fence."""
    return f"tasks-fencing-{name}", _plain({"task-count": count})


def opening_entry(name: str, opening: Opening) -> Entry:
    """The entry that lets tasks run; it also records how many producers to fence next time."""
    content = {
        "task-count": len(opening.shards),
        "generation": opening.generation,
        "shards": list(opening.shards),
    }
    return f"tasks-fencing-{name}", _plain(content)


def restart_entry(request: RestartRequest) -> Entry:
    """The entry that requests a restart."""
    content = {"include-tasks": request.include_tasks, "only-failed": request.only_failed}
    return f"restart-connector-{request.connector}", _plain(content)


def logger_entry(namespace: str, level: str) -> Entry:
    """The entry that sets a log level on every worker (KIP-976)."""
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
