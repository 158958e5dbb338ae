"""``ConfigDef`` does what Java's does, but for the table of deviations."""

from __future__ import annotations

from typing import Any

import pytest
from tests.oracle.golden import golden
from tests.runtime.config.comparing import outcome
from tests.runtime.schema.deviation import Deviation, expected_outcome

from plugwright.config import (
    NO_DEFAULT_VALUE,
    ConfigDef,
    ConfigKey,
    ConfigType,
    Importance,
    LambdaValidator,
    Width,
    to_enriched_rst,
    to_html,
)

LINES = golden("definition")
PLUGINS = golden("configdef")


DEVIATIONS = (
    Deviation(
        "classes-of-java",
        r"definition/(parse/CLASS/25|render/class)",
        "error",
        "There is no Java class to load where plugins are Python.",
    ),
    Deviation(
        "width",
        r"definition/parse/(INT/(long|short)|LONG/short|SHORT/(int|long))",
        "value",
        "Python has one class of whole numbers; one in range is taken.",
    ),
    Deviation(
        "secret-in-message",
        r"definition/parse/PASSWORD/(boolean|double|float|int|list|list-of-int|long|short)",
        "message",
        "Java prints a password that it cannot parse; ours never does.",
    ),
    Deviation(
        "text-in-milliseconds",
        r"definition/render/text-ms",
        "value",
        "Java fails with a ClassCastException where the name of a text ends in .ms or .bytes.",
    ),
    Deviation(
        "size-of-null",
        r"definition/validator/list-size/(4|missing)",
        "value",
        "Java fails with a NullPointerException, and the whole validation with it.",
    ),
)


def test_definitions_are_those_of_java_or_as_the_table_of_deviations_says():
    """Values, documents and messages equal Java's; where they do not, a row tells why."""
    found = {line.id: outcome(line) for line in LINES}

    assert found == {line.id: expected_outcome(DEVIATIONS, line.id) for line in LINES}


@pytest.mark.parametrize("rule", DEVIATIONS, ids=str)
def test_a_deviation_concerns_golden_cases(rule):
    """A row whose cases are gone has to go as well."""
    assert any(rule.concerns(line.id) for line in LINES)


@pytest.mark.parametrize("line", PLUGINS, ids=str)
def test_documents_of_kafkas_plugins_are_those_of_java(line):
    """The definitions of real plugins, spelled out key by key, give the same documents."""
    definition, expected = _copied(line.result), line.result

    assert list(definition.groups) == expected["groups"]
    assert to_enriched_rst(definition) == expected["enriched_rst"]
    assert to_html(definition) == expected["html"]


def _copied(result: dict[str, Any]) -> ConfigDef:
    """The definition that the golden keys describe; groups come in the order of Java."""
    definition = ConfigDef()
    places = {group: place for place, group in enumerate(result["groups"])}
    for key in sorted(result["keys"], key=lambda key: places.get(key["group"], -1)):
        definition.add(_copied_key(key))
    return definition


def _copied_key(key: dict[str, Any]) -> ConfigKey:
    text = key["validator"]
    check = None if text is None else LambdaValidator.with_(lambda *_: None, lambda: text)
    return ConfigKey(
        key["name"],
        ConfigType[key["type"]],
        NO_DEFAULT_VALUE if key["required"] else key["default"],
        Importance[key["importance"]],
        key["documentation"],
        check,
        key["group"],
        key["order"],
        Width[key["width"]],
        key["display_name"],
        tuple(key["dependents"]),
        internal=key["internal"],
        alternative_string=key["alternative"],
    )


def test_all_cases_are_there():
    """The comparison cannot pass by not running."""
    assert (len(LINES) > 430, len(PLUGINS)) == (True, 29)
