"""The registry of checks and the mutants that keep it honest."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from plugwright_conformance.check import Check
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.mutants import MUTANTS
from plugwright_conformance.outcome import Level, Severity

CATALOGUE = {
    "PLG-PKG-01": "must C1",
    "PLG-PKG-02": "must C1",
    "PLG-PKG-03": "must C1",
    "PLG-PKG-04": "must C1",
    "PLG-PKG-05": "must C1",
    "PLG-PKG-06": "must C1",
    "PLG-PKG-08": "must C1",
    "PLG-PKG-09": "should C1",
    "PLG-PKG-10": "must C1",
    "PLG-PKG-11": "must C1",
    "PLG-PKG-14": "must C1",
    "PLG-PKG-16": "must C1",
    "PLG-DSC-01": "must C1",
    "PLG-DSC-02": "must C1",
    "PLG-DSC-03": "must C1",
    "PLG-DSC-04": "must C1",
    "PLG-DSC-05": "must C1",
    "PLG-DSC-06": "must C1",
    "PLG-DSC-07": "must C1",
    "PLG-DSC-08": "must C1",
    "PLG-DSC-09": "must C1",
    "PLG-DSC-13": "must C1",
    "PLG-DSC-14": "must C1",
    "CON-CAP-01": "must C2",
    "CON-CAP-02": "must C2",
    "CON-CAP-03": "must C2",
    "CON-CFG-01": "must C1",
    "CON-CFG-02": "must C1",
    "CON-CFG-03": "must C1",
    "CON-CFG-04": "must C2",
    "CON-CFG-05": "must C2",
    "CON-CFG-06": "must C2",
    "CON-CFG-07": "should C2",
    "CON-CFG-08": "must C2",
    "CON-CFG-09": "must C2",
    "CON-CFG-14": "must C1",
    "CON-DOC-01": "must C1",
    "CON-DOC-02": "must C1",
    "CON-LIF-01": "must C2",
    "CON-LIF-02": "must C2",
    "CON-LIF-03": "must C2",
    "CON-LIF-04": "must C2",
    "CON-LIF-05": "must C2",
    "CON-LIF-06": "must C2",
    "CON-LIF-07": "must C2",
    "CON-LIF-09": "must C2",
    "CON-LIF-10": "must C2",
    "CON-LIF-11": "must C2",
    "SRC-TYP-01": "must C2",
    "SRC-TYP-02": "must C2",
    "SRC-TYP-03": "must C2",
    "SRC-TYP-04": "must C2",
    "SRC-TYP-06": "must C2",
    "SRC-TYP-07": "must C2",
    "SRC-TYP-09": "must C2",
    "SNK-TYP-01": "must C2",
    "SNK-TYP-02": "must C2",
    "SNK-TYP-03": "must C2",
    "SNK-TYP-04": "must C2",
    "SNK-TYP-05": "must C2",
    "SNK-TYP-06": "must C2",
    "SNK-TYP-09": "must C2",
    "SNK-TYP-10": "must C2",
    "SNK-TYP-12": "must C2",
    "SRC-OFF-01": "must C3",
    "SRC-OFF-02": "must C3",
    "SRC-OFF-03": "must C3",
    "SRC-OFF-04": "must C3",
    "SRC-OFF-05": "must C3",
    "SRC-OFF-06": "must C3",
    "SRC-OFF-10": "must C3",
    "SNK-OFF-01": "must C3",
    "SNK-OFF-02": "must C3",
    "SNK-OFF-03": "must C3",
    "SNK-OFF-04": "must C3",
    "SNK-OFF-05": "must C3",
    "CON-DLV-01": "must C3",
    "CON-DLV-02": "must C3",
    "CON-PAR-01": "must C2",
    "CON-PAR-02": "must C3",
    "CON-PAR-03": "must C3",
    "CON-DLV-03": "must C3",
    "CON-DLV-05": "must C5",
    "CON-DLV-13": "must C3",
    "CON-ERR-01": "must C2",
    "CON-ERR-03": "must C2",
    "CON-ERR-05": "must C4",
    "SRC-ERR-01": "must C3",
    "SRC-ERR-02": "must C3",
    "SRC-ERR-04": "must C3",
    "SNK-ERR-01": "must C3",
    "SNK-ERR-04": "must C3",
    "SNK-ERR-05": "must C3",
    "SNK-ERR-06": "must C3",
    "SNK-ERR-10": "must C3",
    "CON-REB-01": "must C4",
    "CON-REB-02": "should C4",
    "SNK-TYP-08": "should C2",
    "CON-RES-01": "must C2",
    "CON-RES-02": "must C2",
    "CON-RES-08": "must C2",
    "CON-RES-09": "must C2",
    "CON-SEC-01": "must C1",
    "CON-SEC-02": "must C2",
    "CON-SEC-03": "must C2",
    "CON-SEC-04": "must C2",
    "CON-SEC-09": "must C3",
    "CON-OBS-04": "must C2",
    "CON-SPK-01": "must C2",
    "CON-SPK-03": "must C3",
    "CON-SPK-05": "must C4",
    "CON-SPK-10": "must C2",
}
GROUPS = {
    "PKG": "Packaging",
    "DSC": "Discovery",
    "CFG": "Configuration",
    "LIF": "Lifecycle",
    "TYP": "Types",
    "PAR": "Parallelism",
    "SPK": "Spark",
    "OFF": "Offsets",
    "DLV": "Delivery",
    "REB": "Worker failure",
    "ERR": "Errors",
    "SEC": "Security",
    "CAP": "Capabilities",
    "DOC": "Documentation",
    "RES": "Resources",
    "OBS": "Observability",
}
KINDS = {"SRC": {"source"}, "SNK": {"sink"}}

each_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
each_mutant = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)


def test_no_id_is_used_twice():
    """An id means one check for ever."""
    assert max(Counter(check.id for check in CHECKS).values()) == 1


@each_check
def test_check_stands_in_the_catalogue_as_built(check):
    """Severity and level are those of the catalogue."""
    assert CATALOGUE[check.id] == f"{check.severity.value} {check.level.name}"


@each_check
def test_check_says_what_it_claims_why_and_how_to_mend(check):
    """Each text is a sentence of its own."""
    texts = {check.title, check.why, check.mend}

    assert len(texts) == 3
    assert min(map(len, texts)) > 10


@each_check
def test_check_is_filed_where_its_id_says(check):
    """The middle of the id names the group."""
    assert check.group == GROUPS[check.id.split("-")[1]]


@each_check
def test_check_for_one_kind_says_so_in_its_id(check):
    """Ids of sources and sinks apply to nothing else."""
    allowed = KINDS.get(check.id.split("-")[0], {"source", "sink"})

    assert check.kinds <= allowed


@each_check
def test_check_is_complete(check):
    """Everything that a result is made of is there."""
    assert issubclass(check, Check)
    assert isinstance(check.level, Level)
    assert isinstance(check.severity, Severity)
    assert check.revision >= 1
    assert check.budget_s >= 20


@each_check
def test_check_has_a_mutant(check):
    """Nothing guards a check but the connector that it must fail."""
    assert check.id in {mutant.killed_by for mutant in MUTANTS}


@each_mutant
def test_mutant_names_a_check_and_its_words(mutant):
    """The contract of the kill matrix is complete."""
    assert mutant.killed_by in CATALOGUE
    assert re.fullmatch(r"M\d{3}[a-z]?", mutant.id)
    assert mutant.says
    assert bool(mutant.module) != bool(mutant.spoil)


def test_mutants_stand_in_order():
    """Ids rise, so none is there twice."""
    ids = [mutant.id for mutant in MUTANTS]

    assert ids == sorted(set(ids))
