"""Source offsets that the driver stores: sent to a task with its spec, returned over the channel.

A standalone worker may store offsets in one file (``offset.storage.file.filename``). Only the
driver accesses it, so that tasks on other machines can use it and replaced tasks cannot write.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

from plugwright.errors import ConnectError, render
from plugwright.kafka import serialized_offsets
from plugwright.spark.channel import ChannelClosedError
from plugwright.spark.messages import OffsetsStored, StoreOffsets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.spark.messages import Message
    from plugwright.worker import SourceOffset


class OffsetKeeper(Protocol):
    """Stores offsets on the driver."""

    def read(self, connector: str) -> Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
        """Return every source partition of a connector with its offset."""

    def write(self, connector: str, offsets: Sequence[SourceOffset]) -> None:
        """Store offsets durably.

        Raises:
            ConnectError: if they could not be stored.
        """


def keep(keeper: OffsetKeeper, connector: str, request: StoreOffsets) -> OffsetsStored:
    """Store the offsets that a task sent, and build the answer."""
    offsets = [(partition, offset) for partition, offset in request.offsets]
    try:
        keeper.write(connector, offsets)
    except ConnectError as error:
        return OffsetsStored(request.number, render(error))
    return OffsetsStored(request.number, "")


class DriverOffsetStore:
    """The task's side: the offsets of its connector.

    Args:
        connector: its name.
        send: sends a message to the driver.
        known: partitions and offsets at the start of the task.
        timeout_s: time that the driver may take to store offsets.
    """

    def __init__(
        self,
        connector: str,
        send: Callable[[Message], None],
        known: Sequence[SourceOffset],
        *,
        timeout_s: float,
    ) -> None:
        self._connector = connector
        self._send = send
        self._timeout_s = timeout_s
        self._offsets = {_canonical(partition): offset for partition, offset in known}
        self._storing = threading.Lock()
        self._number = 0
        self._answers: queue.SimpleQueue[OffsetsStored | None] = queue.SimpleQueue()

    def offset(self, partition: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The stored offset of a source partition, or ``None``."""
        return self._offsets.get(_canonical(partition))

    def store(self, offsets: Sequence[SourceOffset]) -> None:
        """Send offsets to the driver and wait until it has stored them.

        Raises:
            DataError: if a partition or an offset is not a flat map of plain values.
            ConnectError: if the driver did not store them, or is gone.
        """
        serialized_offsets(self._connector, offsets)  # rejects invalid offsets before sending
        with self._storing:
            self._number += 1
            try:
                self._send(StoreOffsets(self._number, [list(each) for each in offsets]))
            except ChannelClosedError as error:
                raise self._not_stored("the driver has disconnected") from error
            if problem := self._answer():
                raise self._not_stored(problem)
        self._offsets |= {_canonical(partition): offset for partition, offset in offsets}

    def answered(self, answer: OffsetsStored | None) -> None:
        """Handle the driver's answer; ``None`` if there will be none."""
        self._answers.put(answer)

    def close(self) -> None:
        """Do nothing: no resource is open."""

    def _answer(self) -> str:
        """The driver's error for the newest request, or an empty string."""
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                answer = self._answers.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return f"the driver did not answer within {self._timeout_s:g} s"
            if answer is None:
                return "the driver has disconnected"
            if answer.number == self._number:  # otherwise it is a late answer
                return answer.problem

    def _not_stored(self, reason: str) -> ConnectError:
        return ConnectError(
            f"offsets of {self._connector} were not stored: {reason}",
            code="offsets.not-stored",
            facts={"connector": self._connector},
        )


def _canonical(partition: Mapping[str, Any]) -> str:
    return json.dumps(partition, sort_keys=True)
