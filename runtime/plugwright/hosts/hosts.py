"""The driver's plugin processes, one or more for each composition of locations in use."""

from __future__ import annotations

import itertools
import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.hosts._location_host import LocationHost
from plugwright.hosts._service import PluginService

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.hosts._setup import ConnectorService
    from plugwright.plugins import Location, PluginDescriptor, Plugins

log = logging.getLogger(__name__)

_MOST = 128
"""Maximum number of connectors per process: each has a thread there, and a crash restarts all."""


@dataclass
class _Used:
    host: LocationHost
    users: int = 0

    @property
    def has_room(self) -> bool:
        return self.host.usable and self.users < _MOST


class PluginHosts:
    """Finds or starts the process for a connector's locations.

    Args:
        plugins: the installed plugins.
        isolated: whether locations run in processes of their own (``plugin.isolation=process``);
            otherwise all are imported into this one.
        timeout_s: time-out of a call into a connector.
        memory: bytes of data that each process may have; 0 for no limit.

    A process is shared by a limited number of connectors of its locations; further ones get
    another process.
    """

    def __init__(
        self,
        plugins: Plugins,
        *,
        isolated: bool = True,
        timeout_s: float = 60.0,
        memory: int = 0,
    ) -> None:
        self.plugins = plugins
        self.isolated = isolated
        self._timeout_s = timeout_s
        self._memory = memory
        self._own = PluginService(plugins)
        self._used: dict[tuple[Location, ...], list[_Used]] = {}
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    def fresh_key(self, name: str) -> str:
        """A unique key for one instance of a plugin.

        Args:
            name: the connector in its log context; empty for none.
        """
        return f"{name}-{next(self._numbers)}"

    def acquire(self, path: tuple[Location, ...]) -> ConnectorService:
        """The service for these locations; without any, that of this process.

        Must be given to `release`; the process runs until its last release.
        """
        if not self.isolated or not path:
            return self._own
        with self._lock:
            found = self._used.setdefault(path, [])
            used = next((each for each in found if each.has_room), None)
            if used is None:
                used = _Used(self._started(path))
                found.append(used)
            used.users += 1
            return used.host

    def release(self, service: ConnectorService) -> None:
        """Release a service."""
        with self._lock:
            for used in self._all():
                if used.host is service:
                    used.users -= 1
                    if not used.users:
                        self._forget(used)
                    return

    def definition_of(self, plugin: PluginDescriptor) -> list[Mapping[str, Any]]:
        """The settings of a plugin, as the API shows them, from a process of its location.

        Works for several versions of a plugin, although one process imports only one of them.

        Raises:
            DiscoveryError: if it cannot be loaded.
            PluginError: if it fails, hangs, or ends its process.
        """
        service = self.acquire(() if plugin.location is None else (plugin.location,))
        try:
            return service.define(self.fresh_key(""), plugin)
        finally:
            self.release(service)

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of a logger and its descendants in every running process."""
        with self._lock:
            hosts = [used.host for used in self._all()]
        for host in hosts:
            host.set_level(namespace, level)

    def close(self) -> None:
        """End every process."""
        with self._lock:
            for used in self._all():
                used.host.close()
            self._used.clear()

    def _started(self, path: tuple[Location, ...]) -> LocationHost:
        host = LocationHost(path, self.plugins, timeout_s=self._timeout_s, memory=self._memory)
        names = " + ".join(location.name for location in path)
        log.info("started host process %d for %s", host.pid(), names)
        return host

    def _all(self) -> list[_Used]:
        return [used for found in self._used.values() for used in found]

    def _forget(self, used: _Used) -> None:
        kept = {path: [u for u in found if u is not used] for path, found in self._used.items()}
        self._used = {path: found for path, found in kept.items() if found}
        used.host.close()
