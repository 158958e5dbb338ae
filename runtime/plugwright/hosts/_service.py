"""The driver's share of a connector, in the process that its location is imported into."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.config import ConfigData, key_info, resolving_classes
from plugwright.errors import ConnectError, DiscoveryError, PluginError
from plugwright.hosts._answers import definition_from, task_class_from, task_configs_from
from plugwright.hosts._reports import guarded, location_of, plugin_error
from plugwright.hosts._setup import Examined, Parts, TaskPlan, plain_value
from plugwright.hosts._stand_in import stand_in
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
"""Hears of a call into plugin code before it is made: the connector's key, plugin, phase."""


def _silently(key: str, plugin: PluginDescriptor, phase: str) -> None:
    """Tell nobody."""


@dataclass
class _Open:
    """One connector, made or about to be made.

    Attributes:
        entered: the plugin whose code was called last.
    """

    key: str
    setup: ConnectorSetup
    load: Callable[[PluginDescriptor], type]
    entered: PluginDescriptor
    connector: Connector | None = None
    started: bool = False
    seen: dict[str, PluginDescriptor] = field(default_factory=dict)


class PluginService:
    """Makes connectors and asks them, guarding every call into plugin code.

    Args:
        plugins: what names mean.
        announce: hears of every call into plugin code before it is made.
    """

    def __init__(self, plugins: Plugins, announce: Announce = _silently) -> None:
        self._plugins = plugins
        self._announce = announce
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
        """Ask a connector something by the name of a method.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, connector = self._connector(key)
        with self._calling(key, plugin, question):
            return getattr(connector, question)(*arguments)

    def tasks(self, key: str, most: int) -> TaskPlan:
        """Ask a connector for its tasks.

        Raises:
            PluginError: if it fails, or other processes cannot import the class of its tasks.
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
        """Name the classes that a connector's tasks need.

        Only the tasks make and configure transformations, so that one which refuses its settings
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
        """Stop a connector, if its start was tried, and forget it.

        Raises:
            PluginError: if it fails; it is forgotten all the same.
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
            PluginError: if it fails at telling.
        """
        with self._calling(key, plugin, "config"):
            definition: ConfigDef = self._plugins.load(plugin)().config()
            return [key_info(each) for each in definition.keys.values()]

    def open_provider(
        self, key: str, plugin: PluginDescriptor, settings: Mapping[str, object]
    ) -> None:
        """Make and configure a config provider.

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
        """Values of a config provider.

        Raises:
            PluginError: if it fails, unless it raises a `ConnectError` of its own.
        """
        plugin, provider = self._providers[key]
        with self._calling(key, plugin, "get"):
            found = provider.get(path, keys)
            return ConfigData({str(k): str(v) for k, v in found.data.items()}, found.ttl_ms)

    def close_provider(self, key: str) -> None:
        """Close a config provider and forget it.

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
        """Finds classes by name; what asks for one then enters the plugin in a phase."""

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
        """The definition of the settings of a converter that the connector names itself."""
        found = opened.load(converter.plugin)
        with self._calling(opened.key, converter.plugin, "config"):
            return definition_from(converter.plugin, found().config())


@contextmanager
def _around_the_chain(opened: _Open, phase: str) -> Iterator[None]:
    """Guard code that calls the plugins of the chain and reports their errors by itself."""
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
    """What the settings of transformations and predicates name as their classes."""
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
