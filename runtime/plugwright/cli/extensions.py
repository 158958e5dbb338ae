"""Creates and configures the REST extensions that a worker's settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.errors import ConfigError, ConnectError, NotFoundError, PluginError
from plugwright.metrics import OwnPluginMetrics, watched
from plugwright.plugins import REST_EXTENSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.plugins import PluginDescriptor, Plugins
    from plugwright.rest import RestExtension

_KEY = "rest.extension.classes"


def rest_extensions(
    names: Sequence[str],
    properties: Mapping[str, str],
    plugins: Plugins,
    metrics: OwnPluginMetrics | None = None,
) -> list[RestExtension]:
    """The REST extensions of a worker, in the order of its settings.

    Extensions that register metrics are given a registry (KIP-877).

    Raises:
        ConfigError: if no extension has that name, or its settings are wrong.
        DiscoveryError: if it cannot be loaded.
        PluginError: if it cannot be created or configured.
    """
    found = [_configured(_found(name, plugins), properties, plugins) for name in names]
    for each in found:
        kind = type(each).__name__
        watched(each, metrics or OwnPluginMetrics({}), config=_KEY, **{"class": kind})
    return found


def _found(name: str, plugins: Plugins) -> PluginDescriptor:
    try:
        return plugins.find(name, REST_EXTENSION)
    except NotFoundError as error:
        message = f"Invalid value {name} for configuration {_KEY}: {error}"
        raise ConfigError(
            message,
            hint=error.hint or "correct the name, or add the plugin to plugin.path",
            facts={"key": _KEY, "name": name, "problems": ((_KEY, message),)},
        ) from error


def _configured(
    plugin: PluginDescriptor, properties: Mapping[str, str], plugins: Plugins
) -> RestExtension:
    made = plugins.load(plugin)
    try:
        extension: RestExtension = made()
        extension.configure(properties)
    except ConnectError:
        raise
    except (Exception, SystemExit) as error:
        raise PluginError(
            f"{plugin.class_name} {plugin.version} failed in configure: {error}",
            facts={"plugin": plugin.class_name, "version": plugin.version, "phase": "configure"},
        ) from error
    return extension
