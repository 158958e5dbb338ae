"""The settings that source and sink share, and the ones of the JDBC connector that are refused."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConfigValue,
    Importance,
    NonEmptyString,
    Range,
    ValidString,
)
from plugwright_sql.address import address_of, address_problem
from plugwright_sql.database import Database

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "VERSION",
    "checked",
    "opened",
    "reached",
    "refused_settings",
    "shared_settings",
    "with_problems",
    "zone_of",
]

VERSION = "0.1.0"

_NO_DRIVER_PROPERTIES = "it is a property of a JDBC driver, and no JDBC driver is used"
_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "catalog.pattern": "a connector reads the one database that connection.url names",
        "date.calendar.system": "dates are proleptic Gregorian",
        "db.timezone.date": "a date has no time zone",
        "dialect.name": "the dialect follows from connection.url",
        "fields.include.list": "use fields.whitelist",
        "incrementing.relaxed.monotonic": "use mode=timestamp+incrementing, whose "
        "timestamp.delay.interval.ms waits for late commits",
        "jdbc.credentials.provider.class.name": "use a config provider in connection.password",
        "mssql.use.merge.holdlock": "SQL Server is not supported",
        "numeric.precision.mapping": "it is deprecated; use numeric.mapping=precision_only",
        "query.masked": "use query; it may hold no secret",
        "query.retry.attempts": "a query is tried again until the connector is stopped",
        "query.suffix": "write the suffix into query",
        "replace.null.with.default": "a null of a record stays null",
        "timestamp.granularity": "timestamps are Connect's Timestamp, in milliseconds",
        "transaction.isolation.mode": "the isolation is that of the database; set it there",
        "trim.sensitive.log": "no statement with values is ever logged",
    }
)
_REFUSED_BY_KIND: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "source": {},
        "sink": {"table.types": "the sink writes to what table.name.format names"},
    }
)


def shared_settings(*, defaults: ConfigDef | None = None) -> ConfigDef:
    """The connection settings."""
    return _values(_attempts(_address(defaults or ConfigDef())))


def _address(definition: ConfigDef) -> ConfigDef:
    return (
        definition.define(
            "connection.url",
            ConfigType.STRING,
            importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="The database: jdbc:sqlite:, jdbc:postgresql:, jdbc:mysql: or "
            "jdbc:mariadb:, or a URL of SQLAlchemy for one of these. It holds no password.",
            group="Connection",
            order_in_group=1,
        )
        .define(
            "connection.user",
            ConfigType.STRING,
            default=None,
            importance=Importance.HIGH,
            documentation="User of the database; SQLite has none.",
            group="Connection",
            order_in_group=2,
        )
        .define(
            "connection.password",
            ConfigType.PASSWORD,
            default=None,
            importance=Importance.HIGH,
            documentation="Password of the user.",
            group="Connection",
            order_in_group=3,
        )
    )


def _attempts(definition: ConfigDef) -> ConfigDef:
    return definition.define(
        "connection.attempts",
        ConfigType.INT,
        default=3,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="How often connecting is tried when the connector or a task starts.",
        group="Connection",
        order_in_group=4,
    ).define(
        "connection.backoff.ms",
        ConfigType.LONG,
        default=10000,
        importance=Importance.LOW,
        validator=Range.at_least(0),
        documentation="Milliseconds between two attempts to connect.",
        group="Connection",
        order_in_group=5,
    )


def _values(definition: ConfigDef) -> ConfigDef:
    return definition.define(
        "db.timezone",
        ConfigType.STRING,
        default="UTC",
        importance=Importance.MEDIUM,
        documentation="Time zone of timestamps that have none in the database, such as UTC "
        "or Europe/Berlin.",
        group="Connection",
        order_in_group=6,
    ).define(
        "quote.sql.identifiers",
        ConfigType.STRING,
        default="always",
        importance=Importance.MEDIUM,
        validator=ValidString.in_("always", "never"),
        documentation="Whether names of tables and columns are quoted in statements.",
        group="Connection",
        order_in_group=7,
    )


def refused_settings(kind: str, given: Mapping[str, str], known: Sequence[str]) -> dict[str, str]:
    """The settings of the JDBC connector that are given and not supported, each with the reason."""
    refused = {**_REFUSED, **_REFUSED_BY_KIND[kind]}
    found = {key: refused[key] for key in given if key in refused}
    for key in given:
        if key.startswith("connection.") and key not in known:
            found[key] = _NO_DRIVER_PROPERTIES
    return {key: reason for key, reason in found.items() if given[key]}


def with_problems(
    values: Sequence[ConfigValue], problems: Mapping[str, str]
) -> Sequence[ConfigValue]:
    """The values, with problems that concern several settings; refused ones at the end."""
    known = {value.name for value in values}
    found = [
        value.with_error(problems[value.name])
        if value.name in problems and not value.error_messages
        else value
        for value in values
    ]
    strange = [
        ConfigValue(key, error_messages=[p]) for key, p in problems.items() if key not in known
    ]
    return [*found, *strange]


def checked(
    definition: ConfigDef,
    props: Mapping[str, str],
    problems: Callable[[Mapping[str, str]], Mapping[str, str]],
) -> dict[str, object]:
    """The settings, parsed.

    Raises:
        ConfigError: naming every setting that is wrong.
    """
    found = with_problems(definition.validate(props), problems(props))
    wrong = [message for value in found for message in value.error_messages]
    if wrong:
        listed = wrong[0] if len(wrong) == 1 else "\n".join(f"- {each}" for each in wrong)
        raise ConfigError(
            listed if len(wrong) == 1 else f"{len(wrong)} settings are wrong:\n{listed}",
            code="sql.bad-setting",
            facts={"settings": tuple(v.name for v in found if v.error_messages)},
        )
    return definition.parse(props)


def shared_problems(kind: str, definition: ConfigDef, props: Mapping[str, str]) -> dict[str, str]:
    """Problems of the settings that source and sink share, by setting."""
    refused = refused_settings(kind, props, definition.names)
    found = {key: f"{key} is not supported: {reason}" for key, reason in refused.items()}
    if (url := props.get("connection.url")) and (problem := address_problem(url.strip())):
        found["connection.url"] = f"connection.url: {problem}"
    try:
        zone_of(props.get("db.timezone") or "UTC")
    except ConfigError as error:
        found["db.timezone"] = str(error)
    return found


def zone_of(name: str) -> ZoneInfo:
    """The time zone of a name.

    Raises:
        ConfigError: if there is none of that name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(
            f"db.timezone must be a time zone such as UTC or Europe/Berlin, found {name!r}",
            code="sql.bad-setting",
        ) from error


def reached(
    settings: Mapping[str, object],
    wait: Callable[[float], object],
    *,
    create: bool = False,
) -> Database:
    """The database of parsed settings, after it was connected to as often as they say.

    Args:
        settings: of a connector or a task.
        wait: waits so many seconds, or less when the connector or task is to stop.
        create: whether a file of SQLite that is missing is made.

    Raises:
        ConnectError: if the last attempt fails.
    """
    database = opened(settings, create=create)
    attempts, backoff = settings["connection.attempts"], settings["connection.backoff.ms"]
    database.reach(int(str(attempts)), int(str(backoff)), wait)
    return database


def opened(settings: Mapping[str, object], *, create: bool = False) -> Database:
    """The database of parsed settings; nothing is connected yet."""
    secret = settings["connection.password"]
    address = address_of(
        str(settings["connection.url"]),
        str(settings["connection.user"] or "") or None,
        str(getattr(secret, "value", "")) or None,
    )
    return Database(address, create=create)
