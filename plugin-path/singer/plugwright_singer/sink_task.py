"""The task: feeds a target, and commits what the target confirms."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from plugwright import AbstractConfig, ConnectError, DataError, SinkTask, TopicPartition
from plugwright_singer.environment import command_of
from plugwright_singer.feeding import FedTarget
from plugwright_singer.outgoing import Outgoing, Shape, confirmed, state_line
from plugwright_singer.settings import TARGET, VERSION, limits_of
from plugwright_singer.sink_settings import (
    COMMIT,
    CONFIG,
    CONFIRM,
    FLUSH_TIMEOUT_MS,
    KEY_FIELDS,
    KEYS,
    NON_FINITE,
    STREAM,
    STREAM_FOR_PREFIX,
    WRITE_TIMEOUT_MS,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from plugwright import SinkRecord
    from plugwright_singer.run import Command

__all__ = ["SingerSinkTask"]


class SingerSinkTask(SinkTask):
    """Feeds one target.

    Offsets are committed only as far as the target has repeated them in a state. A target that
    fails takes with it what it was given since the last commit, so that the task fails, too, and a
    restart reads from there.
    """

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._target: FedTarget | None = None
        self._written: dict[TopicPartition, int] = {}
        self._confirmed: dict[TopicPartition, int] = {}
        self._lost = False

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings; the target is started for the first record.

        Raises:
            ConfigError: if a setting is missing or wrong.
        """
        settings = AbstractConfig(CONFIG, props, log_values=False)
        self._settings = settings
        self._limits = limits_of(settings)
        self._command: Command | None = None
        self._write_timeout_s = settings.get_long(WRITE_TIMEOUT_MS) / 1000
        self._flush_timeout_s = settings.get_long(FLUSH_TIMEOUT_MS) / 1000
        self._ends = settings.get_string(COMMIT) == "end"
        self._shape = Shape(
            settings.get(STREAM),
            settings.originals_with_prefix(STREAM_FOR_PREFIX),
            settings.get_string(KEYS),
            settings.get_list(KEY_FIELDS),
            settings.get_string(NON_FINITE) == "refuse",
        )
        self._outgoing = Outgoing(self._shape)
        self._stopping.clear()

    def close(self, partitions: Collection[TopicPartition]) -> None:
        """Forget partitions that leave; what was written of them may be written again."""
        for partition in partitions:
            self._written.pop(partition, None)
            self._confirmed.pop(partition, None)

    def put(self, records: Sequence[SinkRecord]) -> None:
        """Write records; those that cannot be written are reported, if anyone listens (KIP-610).

        Raises:
            ConfigError: if there is no such target.
            DataError: if a record does not fit any stream and no reporter exists.
            RetriableError: if the target cannot be started now.
            ConnectError: if the target fails or hangs.
        """
        if not records:
            return
        target = self._fed()
        try:
            target.write(self._text(records).encode(), self._write_timeout_s)
        except ConnectError as error:
            final = bool(self._written)  # a worker repeats this batch only, not those before it
            self._end_target()
            if final and error.retriable:
                raise ConnectError(
                    str(error), code=error.code, hint=error.hint, facts=error.facts
                ) from error
            raise
        for record in records:
            place = TopicPartition(record.original_topic, record.original_kafka_partition)
            self._written[place] = record.original_kafka_offset + 1

    def pre_commit(self, offsets: Mapping[TopicPartition, int]) -> Mapping[TopicPartition, int]:
        """The offsets up to which the target has confirmed everything.

        Raises:
            ConnectError: if the target fails, hangs, or ends without confirming.
        """
        if self._target is not None:
            try:
                self._ask(self._target)
            except ConnectError:
                self._end_target()
                raise
        if self._lost:
            return {}
        safe = {place: self._safe(place, offset) for place, offset in offsets.items()}
        return {place: offset for place, offset in safe.items() if offset is not None}

    def _safe(self, place: TopicPartition, offset: int) -> int | None:
        """The committable offset of a partition; ``None`` if there is none yet."""
        written = self._written.get(place)
        if self._target is None or written is None:
            return offset
        done = self._confirmed.get(place)
        if done is not None and done < written:
            return min(offset, done)
        return None if done is None else offset

    def stop(self) -> None:
        """End the target and all that it has started; ends a waiting call."""
        self._stopping.set()
        with self._starting:
            target = self._target
        if target is not None:
            target.stop()

    def _fed(self) -> FedTarget:
        """The target that runs, or a new one."""
        if self._target is None:
            self._command = self._command or command_of(self._settings, TARGET)
            with self._starting:
                self._target = FedTarget(self._command, self._limits, self._stopping.is_set)
            self._lost = False  # what a failed target had is given again by now
            self._outgoing.forget()
            self._written.clear()
            self._confirmed.clear()
        return self._target

    def _end_target(self) -> None:
        """End a target that has failed, and with it whatever it has not confirmed."""
        target, self._target = self._target, None
        self._lost = True
        self._written.clear()
        if target is not None:
            target.stop()

    def _text(self, records: Sequence[SinkRecord]) -> str:
        """The lines of the records that have some; the others are reported."""
        offer = getattr(self.context, "errant_record_reporter", None)
        reporter = None if offer is None else offer()
        lines = []
        for record in records:
            try:
                lines.append(self._outgoing.lines(record))
            except DataError as error:
                if reporter is None:
                    raise
                reporter.report(record, error)
        return "".join(lines)

    def _ask(self, target: FedTarget) -> None:
        """Have the target confirm what it was given, and note what it has confirmed."""
        asked = dict(self._written)
        target.write(state_line(asked, self._shape).encode(), self._write_timeout_s)
        if not self._ends:
            target.listen(0)
            self._confirmed.update(confirmed(target.state))
            return
        target.finish(self._flush_timeout_s)
        said = confirmed(target.state)
        if self._settings.get_string(CONFIRM) == "state" and any(
            said.get(place, -1) < offset for place, offset in asked.items()
        ):
            raise _unconfirmed(target.command)
        self._target = None


def _unconfirmed(command: Command) -> ConnectError:
    return ConnectError(
        f"{command.name} has ended without repeating the last state",
        code="singer.unconfirmed",
        hint="set singer.confirm=exit if the target never repeats states",
        facts={"program": command.program},
    )
