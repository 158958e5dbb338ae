"""``Values`` does what Java's does, but for the table of deviations."""

from __future__ import annotations

import pytest
from tests.oracle.golden import golden
from tests.runtime.schema.comparing_values import outcome
from tests.runtime.schema.deviation import Deviation, expected_outcome

LINES = golden("values")

DEVIATIONS = (
    Deviation(
        "rest-of-the-text",
        r"values/parse/(array/01[3467]|map/0(21|62)|moment/0(2[4-8]|30|4[789])|number/0(7[5-9]|96))",
        "value",
        "Java takes the first token for the value and drops the rest (KAFKA-20892).",
    ),
    Deviation(
        "moments-that-do-not-exist",
        r"values/parse/moment/0(0[345]|13|2[23]|3[89]|45)",
        "value",
        "Java's lenient calendar turns 2019-13-45 and 2019-08-2a into other days.",
    ),
    Deviation(
        "julian-calendar",
        r"values/parse/moment/0(07|4[346])",
        "value",
        "Java's calendar is Julian before 1582-10-15, that of ISO 8601 and of Python is not.",
    ),
    Deviation(
        "last-container-says-the-schema",
        r"values/parse/(array/05[69]|map/036)",
        "value",
        "Java announces the schema of the last array for others that do not fit it.",
    ),
    Deviation(
        "mixed-logical-types",
        r"values/parse/array/07[123]",
        "value",
        "Java announces a date as time, a number as day, a decimal with another one's scale.",
    ),
    Deviation(
        "narrow-number-in-array",
        r"values/parse/array/055",
        "value",
        "Java leaves a Byte in an array of INT16, where its own validation refuses it.",
    ),
    Deviation(
        "keys-of-a-dict",
        r"values/parse/map/06[01]",
        "value",
        "A list or map cannot be the key of a Python dict; the text stays text.",
    ),
    Deviation(
        "null-text",
        r"values/parse/word/00[45]",
        "value",
        "Java gives no SchemaAndValue at all, which makes its own callers fail.",
    ),
    Deviation(
        "null-text-converted",
        r"values/to-(Boolean|Date|List|Map|Time|Timestamp)/text-null",
        "message",
        "Java fails with a NullPointerException; ours says what cannot be converted.",
    ),
    Deviation(
        "width",
        r"values/infer/(int8|float32)|values/to-String/more-floats",
        "value",
        "Without a schema Python has one class of whole numbers and one of others.",
    ),
    Deviation(
        "schema-of-nested-list",
        r"values/infer/list-nested",
        "value",
        "Java loses the schema of the inner lists.",
    ),
    Deviation(
        "map-of-nulls",
        r"values/infer/map-null",
        "value",
        "Java fails building a schema, where for a list of nulls it finds none.",
    ),
    Deviation(
        "years-of-python",
        r"values/to-Date/(decimal-big|float64-big)"
        r"|values/to-Timestamp/(decimal-big|infinity|int64-big|text-1e30)",
        "error",
        "Python's years are 1 to 9999.",
    ),
    Deviation(
        "moment-of-another-kind",
        r"values/to-(Date/time|Time/date)",
        "error",
        "Java takes milliseconds of a day for days, and days for milliseconds.",
    ),
    Deviation(
        "schemaless-moment",
        r"values/to-Date/plain-date-time|values/to-Time/plain-date(-time)?",
        "value",
        "Java leaves a java.util.Date as it is, be it a date, a time or neither.",
    ),
    Deviation(
        "day-before-1970",
        r"values/to-Date/timestamp-before",
        "value",
        "Java rounds towards 1970 and so gives the next day.",
    ),
    Deviation(
        "digits-of-a-long",
        r"values/to-Decimal/int64-big",
        "value",
        "Java goes through a double and loses digits.",
    ),
    Deviation(
        "no-decimal",
        r"values/to-Decimal/(infinity|nan|text(?!-(1\.5|12|300|1e30)).*)",
        "message",
        "Java fails with a NumberFormatException.",
    ),
    Deviation(
        "text-of-a-moment",
        r"values/to-String/(more-dates-in-list|plain-date|timestamp-(before|early|midnight))",
        "value",
        "Java looks at the milliseconds and prints timestamps as dates or times, losing the day.",
    ),
)


@pytest.mark.slow
def test_values_are_those_of_java_or_as_the_table_of_deviations_says():
    """Schemas, values and messages equal Java's; where they do not, a row tells why."""
    found = {line.id: outcome(line) for line in LINES}

    assert found == {line.id: expected_outcome(DEVIATIONS, line.id) for line in LINES}


@pytest.mark.parametrize("rule", DEVIATIONS, ids=str)
def test_a_deviation_concerns_golden_cases(rule):
    """A row whose cases are gone has to go as well."""
    assert any(rule.concerns(line.id) for line in LINES)


def test_all_cases_are_there():
    """The comparison cannot pass by not running."""
    assert len(LINES) > 1200
