"""The data that the driver and host processes exchange about a connector."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from plugwright.connector import ConnectorContext
from plugwright.origin import public_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright.config import ConfigData, ConfigValue
    from plugwright.errors import PluginError
    from plugwright.plugins import (
        ClassReference,
        Location,
        PluginDescriptor,
        Plugins,
        PluginType,
    )


class HostedContext(ConnectorContext, Protocol):
    """The connector context, and the notifications from its process."""

    def report_metrics(self, figures: Mapping[str, float]) -> None:
        """Update the metrics of a connector in another process."""

    def host_lost(self, error: PluginError) -> None:
        """Handle the end of the process that another connector caused."""


@dataclass(frozen=True, slots=True)
class ConverterSetup:
    """One converter of a connector's tasks.

    Attributes:
        key: ``key.converter``, ``value.converter`` or ``header.converter``.
        settings: its own settings, without the key as a prefix.
        named: whether the connector names it itself, so that its settings are the connector's.
    """

    key: str
    plugin: PluginDescriptor
    settings: Mapping[str, str]
    named: bool

    @property
    def configs(self) -> Mapping[str, str]:
        """The argument of ``configure``: for a header converter it includes the type.

        Other converters have a separate argument for it (Kafka Connect's
        ``Plugins.newHeaderConverter``).
        """
        if self.key != "header.converter":
            return self.settings
        return {**self.settings, "converter.type": "header"}


@dataclass(frozen=True, slots=True)
class ChainSetup:
    """The transformations and predicates of a connector.

    Attributes:
        settings: their configuration, without the version settings.
        pinned: the plugins of names for which a version was requested.
        prefer: the location whose copies come first for every other name.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    pinned: Mapping[str, PluginDescriptor] = field(default_factory=dict)
    prefer: Location | None = None

    def find(self, plugins: Plugins, name: str, *kinds: PluginType) -> PluginDescriptor:
        """Resolve a name in the settings.

        Raises:
            NotFoundError: if there is no such plugin of these types.
            DiscoveryError: if an alias is ambiguous.
        """
        return self.pinned.get(name) or plugins.find(name, *kinds, prefer=self.prefer)


@dataclass(frozen=True, slots=True)
class ConnectorSetup:
    """The data that one process needs about a connector.

    Attributes:
        plugin: the connector; ``None`` if the requested version is not installed.
        number: number of this process; the connector itself is in process 0.
        properties: its whole configuration, references resolved.
        here: the locations of this process; ``None`` if it serves all.
        apart: locations of the connector's parts that run in other processes.
    """

    plugin: PluginDescriptor | None
    properties: Mapping[str, Any]
    converters: tuple[ConverterSetup, ...]
    chain: ChainSetup
    here: tuple[Location, ...] | None = None
    apart: tuple[Location, ...] = ()
    number: int = 0

    def serves(self, plugin: PluginDescriptor) -> bool:
        """Whether this process runs a plugin."""
        if self.here is None:
            return True
        if plugin.location is None:
            return not self.number
        return plugin.location in self.here


@dataclass(frozen=True, slots=True)
class Examined:
    """The settings with their problems, in Kafka's order of definition.

    Attributes:
        chain: of transformations and predicates.
        connector: of the connector.
        converters: of the converters that the connector names, under their full keys.
        definitions: of all these settings, as the REST API shows them.
    """

    chain: Sequence[ConfigValue] = ()
    connector: Sequence[ConfigValue] = ()
    converters: Mapping[str, Sequence[ConfigValue]] = field(default_factory=dict)
    definitions: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """The tasks that a started connector generated."""

    task_class: ClassReference
    configs: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Parts:
    """The plugins around the tasks that this process runs.

    Attributes:
        transforms: transformations and predicates, by the name in the configuration.
        converters: by their key.
    """

    transforms: Mapping[str, ClassReference] = field(default_factory=dict)
    converters: Mapping[str, ClassReference] = field(default_factory=dict)


class ConnectorService(Protocol):
    """Runs the driver's part of connectors, in this process or in another one."""

    def open(self, key: str, setup: ConnectorSetup) -> Examined:
        """Create a connector and validate its configuration.

        Raises:
            DiscoveryError: if a plugin cannot be loaded.
            PluginError: if one fails when it is created or called.
        """

    def start(self, key: str, context: HostedContext) -> None:
        """Initialize and start it."""

    def ask(self, key: str, question: str, *arguments: Any) -> Any:
        """Call a method by name; the connector need not have been started.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """

    def tasks(self, key: str, most: int) -> TaskPlan:
        """Ask it for its task configurations."""

    def parts(self, key: str) -> Parts:
        """Compile its chain, and return the classes that its tasks need."""

    def stop(self, key: str) -> None:
        """Stop it, if it was started, and remove it."""

    def define(self, key: str, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, as the API shows them; the key must be unused."""

    def open_provider(
        self, key: str, plugin: PluginDescriptor, settings: Mapping[str, object]
    ) -> None:
        """Create and configure a config provider."""

    def ask_provider(self, key: str, path: str | None, keys: Collection[str] | None) -> ConfigData:
        """Get values from a config provider."""

    def close_provider(self, key: str) -> None:
        """Close a config provider and remove it."""

    def pid(self) -> int:
        """The process id."""


def plain_value(value: Any) -> Any:
    """Make a setting's value sendable: classes and other objects become text."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, type):
        return public_name(value)
    return str(value)
