"""The herder of a standalone worker, as Kafka Connect's ``StandaloneHerder`` answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from plugwright.errors import ConnectError, NotFoundError
from plugwright.herder._herder import Herder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.control_plane import ConnectorInfo, TaskId


class LoneHerder(Herder):
    """Some requests for a connector that is not there, or cannot be started, fail."""

    def put_connector_config(
        self,
        name: str,
        config: Mapping[str, str | None],
        target_state: str | None = None,
        allow_replace: bool = True,
    ) -> tuple[bool, ConnectorInfo]:
        """Create a connector or replace its configuration; it stays where it fails to start.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            AlreadyExistsError: if it exists and must not be replaced.
            ConnectError: if it fails to start.
        """
        found = super().put_connector_config(name, config, target_state, allow_replace)
        self._require_started(name, f"Failed to transition connector {name} to state STARTED")
        return found

    def restart_connector(self, name: str) -> None:
        """Restart a connector and leave its tasks alone.

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
        """Refuse what workers of a cluster ask each other.

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
