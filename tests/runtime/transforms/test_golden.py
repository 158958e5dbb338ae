"""Every transformation and predicate does what Java's does, but for the table of deviations."""

from __future__ import annotations

import pytest
from tests.oracle.golden import golden, golden_files
from tests.runtime.transforms.comparing import outcome, plugin
from tests.runtime.transforms.deviations import DEVIATIONS, deviation_of

from plugwright.config import convert_to_string

FILES = [name for name in golden_files() if name.startswith("transform.") or name == "predicate"]
CASES = {name: golden(name) for name in FILES}
LINES = [line for lines in CASES.values() for line in lines]
CONFIGS = [
    line for line in golden("configdef") if not line.case["class"].endswith(("Converter", "Policy"))
]


def _allowed(line):
    rule = deviation_of(line.id)
    return {"same", rule.outcome if rule else "same"}


@pytest.mark.parametrize("name", FILES)
def test_a_plugin_does_as_java_does_or_as_the_table_of_deviations_says(name):
    """Records, verdicts and messages equal Java's; where they do not, a row tells why."""
    found = {line.id: outcome(line) for line in CASES[name]}
    surprises = {
        line.id: found[line.id] for line in CASES[name] if found[line.id] not in _allowed(line)
    }

    assert surprises == {}


@pytest.mark.slow
@pytest.mark.parametrize("rule", DEVIATIONS, ids=str)
def test_a_deviation_concerns_as_many_cases_as_the_table_says(rule):
    """A rule that concerns more cases, or fewer, has to be looked at."""
    concerned = [line for line in LINES if deviation_of(line.id) is rule]

    assert sum(outcome(line) != "same" for line in concerned) == rule.count


@pytest.mark.parametrize("line", CONFIGS, ids=str)
def test_settings_are_those_of_java(line):
    """The same keys with the same types, defaults and importance."""
    ours = plugin(line.case["class"]).config().keys
    expected = {
        key["name"]: (key["type"], key["required"], key["default"], key["importance"])
        for key in line.result["keys"]
    }

    assert {name: _shown(key) for name, key in ours.items()} == expected


def _shown(key):
    default = convert_to_string(key.default_value, key.type) if key.has_default else None
    return key.type.name, not key.has_default, default, key.importance.name


def test_all_plugins_have_golden_cases():
    """The comparison cannot pass by not running, nor may its cases of null settings go."""
    assert (len(FILES), len(CONFIGS)) == (17, 19)
    assert len(LINES) > 1800
    assert sum(line.id.startswith("nulls/") for line in LINES) == 124
