"""The interface of the worker to the herder, independent of Spark and Kafka."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from plugwright.herder.plugin_uses import PluginUse
    from plugwright.plugins import PluginDescriptor

TASK_CLASS = "task.class"
"""The key of a task configuration that names the task class, as in Kafka Connect."""

Offsets = Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]
"""Partitions and their offsets; ``None`` removes an offset."""


@dataclass(frozen=True, slots=True)
class TaskUpdate:
    """A change in the state of a task.

    Attributes:
        state: UNASSIGNED, RUNNING, PAUSED, RESTARTING, STOPPED or FAILED.
        trace: the stack trace of its failure, or the reason why it waits.
        topics: the topics that it has used.
    """

    state: str
    trace: str = ""
    topics: tuple[str, ...] = ()


TaskListener = Callable[[int, TaskUpdate], None]
"""Called with a task number and its new state, on other threads; must not block."""


@dataclass(frozen=True, slots=True)
class StartRequest:
    """The input for starting a connector.

    Attributes:
        config: the connector's configuration, references to config providers unresolved.
        reconfigure: called when the connector requests new task configurations.
        failed: called when the connector reports its own failure.
        lost: called when another connector has ended this one.
        expires: called with the milliseconds after which to restart the connector, because a value
            from a config provider expires then (KIP-297).
        paused: whether the connector itself starts only when it is resumed.
    """

    name: str
    config: Mapping[str, str]
    reconfigure: Callable[[], None]
    failed: Callable[[Exception], None]
    lost: Callable[[], None] = lambda: None
    expires: Callable[[int], None] = lambda _: None
    paused: bool = False


class TaskGroup(Protocol):
    """A group of running tasks of one connector."""

    def pause(self) -> None:
        """Ask every task to pause."""

    def resume(self) -> None:
        """Ask every task to resume."""

    def stop(self, timeout_s: float, tasks: Sequence[int] | None = None) -> bool:
        """Stop tasks, or all, by force after the time-out; returns whether no force was needed."""

    def forget_topics(self, before_ms: int) -> None:
        """Forget topics last used before a time in milliseconds since the epoch."""

    def topics(self) -> Mapping[int, Collection[str]]:
        """The topics that each task has used since the last reset, also after it has stopped."""

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """Each task's counters since its launch, and its recent rates."""


class TaskHost(Protocol):
    """Runs tasks of a connector whose instance may be on another worker."""

    @property
    def version(self) -> str:
        """The version of its plugin."""

    def launch(
        self,
        name: str,
        configs: Mapping[int, Mapping[str, str]],
        listener: TaskListener,
        *,
        paused: bool = False,
    ) -> TaskGroup:
        """Run tasks.

        Args:
            name: unique among all launches.
            configs: configurations by task number.
            listener: called for every change of a task's state.
            paused: whether they start only when they are resumed.

        Raises:
            ConnectError: if they cannot be started.
        """

    def stop(self) -> None:
        """Release the host; its tasks keep running. Exceptions of the plugin are ignored."""


class ConnectorInstance(TaskHost, Protocol):
    """A connector that has been started on this worker."""

    @property
    def supplied(self) -> Mapping[str, str]:
        """The values that config providers supplied at the start, each with its reference."""

    def pause(self) -> None:
        """Stop the connector itself until it is resumed; its tasks are paused separately.

        Tasks can still be launched.

        Raises:
            ConnectError: if it fails to generate task configurations.
        """

    def resume(self) -> None:
        """Start the connector itself again.

        Raises:
            ConnectError: if it fails to start.
        """

    def task_configs(self) -> Sequence[Mapping[str, str]]:
        """Generate the task configurations.

        Raises:
            ConnectError: if it fails, or generates more tasks than allowed.
        """

    def stop(self) -> None:
        """Stop the connector itself; its exceptions are ignored."""


class Worker(Protocol):
    """Runs connectors and tasks, and gives access to their plugins and offsets."""

    def prepare(self, configs: Collection[Mapping[str, str]]) -> None:
        """Wait until tasks can run, and warm up for connectors with these configurations.

        Raises:
            ConnectError: if tasks can never run.
        """

    def start_connector(self, request: StartRequest) -> ConnectorInstance:
        """Validate a configuration and start its connector.

        Raises:
            ConnectError: if the configuration is wrong or the connector fails to start.
        """

    def host_tasks(self, name: str, config: Mapping[str, str]) -> TaskHost:
        """Create a host for tasks of a connector that is not started on this worker.

        Raises:
            ConnectError: if the configuration is wrong.
        """

    def spreads_tasks(self, config: Mapping[str, str]) -> bool:
        """Whether the tasks of a connector may run on several workers."""

    def validate(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Validate a configuration without starting it; the result is ready for JSON."""

    def connector_type(self, config: Mapping[str, str]) -> str:
        """``source``, ``sink`` or ``unknown``."""

    def connector_class(self, config: Mapping[str, str]) -> str:
        """The class of the configured plugin, or the configured value if it is not installed."""

    def connector_version(self, config: Mapping[str, str]) -> str:
        """The version of the configured plugin, or an empty string if it is not installed."""

    def plugin_uses(self, config: Mapping[str, str]) -> Iterable[PluginUse]:
        """The converters, transformations and predicates of a connector's tasks."""

    def plugin_figures(self, name: str = "") -> Mapping[str, float]:
        """The plugin metrics of a connector, or else of the worker's own plugins (KIP-877)."""

    def fence_zombies(
        self, name: str, config: Mapping[str, str], tasks: int, prove: Callable[[], None]
    ) -> None:
        """Fence the producers of a connector's former tasks (KIP-618).

        Args:
            name: of the connector.
            config: of the connector, references to config providers unresolved.
            tasks: number of former tasks.
            prove: performs a write that only the connector's owner can do; called just before
                fencing, for every connector with transactional producers, even the first time.

        Raises:
            RebalanceNeededError: from ``prove``, if another worker now owns the connector.
            ConnectError: if Kafka does not answer.
        """

    def definition_of(self, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, as the API shows them.

        Raises:
            DiscoveryError: if it cannot be loaded.
            PluginError: if the plugin fails to return them.
        """

    def set_logger_level(self, namespace: str, level: int) -> None:
        """Set a level in the processes of plugins and tasks, including those started later."""

    def offsets(self, name: str, config: Mapping[str, str]) -> Offsets:
        """The committed offsets of a connector.

        Raises:
            ConnectError: if they cannot be read.
        """

    def alter_offsets(self, name: str, config: Mapping[str, str], offsets: Offsets | None) -> bool:
        """Alter some offsets of a stopped connector, or reset all.

        Returns:
            Whether the plugin reports that it has altered them as well.

        Raises:
            ConnectError: if the plugin or Kafka rejects the change.
        """
