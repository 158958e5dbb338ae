"""Runs the driver's part of connectors, in the process that imports their location."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigData, key_info, resolving_classes
from plugwright.errors import ConnectError, DiscoveryError, PluginError
from plugwright.hosts._setup import Examined, Parts, TaskPlan, plain_value
from plugwright.hosts._stand_in import stand_in
from plugwright.hosts.answers import definition_from, task_class_from, task_configs_from
from plugwright.hosts.reports import guarded, location_of, plugin_error
from plugwright.origin import is_operators
from plugwright.plugins import PLUGIN_TYPES, PREDICATE, TRANSFORMATION, ClassReference, load_class
from plugwright.transforms import chain_config_def

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from plugwright.config import ConfigDef, ConfigValue
    from plugwright.connector import Connector, ConnectorContext
    from plugwright.hosts._setup import ConnectorSetup, ConverterSetup
    from plugwright.plugins import PluginDescriptor, Plugins

Announce = Callable[[str, "PluginDescriptor", str], None]
"""Called before each call into plugin code: the connector's key, plugin, phase."""


def _silently(key: str, plugin: PluginDescriptor, phase: str) -> None:
    """Do nothing."""


@dataclass
class _Open:
    """One connector, created or about to be.

    Attributes:
        entered: the plugin that was called last.
    """

    key: str
    setup: ConnectorSetup
    load: Callable[[PluginDescriptor], type]
    entered: PluginDescriptor
    connector: Connector | None = None
    started: bool = False
    seen: dict[str, PluginDescriptor] = field(default_factory=dict)


class PluginService:
    """Creates and calls connectors, wrapping every call into plugin code.

    Args:
        plugins: the installed plugins.
        announce: called before each call into plugin code.
    """

    def __init__(self, plugins: Plugins, announce: Announce = _silently) -> None:
        self._plugins = plugins
        self._announce = announce
        self._open: dict[str, _Open] = {}
        self._providers: dict[str, tuple[PluginDescriptor, Any]] = {}

    def pid(self) -> int:
        """The process id."""
        return os.getpid()

    def open(self, key: str, setup: ConnectorSetup) -> Examined:
        """Create a connector and validate its configuration.

        Raises:
            DiscoveryError: if a plugin cannot be loaded.
            PluginError: if one fails when it is created or called.
        """
        subject = setup.plugin or setup.converters[0].plugin
        opened = _Open(key, setup, self._loader(key, setup), subject)
        resolve = self._resolver(opened, PLUGIN_TYPES, "config")
        with resolving_classes(resolve):
            if setup.plugin and not setup.number:
                opened.connector = self._made(setup.plugin, opened)
            self._open[key] = opened
            settings = setup.chain.settings
            with _around_the_chain(opened, "config"):
                chain = chain_config_def(settings, resolve)
            definitions = [key_info(key) for key in chain.keys.values()]
            definitions += self._defined(opened)
            converters = {}
            for converter in self._named(setup):
                defined = self._converter_config(converter, opened)
                converters[converter.key] = _plain(_converter_values(converter, defined))
                definitions += _under(f"{converter.key}.", defined)
            values = _plain(self._asked(opened))
            with _around_the_chain(opened, "config"):
                nulls = {key: None for key, each in setup.properties.items() if each is None}
                chained = _plain(chain.validate({**settings, **nulls}))
            return Examined(chained, values, converters, definitions)

    def start(self, key: str, context: ConnectorContext) -> None:
        """Initialize and start a connector.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, connector = self._connector(key)
        self._open[key].started = True
        with self._calling(key, plugin, "initialize"):
            connector.initialize(context)
        with self._calling(key, plugin, "start"):
            connector.start(self._open[key].setup.properties)

    def ask(self, key: str, question: str, *arguments: Any) -> Any:
        """Call a method of a connector by name.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, connector = self._connector(key)
        with self._calling(key, plugin, question):
            return getattr(connector, question)(*arguments)

    def tasks(self, key: str, most: int) -> TaskPlan:
        """Ask a connector for its task configurations.

        Raises:
            PluginError: if it fails, or other processes cannot import its task class.
        """
        plugin, connector = self._connector(key)
        with self._calling(key, plugin, "task_class"):
            found = task_class_from(plugin, connector.task_class())
            task_class = _reference(plugin, found)
        with self._calling(key, plugin, "task_configs"):
            configs = task_configs_from(plugin, connector.task_configs(most))
        plan = TaskPlan(task_class, configs)
        _require_importable(plan.task_class, plugin)
        return plan

    def parts(self, key: str) -> Parts:
        """Return the classes that a connector's tasks need.

        Only the tasks create and configure transformations, so that one which rejects its settings
        fails them and not the connector, as in Kafka Connect.

        Raises:
            DiscoveryError: if one cannot be loaded.
        """
        opened = self._open[key]
        setup = opened.setup
        opened.seen.clear()
        classes: dict[str, type] = {}
        resolve = self._resolver(opened, (TRANSFORMATION, PREDICATE), "import", classes)
        with _around_the_chain(opened, "import"):
            for name in _chain_types(setup.chain.settings):
                resolve(name)
        return Parts(
            {
                name: _reference(opened.seen[name], found)
                for name, found in classes.items()
                if setup.serves(opened.seen[name])
            },
            {
                c.key: _reference(c.plugin, opened.load(c.plugin), c.configs)
                for c in setup.converters
                if setup.serves(c.plugin)
            },
        )

    def stop(self, key: str) -> None:
        """Stop a connector, if it was started, and remove it.

        Raises:
            PluginError: if it fails; it is removed nevertheless.
        """
        opened = self._open.pop(key, None)
        if opened is None or not opened.started:
            return
        plugin, connector = _made(opened)
        with self._calling(key, plugin, "stop"):
            connector.stop()

    def define(self, key: str, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, as the API shows them.

        Raises:
            DiscoveryError: if it cannot be loaded.
            PluginError: if it fails to return them.
        """
        with self._calling(key, plugin, "config"):
            definition: ConfigDef = self._plugins.load(plugin)().config()
            return [key_info(each) for each in definition.keys.values()]

    def open_provider(
        self, key: str, plugin: PluginDescriptor, settings: Mapping[str, object]
    ) -> None:
        """Create and configure a config provider.

        Raises:
            DiscoveryError: if it cannot be loaded.
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        with self._calling(key, plugin, "constructor"):
            provider: Any = self._plugins.load(plugin)()
        self._providers[key] = plugin, provider
        with self._calling(key, plugin, "configure"):
            provider.configure(settings)

    def ask_provider(self, key: str, path: str | None, keys: Collection[str] | None) -> ConfigData:
        """Get values from a config provider.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, provider = self._providers[key]
        with self._calling(key, plugin, "get"):
            found = provider.get(path, keys)
            return ConfigData({str(k): str(v) for k, v in found.data.items()}, found.ttl_ms)

    def close_provider(self, key: str) -> None:
        """Close a config provider and remove it.

        Raises:
            PluginError: if it fails.
        """
        plugin, provider = self._providers.pop(key)
        with self._calling(key, plugin, "close"):
            provider.close()

    @contextmanager
    def _calling(self, key: str, plugin: PluginDescriptor, phase: str) -> Iterator[None]:
        self._announce(key, plugin, phase)
        with guarded(plugin, phase):
            yield

    def _connector(self, key: str) -> tuple[PluginDescriptor, Connector]:
        return _made(self._open[key])

    def _loader(self, key: str, setup: ConnectorSetup) -> Callable[[PluginDescriptor], type]:
        def load(plugin: PluginDescriptor) -> type:
            if setup.here is None or plugin.location is None:
                with self._calling(key, plugin, "import"):
                    return self._plugins.load(plugin)
            if plugin.location in setup.here:
                with self._calling(key, plugin, "import"):
                    return load_class(plugin, setup.here)
            if plugin.location in setup.apart and plugin.type in {TRANSFORMATION, PREDICATE}:
                return stand_in(plugin)
            raise _elsewhere(plugin)

        return load

    def _resolver(
        self,
        opened: _Open,
        kinds: tuple[Any, ...],
        phase: str,
        classes: dict[str, type] | None = None,
    ) -> Callable[[str], type]:
        """Finds classes by name and records the plugin and phase of the call that uses them."""

        def resolve(name: str) -> type:
            plugin = opened.setup.chain.find(self._plugins, name, *kinds)
            found = opened.load(plugin)
            opened.entered = plugin
            self._announce(opened.key, plugin, phase)
            opened.seen[name] = plugin
            if classes is not None:
                classes[name] = found
            return found

        return resolve

    def _made(self, plugin: PluginDescriptor, opened: _Open) -> Connector:
        found = opened.load(plugin)
        with self._calling(opened.key, plugin, "constructor"):
            connector: Connector = found()
        return connector

    def _asked(self, opened: _Open) -> list[ConfigValue]:
        plugin, connector = opened.setup.plugin, opened.connector
        if plugin is None or connector is None:
            return []
        with self._calling(opened.key, plugin, "validate"):
            return list(connector.validate(opened.setup.properties))

    def _defined(self, opened: _Open) -> list[dict[str, Any]]:
        """The definitions of the connector's own settings."""
        plugin, connector = opened.setup.plugin, opened.connector
        if plugin is None or connector is None:
            return []
        with self._calling(opened.key, plugin, "config"):
            return _under("", definition_from(plugin, connector.config()))

    @staticmethod
    def _named(setup: ConnectorSetup) -> Iterator[ConverterSetup]:
        return (c for c in setup.converters if c.named and setup.serves(c.plugin))

    def _converter_config(self, converter: ConverterSetup, opened: _Open) -> ConfigDef:
        """The definition of a converter's settings, if the connector names it itself."""
        found = opened.load(converter.plugin)
        with self._calling(opened.key, converter.plugin, "config"):
            return definition_from(converter.plugin, found().config())


@contextmanager
def _around_the_chain(opened: _Open, phase: str) -> Iterator[None]:
    """Wrap code that calls the plugins of the chain and reports their errors itself."""
    try:
        yield
    except ConnectError:
        raise
    except BaseException as error:
        if is_operators(error):
            raise
        raise plugin_error(opened.entered, phase, error) from error


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


def _chain_types(properties: Mapping[str, str]) -> Iterator[str]:
    """The class names in the settings of transformations and predicates."""
    for kind in ("transforms", "predicates"):
        for alias in dict.fromkeys(each.strip() for each in properties.get(kind, "").split(",")):
            name = properties.get(f"{kind}.{alias}.type", "").strip()
            if alias and name:
                yield name


def chain_settings(properties: Mapping[str, str]) -> dict[str, str]:
    """The settings of transformations and predicates, with their full keys."""
    prefixes = ("transforms", "predicates")
    return {key: value for key, value in properties.items() if key.split(".", 1)[0] in prefixes}


def _reference(
    plugin: PluginDescriptor, found: type, settings: Mapping[str, str] | None = None
) -> ClassReference:
    return ClassReference.to(found, settings, version=plugin.version, location=location_of(plugin))


def _require_importable(task_class: ClassReference, plugin: PluginDescriptor) -> None:
    """Reject a class that is local to a function."""
    if "<locals>" not in task_class.qualname:
        return
    raise PluginError(
        f"{plugin.class_name} {plugin.version} uses the task class {task_class.class_name}, "
        "which is defined inside a function, so the processes of its tasks cannot import it",
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
        f"{plugin.type.name} {plugin.class_name} is in {where}, from which this connector's "
        "process does not import",
        code="plugin.elsewhere",
        hint="install it into the connector's own location",
        facts={"plugin": plugin.class_name, "location": str(where)},
    )
