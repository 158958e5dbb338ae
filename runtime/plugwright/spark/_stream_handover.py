"""How a sink connector passes between its engines, and between checkpoints, without a gap.

The checkpoint owns the offsets while the connector is run by Structured Streaming; its group
``connect-<name>`` is told of them, with a note of which checkpoint they come from. Whoever else
moves the group's offsets (resident tasks, the REST API, Kafka's tools) leaves no such note, so that
the next start begins a checkpoint of its own at the group's offsets. A checkpoint that is not there
any more begins anew in the same way.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from plugwright.errors import ConnectError
from plugwright.kafka import once_empty

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright.record import TopicPartition

log = logging.getLogger(__name__)

_NOTE = "plugwright-stream:"
_PATIENCE_S = 45.0  # a static member of the group is gone when its session is over


class NotedOffsets(Protocol):
    """A group's offsets, with a note on each; `plugwright.kafka.GroupOffsets` is one."""

    def noted(self) -> Mapping[TopicPartition, tuple[int, str]]:
        """The committed offsets with their notes."""

    def commit(self, offsets: Mapping[TopicPartition, int], note: str) -> None:
        """Set offsets, with this note.

        Raises:
            ConnectError: ``kafka.group-in-use`` while somebody is in the group.
        """


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where a stream begins.

    Attributes:
        checkpoint: directory of its checkpoint.
        starting: offsets to begin at if there is nothing in the checkpoint.
    """

    checkpoint: str
    starting: Mapping[TopicPartition, int]


class StreamHandover:
    """Knows which checkpoint is the right one, and tells the group of its offsets.

    Args:
        group: the group's offsets.
        location: directory of the connector's checkpoints, in any notation that Spark knows.
        positions: where each partition begins for a group that has no offset there.
    """

    def __init__(
        self,
        group: NotedOffsets,
        location: str,
        positions: Callable[[], Mapping[TopicPartition, int]],
    ) -> None:
        self._group = group
        self._location = location.rstrip("/")
        self._positions = positions
        self._note = ""
        self._committed: Mapping[TopicPartition, int] = {}
        self._is_unheard = False

    def begin(self, abandoned: Callable[[], bool]) -> Beginning:
        """Choose the checkpoint and tell the group so; waits until the group is empty.

        Args:
            abandoned: whether there is no use in waiting any more.

        Raises:
            ConnectError: if somebody stays in the group, or Kafka does not answer.
        """
        noted = self._group.noted()
        notes = {note for _, note in noted.values()}
        note = notes.pop() if len(notes) == 1 else ""
        if not note.startswith(_NOTE):
            note = f"{_NOTE}{secrets.token_hex(6)}"
        self._note = note
        starting = {**self._positions(), **{home: offset for home, (offset, _) in noted.items()}}
        self._claim(starting, abandoned)
        return Beginning(f"{self._location}/{note.removeprefix(_NOTE)}", starting)

    def tell(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Tell the group how far the checkpoint is; a group that does not hear is told later."""
        if not offsets or offsets == self._committed:
            return
        try:
            self._group.commit(offsets, self._note)
        except ConnectError as error:
            if not self._is_unheard:
                log.warning("the group does not show how far the stream is: %s", error)
            self._is_unheard = True
        else:
            self._committed, self._is_unheard = dict(offsets), False

    def _claim(self, starting: Mapping[TopicPartition, int], abandoned: Callable[[], bool]) -> None:
        if starting:
            once_empty(lambda: self._group.commit(starting, self._note), _PATIENCE_S, abandoned)
            self._committed = dict(starting)
