"""Stores connector configurations and target states in a log."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright.herder._ownership import conflict
from plugwright.herder.config_state import (
    ConfigState,
    TargetState,
    connector_entry,
    fencing_entry,
    logger_entry,
    opening_entry,
    removal_entries,
    restart_entry,
    target_entry,
    task_entries,
)
from plugwright.kafka import WRITER_GONE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.control_plane import RestartRequest
    from plugwright.herder._log import Entry, Log
    from plugwright.herder.config_state import ConfigChange, Opening

log = logging.getLogger(__name__)

_START_S = 60.0


class ConfigStore:
    """Reads and changes the state of the configs topic.

    A change is written first and takes effect when it is read back, on this and every other
    worker, in the order of the log.

    Args:
        log: stores the entries.
        writer_of: returns the transactional id for the entries of a connector.
        owns: whether this worker owns a connector and no other has claimed it; queries Kafka.
    """

    def __init__(
        self,
        log: Log,
        writer_of: Callable[[str], str | None] = lambda _: None,
        owns: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._log = log
        self._writer_of = writer_of
        self._owns = owns
        self._lock = threading.Lock()
        self._state = ConfigState()
        self._snapshot: ConfigState | None = None
        self._changed: Callable[[ConfigChange], None] | None = None
        self._read = threading.Event()

    def start(self, changed: Callable[[ConfigChange], None]) -> None:
        """Read the existing entries.

        Args:
            changed: called for every later change, on the log's own thread.

        Raises:
            ConnectError: if the log cannot be read.
        """
        self._log.start(self._apply)
        self._changed = changed
        self._read.set()

    def snapshot(self) -> ConfigState:
        """The state read so far; waits until the existing entries have been read.

        Later entries do not change it. Callers share it and must not modify it.

        Raises:
            ConnectError: if reading takes too long.
        """
        if not self._read.wait(_START_S):
            raise ConnectError(
                f"the connectors' configurations were not read within {_START_S:g} s",
                code="herder.starting",
                hint="see the worker's log; try again",
            )
        with self._lock:
            if self._snapshot is None:
                self._snapshot = self._state.copy()
            return self._snapshot

    def refresh(self) -> None:
        """Wait until the entries that others have written so far have been read.

        Raises:
            ConnectError: if the log cannot be read.
        """
        self._log.read_to_end()

    def put_connector(
        self, name: str, config: Mapping[str, str], target: TargetState | None = None
    ) -> None:
        """Create or replace a connector, with a target state if given."""
        first = [target_entry(name, target)] if target is not None else []
        self._write([*first, connector_entry(name, config)], name)

    def remove_connector(self, name: str) -> None:
        """Delete a connector."""
        self._write(removal_entries(name), name)

    def put_task_configs(self, name: str, configs: Sequence[Mapping[str, str]]) -> None:
        """Replace a connector's task configurations with a new generation.

        None of them runs before `open_tasks`.
        """
        former = self.snapshot().generations.get(name, 0)
        now_ms = int(time.time() * 1000)  # above those of a deleted connector of that name
        self._write(task_entries(name, configs, max(former + 1, now_ms)), name)

    def open_tasks(self, name: str, opening: Opening) -> None:
        """Let the tasks of a generation run."""
        self._write([opening_entry(name, opening)], name)

    def put_target_state(self, name: str, target: TargetState) -> None:
        """Set the target state of a connector."""
        self._write([target_entry(name, target)], name)

    def put_fencing_count(self, name: str, count: int) -> None:
        """Record how many transactional producers the next generation has to fence."""
        self._write([fencing_entry(name, count)], name)

    def request_restart(self, request: RestartRequest) -> None:
        """Ask the workers that run a connector to restart it."""
        self._write([restart_entry(request)], request.connector)

    def put_logger_level(self, namespace: str, level: str) -> None:
        """Set a log level on every worker."""
        self._write([logger_entry(namespace, level)])

    def close(self) -> None:
        """Close the log."""
        self._log.close()

    def _write(self, entries: Sequence[Entry], connector: str | None = None) -> None:
        writer = None if connector is None else self._writer_of(connector)
        try:
            self._log.send_and_read(entries, writer)
        except ConnectError as error:
            if writer is not None and connector is not None and error.code in WRITER_GONE:
                self._reclaim(writer, connector)
            if error.code != "kafka.fenced":
                raise
            raise conflict() from error  # another worker took over, and this one has not noticed

    def _reclaim(self, writer: str, connector: str) -> None:
        """Prepare to write again, in case the owner was fenced by accident.

        A zombie may have done that, or a transaction that an outage made too long
        (`DistributedHerder` reclaims its write privileges the same way, KIP-618).
        """
        try:
            if self._owns(connector):
                self._log.reclaim(writer)
        except ConnectError as error:
            log.warning("%s cannot be taken again yet: %s", writer, error)

    def _apply(self, key: str, value: bytes | None, _at_ms: int) -> None:
        with self._lock:
            change = self._state.apply(key, value)
            self._snapshot = None
        if change is not None and self._changed is not None:
            self._changed(change)
