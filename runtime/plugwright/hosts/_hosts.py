"""The driver's processes for plugins: one for each composition of locations that is in use."""

from __future__ import annotations

import itertools
import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright.hosts._location_host import LocationHost
from plugwright.hosts._service import PluginService

if TYPE_CHECKING:
    from plugwright.hosts._setup import ConnectorService
    from plugwright.plugins import Location, Plugins

__all__ = ["PluginHosts"]

log = logging.getLogger(__name__)


@dataclass
class _Used:
    host: LocationHost
    users: int = 0


class PluginHosts:
    """Finds or starts the process that a connector's locations are imported into.

    Args:
        plugins: what names mean.
        isolated: whether locations get processes of their own (``plugin.isolation=process``);
            otherwise everything is imported into this one.
        timeout_s: how long one call into a connector may take.
        memory: bytes of data that each process may have; 0 for as many as the system gives.
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
        self._used: dict[tuple[Location, ...], _Used] = {}
        self._left: list[_Used] = []
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    def fresh_key(self, name: str) -> str:
        """A key for one instance of a plugin, which nothing else in these processes has.

        Args:
            name: of the connector that logs with it; empty for none.
        """
        return f"{name}-{next(self._numbers)}"

    def acquire(self, path: tuple[Location, ...]) -> ConnectorService:
        """The service for these locations; this process's own where there are none.

        Give it back with `release`; the process lives as long as somebody uses it.
        """
        if not self.isolated or not path:
            return self._own
        with self._lock:
            used = self._used.get(path)
            if used is None or not used.host.usable:
                if used is not None:
                    self._left.append(used)
                host = LocationHost(
                    path, self.plugins, timeout_s=self._timeout_s, memory=self._memory
                )
                used = self._used[path] = _Used(host)
                names = " + ".join(location.name for location in path)
                log.info("started host process %d for %s", host.pid(), names)
            used.users += 1
            return used.host

    def release(self, service: ConnectorService) -> None:
        """Give a service back."""
        with self._lock:
            for used in (*self._used.values(), *self._left):
                if used.host is service:
                    used.users -= 1
                    if not used.users:
                        self._forget(used)
                    return

    def set_level(self, namespace: str, level: int) -> None:
        """Set the level of the loggers of a name and below in every process that runs."""
        with self._lock:
            hosts = [used.host for used in (*self._used.values(), *self._left)]
        for host in hosts:
            host.set_level(namespace, level)

    def close(self) -> None:
        """End every process."""
        with self._lock:
            for used in (*self._used.values(), *self._left):
                used.host.close()
            self._used.clear()
            self._left.clear()

    def _forget(self, used: _Used) -> None:
        self._used = {path: other for path, other in self._used.items() if other is not used}
        self._left = [other for other in self._left if other is not used]
        used.host.close()
