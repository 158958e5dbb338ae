"""The REST server: binds its listeners, serves them in a thread of its own, and stops in order."""

from __future__ import annotations

import logging
import os
import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, IllegalWorkerStateError, SetupError
from plugwright.rest._extension import RestExtensionContext
from plugwright.rest._listener import Listener

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from plugwright.control_plane import MetricValue
    from plugwright.plugins import Plugins
    from plugwright.rest._herder import HerderApi
    from plugwright.rest._settings import RestSettings
    from plugwright.rest.serving import Serving

    Bound = tuple[Listener, socket.socket]
    from plugwright.rest_extension import RestExtension

log = logging.getLogger("plugwright.rest")

_LOOPBACK = "127.0.0.1"
_EVERYWHERE = frozenset(("", "0.0.0.0", "::"))  # noqa: S104  # compared, not bound
_START_TIMEOUT_S = 30.0
_GRACE_S = 5.0


class RestServer:
    """Serves the Connect REST API on the configured listeners.

    Args:
        herder: answers the requests.
        settings: addresses, limits, headers, certificates.
        extensions: configured already; registered at the start and closed at the end.
        metrics: the worker's metrics in Prometheus' text format, for ``/metrics``.
        figures: the same, each by itself, for ``/metrics.json``.
        plugins: what discovery has found, for the console.
    """

    def __init__(  # noqa: PLR0913  # what is served, each with a default
        self,
        herder: HerderApi,
        settings: RestSettings,
        *,
        extensions: Sequence[RestExtension] = (),
        metrics: Callable[[], str] | None = None,
        figures: Callable[[], Sequence[MetricValue]] | None = None,
        plugins: Plugins | None = None,
    ) -> None:
        self._herder = herder
        self._settings = settings
        self._extensions = tuple(extensions)
        self._metrics = metrics
        self._figures = figures
        self._plugins = plugins
        self._bound: list[Bound] = []
        self._admin_bound: list[Bound] = []
        self._serving: Serving | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> Self:
        """Bind all listeners and begin to serve; once it returns, clients can connect.

        Raises:
            IllegalWorkerStateError: if it was started before.
            SetupError: if the packages of the extra ``rest`` are missing.
            ConfigError: if a certificate cannot be used.
            ConnectError: ``rest.cannot-bind`` if an address cannot be used.
        """
        if self._bound:
            raise IllegalWorkerStateError("the REST API was started before; make a new server")
        context = RestExtensionContext(self._herder)
        try:
            for extension in self._extensions:
                extension.register(context)
            _bind_all(self._settings.listeners, self._bound)
            _bind_all(self._settings.admin_listeners or (), self._admin_bound)
            self._serve(context)
        except BaseException:
            self._release()
            raise
        log.info("REST API listening at %s, advertised as %s", self.url, self.advertised_url)
        return self

    def close(self) -> None:
        """Take no more requests, let those under way end, then close the extensions.

        Does nothing the second time. Requests that exceed
        ``rest.shutdown.graceful.timeout.ms`` are cut off.
        """
        serving, thread = self._serving, self._thread
        self._serving = self._thread = None
        if serving is None or thread is None:
            return
        serving.stop()
        thread.join(self._settings.shutdown_timeout_s + _GRACE_S)
        self._release()
        log.info("REST API stopped")

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The URL of the first listener on this machine, with its real port, once started."""
        return self.urls[0]

    @property
    def urls(self) -> tuple[str, ...]:
        """The same for all listeners, in the order configured."""
        return tuple(str(_local(listener)) for listener, _ in self._bound)

    @property
    def admin_url(self) -> str | None:
        """The URL of ``/admin`` on this machine, or ``None`` if it is disabled."""
        if self._settings.admin_listeners is None:
            return self.url
        return str(_local(self._admin_bound[0][0])) if self._admin_bound else None

    @property
    def advertised_url(self) -> str:
        """The address for other workers: ``rest.advertised.*``, else an http listener."""
        settings = self._settings
        listeners = [listener for listener, _ in self._bound]
        http = any(listener.scheme == "http" for listener in listeners)
        scheme = settings.advertised_listener or ("http" if http else "https")
        fitting = [listener for listener in listeners if listener.scheme == scheme]
        listener = (fitting or listeners)[0]
        public = socket.gethostname() if listener.host in _EVERYWHERE else listener.host
        host = settings.advertised_host or public
        return str(Listener(scheme, host, settings.advertised_port or listener.port))

    def _serve(self, context: RestExtensionContext) -> None:
        try:
            from plugwright.rest.serving import Serving  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise SetupError(
                f"the REST API needs the package {error.name}",
                code="environment.extra-missing",
                hint="pip install 'plugwright[rest]'",
            ) from error
        serving = Serving(
            self._herder,
            self._settings,
            context,
            self._metrics,
            self._figures,
            plugins=self._plugins,
        )
        serving.add(self._bound, self._admin_bound)
        thread = threading.Thread(target=serving.run, name="rest-server", daemon=True)
        thread.start()
        try:
            serving.wait_until_started(_START_TIMEOUT_S)
        except BaseException:
            serving.stop()
            raise
        self._serving, self._thread = serving, thread

    def _release(self) -> None:
        for _, bound in (*self._bound, *self._admin_bound):
            bound.close()
        for extension in self._extensions:
            try:
                extension.close()
            except Exception:
                log.exception("%s failed to close", type(extension).__name__)


def _bind_all(listeners: Sequence[Listener], bound: list[Bound]) -> None:
    """Add a listening socket for each listener; those before a failure stay in the list."""
    bound.extend(map(_bind, listeners))


def _bind(listener: Listener) -> Bound:
    """A listening socket, and the listener with its real port.

    Without a host it is for all interfaces, IPv6 included where there is any.

    Raises:
        ConnectError: if the address cannot be used.
    """
    try:
        one = _listening(listener)
        # Accepted sockets inherit it; asyncio sets it only on sockets that name TCP as protocol,
        # and without it each answer waits 40 ms for the client's delayed acknowledgement.
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, UnicodeError) as error:
        reason = _reason(error)
        raise ConnectError(
            f"the REST API cannot listen on {listener}: {reason}",
            code="rest.cannot-bind",
            hint="free the port, or change listeners or admin.listeners",
            facts={"listener": str(listener), "reason": reason},
        ) from error
    return replace(listener, port=int(one.getsockname()[1])), one


def _listening(listener: Listener) -> socket.socket:
    if not listener.host and socket.has_dualstack_ipv6():
        address = ("", listener.port)
        return socket.create_server(address, family=socket.AF_INET6, dualstack_ipv6=True)
    family = socket.AF_INET6 if ":" in listener.host else socket.AF_INET
    return socket.create_server((listener.host, listener.port), family=family)


def _reason(error: OSError | UnicodeError) -> str:
    """The system's error message, without the address that the socket module adds."""
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError) or not error.errno:
        return str(getattr(error, "strerror", None) or error)
    return os.strerror(error.errno)


def _local(listener: Listener) -> Listener:
    return replace(listener, host=_LOOPBACK) if listener.host in _EVERYWHERE else listener
