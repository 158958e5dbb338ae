"""The control plane: manages connectors, wherever state is kept and whichever workers share them.

A standalone worker's herder keeps its state in memory and owns every connector; a distributed
worker's keeps it in Kafka topics and owns the connectors of its shards.
"""

from __future__ import annotations

import threading
import time
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from plugwright.control_plane import (
    BadRequestError,
    OperationDisabledError,
    RestartRequest,
    Stage,
)
from plugwright.errors import AlreadyExistsError, ConnectError, NotFoundError
from plugwright.herder._herder_views import HerderViews, require_tracking
from plugwright.herder._offset_requests import outcome, requested_offsets
from plugwright.herder._ownership import conflict
from plugwright.herder._views import connector_status
from plugwright.herder.config_state import EntrySubject, TargetState
from plugwright.herder.local_connectors import LocalConnectors
from plugwright.herder.metrics import worker_metrics
from plugwright.herder.prometheus import prometheus_text
from plugwright.herder.reporting import restart_plan
from plugwright.herder.validity import require_no_errors, warn_of_misspellings, without_nulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.control_plane import (
        ConnectorInfo,
        ConnectorOffset,
        ConnectorStatus,
        Message,
        MetricValue,
        TaskId,
    )
    from plugwright.herder._parts import HerderParts
    from plugwright.herder.config_state import ConfigChange
    from plugwright.herder.runner import ConnectorRunner

_START_S = 60.0
_END_S = 30.0
_WRITES_AT_ONCE = 16


class Herder(HerderViews):
    """Starts, monitors and stops the connectors of this worker.

    Args:
        parts: the components of the herder.
    """

    def __init__(self, parts: HerderParts) -> None:
        super().__init__(parts)
        self._local = LocalConnectors(parts)
        self._writing = [threading.Lock() for _ in range(_WRITES_AT_ONCE)]
        self._ready = threading.Event()
        self._started = threading.Event()
        self._stage: Stage | None = None

    def start(self, url: str) -> None:
        """Read the stored state, wait until tasks can run, then run this worker's connectors.

        Nothing is taken over from other workers before that.

        Args:
            url: address of this worker's REST API, which also names it in statuses.

        Raises:
            ConnectError: if the state cannot be read, or tasks cannot run.
        """
        with self._at("reading its internal topics"):
            self._parts.statuses.start(self._topics_forgotten, self._local.follow)
            self._parts.configs.start(self._changed)
        with self._at("waiting for Spark to start"):
            self._parts.worker.prepare(self._parts.configs.snapshot().configs.values())
        with self._at("joining the group"):
            self._local.start(url)
        self._ready.set()
        self._started.set()

    def close(self) -> None:
        """Stop every connector of this worker; others may take them over."""
        self._ready.clear()
        self._started.set()  # releases calls that wait for start-up
        with self._at("handing its connectors over"):
            self._local.close()
        self._parts.configs.close()
        self._parts.statuses.close()

    def is_ready(self) -> bool:
        """Whether start-up is complete."""
        return self._ready.is_set()

    def health_check(self) -> None:
        """Check that the herder can write, once start-up is complete or the worker leaves."""
        self._started.wait(_START_S)
        for lock in self._writing:
            with lock:
                continue

    def stage(self) -> Stage | None:
        """The stage that keeps the worker from running tasks, if any."""
        return self._stage

    def put_connector_config(
        self,
        name: str,
        config: Mapping[str, str | None],
        target_state: str | None = None,
        allow_replace: bool = True,
    ) -> tuple[bool, ConnectorInfo]:
        """Create a connector or replace its configuration; see `plugwright.rest.Herder`.

        Raises:
            ConfigError: naming every setting that is missing or wrong.
            AlreadyExistsError: if it exists and must not be replaced.
        """
        self._require_owner(name)
        found = self._parts.worker.validate(config)
        require_no_errors(found, config)
        warn_of_misspellings(name, found, config)
        valid = without_nulls(config)
        with self._turn_of(name):
            created = name not in self._parts.configs.snapshot().configs
            if not (created or allow_replace):
                raise AlreadyExistsError(f"Connector {name} already exists", facts={"name": name})
            target = None if target_state is None else TargetState(target_state)
            self._parts.configs.put_connector(name, valid, target)
        self._settle(name)
        info = self._info(name, valid)  # including what other workers have changed since
        self._require_begun(name)
        return created, info

    def _require_begun(self, name: str) -> None:
        """Do nothing: the connector's status reports a failed start."""

    def patch_connector_config(
        self, name: str, patch: Mapping[str, str | None]
    ) -> tuple[bool, ConnectorInfo]:
        """Change some settings; ``None`` removes one (KIP-477).

        Raises:
            NotFoundError: if there is no such connector.
            ConfigError: naming every setting that is then missing or wrong.
        """
        self._require_owner(name)
        merged = {**self.connector_config(name), **patch}
        changed = {key: value for key, value in merged.items() if value is not None}
        return self.put_connector_config(name, changed)

    def delete_connector_config(self, name: str) -> None:
        """Delete a connector.

        Raises:
            NotFoundError: if there is no such connector.
        """
        self._require_owner(name)
        with self._turn_of(name):
            self.connector_config(name)
            runner = self._local.runner(name)
            self._parts.configs.remove_connector(name)
        if runner is not None:
            runner.settle(self._parts.settings.settle_timeout_s)

    def restart_connector(self, name: str) -> None:
        """Restart a connector but not its tasks.

        Raises:
            NotFoundError: if there is no such connector.
            ConnectError: if it fails to start.
        """
        runner = self._require_own(name)
        runner.restart(RestartRequest(name, only_failed=False, include_tasks=False))
        self._settle(name)
        self._require_started(name, f"Failed to start connector: {name}")

    def restart_connector_and_tasks(self, request: RestartRequest) -> ConnectorStatus:
        """Restart the parts that a request selects; the answer shows them as RESTARTING (KIP-745).

        Raises:
            NotFoundError: if there is no such connector, or it has no status yet.
        """
        name = request.connector
        self._require_own(name)
        plan = restart_plan(self._parts.statuses, request)
        if plan is None:
            raise NotFoundError(f"Status for connector {name} not found", facts={"name": name})
        status = connector_status(name, self._parts.statuses, self.connector_info(name).type, plan)
        self._parts.configs.request_restart(request)  # reaches every worker that runs a part of it
        self._settle(name)
        return status

    def restart_task(self, task: TaskId) -> None:
        """Restart one task.

        Raises:
            NotFoundError: if there is no such connector or task.
        """
        self.connector_config(task.connector)
        self._started.wait(_START_S)
        state = self._parts.configs.snapshot()
        if task.task not in state.task_configs.get(task.connector, {}):
            raise NotFoundError(f"Task {task} not found", facts={"task": str(task)})
        if not state.is_open(task.connector):
            raise conflict()  # its task configurations are about to be replaced
        shard = state.openings[task.connector].shards[task.task]
        self._parts.ownership.require_shard(shard, f"task {task}")
        runner = self._local.runner(task.connector)
        if runner is None:
            raise conflict()
        runner.restart_task(task.task)
        self._settle(task.connector)

    def pause_connector(self, name: str) -> None:
        """Pause a connector and its tasks.

        Raises:
            NotFoundError: if there is no such connector.
        """
        self._turn(name, TargetState.PAUSED)

    def resume_connector(self, name: str) -> None:
        """Resume a connector and its tasks.

        Raises:
            NotFoundError: if there is no such connector.
        """
        self._turn(name, TargetState.STARTED)

    def stop_connector(self, name: str) -> None:
        """Stop a connector and remove its tasks (KIP-875).

        Raises:
            NotFoundError: if there is no such connector.
        """
        self._turn(name, TargetState.STOPPED)

    def refuse_internal(self, what: str, *, signed: bool = False) -> NoReturn:
        """Reject a request that workers of Kafka Connect send each other with a signature.

        Raises:
            OperationDisabledError: if it is signed, because the key is not this group's.
            BadRequestError: otherwise.
        """
        if signed:
            raise OperationDisabledError(
                f"Internal request contained invalid signature: no client can {what}",
                code="herder.internal-request",
            )
        raise BadRequestError(
            f"Internal request missing required signature: no client can {what}",
            code="herder.internal-request",
        )

    def alter_connector_offsets(
        self, name: str, offsets: Sequence[ConnectorOffset] | None
    ) -> Message:
        """Change the offsets of a stopped connector; ``None`` resets all of them (KIP-875).

        Raises:
            NotFoundError: if there is no such connector.
            BadRequestError: if it is not stopped, or the offsets are invalid.
        """
        config = self.connector_config(name)
        runner = self._require_own(name)
        kind = self._parts.worker.connector_type(config)
        asked = None if offsets is None else requested_offsets(offsets, kind)

        def alter() -> bool:
            self._require_stopped(name)
            self._require_all_ended(name)
            return self._parts.worker.alter_offsets(name, config, asked)

        if self._parts.configs.snapshot().targets.get(name) is TargetState.STOPPED:
            runner.wait_until_open(_END_S)  # by then no worker runs a task
        return outcome(altered=asked is not None, by_plugin=runner.call(alter))

    def reset_connector_active_topics(self, name: str) -> None:
        """Reset the active topics of a connector.

        Raises:
            OperationDisabledError: if topic tracking or its reset is disabled.
        """
        settings = self._parts.settings
        require_tracking(settings.topic_tracking, "Topic tracking is disabled.")
        require_tracking(settings.topic_tracking_reset, "Topic tracking reset is disabled.")
        self._parts.statuses.reset_topics(name)

    def set_worker_logger_level(self, namespace: str, level: str) -> Sequence[str]:
        """Set a level in this worker; returns the names of the loggers that changed."""
        return self._loggers.set_level(namespace, level)

    def set_cluster_logger_level(self, namespace: str, level: str) -> None:
        """Set a level in every worker of the cluster (KIP-976)."""
        self._parts.configs.put_logger_level(namespace, level)

    def metrics(self) -> str:
        """This worker's metrics in the Prometheus text format."""
        return prometheus_text(self.figures())

    def figures(self) -> Sequence[MetricValue]:
        """This worker's metrics as individual values."""
        local = self._local
        return list(worker_metrics(self._parts, local.counters(), local.startups))

    def settle(self, timeout_s: float) -> bool:
        """Wait until every pending change to this worker's connectors has been applied."""
        return self._local.settle(timeout_s)

    @contextmanager
    def _at(self, stage: str) -> Iterator[None]:
        """Record the current stage of the worker for the duration."""
        self._stage = Stage(stage, int(time.time() * 1000))
        yield
        self._stage = None

    def _turn_of(self, name: str) -> threading.Lock:
        """The lock under which a request checks that a connector exists and writes its change."""
        return self._writing[zlib.crc32(name.encode()) % _WRITES_AT_ONCE]

    def _turn(self, name: str, target: TargetState) -> None:
        self._require_own(name)
        self._parts.configs.put_target_state(name, target)
        self._settle(name)

    def _require_own(self, name: str) -> ConnectorRunner:
        self.connector_config(name)
        self._require_owner(name)
        runner = self._local.runner(name)
        if runner is None:
            raise NotFoundError(f"Connector {name} not found", facts={"name": name})
        return runner

    def _require_owner(self, name: str) -> None:
        """Check that this worker owns a connector; reports a conflict during start-up."""
        self._started.wait(_START_S)
        self._parts.ownership.require(name)

    def _settle(self, name: str) -> None:
        runner = self._local.runner(name)
        if runner is not None and self._parts.settings.settle_timeout_s:
            runner.settle(self._parts.settings.settle_timeout_s)

    def _require_started(self, name: str, message: str) -> None:
        """Check that the connector instance did not fail to start; its status has the reason."""
        runner = self._local.runner(name)
        if runner is not None and runner.failed_to_start:
            raise ConnectError(message, code="connector.not-started", facts={"name": name})

    def _require_stopped(self, name: str) -> None:
        state = self._parts.configs.snapshot()
        if state.targets.get(name) is not TargetState.STOPPED or state.task_configs.get(name):
            raise BadRequestError(
                "Connectors must be in the STOPPED state before their offsets can be modified. "
                "This can be done for the specified connector by issuing a 'PUT' request to the "
                f"'/connectors/{name}/stop' endpoint"
            )

    def _require_all_ended(self, name: str) -> None:
        """Check that no worker still runs a task of a stopped connector."""
        if not self._parts.configs.snapshot().is_open(name):
            raise conflict()

    def _topics_forgotten(self, name: str, at_ms: int) -> None:
        """Handle a topic reset (KIP-558), on whichever worker; called on the log's own thread."""
        runner = self._local.runner(name)
        if runner is not None:
            runner.forget_topics(at_ms)

    def _changed(self, change: ConfigChange) -> None:
        """Handle a new entry; called on the log's own thread."""
        runner = self._local.runner(change.name)
        if change.subject is EntrySubject.LOGGER:
            self._loggers.set_level(change.name, change.level)
        elif change.subject in {EntrySubject.CONNECTOR, EntrySubject.TARGET_STATE}:
            self._local.reconcile(change.name)
        elif change.subject in {EntrySubject.COMMIT, EntrySubject.FENCING}:
            self._local.follow(change.name)
        elif change.restart is not None and runner is not None:
            runner.restart(change.restart)
