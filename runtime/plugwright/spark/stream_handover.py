"""Moves a sink connector between engines and checkpoints without losing or skipping records.

While Structured Streaming runs a connector, its checkpoint owns the offsets; they are mirrored to
its group ``connect-<name>``, with the checkpoint's name as metadata. Anything else that changes the
group's offsets (resident tasks, the REST API, Kafka's tools) does not set that metadata, so
the next start creates a new checkpoint at the group's offsets. A lost checkpoint is replaced
in the same way.
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
_PATIENCE_S = 45.0  # a static member leaves the group when its session expires


class NotedOffsets(Protocol):
    """A group's offsets with their metadata; see `plugwright.kafka.GroupOffsets`."""

    def with_metadata(self) -> Mapping[TopicPartition, tuple[int, str]]:
        """The committed offsets with their metadata."""

    def commit(self, offsets: Mapping[TopicPartition, int], note: str) -> None:
        """Set offsets, with this metadata.

        Raises:
            ConnectError: ``kafka.group-in-use`` while the group has members.
        """


@dataclass(frozen=True, slots=True)
class Beginning:
    """The starting point of a stream.

    Attributes:
        checkpoint: directory of its checkpoint.
        starting: offsets to start at if the checkpoint is empty.
    """

    checkpoint: str
    starting: Mapping[TopicPartition, int]


class StreamHandover:
    """Chooses the checkpoint, and mirrors its offsets to the group.

    Args:
        group: the group's offsets.
        location: directory of the connector's checkpoints, in any notation that Spark supports.
        positions: starting offset of each partition in which the group has no offset.
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
        """Choose the checkpoint and record it in the group; waits until the group is empty.

        Args:
            abandoned: whether waiting has become pointless.

        Raises:
            ConnectError: if the group keeps a member, or Kafka does not answer.
        """
        noted = self._group.with_metadata()
        notes = {note for _, note in noted.values()}
        note = notes.pop() if len(notes) == 1 else ""
        if not note.startswith(_NOTE):
            note = f"{_NOTE}{secrets.token_hex(6)}"
        self._note = note
        starting = {**self._positions(), **{home: offset for home, (offset, _) in noted.items()}}
        self._claim(starting, abandoned)
        return Beginning(f"{self._location}/{note.removeprefix(_NOTE)}", starting)

    def tell(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Mirror the checkpoint's offsets to the group; a failure is retried later."""
        if not offsets or offsets == self._committed:
            return
        try:
            self._group.commit(offsets, self._note)
        except ConnectError as error:
            if not self._is_unheard:
                log.warning("the stream's offsets cannot be mirrored to the group: %s", error)
            self._is_unheard = True
        else:
            self._committed, self._is_unheard = dict(offsets), False

    def _claim(self, starting: Mapping[TopicPartition, int], abandoned: Callable[[], bool]) -> None:
        if starting:
            once_empty(lambda: self._group.commit(starting, self._note), _PATIENCE_S, abandoned)
            self._committed = dict(starting)
