"""What a host process is told of a connector, and what it answers: plain values."""

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
    """What a connector may ask of the runtime, and what the runtime hears of its process."""

    def tell_figures(self, figures: Mapping[str, float]) -> None:
        """These are the connector's own metrics now, if it is in another process."""

    def host_lost(self, error: PluginError) -> None:
        """Another connector has ended the process that they shared; this one has done nothing."""


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
        """What ``configure`` is given: a header converter is told there what it is for.

        The others have an argument for that (Kafka Connect's ``Plugins.newHeaderConverter``).
        """
        if self.key != "header.converter":
            return self.settings
        return {**self.settings, "converter.type": "header"}


@dataclass(frozen=True, slots=True)
class ChainSetup:
    """The transformations and predicates of a connector.

    Attributes:
        settings: the configuration as they are to see it, without the settings of versions.
        pinned: what names in these settings mean, where a version was asked for.
        prefer: the location whose copies come first for every other name.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    pinned: Mapping[str, PluginDescriptor] = field(default_factory=dict)
    prefer: Location | None = None

    def find(self, plugins: Plugins, name: str, *kinds: PluginType) -> PluginDescriptor:
        """The plugin that a name in the settings means.

        Raises:
            NotFoundError: if there is none of these kinds.
            DiscoveryError: if an alias means several classes.
        """
        return self.pinned.get(name) or plugins.find(name, *kinds, prefer=self.prefer)


@dataclass(frozen=True, slots=True)
class ConnectorSetup:
    """Everything that one process has to know of a connector.

    Attributes:
        plugin: the connector; ``None`` if it is not there in the version that was asked for.
        number: which of its processes this is; the connector itself is in process 0.
        properties: its whole configuration, references resolved.
        here: the locations of this process; ``None`` if it serves them all.
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
        """Whether a plugin is this process's to run."""
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
    """The tasks that a started connector wants."""

    task_class: ClassReference
    configs: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What stands around the tasks, as far as this process runs it.

    Attributes:
        transforms: transformations and predicates, by the name in the configuration.
        converters: by their key.
    """

    transforms: Mapping[str, ClassReference] = field(default_factory=dict)
    converters: Mapping[str, ClassReference] = field(default_factory=dict)


class ConnectorService(Protocol):
    """Runs the driver's share of connectors, in this process or in another one."""

    def open(self, key: str, setup: ConnectorSetup) -> Examined:
        """Make a connector and check its configuration.

        Raises:
            DiscoveryError: if a plugin cannot be loaded.
            PluginError: if one fails at being made or asked.
        """

    def start(self, key: str, context: HostedContext) -> None:
        """Initialize and start it."""

    def ask(self, key: str, question: str, *arguments: Any) -> Any:
        """Ask it something by the name of a method; it need not have been started.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """

    def tasks(self, key: str, most: int) -> TaskPlan:
        """Ask it for its tasks."""

    def parts(self, key: str) -> Parts:
        """Compile its chain once, and name the classes that its tasks need."""

    def stop(self, key: str) -> None:
        """Stop it, if its start was tried, and forget it."""

    def define(self, key: str, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, as the API shows them; the key is used for nothing else."""

    def open_provider(
        self, key: str, plugin: PluginDescriptor, settings: Mapping[str, object]
    ) -> None:
        """Make and configure a config provider."""

    def ask_provider(self, key: str, path: str | None, keys: Collection[str] | None) -> ConfigData:
        """Values of a config provider."""

    def close_provider(self, key: str) -> None:
        """Close a config provider and forget it."""

    def pid(self) -> int:
        """The process that it runs in."""


def plain_value(value: Any) -> Any:
    """A setting's value as it may cross processes: classes and foreign things by their text."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, type):
        return public_name(value)
    return str(value)
