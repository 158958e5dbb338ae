"""The task: runs a tap again and again, and makes records of what it writes."""

from __future__ import annotations

import json
import logging
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright import (
    AbstractConfig,
    ConnectError,
    DataError,
    RetriableError,
    SourceRecord,
    SourceTask,
)
from plugwright_singer.catalog import catalog_file, discovered, selected
from plugwright_singer.environment import command_of, program_name
from plugwright_singer.lines import END, TOO_LONG
from plugwright_singer.messages import (
    ActivateVersion,
    RecordMessage,
    SchemaMessage,
    StateMessage,
    Unknown,
    parse_message,
)
from plugwright_singer.offsets import offset_of, partition_of, state_of
from plugwright_singer.run import ChildRun
from plugwright_singer.settings import (
    LINE_MAX_BYTES,
    START_TIMEOUT_MS,
    TAP,
    VERSION,
    limits_of,
)
from plugwright_singer.source_settings import (
    BATCH_SIZE,
    CATALOG,
    CATALOG_OPTION,
    CONFIG,
    FAILURES_MAX,
    IDLE_TIMEOUT_MS,
    INTERVAL_MS,
    METADATA_PREFIX,
    NUMBERS,
    SELECT,
    STATE,
    STATE_INITIAL,
    TOPIC,
    TOPIC_FOR_PREFIX,
    TOPIC_PREFIX,
)
from plugwright_singer.streams import Draft, Streams, Topics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_singer.messages import Message
    from plugwright_singer.run import Command

__all__ = ["SingerSourceTask"]

_LOG = logging.getLogger("plugwright_singer")
_WAIT_S = 0.25
_LINGER_S = 0.005
_HOLD_S = 1.0
_AGAIN_S = 0.2


class SingerSourceTask(SourceTask):
    """Runs one tap.

    A record carries the last state that the tap had written before it, or right after it:
    everything up to that state has been handed over by then. So one record is held back until it
    is known what follows, for a second at most.
    """

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._run: ChildRun | None = None
        self._held: Draft | None = None
        self._failure: ConnectError | None = None
        self._heard_at = 0.0
        self._next_run_at = 0.0
        self._number = 0
        self._failures = 0

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and look up the state; the tap is started by ``poll``.

        Raises:
            ConfigError: if a setting is missing or wrong, or there is no such tap.
            ConnectError: if the stored offset holds no state.
        """
        settings = AbstractConfig(CONFIG, props, log_values=False)
        self._settings = settings
        self._limits = limits_of(settings)
        self._partition = partition_of(program_name(settings.get_string(TAP)))
        self._keeps = settings.get_string(STATE) == "keep"
        self._state = self._stored_state()
        self._offset = offset_of(self._state)
        named = settings.originals_with_prefix(TOPIC_FOR_PREFIX)
        topics = Topics(settings.get(TOPIC), settings.get_string(TOPIC_PREFIX), named)
        self._streams = Streams(topics, decimals=settings.get_string(NUMBERS) == "decimal")
        self._command: Command | None = None
        self._stopping.clear()

    def poll(self) -> Sequence[SourceRecord] | None:
        """The next records, or nothing after a short wait.

        Raises:
            DataError: if a line is not a message, or a record does not fit its schema.
            RetriableError: if there is no room for the tap's process now.
            ConnectError: if the tap fails, hangs, or writes a line without end.
        """
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        records: list[SourceRecord] = []
        try:
            run = self._running()
            if run is not None:
                self._read(run, records)
        except RetriableError as error:
            self._end_run()
            self._held = None  # the next run begins at the last state, and so before it
            if not records:
                raise
            self._failure = error
        except ConnectError as error:
            self._end_run()
            records += self._released()
            if not records:
                raise
            self._failure = error  # comes with the next poll: the records before it are good
        return records or None

    def stop(self) -> None:
        """End the tap and all that it has started; ends a waiting poll."""
        self._stopping.set()
        with self._starting:
            run = self._run
        if run is not None:
            run.stop()

    def _stored_state(self) -> Any:
        stored = self.context.offset_storage_reader.offset(self._partition)
        if not self._keeps:
            return None
        if stored is not None:
            return state_of(stored)
        initial = self._settings.get(STATE_INITIAL)
        return None if initial is None else json.loads(initial)

    def _running(self) -> ChildRun | None:
        """The current run; a new one if it is time for it, ``None`` after a short wait if not."""
        if self._run is None:
            wait_s = min(self._next_run_at - time.monotonic(), _WAIT_S)
            if wait_s > 0:
                self._stopping.wait(wait_s)
                return None
            self._next_run_at = time.monotonic() + _AGAIN_S
            command = self._with_state(self._prepared())
            with self._starting:
                if self._stopping.is_set():
                    return None
                self._run = ChildRun(command, self._limits)
            self._heard_at, self._number = time.monotonic(), 0
        return self._run

    def _prepared(self) -> Command:
        """The tap with its configuration and catalog, made once."""
        if self._command is None:
            command = command_of(self._settings, TAP)
            files = {**command.files, **self._catalog(command)}
            self._command = replace(command, files=files)
        return self._command

    def _catalog(self, command: Command) -> dict[str, Any]:
        path, names = self._settings.get(CATALOG), self._settings.get_list(SELECT)
        if path is None and not names:
            return {}
        if path is not None:
            catalog = catalog_file(path)
        else:
            timeout_s = self._settings.get_long(START_TIMEOUT_MS) / 1000
            catalog = discovered(command, self._limits, timeout_s, self._stopping.is_set)
        option = self._settings.get_string(CATALOG_OPTION)
        said = self._settings.originals_with_prefix(METADATA_PREFIX)
        return {option: selected(catalog, names, said) if names else catalog}

    def _with_state(self, command: Command) -> Command:
        if self._state is None:
            return command
        return replace(command, files={**command.files, "--state": self._state})

    def _read(self, run: ChildRun, records: list[SourceRecord]) -> None:
        """Add the records of a batch of lines."""
        limit, wait_s = self._settings.get_int(BATCH_SIZE), _WAIT_S
        while len(records) < limit:
            line = run.lines.take(wait_s)
            if line is None:
                self._refuse_silence(run)
                if time.monotonic() - self._heard_at > _HOLD_S:
                    records += self._released()
                return
            if line == END:
                records += self._ended(run)
                return
            self._heard_at, wait_s = time.monotonic(), _LINGER_S
            records += self._heard(run, line)

    def _heard(self, run: ChildRun, line: bytes) -> list[SourceRecord]:
        self._number += 1
        if line == TOO_LONG:
            raise self._too_long()
        try:
            return self._taken(parse_message(line, run.command.mask))
        except DataError as error:
            if line is run.lines.torn and run.exit_code():
                raise self._failed(run.failure()) from error  # it died while it wrote the line
            raise self._on_line(error) from error

    def _taken(self, message: Message) -> list[SourceRecord]:
        """The records that can be delivered now that the message is known."""
        match message:
            case RecordMessage():
                before, self._held = self._released(), self._streams.draft(message)
                return before
            case StateMessage(value):
                return self._state_after_held(value)
            case SchemaMessage():
                self._streams.announce(message)
            case ActivateVersion(stream):
                self._streams.warn_once(
                    stream, "ACTIVATE_VERSION is ignored: records of other versions stay"
                )
            case Unknown(kind):
                self._refuse(kind)
        return []

    def _state_after_held(self, value: Any) -> list[SourceRecord]:
        """Take a state, which covers the record that is held."""
        self._failures = 0
        if self._keeps:
            self._offset = offset_of(value)
            self._state = state_of(self._offset)
        return self._released()

    def _refuse(self, kind: str) -> None:
        if kind.upper() == "BATCH":
            raise DataError(
                "the tap has written a BATCH, whose records are in files",
                code="singer.batch",
                hint="remove batch_config from the tap's configuration",
            )
        self._streams.warn_once("", f"messages of type {kind} are ignored")

    def _released(self) -> list[SourceRecord]:
        """The record that was held, with the state as it is now."""
        draft, self._held = self._held, None
        if draft is None:
            return []
        return [
            SourceRecord(
                self._partition,
                self._offset,
                draft.topic,
                draft.value,
                draft.value_schema,
                key=draft.key,
                key_schema=draft.key_schema,
                timestamp=draft.timestamp,
            )
        ]

    def _ended(self, run: ChildRun) -> list[SourceRecord]:
        """The last record of a run that went well; the next run comes later.

        Raises:
            ConnectError: if it did not, unless this task has stopped it.
        """
        if self._stopping.is_set():
            return []
        if run.lines.failure is not None:
            raise _unheard(run.command.name, run.lines.failure)
        if run.exit_code():
            raise self._failed(run.failure())
        self._end_run()
        self._failures = 0
        interval_s = self._settings.get_long(INTERVAL_MS) / 1000
        self._next_run_at = time.monotonic() + interval_s
        return self._released()

    def _failed(self, error: ConnectError) -> ConnectError:
        """The error of a run that went wrong; a retriable one if another run may be tried."""
        self._failures += 1
        if self._failures >= self._settings.get_int(FAILURES_MAX):
            return error
        interval_s = self._settings.get_long(INTERVAL_MS) / 1000
        self._next_run_at = time.monotonic() + interval_s
        return RetriableError(str(error), code=error.code, hint=error.hint, facts=error.facts)

    def _end_run(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.stop()

    def _refuse_silence(self, run: ChildRun) -> None:
        setting = IDLE_TIMEOUT_MS if self._number else START_TIMEOUT_MS
        allowed_s = self._settings.get_long(setting) / 1000
        if time.monotonic() - self._heard_at > allowed_s and not self._stopping.is_set():
            name = run.command.name
            run.stop()
            raise ConnectError(
                f"{name} has written nothing for {allowed_s:g} seconds{run.last_words()}",
                code="singer.hangs",
                hint=f"look why it hangs, or raise {setting}",
                facts={"program": run.command.program, "seconds": allowed_s},
            )

    def _too_long(self) -> ConnectError:
        limit = self._settings.get_int(LINE_MAX_BYTES)
        return ConnectError(
            f"line {self._number} of the tap has more than {limit} bytes",
            code="singer.line-too-long",
            hint=f"raise {LINE_MAX_BYTES}, if the tap has records as large as that",
            facts={"line": self._number, "limit": limit},
        )

    def _on_line(self, error: DataError) -> DataError:
        mask = self._prepared().mask
        return DataError(
            f"line {self._number} of {self._prepared().name}: {mask.hide(str(error))}",
            code=error.code,
            hint=error.hint,
            facts={**error.facts, "line": self._number},
        )


def _unheard(name: str, error: OSError) -> RetriableError:
    return RetriableError(
        f"what {name} writes cannot be read: {error.strerror}",
        code="singer.unheard",
        hint="it is started again with its last state",
    )
