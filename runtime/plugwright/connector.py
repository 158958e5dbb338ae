"""Base classes for connector authors: connectors, and their contexts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from plugwright.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.config import ConfigDef, ConfigValue
    from plugwright.metrics import PluginMetrics
    from plugwright.record import TopicPartition
    from plugwright.task import OffsetStorageReader, Task

__all__ = [
    "Connector",
    "ConnectorContext",
    "ConnectorTransactionBoundaries",
    "ExactlyOnceSupport",
    "SinkConnector",
    "SinkConnectorContext",
    "SourceConnector",
    "SourceConnectorContext",
    "group_partitions",
]

Element = TypeVar("Element")


class ExactlyOnceSupport(Enum):
    """Whether a source connector delivers exactly once with a given configuration (KIP-618)."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class ConnectorTransactionBoundaries(Enum):
    """Whether a source connector can say itself where transactions end (KIP-618)."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"


class ConnectorContext(Protocol):
    """The context of a running connector."""

    def request_task_reconfiguration(self) -> None:
        """Ask for ``task_configs`` to be called again, some time later."""

    def raise_error(self, error: Exception) -> None:
        """Fail the connector from any thread; its state becomes FAILED."""

    def plugin_metrics(self) -> PluginMetrics:
        """Registers metrics of the connector, which go when it is stopped (KIP-877)."""


class SourceConnectorContext(ConnectorContext, Protocol):
    """The context of a running source connector."""

    @property
    def offset_storage_reader(self) -> OffsetStorageReader:
        """Reads the offsets that tasks of this connector have stored."""


class SinkConnectorContext(ConnectorContext, Protocol):
    """The context of a running sink connector; adds nothing to the common one."""


class Connector(ABC):
    """Describes one job of copying: its settings, and how they divide into tasks.

    The runtime calls ``initialize``, then ``start``, then ``task_configs`` and at the end ``stop``,
    all on one thread. ``version`` and ``config`` are called on instances that were never started.
    """

    context: ConnectorContext

    def initialize(
        self,
        context: ConnectorContext,
        task_configs: Sequence[Mapping[str, str]] = (),  # noqa: ARG002  # a hint; recovery may use it
    ) -> None:
        """Take the context, once, before ``start``; after a recovery with the last task configs."""
        self.context = context

    @abstractmethod
    def version(self) -> str:
        """The version of the plugin, neither empty nor dependent on configuration."""

    @abstractmethod
    def config(self) -> ConfigDef:
        """The definition of every setting that the connector reads.

        What ``task_configs`` adds for its tasks needs no definition.
        """

    @abstractmethod
    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with the whole connector configuration, variables resolved.

        The instance is new, or was stopped.
        """

    @abstractmethod
    def task_class(self) -> type[Task]:
        """The class of this connector's tasks."""

    @abstractmethod
    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The configuration of each task: at most ``max_tasks`` of them."""

    @abstractmethod
    def stop(self) -> None:
        """Release everything; safe to call at any time and more than once."""

    def reconfigure(self, props: Mapping[str, str]) -> None:
        """Go on with other settings; by default stop and start."""
        self.stop()
        self.start(props)

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Every setting with its value and problems; override to check settings together.

        An override adds an error with `ConfigValue.with_error`, which returns a new value.

        Raises:
            ConnectError: if ``config()`` returns no definition.
        """
        definition = self.config()
        if definition is None:
            raise ConnectError(
                f"{type(self).__name__}.config() must return a ConfigDef that is not null.",
                code="plugin.no-config-def",
            )
        return definition.validate(props)


class SourceConnector(Connector):
    """A connector whose tasks read from elsewhere and write to Kafka."""

    context: SourceConnectorContext

    def exactly_once_support(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # the answer may depend on the settings
    ) -> ExactlyOnceSupport | None:
        """Whether these settings give exactly-once delivery; ``None`` means unknown (KIP-618)."""
        return None

    def can_define_transaction_boundaries(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # the answer may depend on the settings
    ) -> ConnectorTransactionBoundaries:
        """Whether tasks end transactions through the transaction context (KIP-618)."""
        return ConnectorTransactionBoundaries.UNSUPPORTED

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # part of the contract
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],  # noqa: ARG002
    ) -> bool:
        """Check, and apply where offsets are kept elsewhere, a request to change offsets (KIP-875).

        Called on a fresh, unstarted instance; may be called again after a partial failure. A pair
        is a source partition with its new offset, ``None`` to forget it. Raise to refuse.

        Returns:
            ``False`` only from this implementation, which checks nothing; ``True`` from others.
        """
        return False


class SinkConnector(Connector):
    """A connector whose tasks read from Kafka and write elsewhere."""

    TOPICS_CONFIG: ClassVar[str] = "topics"

    context: SinkConnectorContext

    def alter_offsets(
        self,
        props: Mapping[str, str],  # noqa: ARG002  # part of the contract
        offsets: Mapping[TopicPartition, int | None],  # noqa: ARG002
    ) -> bool:
        """Check, and apply where offsets are kept elsewhere, a request to change offsets (KIP-875).

        Returns:
            ``False`` only from this implementation, which checks nothing; ``True`` from others.
        """
        return False


def group_partitions(elements: Sequence[Element], num_groups: int) -> list[list[Element]]:
    """Share out the parts of a connector's work among tasks, as ``ConnectorUtils`` does.

    What stands together stays together: each group is a stretch of the elements, and the first
    groups have one more where they cannot be equal. For use in `Connector.task_configs`.

    Args:
        elements: tables, files or whatever the tasks are to work on.
        num_groups: how many groups; as many are returned, some of them empty if it is more than
            there are elements.

    Raises:
        ValueError: if there is to be no group.
    """
    if num_groups <= 0:
        raise ValueError("Number of groups must be positive.")
    size, more = divmod(len(elements), num_groups)
    ends = [size * group + min(group, more) for group in range(num_groups + 1)]
    return [list(elements[begin:end]) for begin, end in pairwise(ends)]
