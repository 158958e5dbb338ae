"""The driver's share of a connector, in the process that its location is imported into."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigData, key_info, resolving_classes
from plugwright.errors import ConnectError, DiscoveryError, PluginError
from plugwright.hosts._reports import location_of, plugin_error
from plugwright.hosts._setup import Examined, Parts, TaskPlan, plain_value
from plugwright.hosts._stand_in import stand_in
from plugwright.plugins import PLUGIN_TYPES, PREDICATE, TRANSFORMATION, ClassReference, load_class
from plugwright.transforms import TransformationChain, chain_config_def

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from plugwright.config import ConfigDef, ConfigValue
    from plugwright.connector import Connector, ConnectorContext
    from plugwright.hosts._setup import ConnectorSetup, ConverterSetup
    from plugwright.plugins import PluginDescriptor, Plugins

__all__ = ["PluginService", "chain_settings"]


@dataclass
class _Open:
    """One connector, made or about to be made."""

    setup: ConnectorSetup
    load: Callable[[PluginDescriptor], type]
    connector: Connector | None = None
    started: bool = False
    seen: dict[str, PluginDescriptor] = field(default_factory=dict)


class PluginService:
    """Makes connectors and asks them, guarding every call into plugin code.

    Args:
        plugins: what names mean.
    """

    def __init__(self, plugins: Plugins) -> None:
        self._plugins = plugins
        self._open: dict[str, _Open] = {}
        self._providers: dict[str, tuple[PluginDescriptor, Any]] = {}

    def pid(self) -> int:
        """The process that it runs in."""
        return os.getpid()

    def open(self, key: str, setup: ConnectorSetup) -> Examined:
        """Make a connector and check its configuration.

        Raises:
            DiscoveryError: if a plugin cannot be loaded.
            PluginError: if one fails at being made or asked.
        """
        opened = _Open(setup, self._loader(setup))
        resolve = self._resolver(opened, PLUGIN_TYPES)
        with resolving_classes(resolve):
            if setup.plugin and not setup.number:
                opened.connector = self._made(setup.plugin, opened)
            self._open[key] = opened
            settings = setup.chain.settings
            chain = chain_config_def(settings, resolve)
            definitions = [key_info(key) for key in chain.keys.values()]
            definitions += self._defined(opened)
            converters = {}
            for converter in self._named(setup):
                defined = self._converter_config(converter, opened)
                converters[converter.key] = _plain(_converter_values(converter, defined))
                definitions += _under(f"{converter.key}.", defined)
            values = _plain(self._asked(opened))
            return Examined(_plain(chain.validate(settings)), values, converters, definitions)

    def start(self, key: str, context: ConnectorContext) -> None:
        """Initialize and start a connector.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, connector = self._connector(key)
        self._open[key].started = True
        try:
            connector.initialize(context)
            connector.start(self._open[key].setup.properties)
        except ConnectError:
            raise
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, "start", error) from error

    def ask(self, key: str, question: str, *arguments: Any) -> Any:
        """Ask a connector something by the name of a method.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, connector = self._connector(key)
        return self._guarded(plugin, question, getattr(connector, question), *arguments)

    def tasks(self, key: str, most: int) -> TaskPlan:
        """Ask a connector for its tasks.

        Raises:
            PluginError: if it fails, or other processes cannot import the class of its tasks.
        """
        plugin, connector = self._connector(key)
        try:
            task_class = connector.task_class()
            configs = [dict(config) for config in connector.task_configs(most)]
            plan = TaskPlan(_reference(plugin, task_class), configs)
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, "task_configs", error) from error
        _require_importable(plan.task_class, plugin)
        return plan

    def parts(self, key: str) -> Parts:
        """Compile a connector's chain once, and name the classes that its tasks need.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            PluginError: if a transformation or predicate fails.
        """
        opened = self._open[key]
        setup = opened.setup
        opened.seen.clear()
        classes: dict[str, type] = {}
        resolve = self._resolver(opened, (TRANSFORMATION, PREDICATE), classes)
        chain = TransformationChain[Any].compile(chain_settings(setup.chain.settings), resolve)
        chain.close()
        return Parts(
            {
                name: _reference(opened.seen[name], found)
                for name, found in classes.items()
                if setup.serves(opened.seen[name])
            },
            {
                c.key: _reference(c.plugin, opened.load(c.plugin), c.settings)
                for c in setup.converters
                if setup.serves(c.plugin)
            },
        )

    def stop(self, key: str) -> None:
        """Stop a connector, if its start was tried, and forget it.

        Raises:
            PluginError: if it fails; it is forgotten all the same.
        """
        opened = self._open.pop(key, None)
        if opened is None or not opened.started:
            return
        plugin, connector = _made(opened)
        try:
            connector.stop()
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, "stop", error) from error

    def open_provider(
        self, key: str, plugin: PluginDescriptor, settings: Mapping[str, object]
    ) -> None:
        """Make and configure a config provider.

        Raises:
            DiscoveryError: if it cannot be loaded.
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        provider = self._guarded(plugin, "constructor", self._plugins.load(plugin))
        self._providers[key] = plugin, provider
        self._guarded(plugin, "configure", provider.configure, settings)

    def ask_provider(self, key: str, path: str | None, keys: Collection[str] | None) -> ConfigData:
        """Values of a config provider.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, provider = self._providers[key]
        found = self._guarded(plugin, "get", provider.get, path, keys)
        return ConfigData({str(k): str(v) for k, v in found.data.items()}, found.ttl_ms)

    def close_provider(self, key: str) -> None:
        """Close a config provider and forget it.

        Raises:
            PluginError: if it fails.
        """
        plugin, provider = self._providers.pop(key)
        self._guarded(plugin, "close", provider.close)

    @staticmethod
    def _guarded(
        plugin: PluginDescriptor, phase: str, call: Callable[..., Any], *arguments: Any
    ) -> Any:
        try:
            return call(*arguments)
        except ConnectError:
            raise
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, phase, error) from error

    def _connector(self, key: str) -> tuple[PluginDescriptor, Connector]:
        return _made(self._open[key])

    def _loader(self, setup: ConnectorSetup) -> Callable[[PluginDescriptor], type]:
        def load(plugin: PluginDescriptor) -> type:
            if setup.here is None or plugin.location is None:
                return self._plugins.load(plugin)
            if plugin.location in setup.here:
                return load_class(plugin, setup.here)
            if plugin.location in setup.apart and plugin.type in {TRANSFORMATION, PREDICATE}:
                return stand_in(plugin)
            raise _elsewhere(plugin)

        return load

    def _resolver(
        self, opened: _Open, kinds: tuple[Any, ...], classes: dict[str, type] | None = None
    ) -> Callable[[str], type]:
        def resolve(name: str) -> type:
            plugin = opened.setup.chain.find(self._plugins, name, *kinds)
            found = opened.load(plugin)
            opened.seen[name] = plugin
            if classes is not None:
                classes[name] = found
            return found

        return resolve

    def _made(self, plugin: PluginDescriptor, opened: _Open) -> Connector:
        try:
            connector: Connector = opened.load(plugin)()
        except ConnectError:
            raise
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, "constructor", error) from error
        return connector

    def _asked(self, opened: _Open) -> list[ConfigValue]:
        plugin, connector = opened.setup.plugin, opened.connector
        if plugin is None or connector is None:
            return []
        try:
            return list(connector.validate(opened.setup.properties))
        except ConnectError:
            raise
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, "validate", error) from error

    @staticmethod
    def _defined(opened: _Open) -> list[dict[str, Any]]:
        """The definitions of the connector's own settings."""
        plugin, connector = opened.setup.plugin, opened.connector
        if plugin is None or connector is None:
            return []
        try:
            return _under("", connector.config())
        except (Exception, SystemExit) as error:
            raise plugin_error(plugin, "config", error) from error

    @staticmethod
    def _named(setup: ConnectorSetup) -> Iterator[ConverterSetup]:
        return (c for c in setup.converters if c.named and setup.serves(c.plugin))

    @staticmethod
    def _converter_config(converter: ConverterSetup, opened: _Open) -> ConfigDef:
        """The definition of the settings of a converter that the connector names itself."""
        try:
            definition: ConfigDef = opened.load(converter.plugin)().config()
        except ConnectError:
            raise
        except (Exception, SystemExit) as error:
            raise plugin_error(converter.plugin, "config", error) from error
        return definition


def _converter_values(converter: ConverterSetup, definition: ConfigDef) -> list[ConfigValue]:
    """The settings of a converter, under their full keys."""
    settings = {"converter.type": converter.key.split(".")[0], **converter.settings}
    values = definition.validate(settings)
    return [replace(value, name=f"{converter.key}.{value.name}") for value in values]


def _under(prefix: str, definition: ConfigDef) -> list[dict[str, Any]]:
    """The definitions of settings under their full keys, as the REST API shows them."""
    return [{**key_info(key), "name": f"{prefix}{key.name}"} for key in definition.keys.values()]


def _made(opened: _Open) -> tuple[PluginDescriptor, Connector]:
    if opened.setup.plugin is None or opened.connector is None:
        raise LookupError("the connector is in another process")
    return opened.setup.plugin, opened.connector


def chain_settings(properties: Mapping[str, str]) -> dict[str, str]:
    """The settings of transformations and predicates, with their full keys."""
    prefixes = ("transforms", "predicates")
    return {key: value for key, value in properties.items() if key.split(".", 1)[0] in prefixes}


def _reference(
    plugin: PluginDescriptor, found: type, settings: Mapping[str, str] | None = None
) -> ClassReference:
    return ClassReference.to(found, settings, version=plugin.version, location=location_of(plugin))


def _require_importable(task_class: ClassReference, plugin: PluginDescriptor) -> None:
    """Refuse a class that only the function has which made it."""
    if "<locals>" not in task_class.qualname:
        return
    raise PluginError(
        f"{plugin.class_name} {plugin.version} has tasks of {task_class.class_name}, a class "
        "inside a function, which the processes of its tasks cannot import",
        code="plugin.task-class-not-importable",
        hint="move the class to the top level of its module, and return it from task_class()",
        facts={"plugin": plugin.class_name, "task_class": task_class.class_name},
    )


def _plain(values: Iterable[ConfigValue]) -> list[ConfigValue]:
    return [
        replace(
            value,
            value=plain_value(value.value),
            recommended_values=[plain_value(item) for item in value.recommended_values],
        )
        for value in values
    ]


def _elsewhere(plugin: PluginDescriptor) -> DiscoveryError:
    where = plugin.location.origin if plugin.location else "the runtime"
    return DiscoveryError(
        f"{plugin.type.name} {plugin.class_name} is in {where}, which this connector's process "
        "does not import from",
        code="plugin.elsewhere",
        hint="install it into the connector's own location",
        facts={"plugin": plugin.class_name, "location": str(where)},
    )
