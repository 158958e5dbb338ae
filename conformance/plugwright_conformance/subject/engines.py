"""The engines that a plugin declares, and the names of results per engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ENGINES", "RESIDENT", "STREAM", "claimed_engines", "engines_problem", "labelled"]

RESIDENT = "resident"
"""Tasks that stay: what runs a connector whose configuration says nothing else."""

STREAM = "stream"
"""Structured Streaming, batch by batch (``spark.engine=stream``); for sinks only."""

ENGINES = (RESIDENT, STREAM)
"""Every engine, in the order of a run."""


def claimed_engines(kind: str, capabilities: Mapping[str, object]) -> tuple[str, ...]:
    """The engines that a plugin of a kind claims, in the order of a run."""
    found = capabilities.get("engines", (RESIDENT,))
    claimed = found if kind == "sink" and isinstance(found, list | tuple) else (RESIDENT,)
    return tuple(engine for engine in ENGINES if engine in claimed)


def engines_problem(kind: str, found: object) -> str:
    """The problem of a declared list of engines; empty if none."""
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        return f"engines must be a list of text, found {found!r}"
    if strange := [each for each in found if each not in ENGINES]:
        return f"engines must be among {', '.join(ENGINES)}, found {strange[0]!r}"
    if RESIDENT not in found or len(set(found)) < len(found):
        return (
            f"engines must name {RESIDENT}, which runs a connector unless its configuration says "
            f"otherwise, and each engine once, found {found!r}"
        )
    if kind == "source" and STREAM in found:
        return (
            f"engines of a source can be {RESIDENT} only, found {STREAM!r}: a stream of Spark has "
            "neither poll-then-know-offset nor Kafka's transactions"
        )
    return ""


def labelled(name: str, which: str) -> str:
    """A name, with what tells several of it apart, such as its engine: ``CON-DLV-01[stream]``."""
    return f"{name}[{which}]" if which else name
