"""What the herder needs of the worker below it: narrow Protocols, and nothing of Spark or Kafka."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = [
    "ConnectorInstance",
    "Offsets",
    "StartRequest",
    "TaskGroup",
    "TaskListener",
    "TaskNews",
    "Worker",
]

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
    """

    name: str
    config: Mapping[str, str]
    reconfigure: Callable[[], None]
    failed: Callable[[Exception], None]
    lost: Callable[[], None] = lambda: None


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


class ConnectorInstance(Protocol):
    """A connector that has been started on this worker."""

    @property
    def version(self) -> str:
        """Of its plugin."""

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

    def launch(
        self, name: str, configs: Mapping[int, Mapping[str, str]], listener: TaskListener
    ) -> TaskGroup:
        """Run these tasks.

        Args:
            name: unique among all that were ever launched.
            configs: configurations by task number.
            listener: hears of every change of a task's state.
        """

    def stop(self) -> None:
        """Stop the connector itself; what it raises changes nothing."""


class Worker(Protocol):
    """Runs connectors and tasks, and knows their plugins and offsets."""

    def start_connector(self, request: StartRequest) -> ConnectorInstance:
        """Check a configuration and start its connector.

        Raises:
            ConnectError: if the configuration is wrong or the connector fails to start.
        """

    def validate(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Everything that can be known of a configuration without starting it, ready for JSON."""

    def connector_type(self, config: Mapping[str, str]) -> str:
        """``source``, ``sink`` or ``unknown``."""

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
