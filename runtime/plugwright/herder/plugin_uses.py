"""Lists the plugins that a connector's tasks use, for its metrics (KIP-891)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.herder._plugin_choices import PluginChoices
from plugwright.herder._plugin_versions import CONVERTER_KEYS, PLUGIN_VERSION, aliases_in
from plugwright.plugins import CONVERTER, HEADER_CONVERTER, PREDICATE, TRANSFORMATION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.plugins import PluginDescriptor, Plugins

_CHAINS = {"transforms": ("transform", TRANSFORMATION), "predicates": ("predicate", PREDICATE)}


@dataclass(frozen=True, slots=True)
class PluginUse:
    """A plugin and its role in the tasks of a connector.

    Attributes:
        role: ``key-converter``, ``value-converter``, ``header-converter``, ``transform`` or
            ``predicate``.
        alias: of a transformation or predicate; empty for converters.
        class_name: full name of the plugin.
        version: of the plugin.
    """

    role: str
    alias: str
    class_name: str
    version: str


def plugin_uses(
    config: Mapping[str, str], worker: WorkerConfig, plugins: Plugins
) -> Iterator[PluginUse]:
    """The converters, transformations and predicates that a configuration uses.

    Args:
        config: the connector's; plugins that are named only by a reference to a config provider
            are omitted.
        worker: provides the converters of connectors that name none.
        plugins: the installed plugins.
    """
    choices = PluginChoices(config, plugins)
    try:
        choices.connector()
    except (ConnectError, KeyError):
        return
    for key in CONVERTER_KEYS:
        if found := _converter(key, config, worker, plugins, choices):
            yield PluginUse(key.replace(".", "-"), "", found.class_name, found.version)
    for key, (role, kind) in _CHAINS.items():
        for alias in aliases_in(config, key):
            prefix = f"{key}.{alias}"
            if found := choices.step(prefix, kind):
                yield PluginUse(role, alias, found.class_name, found.version)


def _converter(
    key: str,
    config: Mapping[str, str],
    worker: WorkerConfig,
    plugins: Plugins,
    choices: PluginChoices,
) -> PluginDescriptor | None:
    kind = HEADER_CONVERTER if key.startswith("header") else CONVERTER
    try:
        if config.get(key):
            return choices.converter(key, kind)
        default: str = getattr(worker, key.replace(".", "_"))
        return plugins.find(default, kind, version=worker.originals.get(f"{key}.{PLUGIN_VERSION}"))
    except ConnectError:
        return None
