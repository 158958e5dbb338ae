"""Config providers of plugin locations, called in processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import ConfigProvider
from plugwright.errors import IllegalWorkerStateError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from plugwright.config import ConfigData
    from plugwright.hosts._setup import ConnectorService
    from plugwright.hosts.hosts import PluginHosts
    from plugwright.plugins import PluginDescriptor


def provider_class(plugin: PluginDescriptor, hosts: PluginHosts) -> type:
    """The class of a config provider; for one in a location, a proxy for another process.

    Raises:
        DiscoveryError: if it cannot be loaded.
    """
    if not hosts.isolated or plugin.location is None:
        return hosts.plugins.load(plugin)
    more = {"_plugin": plugin, "_hosts": hosts, "__module__": plugin.module}
    return type(plugin.qualname, (_HostedProvider,), more)


class _HostedProvider(ConfigProvider):
    _plugin: PluginDescriptor
    _hosts: PluginHosts
    _service: ConnectorService | None = None

    def configure(self, props: Mapping[str, object]) -> None:
        location = self._plugin.location
        self._key = self._hosts.fresh_key("")
        self._service = self._hosts.acquire(() if location is None else (location,))
        self._service.open_provider(self._key, self._plugin, dict(props))

    def get(self, path: str | None, keys: Collection[str] | None = None) -> ConfigData:
        if self._service is None:
            raise IllegalWorkerStateError("the config provider is not configured")
        return self._service.ask_provider(self._key, path, keys)

    def close(self) -> None:
        if self._service is None:
            return
        try:
            self._service.close_provider(self._key)
        finally:
            self._hosts.release(self._service)
            self._service = None
