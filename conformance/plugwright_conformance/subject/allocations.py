"""How much memory the lines of a plugin hold, by Python's own trace of allocations."""

from __future__ import annotations

import gc
import tracemalloc
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

__all__ = ["Line", "held_by_lines", "tracing"]


class Line(NamedTuple):
    """A line of code.

    Attributes:
        file: as the interpreter knows it.
        number: from 1.
    """

    file: str
    number: int


@contextmanager
def tracing() -> Iterator[None]:
    """Python notes which line allocates what; not if it did so before."""
    if tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def held_by_lines(root: Path, apart_from: Collection[Path]) -> Mapping[Line, int]:
    """The bytes that each line of a location has allocated and nobody has freed.

    What a line calls counts if it is written in C, such as ``list.append()``; what another Python
    function allocates is that function's.

    Args:
        root: the location.
        apart_from: files and directories that lie there and are not the plugin's.
    """
    gc.collect()
    home, others = root.resolve(), [path.resolve() for path in apart_from]
    held: dict[Line, int] = {}
    inside: dict[str, bool] = {}
    for statistic in tracemalloc.take_snapshot().statistics("lineno"):
        frame = statistic.traceback[0]
        if frame.filename not in inside:
            path = Path(frame.filename).resolve()
            inside[frame.filename] = path.is_relative_to(home) and not any(
                path.is_relative_to(other) for other in others
            )
        if inside[frame.filename]:
            held[Line(frame.filename, frame.lineno)] = statistic.size
    return held
