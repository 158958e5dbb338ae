"""The interface for REST extensions: filters before every request, and additional endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from plugwright.rest.route import Route

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.control_plane import ConnectorStatus, ServerInfo
    from plugwright.rest.exchange import RestRequest, RestResponse
    from plugwright.rest.service import Service


class ClusterState(Protocol):
    """The cluster state for extensions (Kafka's ``ConnectClusterState``)."""

    def server_info(self) -> ServerInfo:
        """Version and Kafka cluster of the worker."""
        ...

    def connectors(self) -> Sequence[str]:
        """The names of all connectors."""
        ...

    def connector_status(self, name: str) -> ConnectorStatus:
        """The states of a connector and of its tasks."""
        ...

    def connector_config(self, name: str) -> Mapping[str, str]:
        """The raw configuration of a connector."""
        ...


class RestExtensionContext:
    """Collects the additions of an extension.

    Args:
        cluster_state: the cluster state.
    """

    def __init__(self, cluster_state: ClusterState) -> None:
        self.cluster_state = cluster_state
        self._filters: list[Callable[[RestRequest], RestResponse | None]] = []
        self._routes: list[Route] = []

    def add_filter(self, examine: Callable[[RestRequest], RestResponse | None]) -> None:
        """Call a function for every request before its body is read; a response ends the request.

        Filters run in the order added, in a thread, on all listeners.
        """
        self._filters.append(examine)

    def add_resource(
        self,
        method: str,
        path: str,
        answer: Callable[[RestRequest], RestResponse],
        *,
        summary: str = "",
    ) -> None:
        """Serve a path in addition to the API's own, for example ``/quota/{connector}``.

        Args:
            method: GET, POST, PUT, PATCH or DELETE.
            path: names in braces become ``request["name"]``.
            answer: runs in a thread; a `ConnectError` becomes an answer as everywhere.
            summary: one sentence for the OpenAPI document.
        """

        def serve(_: Service, request: RestRequest) -> RestResponse:
            return answer(request)

        responses: dict[int, tuple[str, Any]] = {200: ("The extension's response", None)}
        self._routes.append(
            Route(method.upper(), path, serve, summary, responses, runs_plugins=True)
        )

    @property
    def filters(self) -> tuple[Callable[[RestRequest], RestResponse | None], ...]:
        """All filters, in the order added."""
        return tuple(self._filters)

    @property
    def routes(self) -> tuple[Route, ...]:
        """All resources, in the order added."""
        return tuple(self._routes)
