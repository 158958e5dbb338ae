"""Where the converters differ from Java's on purpose: one row a reason, all in one table."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["DEVIATIONS", "Deviation", "deviation_of"]

_KINDS = "array|boolean|bytes|double|float|int8|int16|int32|int64|string|map-int"


@dataclass(frozen=True, slots=True)
class Deviation:
    """One rule that differs.

    Attributes:
        name: short name of the rule.
        cases: pattern that matches the ids of the golden cases it may concern.
        outcome: ``error`` where Java gives a value, ``value`` where ours is another or Java fails.
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

    def concerns(self, case: str) -> bool:
        """Whether the rule may concern the case with that id."""
        return re.fullmatch(self.cases, case) is not None


DEVIATIONS = (
    Deviation(
        "json-years",
        r"json/to/(Date/864000?00|Date/86399999|Timestamp/9223372036854775807)|json/to/Time/86400000",
        "error",
        4,
        "Python has no year after 9999 and no 24:00",
    ),
    Deviation(
        "json-signed-zero",
        r"json/to/(double|float)/-0\.0|json/to/document/plain/49",
        "value",
        3,
        "Java drops the sign of -0.0, which it writes itself",
    ),
    Deviation(
        "json-twice",
        r'json/to/(struct|map)/\{"a":1,"a":2\}|json/to/map-int/\[\[1,"a"\],\[1,"b"\]\]'
        r"|json/to/document/plain/33",
        "error",
        4,
        "Java keeps the last value of a key that occurs twice and drops the others",
    ),
    Deviation(
        "json-kinds",
        rf"json/to/({_KINDS})/.*|json/to/Timestamp/9223372036854775808"
        r"|defaults/settings/12/JsonConverter/(key|value|header)/to/[02]"
        r"|json/to/schema/(default-array|default-bytes)/1|json/to/schema/default-wrong/.*",
        "error",
        253,
        "Java reads a value of another kind, or out of range, as 0, false, null or wrapped",
    ),
    Deviation(
        "json-trailing",
        r"json/to/document/plain/1[89]",
        "error",
        2,
        "Java drops what follows the first value",
    ),
    Deviation(
        "json-half-pair",
        r"json/to/document/plain/27",
        "error",
        1,
        "half a surrogate pair is no character; Python cannot write it anywhere",
    ),
    Deviation(
        "json-large",
        r"json/to/document/plain/4[456]",
        "error",
        3,
        "Java wraps whole numbers beyond 64 bits and takes 1e400 for infinity",
    ),
    Deviation(
        "json-encoding",
        r"json/to/document/plain/raw-(overlong|utf16)",
        "error",
        2,
        "JSON between systems is UTF-8 (RFC 8259, 8.1); overlong forms are not",
    ),
    Deviation(
        "json-version",
        r"json/to/schema/version-long/1",
        "error",
        1,
        "Java wraps a schema version beyond 32 bits",
    ),
    Deviation(
        "json-null-key",
        r"json/from/container/map-null-key/.*",
        "error",
        2,
        'Java writes the key null as the string "null"',
    ),
    Deviation(
        "json-default-struct",
        r"json/from/container/struct-default-object/.*|json/to/schema/default-struct/null"
        r"|defaults/odd/float(32|64)/.*/struct/from",
        "value",
        9,
        "Java cannot use a default struct: its own schema has no default",
    ),
    Deviation(
        "json-width",
        r"json/from/schemaless/float32/.*",
        "value",
        2,
        "Python has one int and one float; width comes from the schema alone",
    ),
    Deviation(
        "json-time-of-day",
        r"json/from/wrong/time/0",
        "error",
        1,
        "a moment of another class is no time of day",
    ),
    Deviation(
        "number-width",
        r"(Double|Integer|Long|Short)Converter/from/plain/\d",
        "value",
        6,
        "Python has one int and one float; a number that fits is written",
    ),
    Deviation(
        "header-moment",
        r"SimpleHeaderConverter/from/(plain-date|timestamp-before|timestamp-midnight)",
        "value",
        3,
        "Java tells date, time and timestamp by the milliseconds, Python by the class",
    ),
    Deviation(
        "header-null",
        r"SimpleHeaderConverter/to/0[34]",
        "value",
        2,
        "Java returns null for the text null, and its caller fails",
    ),
    Deviation(
        "header-first-token",
        r"SimpleHeaderConverter/to/2[89]",
        "value",
        2,
        "Java looks at the first token only and drops the rest (KAFKA-20892)",
    ),
    Deviation(
        "header-no-text",
        r"SimpleHeaderConverter/to/raw-(latin1|truncated)",
        "value",
        2,
        "Java puts replacement characters for bytes that are no UTF-8; these stay bytes",
    ),
    Deviation(
        "string-encoding",
        r"StringConverter/encoding/(ISO-8859-1|US-ASCII)/(from|to)|StringConverter/to/raw-.*",
        "error",
        5,
        "Java puts ? and replacement characters for what the encoding lacks",
    ),
    Deviation(
        "string-encoding-names",
        r"StringConverter/encoding/UTF_8/from",
        "value",
        1,
        "Python's names of an encoding count beside Java's; each means the same encoding",
    ),
    Deviation(
        "string-bytes",
        r"StringConverter/from/(array-mixed|buffer|bytes|plain-uuid)",
        "error",
        4,
        "Java prints the identity of bytes, not their content; Connect has no UUID",
    ),
    Deviation(
        "string-moment",
        r"StringConverter/from/(date|plain-date|time|timestamp|timestamp-before|timestamp-midnight)",
        "value",
        6,
        "Java prints the local form, without milliseconds; these print the ISO form at UTC",
    ),
)


def deviation_of(case: str) -> Deviation | None:
    """The rule that concerns a case, if there is one."""
    return next((rule for rule in DEVIATIONS if rule.concerns(case)), None)
