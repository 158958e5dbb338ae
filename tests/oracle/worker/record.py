"""Records the conversation anew: holds it with the real Kafka Connect worker."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.playing import contains, play
from tests.oracle.worker.recording import DIRECTORY, Line, read, write
from tests.oracle.worker.scenario import chapters
from tests.oracle.worker.steps import BOTH
from tests.oracle.worker.workers import KAFKA, java_worker
from tests.peer.java_connect import peer_jars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracle.worker.playing import Stage
    from tests.oracle.worker.steps import Step

__all__ = ["main", "record"]

_WAIT_S = 25.0


def record(mode: str, only: Sequence[str] = ()) -> list[Line]:
    """Hold the conversation, or some chapters of it, with Java."""
    found = []
    with java_worker(mode) as stage:
        for chapter in chapters(mode):
            if only and chapter.name not in only:
                continue
            found += [_recorded(stage, *numbered) for numbered in chapter.numbered(mode)]
            sys.stderr.write(f"{mode}: {chapter.name}\n")
    return found


def _recorded(stage: Stage, key: str, step: Step) -> Line:
    answer = play(stage, step, _WAIT_S)
    if "until" in step and not contains(answer, step["until"]):
        sys.stderr.write(f"{key}: waited in vain for {step}: {json.dumps(answer)[:600]}\n")
    return Line(key, step, answer)


def _facts(mode: str) -> dict[str, Any]:
    digests = {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in peer_jars()}
    named = {name: digest for name, digest in digests.items() if KAFKA in name}
    return {"kafka": KAFKA, "mode": mode, "jars": named}


def _merged(mode: str, fresh: Sequence[Line], only: Sequence[str]) -> list[Line]:
    """The recording with only some chapters new."""
    if not only or not (DIRECTORY / f"{mode}.jsonl").exists():
        return list(fresh)
    kept = [line for line in read(mode) if line.chapter not in only]
    order = {chapter.name: place for place, chapter in enumerate(chapters(mode))}
    return sorted([*kept, *fresh], key=lambda line: order.get(line.chapter, -1))


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the recordings; the difference is to be reviewed like code."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.worker.record")
    parser.add_argument("--mode", choices=BOTH, action="append", help="default: both")
    parser.add_argument("chapters", nargs="*", help="only these; the others stay as they are")
    options = parser.parse_args(arguments)
    for mode in options.mode or BOTH:
        lines = _merged(mode, record(mode, options.chapters), options.chapters)
        path = write(mode, _facts(mode), lines)
        sys.stderr.write(f"{len(lines)} steps in {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
