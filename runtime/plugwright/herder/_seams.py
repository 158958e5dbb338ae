"""What the herder needs of the worker below it: narrow Protocols, and nothing of Spark or Kafka."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from plugwright.herder._plugin_uses import PluginUse
    from plugwright.plugins import PluginDescriptor

TASK_CLASS = "task.class"
"""The setting of a task's configuration that names its class, as in Kafka Connect."""

Offsets = Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]
"""Partitions and their offsets; ``None`` forgets an offset."""


@dataclass(frozen=True, slots=True)
class TaskNews:
    """What a task has become.

    Attributes:
        state: UNASSIGNED, RUNNING, PAUSED, RESTARTING, STOPPED or FAILED.
        trace: what it failed with, or why it waits.
        topics: the topics that it has used.
    """

    state: str
    trace: str = ""
    topics: tuple[str, ...] = ()


TaskListener = Callable[[int, TaskNews], None]
"""Hears what the task of a number has become; is called on foreign threads and may not wait."""


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What a worker has to know to start a connector.

    Attributes:
        config: the connector's configuration, references to config providers not resolved.
        reconfigure: called when the connector asks for new task configurations.
        failed: called when the connector gives up by itself.
        lost: called when the connector is gone by another one's fault.
        expires: called with the milliseconds after which the connector is to be restarted, for
            what config providers told is no longer good then (KIP-297).
        paused: whether the connector itself is not to start before it is resumed.
    """

    name: str
    config: Mapping[str, str]
    reconfigure: Callable[[], None]
    failed: Callable[[Exception], None]
    lost: Callable[[], None] = lambda: None
    expires: Callable[[int], None] = lambda _: None
    paused: bool = False


class TaskGroup(Protocol):
    """Some running tasks of one connector."""

    def pause(self) -> None:
        """Ask every task to hold still."""

    def resume(self) -> None:
        """Ask every task to go on."""

    def stop(self, timeout_s: float, tasks: Sequence[int] | None = None) -> bool:
        """Stop these tasks, or all, by force after a while; whether they ended by themselves."""

    def forget_topics(self) -> None:
        """Have every task tell of its topics anew, once it uses them again."""

    def counters(self) -> Mapping[int, Mapping[str, float]]:
        """What each task has counted since its launch, and its figures of the recent past."""


class TaskHost(Protocol):
    """Runs tasks of a connector, which itself may be on another worker."""

    @property
    def version(self) -> str:
        """Of its plugin."""

    def launch(
        self,
        name: str,
        configs: Mapping[int, Mapping[str, str]],
        listener: TaskListener,
        *,
        paused: bool = False,
    ) -> TaskGroup:
        """Run these tasks.

        Args:
            name: unique among all that were ever launched.
            configs: configurations by task number.
            listener: hears of every change of a task's state.
            paused: whether they are not to begin before they are resumed.

        Raises:
            ConnectError: if they cannot be run.
        """

    def stop(self) -> None:
        """Release it; its tasks go on. What it raises changes nothing."""


class ConnectorInstance(TaskHost, Protocol):
    """A connector that has been started on this worker."""

    @property
    def supplied(self) -> Mapping[str, str]:
        """What config providers put in place of references when it was started, with these."""

    def pause(self) -> None:
        """Stop the connector itself until it is resumed; its tasks are paused apart from it.

        They can still be launched.

        Raises:
            ConnectError: if it fails to say how its work is to be divided.
        """

    def resume(self) -> None:
        """Start the connector itself again.

        Raises:
            ConnectError: if it fails to start.
        """

    def task_configs(self) -> Sequence[Mapping[str, str]]:
        """Ask the connector how its work is to be divided.

        Raises:
            ConnectError: if it fails, or wants more tasks than it may have.
        """

    def stop(self) -> None:
        """Stop the connector itself; what it raises changes nothing."""


class Worker(Protocol):
    """Runs connectors and tasks, and knows their plugins and offsets."""

    def prepare(self, configs: Collection[Mapping[str, str]]) -> None:
        """Return once tasks can run, those of connectors with such configurations at once.

        Raises:
            ConnectError: if none ever can.
        """

    def start_connector(self, request: StartRequest) -> ConnectorInstance:
        """Check a configuration and start its connector.

        Raises:
            ConnectError: if the configuration is wrong or the connector fails to start.
        """

    def host_tasks(self, name: str, config: Mapping[str, str]) -> TaskHost:
        """What runs tasks of a connector that is not started on this worker.

        Raises:
            ConnectError: if the configuration is wrong.
        """

    def spreads_tasks(self, config: Mapping[str, str]) -> bool:
        """Whether the tasks of a connector may run on several workers."""

    def validate(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Everything that can be known of a configuration without starting it, ready for JSON."""

    def connector_type(self, config: Mapping[str, str]) -> str:
        """``source``, ``sink`` or ``unknown``."""

    def connector_class(self, config: Mapping[str, str]) -> str:
        """Of the plugin that a configuration names; what stands there if there is none."""

    def connector_version(self, config: Mapping[str, str]) -> str:
        """Of the plugin that a configuration names, or an empty text if there is none."""

    def plugin_uses(self, config: Mapping[str, str]) -> Iterable[PluginUse]:
        """The converters, transformations and predicates of a connector's tasks."""

    def plugin_figures(self, name: str = "") -> Mapping[str, float]:
        """The metrics of a connector's own, or of what serves the worker itself (KIP-877)."""

    def fence_zombies(
        self, name: str, config: Mapping[str, str], tasks: int, prove: Callable[[], None]
    ) -> None:
        """Keep the producers of a connector's former tasks from writing ever again (KIP-618).

        Args:
            name: of the connector.
            config: of the connector, references to config providers not resolved.
            tasks: how many there were.
            prove: writes what only the connector's owner can write; called just before, wherever
                the connector's tasks have such producers, be it for the first time.

        Raises:
            RebalanceNeededError: from ``prove``, if another worker owns the connector by now.
            ConnectError: if Kafka does not answer.
        """

    def definition_of(self, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, as the API shows them.

        Raises:
            DiscoveryError: if it cannot be loaded.
            PluginError: if it fails at telling.
        """

    def set_logger_level(self, namespace: str, level: int) -> None:
        """Set a level in the processes of plugins and tasks; those that start later look it up."""

    def offsets(self, name: str, config: Mapping[str, str]) -> Offsets:
        """The committed offsets of a connector.

        Raises:
            ConnectError: if they cannot be read.
        """

    def alter_offsets(self, name: str, config: Mapping[str, str], offsets: Offsets | None) -> bool:
        """Change some offsets of a stopped connector, or forget all.

        Returns:
            Whether the plugin says that it has taken part in this.

        Raises:
            ConnectError: if plugin or Kafka refuse.
        """
