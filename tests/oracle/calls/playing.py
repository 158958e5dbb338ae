"""Plays the lives of connectors with a worker, whichever it is, and reads what they were called."""

from __future__ import annotations

import json
import logging
import re
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from tests.oracle.calls.lives import BEATS, EXACT, PLAIN
from tests.oracle.worker.playing import contains, play
from tests.oracle.worker.workers import PluginPackage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.oracle.calls.lives import Life
    from tests.oracle.worker.playing import Stage

__all__ = ["PACKAGES", "SETTINGS", "Calls", "lived"]

_API = "org.apache.kafka.connect"
_AT_ONCE = 4
_EXACTLY_ONCE = "exactly.once.source.support"
_PAUSE_S = 0.05
PACKAGES = (
    PluginPackage(
        "witness",
        Path(__file__).with_name("plugins"),
        {
            f"{_API}.source.SourceConnector": ("witness.WitnessSourceConnector",),
            f"{_API}.sink.SinkConnector": ("witness.WitnessSinkConnector",),
        },
        ("1.0.0",),
    ),
)
_CONVERTERS = {"value.converter": f"{_API}.storage.StringConverter"}
SETTINGS = {
    PLAIN: {**_CONVERTERS, "offset.flush.interval.ms": "3600000", _EXACTLY_ONCE: "disabled"},
    BEATS: {**_CONVERTERS, "offset.flush.interval.ms": "300", _EXACTLY_ONCE: "disabled"},
    EXACT: {**_CONVERTERS, "offset.flush.interval.ms": "3600000"},
}
"""Offsets are committed when a script asks and at the end, or often; calls depend on no clock."""

log = logging.getLogger(__name__)
Calls = dict[str, list[str]]
"""The calls of each: of the connector, of a task, of a task about records that are written."""


def lived(stage: Stage, lives: Iterable[Life], wait_s: float) -> dict[str, Calls]:
    """The calls of each life; several are lived side by side."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda each: (each.name, _one(stage, each, wait_s)), lives)
        return dict(found)


def _one(stage: Stage, life: Life, wait_s: float) -> Calls:
    """The calls of a life; what was waited for in vain is among them."""
    file = stage.directory / f"{life.name}.calls"
    read, unreached = 0, []
    for step in life.steps:
        if "called" in step:
            reached, read = _awaited(file, step["called"], read, wait_s)
        else:
            answer = play(stage, step, wait_s)
            reached = "until" not in step or contains(answer, step["until"])
        if not reached:
            unreached.append(json.dumps(step))
            log.warning("%s: waited in vain for %s", life.name, unreached[-1])
    return {**_sequences(_lines(file)), **({"unreached": unreached} if unreached else {})}


def _awaited(file: Path, patterns: Sequence[str], read: int, wait_s: float) -> tuple[bool, int]:
    """Whether calls match all patterns, of those after the first ``read``; and the last of them."""
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline:
        lines = _lines(file)[read:]
        found = [_first(pattern, lines) for pattern in patterns]
        if None not in found:
            return True, read + max(number or 0 for number in found)
        time.sleep(_PAUSE_S)
    return False, read


def _first(pattern: str, lines: Sequence[str]) -> int | None:
    """The number of the first line with a call that matches; actors may be named or not."""
    matches = re.compile(rf"(\S+ )?({pattern})").match
    return next((number for number, line in enumerate(lines, 1) if matches(line)), None)


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines() if file.exists() else []


def _sequences(lines: Sequence[str]) -> Calls:
    """The calls of each actor, without those whose number depends on time."""
    found: Mapping[str, list[str]] = defaultdict(list)
    for line in lines:
        actor, _, call = line.partition(" ")
        if call != "idle":
            sequence = f"{actor} records" if call.startswith("commit_record ") else actor
            found[sequence].append(call)
    return {sequence: _merged(calls) for sequence, calls in sorted(found.items())}


def _merged(calls: Sequence[str]) -> list[str]:
    """Batches that follow each other read as one, and so do commits that repeat each other."""
    found: list[str] = []
    for call in calls:
        if found and _is_batch(call) and _is_batch(found[-1]):
            found[-1] += call.removeprefix("put")
        elif not (_is_commit(call) and call in _commits(found)):
            found.append(call)
    return found


def _is_batch(call: str) -> bool:
    return call.startswith("put ") and " -> " not in call


def _is_commit(call: str) -> bool:
    return call == "commit" or call.startswith(("pre_commit", "flush"))


def _commits(calls: Sequence[str]) -> list[str]:
    """The last calls, as far as they are of a commit that nothing has followed."""
    found = []
    for call in reversed(calls):
        if not _is_commit(call):
            break
        found.append(call)
    return found
