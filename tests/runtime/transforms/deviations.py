"""Where transformations differ from Java's on purpose: one row a reason, all in one table."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["DEVIATIONS", "Deviation", "deviation_of"]


@dataclass(frozen=True, slots=True)
class Deviation:
    """One rule that differs.

    Attributes:
        name: short name of the rule.
        cases: pattern that matches the ids of the golden cases that it concerns.
        outcome: ``message`` where only the words or the stage of an error differ, ``error`` where
            Java gives a result, ``value`` where ours is another or Java fails.
        count: how many golden cases differ because of it; a change has to be looked at.
        reason: why.
    """

    name: str
    cases: str
    outcome: str
    count: int
    reason: str

    def __str__(self) -> str:
        return self.name


DEVIATIONS = (
    Deviation(
        "swapped-arguments",
        r"Cast/spec/(field-unknown|no-type|only-comma|trailing-comma|unknown|three-parts)(/.*)?"
        r"|TimestampConverter/bad/format-invalid(-unused)?",
        "message",
        14,
        "Java swaps name and value of the setting, or names a setting of another transformation.",
    ),
    Deviation(
        "identity-in-message",
        r"InsertField/no-static-value/.*|nulls/InsertField\$(Key|Value)/static\.value",
        "message",
        6,
        "Java prints the identity of an object where the name of the field belongs.",
    ),
    Deviation(
        "null-pointer",
        r"HeaderFrom/missing(-move)?/struct.*|TimestampConverter/text-without-format/.*"
        r"|nulls/(?!InsertHeader).*/(replace\.null\.with\.default|field|renames|all|replacement)"
        r"|nulls/TimestampRouter/.*|nulls/(RegexRouter/regex|TopicNameMatches/pattern)",
        "message",
        40,
        "Java fails with a NullPointerException; ours says what is missing.",
    ),
    Deviation(
        "class-cast",
        r"Flatten/plain-int-keys",
        "message",
        1,
        "Java fails with a ClassCastException; ours says that only text names a field.",
    ),
    Deviation(
        "empty-path",
        r"ExtractField/path/10/V2/.*",
        "message",
        2,
        "Java fails at every record, inside a list; ours refuses the setting.",
    ),
    Deviation(
        "lost-field",
        r"Flatten/plain-clash|ReplaceField/(bad/rename-to-one|rename-onto)/map",
        "error",
        3,
        "Two schemaless fields get one name and Java loses one of them silently.",
    ),
    Deviation(
        "renamed-onto-nothing",
        r"ReplaceField/bad/rename-empty-old/struct",
        "value",
        1,
        "Java looks the value of a field up under a name that no renaming applied to.",
    ),
    Deviation(
        "first-token",
        r"InsertHeader/literal/19",
        "value",
        1,
        "Java reads 1,2 as 1 and loses the rest (KAFKA-20892).",
    ),
    Deviation(
        "found-before-records",
        r"RegexRouter/(backslash|bare-dollar|missing-group|missing-name)"
        r"|TimestampRouter/(bad-letter|open-quote)",
        "message",
        6,
        "Java notices a setting that can never work at the first record only.",
    ),
    Deviation(
        "index-of-an-unclosed-group",
        r"RegexRouter/bad-regex",
        "message",
        1,
        "The place in the message is that of the last character read, not the one after it.",
    ),
    Deviation(
        "record-in-message",
        r"TimestampRouter/null",
        "message",
        1,
        "Java prints the whole record, which may hold what logs should not.",
    ),
    Deviation(
        "weeks-of-a-locale",
        r"TimestampConverter/format/1[17]|TimestampRouter/(all-letters|week-year)",
        "error",
        4,
        "Y, w and W mean other weeks in every locale of a JVM; there is no locale here to ask.",
    ),
    Deviation(
        "years-of-python",
        r"TimestampConverter/precision/.*/in",
        "error",
        7,
        "Python's dates end with the year 9999.",
    ),
    Deviation(
        "width-without-schema",
        r"MaskField/map/(float32|int32|int8)/to-.*|TimestampConverter/int32/.*/plain"
        r"|Cast/schemaless/float32-big/string",
        "value",
        10,
        "Without a schema Python has one class of whole numbers and one of others.",
    ),
    Deviation(
        "shortest-float",
        r"Cast/schema/float32-big/string",
        "value",
        1,
        "Java before 19 prints more digits than a float needs (JDK-4511638).",
    ),
)


def deviation_of(case_id: str) -> Deviation | None:
    """The row for a case, if there is one."""
    return next((rule for rule in DEVIATIONS if re.fullmatch(rule.cases, case_id)), None)
