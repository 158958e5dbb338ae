"""Answers of a cluster that has not settled: tasks are made after a change has been answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.worker.steps import DISTRIBUTED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.oracle.worker.comparing import Difference
    from tests.oracle.worker.recording import Line

__all__ = ["is_read", "unsettled", "without_transient"]

_READS = ("GET", "HEAD", "OPTIONS")
_TASKS = "body.tasks[]"


def is_read(line: Line) -> bool:
    """Whether a step only looks, so that it may be asked again."""
    return line.step.get("ask", "").partition(" ")[0] in _READS


def unsettled(mode: str, lines: Iterable[Line]) -> Iterator[tuple[Line, bool]]:
    """Each step with whether something has changed in a cluster since the last wait for a state."""
    changed = False
    for line in lines:
        changed = mode == DISTRIBUTED and not _waits(line) and (changed or _changes(line))
        yield line, changed


def _waits(line: Line) -> bool:
    return "until" in line.step


def _changes(line: Line) -> bool:
    return "ask" in line.step and not is_read(line)


def without_transient(every: Sequence[Difference]) -> list[Difference]:
    """Differences, but that one worker has the former tasks and the other the new ones."""
    return [each for each in every if not (each.place == _TASKS and _are_both_whole(each))]


def _are_both_whole(difference: Difference) -> bool:
    """Whether both sides have all tasks of a generation, which may be none, of one connector."""
    sides: list[list[dict[str, Any]]] = [difference.expected, difference.found]
    numbers = [[each["task"] for each in side] for side in sides]
    owners = {each["connector"] for side in sides for each in side}
    return numbers == [list(range(len(side))) for side in sides] and len(owners) == 1
