"""uvicorn's servers for one set of listeners, all on one event loop."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import uvicorn

from plugwright.errors import ConnectError
from plugwright.rest._app import application
from plugwright.rest._calls import answered
from plugwright.rest._openapi import openapi_document
from plugwright.rest._strict_http import strict_http
from plugwright.rest.console import console_routes
from plugwright.rest.route import RouteTable
from plugwright.rest.routes import ADMIN_ROUTES, LOGGER_ROUTES, MAIN_ROUTES
from plugwright.rest.service import Service
from plugwright.rest.tls import server_context

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp

    from plugwright.control_plane import MetricValue
    from plugwright.plugins import Plugins
    from plugwright.rest._extension import RestExtensionContext
    from plugwright.rest._herder import HerderApi
    from plugwright.rest._listener import Listener
    from plugwright.rest._settings import RestSettings, TlsSettings
    from plugwright.rest.route import Route

    Bound = Sequence[tuple[Listener, socket.socket]]


def api(  # noqa: PLR0913  # the parts of a server, most of them with defaults
    herder: HerderApi,
    settings: RestSettings,
    context: RestExtensionContext,
    metrics: Callable[[], str] | None = None,
    figures: Callable[[], Sequence[MetricValue]] | None = None,
    *,
    plugins: Plugins | None = None,
    admin: bool = False,
) -> ASGIApp:
    """The ASGI application of one kind of listeners.

    Args:
        herder: answers the requests.
        settings: limits, headers, and whether ``/admin`` has listeners of its own.
        context: what extensions have added; their filters apply to both kinds of listeners.
        metrics: the worker's metrics in Prometheus' text format.
        figures: the same, each by itself.
        plugins: what discovery has found, for the console.
        admin: whether it is for ``admin.listeners``.
    """
    routes: Sequence[Route] = ADMIN_ROUTES
    if not admin:
        alone = settings.admin_listeners is None
        routes = (*MAIN_ROUTES, *(LOGGER_ROUTES if alone else ()), *context.routes)
    documented = RouteTable(routes)
    pages = () if admin or not settings.console else console_routes(partial(answered, documented))

    def openapi() -> dict[str, object]:
        return openapi_document(documented.routes, herder.server_info().version)

    service = Service(herder, settings, openapi, metrics, figures, plugins)
    return application(service, RouteTable((*routes, *pages)), context.filters)


class _Server(uvicorn.Server):
    """A server that reports when it accepts connections."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_started()


class Serving:
    """The servers of all listeners: one for each scheme and kind of endpoints.

    Args:
        herder: answers the requests.
        settings: as for `api`.
        context: what extensions have added.
        metrics: the worker's metrics in Prometheus' text format.
        figures: the same, each by itself.
        plugins: as for `api`.
    """

    def __init__(  # noqa: PLR0913  # those of `api`
        self,
        herder: HerderApi,
        settings: RestSettings,
        context: RestExtensionContext,
        metrics: Callable[[], str] | None,
        figures: Callable[[], Sequence[MetricValue]] | None,
        *,
        plugins: Plugins | None = None,
    ) -> None:
        self._settings = settings
        self._main = api(herder, settings, context, metrics, figures, plugins=plugins)
        self._admin = api(herder, settings, context, metrics, figures, admin=True)
        self._servers: list[tuple[uvicorn.Server, list[socket.socket]]] = []
        self._settled = threading.Event()
        self._failed: BaseException | None = None

    def add(self, bound: Bound, admin_bound: Bound) -> None:
        """Prepare the servers of some listening sockets.

        Raises:
            ConfigError: if a certificate cannot be used.
        """
        self._add(self._main, bound, self._settings.tls)
        self._add(self._admin, admin_bound, self._settings.admin_tls)

    def run(self) -> None:
        """Serve until `stop`; blocks."""
        try:
            asyncio.run(self._run())
        except BaseException as error:  # noqa: BLE001  # raised by wait_until_started
            self._failed = error
        finally:
            self._settled.set()

    def wait_until_started(self, timeout_s: float) -> None:
        """Return once requests are answered.

        Raises:
            ConnectError: if the servers do not start.
        """
        settled = self._settled.wait(timeout_s)
        if self._failed is not None or not settled:
            raise ConnectError(
                f"the REST API did not start: {self._failed or 'it took too long'}",
                code="rest.not-started",
            ) from self._failed

    def stop(self) -> None:
        """Ask the servers to end; `run` returns once they have."""
        for server, _ in self._servers:
            server.should_exit = True

    def _add(self, app: ASGIApp, bound: Bound, tls: TlsSettings) -> None:
        for scheme in ("http", "https"):
            sockets = [one for listener, one in bound if listener.scheme == scheme]
            if sockets:
                context = server_context(tls) if scheme == "https" else None
                self._servers.append((self._server(app, context), sockets))

    def _server(self, app: ASGIApp, context: ssl.SSLContext | None) -> uvicorn.Server:
        idle_timeout_s = self._settings.idle_timeout_s
        config = uvicorn.Config(
            app,
            access_log=False,
            http=strict_http(idle_timeout_s),
            lifespan="off",
            log_config=None,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=max(1, round(self._settings.shutdown_timeout_s)),
            timeout_keep_alive=ceil(idle_timeout_s),
            ws="none",
        )
        config.load()
        config.ssl = context
        return _Server(config, self._one_started)

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for server, sockets in self._servers:
                group.create_task(server.serve(sockets))

    def _one_started(self) -> None:
        if all(server.started for server, _ in self._servers):
            self._settled.set()
