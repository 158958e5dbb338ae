"""The worker that connectors run on: plugins in processes of their own, tasks on Spark."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.herder._checking import check_connector, examine, resolved_config
from plugwright.herder._connector_offsets import offsets_of
from plugwright.herder._context import HerderContext
from plugwright.herder._delivery import fencing_client
from plugwright.herder._override_policy import override_policy
from plugwright.herder._references import References
from plugwright.herder._spark_connector import SparkConnector
from plugwright.kafka import fence_producers
from plugwright.logs import LogContext, in_context
from plugwright.plugins import SINK, SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.herder._checking import CheckedConnector
    from plugwright.herder._connector_offsets import StoredOffsets
    from plugwright.herder._offset_file import OffsetFile
    from plugwright.herder._seams import Offsets, StartRequest
    from plugwright.herder._spark_connector import TaskLauncher
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.hosts import PluginHosts

__all__ = ["SparkWorker"]

_UNKNOWN = "unknown"
_FRESH_S = 3.0
"""Well below every session time-out: a younger proof holds."""


class SparkWorker:
    """Checks, starts and asks connectors, for a herder.

    Args:
        config: the worker's settings.
        hosts: the processes that plugins run in.
        launcher: puts tasks onto Spark.
        offsets: keeps those of sources, if the worker's settings name a file for them.

    Raises:
        ConfigError: if the worker's settings name no override policy that there is.
    """

    def __init__(
        self,
        config: WorkerConfig,
        hosts: PluginHosts,
        launcher: TaskLauncher,
        offsets: OffsetFile | None = None,
    ) -> None:
        self._offsets = offsets
        self._policy = override_policy(config, hosts.plugins)
        self._config = config
        self._hosts = hosts
        self._launcher = launcher

    def start_connector(self, request: StartRequest) -> SparkConnector:
        """Check a configuration and start its connector.

        Raises:
            ConnectError: if the configuration is wrong or the connector fails to start.
        """

        def check() -> CheckedConnector:
            return check_connector(request.config, self._config, self._hosts, self._policy)

        context = HerderContext(request.name, request.reconfigure, request.failed, request.lost)
        references = References(request.config, self._resolved)
        return SparkConnector(self._config, self._launcher, check, context, references)

    def validate(self, config: Mapping[str, str | None]) -> Mapping[str, Any]:
        """Everything that can be known of a configuration without starting it, ready for JSON."""
        with (
            in_context(LogContext(config.get("name") or "", scope="validate")),
            examine(config, self._config, self._hosts, self._policy) as examined,
        ):
            return examined.infos()

    def connector_type(self, config: Mapping[str, str]) -> str:
        """``source``, ``sink`` or ``unknown``."""
        try:
            found = self._hosts.plugins.find(config.get("connector.class", ""), SOURCE, SINK)
        except ConnectError:
            return _UNKNOWN
        return found.type.name

    def fence_zombies(
        self,
        name: str,
        config: Mapping[str, str],
        tasks: int,
        prove: Callable[[], None] = lambda: None,
    ) -> None:
        """Keep the producers of a connector's former tasks from writing ever again (KIP-618).

        Raises:
            RebalanceNeededError: from ``prove``, if another worker owns the connector by now.
            ConnectError: if Kafka does not answer.
        """
        if not self._config.exactly_once or self.connector_type(config) != SOURCE.name:
            return
        ids = [f"{self._config.group_id}-{name}-{number}" for number in range(tasks)]
        client = fencing_client(self._config, self._resolved(config))
        _prove_afresh(prove)
        if ids:
            fence_producers(self._config.bootstrap_servers, ids, client)

    def set_logger_level(self, namespace: str, level: int) -> None:
        """Set a level in the processes of plugins and tasks; those that start later look it up."""
        self._hosts.set_level(namespace, level)
        self._launcher.set_level(namespace, level)

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
        checked = check_connector(config, self._config, self._hosts, self._policy)
        with closing(self._stored(name, config)) as stored:
            try:
                wanted = [(p, None) for p, _ in stored.read()] if offsets is None else offsets
                properties = checked.config.originals
                took_part = checked.connector.alter_offsets(properties, stored.for_plugin(wanted))
            finally:
                checked.connector.stop()
            stored.write(wanted)
        return took_part

    def close(self) -> None:
        """Release the override policy."""
        self._policy.close()

    def _stored(self, name: str, config: Mapping[str, str]) -> StoredOffsets:
        kind = self.connector_type(config)
        return offsets_of(name, kind, self._resolved(config), self._config, self._offsets)

    def _resolved(self, config: Mapping[str, str]) -> Mapping[str, str]:
        return resolved_config(config, self._config, self._hosts)


def _prove_afresh(prove: Callable[[], None]) -> None:
    """Prove until it went so fast that the process cannot have slept past its session meanwhile."""
    while True:
        begun = time.monotonic()
        prove()
        if time.monotonic() - begun < _FRESH_S:
            return
