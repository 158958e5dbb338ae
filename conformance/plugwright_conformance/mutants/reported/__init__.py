"""Reported faults of public connectors, reproduced in small ones, and unusual good connectors.

They were written from the reports, independently of the checks. They are not part of the kill
matrix.
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
