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


def test_no_id_is_used_twice():
    """An id means one check for ever."""
    assert max(Counter(check.id for check in CHECKS).values()) == 1


def test_checks_stand_in_the_catalogue_as_built():
    """Severity and level are those of the catalogue."""
    assert {check.id: f"{check.severity.value} {check.level.name}" for check in CHECKS} == CATALOGUE


def test_checks_say_what_they_claim_why_and_how_to_mend():
    """Each text is a sentence of its own."""
    texts = {check.id: {check.title, check.why, check.mend} for check in CHECKS}

    assert [name for name, said in texts.items() if len(said) != 3] == []
    assert [name for name, said in texts.items() if min(map(len, said)) <= 10] == []


def test_checks_are_filed_where_their_ids_say():
    """The middle of the id names the group."""
    groups = {check.id: check.group for check in CHECKS}

    assert groups == {name: GROUPS[name.split("-")[1]] for name in groups}


def test_checks_for_one_kind_say_so_in_their_ids():
    """Ids of sources and sinks apply to nothing else."""
    both = {"source", "sink"}
    kinds = {check.id: check.kinds - KINDS.get(check.id.split("-")[0], both) for check in CHECKS}

    assert {name: others for name, others in kinds.items() if others} == {}


def test_checks_are_complete():
    """Everything that a result is made of is there."""
    assert [check for check in CHECKS if not issubclass(check, Check)] == []
    assert [check.id for check in CHECKS if not isinstance(check.level, Level)] == []
    assert [check.id for check in CHECKS if not isinstance(check.severity, Severity)] == []
    assert [check.id for check in CHECKS if check.revision < 1] == []
    assert [check.id for check in CHECKS if check.budget_s < 20] == []


@pytest.mark.parametrize(
    ("name", "lives"), [("SNK-OFF-03", 25), ("SNK-OFF-05", 25), ("SNK-ERR-01", 73)]
)
def test_sweeps_have_time_for_tasks_with_threads(name, lives):
    """In each life they may have to wait three real seconds for these, and some for themselves."""
    (check,) = (check for check in CHECKS if check.id == name)

    assert check.budget_s >= lives * (3 + 1)


def test_checks_have_mutants():
    """Nothing guards a check but the connector that it must fail."""
    assert {check.id for check in CHECKS} - {mutant.killed_by for mutant in MUTANTS} == set()


def test_mutants_name_a_check_and_its_words():
    """The contract of the kill matrix is complete."""
    assert {mutant.killed_by for mutant in MUTANTS} - set(CATALOGUE) == set()
    assert [m.id for m in MUTANTS if not re.fullmatch(r"M\d{3}[a-z]?", m.id)] == []
    assert [m.id for m in MUTANTS if not m.says] == []
    assert [m.id for m in MUTANTS if bool(m.module) == bool(m.spoil)] == []


def test_mutants_stand_in_order():
    """Ids rise, so none is there twice."""
    ids = [mutant.id for mutant in MUTANTS]

    assert ids == sorted(set(ids))
