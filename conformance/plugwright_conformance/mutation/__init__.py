"""Machine-made mutants: inserts typical faults into any connector."""

from __future__ import annotations

from plugwright_conformance.mutation._equivalents import Equivalents
from plugwright_conformance.mutation._fate import Fate, How
from plugwright_conformance.mutation._making import CodeMutant, mutants_of, own_modules
from plugwright_conformance.mutation._report import MutationRun, Tried, render_runs
from plugwright_conformance.mutation._run import MutationPlan, find_operators
from plugwright_conformance.mutation.module_code import Change, ModuleCode
from plugwright_conformance.mutation.mutation_operator import Operator
from plugwright_conformance.mutation.trial import offline

__all__ = [
    "Change",
    "CodeMutant",
    "Equivalents",
    "Fate",
    "How",
    "ModuleCode",
    "MutationPlan",
    "MutationRun",
    "Operator",
    "Tried",
    "find_operators",
    "mutants_of",
    "offline",
    "own_modules",
    "render_runs",
]
