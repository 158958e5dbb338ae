"""The settings of the source."""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, Importance, Range, ValidList, ValidString
from plugwright_sql.numeric_mapping import NUMERIC_MAPPINGS
from plugwright_sql.shared_settings import shared_problems, shared_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SOURCE_CONFIG", "TABLES", "Mode", "source_problems"]

TABLES = "tables"
"""The setting in which the connector passes its tables to a task."""


class Mode(Enum):
    """The mode in which a table is read repeatedly."""

    BULK = "bulk"
    INCREMENTING = "incrementing"
    TIMESTAMP = "timestamp"
    BOTH = "timestamp+incrementing"

    @property
    def counts(self) -> bool:
        """Whether an incrementing column is read."""
        return self in {Mode.INCREMENTING, Mode.BOTH}

    @property
    def dates(self) -> bool:
        """Whether timestamp columns are read."""
        return self in {Mode.TIMESTAMP, Mode.BOTH}


SOURCE_CONFIG = (
    shared_settings()
    .define(
        "mode",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=ValidString.in_(*(mode.value for mode in Mode)),
        documentation="How new rows are found: bulk reads whole tables again and again, "
        "incrementing follows a column of growing numbers, timestamp the time of the last change, "
        "timestamp+incrementing both.",
        group="Mode",
        order_in_group=1,
    )
    .define(
        "incrementing.column.name",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="The column of growing numbers; without it, the one by which the database "
        "numbers the rows.",
        group="Mode",
        order_in_group=2,
    )
    .define(
        "timestamp.column.name",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="The columns with the time of the last change; the first that is not null "
        "counts.",
        group="Mode",
        order_in_group=3,
    )
    .define(
        "timestamp.initial",
        ConfigType.LONG,
        default=None,
        importance=Importance.LOW,
        documentation="Milliseconds since 1970 from which rows are read if no offset is stored; "
        "-1 is the time of the first poll. Without it all rows are read.",
        group="Mode",
        order_in_group=4,
    )
    .define(
        "validate.non.null",
        ConfigType.BOOLEAN,
        default=True,
        importance=Importance.LOW,
        documentation="Whether a table is refused whose incrementing and timestamp columns may "
        "all be null.",
        group="Mode",
        order_in_group=5,
    )
    .define(
        "query",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="A query to read instead of whole tables; in the modes other than bulk its "
        "result must have the incrementing and timestamp columns.",
        group="Mode",
        order_in_group=6,
    )
    .define(
        "table.whitelist",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="The tables to read, as table or schema.table; without it, all.",
        group="Tables",
        order_in_group=1,
    )
    .define(
        "table.blacklist",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="The tables not to read, as table or schema.table.",
        group="Tables",
        order_in_group=2,
    )
    .define(
        "table.include.list",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="Regular expressions for the tables to read, over table or schema.table.",
        group="Tables",
        order_in_group=3,
    )
    .define(
        "table.exclude.list",
        ConfigType.LIST,
        default="",
        importance=Importance.MEDIUM,
        documentation="Regular expressions for the tables not to read.",
        group="Tables",
        order_in_group=4,
    )
    .define(
        "schema.pattern",
        ConfigType.STRING,
        default=None,
        importance=Importance.MEDIUM,
        documentation="The schema of the database whose tables are read; without it, all but "
        "those of the database itself.",
        group="Tables",
        order_in_group=5,
    )
    .define(
        "table.types",
        ConfigType.LIST,
        default="TABLE",
        importance=Importance.LOW,
        validator=ValidList.in_("TABLE", "VIEW"),
        documentation="Whether tables, views or both are read.",
        group="Tables",
        order_in_group=6,
    )
    .define(
        "table.poll.interval.ms",
        ConfigType.LONG,
        default=60000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="Milliseconds between two looks for new and removed tables.",
        group="Tables",
        order_in_group=7,
    )
    .define(
        "topic.prefix",
        ConfigType.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="What stands before the name of a table in the name of its topic; of a "
        "query, the whole name. Required unless topic is given.",
        group="Records",
        order_in_group=1,
    )
    .define(
        "topic",
        ConfigType.STRING,
        default="",
        importance=Importance.LOW,
        documentation="One topic for the rows of all tables, instead of topic.prefix.",
        group="Records",
        order_in_group=2,
    )
    .define(
        "numeric.mapping",
        ConfigType.STRING,
        default="none",
        importance=Importance.LOW,
        validator=ValidString.in_(*NUMERIC_MAPPINGS),
        documentation="What NUMERIC and DECIMAL columns become: decimals (none), integers where "
        "they have no digits after the point (precision_only), also floats where they have some "
        "(best_fit), also where they have many (best_fit_eager_double).",
        group="Records",
        order_in_group=3,
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.HIGH,
        validator=Range.at_least(1),
        documentation="Milliseconds between two looks for new rows of a table.",
        group="Records",
        order_in_group=4,
    )
    .define(
        "batch.max.rows",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most rows that one poll returns; in the mode timestamp, rows of one "
        "moment are not divided.",
        group="Records",
        order_in_group=5,
    )
    .define(
        "timestamp.delay.interval.ms",
        ConfigType.LONG,
        default=0,
        importance=Importance.HIGH,
        validator=Range.at_least(0),
        documentation="Milliseconds for which a row waits before it is read, so that "
        "transactions that began earlier can end.",
        group="Records",
        order_in_group=6,
    )
)
"""The connector's configuration definition."""

TASK_CONFIG = ConfigDef(SOURCE_CONFIG).define(
    TABLES,
    ConfigType.STRING,
    default="[]",
    importance=Importance.LOW,
    documentation="The tables of this task, as JSON; the connector sets it.",
    internal=True,
)
"""The task's configuration definition."""


def source_problems(props: Mapping[str, str]) -> dict[str, str]:
    """Problems of settings that are valid individually, by setting."""
    found = shared_problems("source", SOURCE_CONFIG, props)
    given = {key: value for key, value in props.items() if value}
    lists = [name for name in _LISTS if name in given]
    if "topic.prefix" not in given and "topic" not in given:
        found["topic.prefix"] = "topic.prefix or topic must be given"
    if given.get("mode") in _DATED and "timestamp.column.name" not in given:
        found["timestamp.column.name"] = (
            f"timestamp.column.name must be given with mode={given['mode']}"
        )
    if "query" in given and lists:
        found["query"] = f"query and {lists[0]} exclude each other"
    for one, other in (
        ("table.whitelist", "table.blacklist"),
        ("table.whitelist", "table.include.list"),
        ("table.include.list", "table.exclude.list"),
    ):
        if one in given and other in given:
            found[other] = f"{one} and {other} exclude each other"
    if (
        "query" in given
        and given.get("mode") in _COUNTED
        and "incrementing.column.name" not in given
    ):
        found["incrementing.column.name"] = "incrementing.column.name must be given with a query"
    found |= {name: text for name in _PATTERNS if (text := _pattern_problem(name, given))}
    return found


_LISTS = ("table.whitelist", "table.blacklist", "table.include.list", "table.exclude.list")
_DATED = frozenset(mode.value for mode in Mode if mode.dates)
_COUNTED = frozenset(mode.value for mode in Mode if mode.counts)
_PATTERNS = ("table.include.list", "table.exclude.list")


def _pattern_problem(name: str, given: Mapping[str, str]) -> str:
    for pattern in given.get(name, "").split(","):
        try:
            re.compile(pattern.strip())
        except re.error as error:
            return f"{name}: {pattern.strip()!r} is not a regular expression: {error}"
    return ""
