"""Sinks that do with headers what they do not declare."""

from __future__ import annotations

from plugwright_conformance.mutants._mutant import Mutant

__all__ = ["HEADER_MUTANTS"]

HEADER_MUTANTS = (
    Mutant(
        id="M175",
        fault="headers get into the values, declared as ignored",
        base="rows-sink",
        killed_by="SNK-TYP-08",
        says="put with headers, which are ignored",
        module="rows_sink_headers",
        class_name="MixesHeadersIn",
    ),
)
