"""The registry of checks and the mutants that keep it honest."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Level, Severity
from plugwright_conformance.mutants import MUTANTS

AS_BUILT = """
PLG-PKG must C1 01 02 03 04 05 06 08 10 11 14 16
PLG-PKG should C1 09
PLG-DSC must C1 01 02 03 04 05 06 07 08 09 13 14
CON-CAP must C2 01 02 03
CON-CFG must C1 01 02 03 14
CON-CFG must C2 04 05 06 08 09 10
CON-CFG should C2 07
CON-DOC must C1 01 02
CON-LIF must C2 01 02 03 04 05 06 07 08 09 10 11
CON-LIF must C4 12
SRC-TYP must C2 01 02 03 04 06 07 09
SNK-TYP must C2 01 02 03 04 05 06 09 10 12
SNK-TYP should C2 08
SRC-OFF must C3 01 02 03 04 05 06 07 08 10 12
SNK-OFF must C3 01 02 03 04 05 06
CON-DLV must C3 01 02 03 13
CON-DLV must C5 05
CON-ERR must C2 01 03
CON-ERR must C4 04 05
SRC-ERR must C3 01 02 04
SNK-ERR must C3 01 03 04 05 06 10
CON-PAR must C2 01
CON-PAR must C3 02 03
CON-PAR must C4 05 07
CON-REB must C4 01
CON-REB should C4 02
CON-RES must C2 01 02 03 08 09
CON-RES must C3 07
CON-SEC must C1 01
CON-SEC must C2 02 03 04 06 07 08
CON-SEC must C3 09
CON-OBS must C2 04
CON-SPK must C2 01 10
CON-SPK must C3 03
CON-SPK must C4 05
SNK-REB must C4 01 02
SNK-SCH must C3 01 02 03 05 08
SNK-SCH should C3 04
"""
"""Beginning of the id, severity, level and numbers: what levels were awarded by so far."""
KINDS = {"SRC": {"source"}, "SNK": {"sink"}}


def test_no_id_is_used_twice():
    """An id means one check for ever."""
    assert max(Counter(check.id for check in CHECKS).values()) == 1


def test_checks_keep_the_weight_that_they_were_built_with():
    """Severity and level are those of the catalogue; what is new is not named here."""
    weights = {check.id: f"{check.severity.value} {check.level.name}" for check in CHECKS}
    built = {
        f"{beginning}-{number}": f"{severity} {level}"
        for beginning, severity, level, *numbers in map(str.split, AS_BUILT.split("\n")[1:-1])
        for number in numbers
    }

    assert len(built) == 136
    assert {name: weights.get(name) for name in built} == built


def test_checks_say_what_they_claim_why_and_how_to_mend():
    """Each text is a sentence of its own."""
    texts = {check.id: {check.title, check.why, check.mend} for check in CHECKS}

    assert [name for name, said in texts.items() if len(said) != 3] == []
    assert [name for name, said in texts.items() if min(map(len, said)) <= 10] == []


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
    assert {mutant.killed_by for mutant in MUTANTS} - {check.id for check in CHECKS} == set()
    assert [m.id for m in MUTANTS if not re.fullmatch(r"M\d{3}[a-z]?", m.id)] == []
    assert [m.id for m in MUTANTS if not m.failure] == []
    assert [m.id for m in MUTANTS if bool(m.module) == bool(m.spoil)] == []


def test_mutants_stand_in_order():
    """Ids rise, so none is there twice."""
    ids = [mutant.id for mutant in MUTANTS]

    assert ids == sorted(set(ids))
