"""The worker that connectors run on: plugins in processes of their own, tasks on Spark."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.herder._checking import check_connector, examine
from plugwright.herder._connector_offsets import offsets_of
from plugwright.herder._context import HerderContext
from plugwright.herder._delivery import client_settings
from plugwright.herder._spark_connector import SparkConnector
from plugwright.kafka import fence_producers
from plugwright.plugins import SINK, SOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.herder._checking import CheckedConnector
    from plugwright.herder._connector_offsets import StoredOffsets
    from plugwright.herder._seams import Offsets, StartRequest
    from plugwright.herder._spark_connector import TaskLauncher
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.hosts import PluginHosts

__all__ = ["SparkWorker"]

_UNKNOWN = "unknown"


class SparkWorker:
    """Checks, starts and asks connectors, for a herder.

    Args:
        config: the worker's settings.
        hosts: the processes that plugins run in.
        launcher: puts tasks onto Spark.
    """

    def __init__(self, config: WorkerConfig, hosts: PluginHosts, launcher: TaskLauncher) -> None:
        self._config = config
        self._hosts = hosts
        self._launcher = launcher

    def start_connector(self, request: StartRequest) -> SparkConnector:
        """Check a configuration and start its connector.

        Raises:
            ConnectError: if the configuration is wrong or the connector fails to start.
        """

        def check() -> CheckedConnector:
            return check_connector(request.config, self._config, self._hosts)

        context = HerderContext(request.name, request.reconfigure, request.failed)
        return SparkConnector(self._config, self._launcher, check, context)

    def validate(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Everything that can be known of a configuration without starting it, ready for JSON."""
        with examine(config, self._config, self._hosts) as examined:
            return examined.infos()

    def connector_type(self, config: Mapping[str, str]) -> str:
        """``source``, ``sink`` or ``unknown``."""
        try:
            found = self._hosts.plugins.find(config.get("connector.class", ""), SOURCE, SINK)
        except ConnectError:
            return _UNKNOWN
        return found.type.name

    def fence_zombies(self, name: str, config: Mapping[str, str], tasks: int) -> None:
        """Keep the producers of a connector's former tasks from writing ever again (KIP-618).

        Raises:
            ConnectError: if Kafka does not answer.
        """
        if not self._config.exactly_once or not tasks or self.connector_type(config) != SOURCE.name:
            return
        ids = [f"{self._config.group_id}-{name}-{number}" for number in range(tasks)]
        client = client_settings("producer", self._config.originals, config)
        fence_producers(self._config.bootstrap_servers, ids, client)

    def offsets(self, name: str, config: Mapping[str, str]) -> Offsets:
        """The committed offsets of a connector.

        Raises:
            ConnectError: if they cannot be read.
        """
        with closing(self._stored(name, config)) as stored:
            return stored.read()

    def alter_offsets(self, name: str, config: Mapping[str, str], offsets: Offsets | None) -> bool:
        """Change some offsets of a stopped connector, or forget all; the plugin is asked first.

        Returns:
            Whether the plugin says that it has taken part in this.

        Raises:
            ConnectError: if plugin or Kafka refuse.
        """
        checked = check_connector(config, self._config, self._hosts)
        with closing(self._stored(name, config)) as stored:
            try:
                wanted = [(p, None) for p, _ in stored.read()] if offsets is None else offsets
                properties = checked.config.originals
                took_part = checked.connector.alter_offsets(properties, stored.for_plugin(wanted))
            finally:
                checked.connector.stop()
            stored.write(wanted)
        return took_part

    def _stored(self, name: str, config: Mapping[str, str]) -> StoredOffsets:
        return offsets_of(name, self.connector_type(config), config, self._config)
