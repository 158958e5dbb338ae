"""Creates a plan from options: validates everything, then requests task configurations."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright.config import (
    ConfigValue,
    HiddenTexts,
    Resolution,
    misspelt,
    require_valid,
    resolve_references,
)
from plugwright.errors import ConfigError, ConnectError, NotFoundError
from plugwright.hosts import ChainSetup, HostedConnector, PluginHosts, provider_class
from plugwright.metrics import OwnPluginMetrics
from plugwright.plugins import CONFIG_PROVIDER, SINK, SOURCE, Plugins
from plugwright.spark.datasource.options import (
    OPTIONS,
    RowsOptions,
    cased,
    connector_properties,
    judged,
)
from plugwright.spark.datasource.plan import ConnectorPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.metrics import PluginMetrics
    from plugwright.plugins import PluginDescriptor, PluginType

log = logging.getLogger(__name__)

_NEAR = 3


class _Context:
    """The context of a connector that generates task configurations and is stopped right after."""

    def __init__(self, options: RowsOptions) -> None:
        self.offset_storage_reader = options.offsets
        self.error: Exception | None = None

    def request_task_reconfiguration(self) -> None:
        """Do nothing: the tasks of a query do not change."""

    def raise_error(self, error: Exception) -> None:
        """Keep the error with which the connector failed."""
        self.error = error

    def plugin_metrics(self) -> PluginMetrics:
        """A registry whose metrics are discarded: a query reports none."""
        return OwnPluginMetrics({})

    def report_metrics(self, figures: Mapping[str, float]) -> None:
        """As above."""

    def host_lost(self, error: ConnectError) -> None:
        """As above."""
        self.error = error


def plan_connector(
    given: Mapping[str, str],
    kind: PluginType,
    *,
    sink_problems: Callable[[RowsOptions], None] | None = None,
) -> ConnectorPlan:
    """Validate a whole configuration, and divide the work into tasks.

    The connector runs in a process of its location, and has stopped when this returns.

    Args:
        given: the options, as Spark passes them.
        kind: source or sink.
        sink_problems: raises further problems of a sink before the connector starts.

    Raises:
        ConfigError: naming every option that is missing or wrong; ``rows.wrong-kind`` if the
            plugin is of the other type.
        NotFoundError: if no plugin has that class name or alias, with near matches.
        DiscoveryError: if the plugin cannot be loaded.
        PluginError: if the plugin fails.
    """
    properties = cased(given, OPTIONS.keys)
    first = judged(properties)
    if not properties.get("connector.class"):
        require_valid(first, properties)
    values = OPTIONS.validate_all(properties)
    _require(values, "plugin.path", "plugin.discovery")
    path: Any = values["plugin.path"].value
    mode = str(values["plugin.discovery"].value)
    plugins = Plugins.discover(path or (), mode, fail_fast=True)
    isolated = str(values["plugin.isolation"].value).lower() != "none"
    with closing(PluginHosts(plugins, isolated=isolated)) as hosts:
        plugin = _plugin(properties, plugins, kind)
        return _planned(given, properties, plugin, hosts, sink_problems)


def _require(values: Mapping[str, ConfigValue], *names: str) -> None:
    require_valid(values[name] for name in names)


def _plugin(properties: Mapping[str, str], plugins: Plugins, kind: PluginType) -> PluginDescriptor:
    version = properties.get("connector.plugin.version")
    try:
        return plugins.find(properties["connector.class"], kind, version=version)
    except NotFoundError:
        other = SINK if kind is SOURCE else SOURCE
        try:
            found = plugins.find(properties["connector.class"], other, version=version)
        except ConnectError:
            pass
        else:
            raise _wrong_kind(found, kind, plugins) from None
        raise


def _planned(
    given: Mapping[str, str],
    properties: dict[str, str],
    plugin: PluginDescriptor,
    hosts: PluginHosts,
    more: Callable[[RowsOptions], None] | None,
) -> ConnectorPlan:
    hidden = HiddenTexts()
    with hidden.in_errors():
        return _planned_discreetly(given, properties, plugin, (hosts, hidden), more)


def _planned_discreetly(
    given: Mapping[str, str],
    properties: dict[str, str],
    plugin: PluginDescriptor,
    means: tuple[PluginHosts, HiddenTexts],
    more: Callable[[RowsOptions], None] | None,
) -> ConnectorPlan:
    connector, resolution = _opened(properties, plugin, *means)
    try:
        names = [definition["name"] for definition in connector.definitions]
        spelt = cased(given, [*OPTIONS.keys, *names])
        if spelt != properties:
            connector.stop()
            connector, resolution = _opened(spelt, plugin, *means)
        resolved = resolution.settings
        values = [*judged(resolved), *connector.values]
        hide = means[1].hide
        require_valid([resolution.discreet_value(value, hide) for value in values], resolved)
        _warn(resolved, [*OPTIONS.keys, *names])
        options = RowsOptions.parse(resolved)
        if more is not None:
            more(options)
        return _asked(connector, resolved, plugin, options)
    finally:
        connector.stop()


def _opened(
    properties: Mapping[str, str],
    plugin: PluginDescriptor,
    hosts: PluginHosts,
    hidden: HiddenTexts,
) -> tuple[HostedConnector, Resolution]:
    """Create the connector and validate its settings; returns them with references resolved."""

    def load(name: str) -> type[Any]:
        return provider_class(hosts.plugins.find(name, CONFIG_PROVIDER), hosts)

    resolution = resolve_references(properties, properties, None, load)
    hidden.add(resolution.secrets)
    own = connector_properties(resolution.settings)
    chain = ChainSetup(own, {}, plugin.location)
    return HostedConnector(hosts, plugin, own, [], chain), resolution


def _asked(
    connector: HostedConnector,
    resolved: Mapping[str, str],
    plugin: PluginDescriptor,
    options: RowsOptions,
) -> ConnectorPlan:
    context = _Context(options)
    most = OPTIONS.parse(resolved)["tasks.max"]
    connector.start(context)
    plan = connector.tasks(most)
    if context.error is not None:
        raise context.error
    if len(plan.configs) > most:
        raise ConnectError(
            f"{plugin.class_name} generated {len(plan.configs)} tasks, but tasks.max is {most}",
            code="connector.too-many-tasks",
            hint="correct task_configs, or raise tasks.max",
        )
    query_task = connector.surroundings()
    if query_task.processes():
        raise _conflicting(plugin)
    return ConnectorPlan(
        plugin.class_name,
        plugin.version,
        plan.task_class,
        connector.python_path,
        options,
        tuple(dict(config) for config in plan.configs),
        query_task.transforms,
        query_task.transform_classes,
    )


def _warn(properties: Mapping[str, str], names: Sequence[str]) -> None:
    for name, near in misspelt(names, connector_properties(properties)).items():
        log.warning('unknown option "%s"; did you mean "%s"?', name, near)


def _wrong_kind(found: PluginDescriptor, wanted: PluginType, plugins: Plugins) -> ConfigError:
    names = list(_names(plugins, wanted))[:_NEAR]
    others = f", such as {', '.join(names)}" if names else ""
    does = "be read from" if wanted is SOURCE else "be written to"
    way = "write to it with df.write" if wanted is SOURCE else "read from it with spark.read"
    return ConfigError(
        f"connector.class: {found.class_name} is a {found.type.name} connector and cannot {does}",
        code="rows.wrong-kind",
        hint=f"{way}, or name a {wanted.name} connector{others}",
        facts={"key": "connector.class", "plugin": found.class_name},
    )


def _names(plugins: Plugins, kind: PluginType) -> Iterator[str]:
    return (p.qualname for p in plugins.descriptors if p.type is kind and not p.obstacle)


def _conflicting(plugin: PluginDescriptor) -> ConfigError:
    return ConfigError(
        f"transformations of other locations need other versions of packages that "
        f"{plugin.class_name} imports, and a data source runs all of them in one process",
        code="rows.conflicting-locations",
        hint="use Spark SQL instead of the transformation, or run a worker",
        facts={"plugin": plugin.class_name},
    )
