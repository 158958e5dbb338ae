"""The state after a crash; crashes with equal state share one continuation.

The next task knows nothing of the last one but what is in Kafka and at the endpoint. If both are
the same after two crashes, so is everything that follows.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from plugwright_conformance.simulator.calls import READING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from plugwright_conformance.simulator._experiment import Experiment
    from plugwright_conformance.simulator._life import LifeReport

_LOCAL = {"os", "io", "file", "sqlite3"}
_HARMLESS = {"open", "fsync", "fdatasync", *READING}
_CLOSING = {"close", "__exit__"}


def is_visible(life: LifeReport) -> bool:
    """Whether all that a task does to its endpoint can be found in the endpoint's directory.

    It cannot if the task goes over the network, or through a library whose calls are not seen, or
    if a thread of its own makes calls at moments that do not repeat.
    """
    return bool(life.calls) and not any(
        call.own_thread or call.name.partition(".")[0] not in _LOCAL for call in life.calls
    )


def left_behind(experiment: Experiment, crashed: LifeReport) -> Hashable:
    """Everything that the next task can find: Kafka, the endpoint's files, what was done to others.

    The time is not part of it.
    """
    directory = experiment.endpoint.directory
    files = tuple(
        (str(path.relative_to(directory)), _contents(path)) for path in sorted(directory.rglob("*"))
    )
    return experiment.world.durable(), files, _effects(crashed.events)


def _contents(path: Any) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b""


def _effects(events: Sequence[str]) -> int:
    """How many calls may have changed something, wherever it is; a close may end a write."""
    count, written = 0, False
    for event in events:
        name, _, when = event.rpartition(" ")
        verb = name.rpartition(".")[2]
        if when != "after" or verb.startswith(tuple(_HARMLESS)):
            continue
        if verb not in _CLOSING:
            written = True
        count += written
    return count
