"""The recordings: JSON lines, first what was recorded, then each step with its answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.oracle.worker.packing import Parts
from tests.oracle.worker.steps import body_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.oracle.worker.steps import Step

__all__ = ["DIRECTORY", "Line", "chapters_of", "failed_requests", "head", "read", "write"]

_FAILED = 500
DIRECTORY = Path(__file__).parents[2] / "golden" / "java_worker"


@dataclass(frozen=True, slots=True)
class Line:
    """One step with the answer of Java.

    Attributes:
        id: chapter and number.
        step: what is done.
        answer: ``status``, ``headers`` and ``body``; ``None`` where the worker is not asked.
    """

    id: str
    step: Step
    answer: dict[str, Any] | None

    @property
    def chapter(self) -> str:
        """The part of the conversation that the step belongs to."""
        return self.id.partition("/")[0]


def head(mode: str) -> dict[str, Any]:
    """What was recorded: the version of Kafka, and the jars by their digests."""
    return dict(_rows(mode)[0])


@cache
def read(mode: str) -> tuple[Line, ...]:
    """The recording of a mode, ``standalone`` or ``distributed``."""
    rows = _rows(mode)[1:]
    parts = Parts([row["part"] for row in rows if "part" in row])
    steps = (row for row in rows if "step" in row)
    return tuple(Line(row["id"], row["step"], parts.unpack(row.get("answer"))) for row in steps)


def chapters_of(mode: str) -> tuple[str, ...]:
    """The names of the chapters in their order."""
    return tuple(dict.fromkeys(line.chapter for line in read(mode)))


def failed_requests(mode: str, chapter: str) -> frozenset[tuple[str, bytes]]:
    """Method and target, and body, of each request that Java answered with 500."""
    return frozenset(
        (line.step["ask"], (body_of(line.step) or "").encode("utf-8", "surrogateescape"))
        for line in read(mode)
        if line.chapter == chapter and line.answer and line.answer["status"] == _FAILED
    )


def write(mode: str, facts: Mapping[str, Any], lines: Iterable[Line]) -> Path:
    """Write a recording; parts that its answers share stand before them."""
    parts, steps = Parts(), []
    for line in lines:
        answer = {} if line.answer is None else {"answer": parts.pack(line.answer)}
        steps.append({"id": line.id, "step": line.step, **answer})
    rows = [facts, *({"part": part} for part in parts.rows), *steps]
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    path = DIRECTORY / f"{mode}.jsonl"
    path.write_text("".join(f"{json.dumps(row, separators=(',', ':'))}\n" for row in rows), "utf-8")
    read.cache_clear()
    return path


def _rows(mode: str) -> list[dict[str, Any]]:
    text = (DIRECTORY / f"{mode}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]
