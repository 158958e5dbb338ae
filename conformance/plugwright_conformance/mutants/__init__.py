"""Faulty connectors: for each check at least one that must fail it.

Adding one is a class with the decorator `mutant` in a module here.
"""

from __future__ import annotations

from pathlib import Path

from plugwright_conformance.mutants._benign import BENIGN
from plugwright_conformance.mutants.mutant import Mutant, declared, materialise, materialise_base

__all__ = ["BENIGN", "MUTANTS", "Mutant", "materialise", "materialise_base"]

_FOUND = (made for file in Path(__file__).parent.glob("*.py") for made in declared(file))

MUTANTS = tuple(sorted(_FOUND, key=lambda mutant: mutant.id))
"""Every mutant, in catalogue order; those from M172 on are not in the catalogue."""
