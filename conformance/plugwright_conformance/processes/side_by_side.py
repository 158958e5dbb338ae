"""Runs functions in several processes at a time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from plugwright_conformance.processes.isolated_process import ChildError, IsolatedProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from plugwright_conformance.processes.isolated_process import Host

__all__ = ["WorkEnd", "side_by_side"]

_K = TypeVar("_K")

_LOOK_S, _GRACE_S = 1.0, 60.0


@dataclass(frozen=True, slots=True)
class WorkEnd(Generic[_K]):
    """How one of these processes ended.

    Attributes:
        key: of the work.
        result: what its body returned, if it did.
        error: how its process ended instead.
        is_late: whether it was not done in time.
    """

    key: _K
    result: Any = None
    error: ChildError | None = None
    is_late: bool = False


def side_by_side(
    works: Iterator[tuple[_K, Callable[[], Any]]], most: int, limit_s: float
) -> Generator[WorkEnd[_K]]:
    """Run bodies of work, each in a forked process; none is left when the iteration ends.

    Args:
        works: each with a key; the next one is asked for when there is a process for it.
        most: how many run at a time.
        limit_s: seconds after which one is given up.

    Yields:
        How each ended, as soon as it has.
    """
    running: dict[IsolatedProcess, tuple[_K, float]] = {}
    try:
        while True:
            while len(running) < most and (work := next(works, None)) is not None:
                key, body = work
                process = IsolatedProcess(partial(_run, body), orphan_s=limit_s + _GRACE_S)
                running[process] = key, time.monotonic() + limit_s
            if not running:
                return
            wait([process.line for process in running], _LOOK_S)
            for process in list(running):
                key, until = running[process]
                end = _end(process, key, is_late=time.monotonic() > until)
                if end is not None:
                    del running[process]
                    process.close()
                    yield end
    finally:
        for process in running:
            process.close()


def _run(body: Callable[[], Any], _: Host) -> Any:
    return body()


def _end(process: IsolatedProcess, key: _K, *, is_late: bool) -> WorkEnd[_K] | None:
    try:
        heard = process.hear(0)
    except ChildError as error:
        return WorkEnd(key, error=error)
    if heard is not None:
        return WorkEnd(key, heard[1])
    return WorkEnd(key, is_late=True) if is_late else None
