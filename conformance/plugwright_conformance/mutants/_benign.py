"""Benign controls: odd, but right; a check that finds something wrong with them is wrong."""

from __future__ import annotations

from plugwright_conformance.mutants._mutant import Mutant

__all__ = ["BENIGN"]


def _benign(name: str, oddity: str, base: str, class_name: str = "") -> Mutant:
    module = f"rows_benign_{base.rpartition('-')[2]}" if class_name else ""
    return Mutant(name, oddity, base, killed_by="", says="", module=module, class_name=class_name)


BENIGN = (
    _benign("G02", "buffers until flush", "lines-sink", "BuffersUntilFlush"),
    _benign("G05", "single-task source for any number of tasks", "lines-source"),
    _benign("G06", "poll blocks until its legal limit", "lines-source", "BlocksToTheLimit"),
    _benign("G09", "leaves tombstones out, declared", "lines-sink"),
    _benign("G10", "acknowledges late", "lines-sink", "LagsBehind"),
    _benign("G11", "promises nothing when nothing is new", "lines-sink", "SilentWhenNothingIsNew"),
    _benign("G12", "threads of its own, joined", "lines-sink", "ThreadsOfItsOwn"),
    _benign("G14", "integers and nulls in its maps", "lines-source", "IntegersInMaps"),
)
"""Those of the catalogue's controls that wave 1 needs, as mutants that nothing kills."""
