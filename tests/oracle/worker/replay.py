"""Holds the recorded conversation with our worker and says where it is not what Java said."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.comparing import differences
from tests.oracle.worker.deviations import without_argued
from tests.oracle.worker.playing import play
from tests.oracle.worker.recording import chapters_of, read
from tests.oracle.worker.settling import is_read, unsettled, without_transient
from tests.oracle.worker.steps import BOTH, STANDALONE
from tests.oracle.worker.workers import our_herder, our_worker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.oracle.worker.comparing import Difference
    from tests.oracle.worker.playing import Stage
    from tests.oracle.worker.recording import Line

__all__ = ["main", "replayed"]

_PATIENCE_S = 10.0
_PAUSE_S = 0.1
_DRAWN = ("drawn", "further", "third", "fourth")
"""Chapters that begin so were recorded with workers of their own."""


def replayed(
    stage: Stage, mode: str, chapter: str, patience_s: float = 0.0
) -> Iterator[tuple[Line, Any, list[Difference]]]:
    """Each step of a chapter with what our worker answered, and where that differs.

    A state that is not Java's yet is looked at again for ``patience_s``.
    """
    lines = [line for line in read(mode) if line.chapter == chapter]
    for line, transient in unsettled(mode, lines):
        deadline = time.monotonic() + patience_s
        while True:
            found = play(stage, line.step)
            every = differences(line.answer, found)
            every = without_transient(every) if transient else every
            if not every or not is_read(line) or time.monotonic() > deadline:
                break
            time.sleep(_PAUSE_S)
        yield line, found, every


def _report(mode: str, line: Line, found: Any, every: Sequence[Difference], left: object) -> str:
    if not every:
        return ""
    kind = "DIFFERS" if left else "argued"
    lines = [f"{mode} {line.id} {kind}: {json.dumps(line.step)[:300]}"]
    return "\n".join([*lines, *(f"    {each}" for each in every), ""])


def _sittings(chapters: Sequence[str]) -> Iterator[list[str]]:
    """The chapters by the worker that they were recorded with: what one leaves, the next sees."""
    by_worker: dict[str, list[str]] = defaultdict(list)
    for chapter in chapters:
        kind = "drawn" if chapter == "odd-requests" else chapter.partition("-")[0]
        by_worker[kind if kind in _DRAWN else ""].append(chapter)
    yield from by_worker.values()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print every difference, then how many steps are equal or argued."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.worker.replay")
    parser.add_argument("--mode", choices=BOTH, default=STANDALONE)
    parser.add_argument("--in-memory", action="store_true", help="without Spark and Kafka")
    parser.add_argument("chapters", nargs="*", help="only these")
    options = parser.parse_args(arguments)
    tally: dict[str, int] = defaultdict(int)
    patience_s = 0.0 if options.in_memory else _PATIENCE_S
    for chapters in _sittings(options.chapters or chapters_of(options.mode)):
        opened = our_herder(options.mode) if options.in_memory else our_worker(options.mode)
        with opened as stage:
            for chapter in chapters:
                for line, found, every in replayed(stage, options.mode, chapter, patience_s):
                    if line.answer is None:
                        continue
                    left = without_argued(options.mode, line, every)
                    tally["differ" if left else "argued" if every else "equal"] += 1
                    tally["same words"] += line.answer == found
                    sys.stdout.write(_report(options.mode, line, found, every, left))
    total = tally["equal"] + tally["argued"] + tally["differ"]
    sys.stdout.write(f"{options.mode}: {total} steps, {dict(tally)}\n")
    return 1 if tally["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
