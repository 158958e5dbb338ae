"""Every converter does what Java's does, except for the deviations of the table."""

from __future__ import annotations

import pytest
from tests.oracle.golden import Line, golden, golden_files
from tests.oracle.notation import NotRepresentableError, read_data
from tests.runtime.converters.comparing import outcome
from tests.runtime.converters.deviations import DEVIATIONS, Deviation, deviation_of

from plugwright.converters.json_engine import OrjsonEngine, PlainEngine


def _can_be_asked(line: Line) -> bool:
    """Whether Python has the value of the case: a Double under a float32 schema it has not."""
    try:
        read_data(line.case.get("data"))
    except NotRepresentableError:
        return False
    return True


FILES = [name for name in golden_files() if name.startswith("converter.")]
CASES = {name: [line for line in golden(name) if _can_be_asked(line)] for name in FILES}
LINES = [line for lines in CASES.values() for line in lines]


def _allowed(line: Line) -> set[str]:
    rule = deviation_of(line.id)
    return {"same", rule.outcome if rule else "same"}


@pytest.mark.parametrize("name", FILES)
def test_a_converter_does_as_java_does_or_as_the_table_of_deviations_says(name: str) -> None:
    """Bytes and values equal Java's; where they do not, a row of the table tells why."""
    found = {line.id: outcome(line) for line in CASES[name]}
    surprises = {
        line.id: found[line.id] for line in CASES[name] if found[line.id] not in _allowed(line)
    }

    assert surprises == {}


@pytest.mark.slow
def test_json_is_the_same_with_and_without_orjson() -> None:
    """The engine changes the speed, never the result."""
    lines = CASES["converter.JsonConverter"]

    fast = {line.id: outcome(line, OrjsonEngine()) for line in lines}

    assert fast == {line.id: outcome(line, PlainEngine()) for line in lines}


@pytest.mark.slow
@pytest.mark.parametrize("rule", DEVIATIONS, ids=str)
def test_a_deviation_concerns_as_many_cases_as_the_table_says(rule: Deviation) -> None:
    """A rule that concerns more cases, or fewer, has to be looked at."""
    concerned = [line for line in LINES if deviation_of(line.id) is rule]

    assert sum(outcome(line) != "same" for line in concerned) == rule.count


def test_all_converters_have_golden_cases() -> None:
    """The comparison cannot pass by not running."""
    assert len(FILES) == 10
    assert len(LINES) > 1700
    assert sum(line.id.startswith("nulls/") for line in LINES) == 106
