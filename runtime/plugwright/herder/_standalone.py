"""The herder of a standalone worker, with the answers of Kafka Connect's ``StandaloneHerder``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from plugwright.errors import ConnectError, NotFoundError
from plugwright.herder._herder import Herder

if TYPE_CHECKING:
    from plugwright.control_plane import TaskId


class StandaloneHerder(Herder):
    """Fails some requests for a connector that does not exist or cannot be started."""

    def _require_begun(self, name: str) -> None:
        self._require_started(name, f"Failed to transition connector {name} to state STARTED")

    def restart_connector(self, name: str) -> None:
        """Restart a connector but not its tasks.

        Raises:
            ConnectError: if there is no such connector, or it fails to start.
        """
        self._require_configured(name)
        super().restart_connector(name)

    def restart_task(self, task: TaskId) -> None:
        """Restart one task.

        Raises:
            ConnectError: if there is no such connector.
            NotFoundError: if it has no such task.
        """
        self._require_configured(task.connector)
        super().restart_task(task)

    def stop_connector(self, name: str) -> None:
        """Stop a connector and remove its tasks (KIP-875).

        Raises:
            ConnectError: if there is no such connector.
        """
        self._require_configured(name)
        super().stop_connector(name)

    def refuse_internal(self, what: str, *, signed: bool = False) -> NoReturn:  # noqa: ARG002  # no matter
        """Reject a request that workers of a cluster send each other.

        Raises:
            ConnectError: always.
        """
        raise ConnectError(
            f"A standalone worker does not {what} on request", code="herder.internal-request"
        )

    def _require_configured(self, name: str) -> None:
        try:
            self.connector_config(name)
        except NotFoundError as error:
            raise ConnectError(
                f"No connector {name} configured", code=error.code, facts=error.facts
            ) from error
