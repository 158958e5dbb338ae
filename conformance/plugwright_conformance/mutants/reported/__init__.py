"""Faults that were reported in public connector projects, in miniature, and odd good connectors.

Nobody fitted them to the checks: they were written from the reports, before the checks were read.
They have an index of their own; the kill matrix does not count them.
"""

from __future__ import annotations

from plugwright_conformance.mutants.reported._bases import BASES
from plugwright_conformance.mutants.reported._reported import Base, Reported, good, materialise
from plugwright_conformance.mutants.reported._second_set import SECOND_SET
from plugwright_conformance.mutants.reported._sinks import SETTINGS, SINKS
from plugwright_conformance.mutants.reported._sources import SOURCES
from plugwright_conformance.mutants.reported._unusual import UNUSUAL

__all__ = ["BASES", "REPORTED", "SECOND_SET", "UNUSUAL", "Base", "Reported", "good", "materialise"]

REPORTED = (*SOURCES, *SINKS, *SETTINGS)
"""Every reported fault, in the order of their ids."""
