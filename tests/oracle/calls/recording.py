"""The recording of what Kafka Connect 4.3.1 calls: JSON lines, one for each life."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.oracle.calls.lives import SITTINGS
from tests.oracle.calls.playing import PACKAGES, SETTINGS, lived
from tests.oracle.calls.sinks import SINKS
from tests.oracle.calls.sources import SOURCES
from tests.oracle.worker.steps import DISTRIBUTED
from tests.oracle.worker.workers import java_worker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.oracle.calls.lives import Life
    from tests.oracle.calls.playing import Calls

__all__ = ["PATH", "chosen", "main", "recorded"]

_WAIT_S = 12.0
PATH = Path(__file__).parents[2] / "golden" / "java_calls" / "calls-4.3.1.jsonl"


def recorded() -> dict[str, dict[str, Any]]:
    """Steps and calls of each life, by its name."""
    text = PATH.read_text("utf-8") if PATH.exists() else ""
    return {row["life"]: row for row in map(json.loads, text.splitlines())}


def chosen(sitting: str, only: Sequence[str] = ()) -> list[Life]:
    """The lives of a sitting, or some of them."""
    return [
        life
        for life in (*SINKS, *SOURCES)
        if life.sitting == sitting and (not only or life.name in only)
    ]


def _written(calls: Mapping[str, Calls]) -> str:
    rows = [
        {"life": each.name, "steps": list(each.steps), "calls": calls[each.name]}
        for each in (*SINKS, *SOURCES)
    ]
    return "".join(f"{json.dumps(row, separators=(',', ':'))}\n" for row in rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Live with Java, and write what was called; review the difference like code."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.calls.recording")
    parser.add_argument("lives", nargs="*", help="only these; the others stay as they are")
    only = parser.parse_args(arguments).lives
    calls = {name: row["calls"] for name, row in recorded().items()}
    for sitting in SITTINGS:
        if lives := chosen(sitting, only):
            with java_worker(DISTRIBUTED, PACKAGES, SETTINGS[sitting]) as stage:
                calls |= lived(stage, lives, _WAIT_S)
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(_written(calls), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
