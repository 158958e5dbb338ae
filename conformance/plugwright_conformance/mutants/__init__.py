"""Broken on purpose: for each check a small wrong connector that it must find."""

from __future__ import annotations

from plugwright_conformance.mutants._mutant import Mutant, materialise

__all__ = ["MUTANTS", "Mutant", "materialise"]

MUTANTS = (
    Mutant(
        id="M091a",
        fault="drops every hundredth record",
        base="file-sink",
        killed_by="CON-DLV-01",
        says="lost",
        module="sink_drops_every_hundredth",
    ),
)
"""Every mutant, in catalogue order."""
