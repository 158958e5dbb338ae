"""The connector: one table, one task."""

from __future__ import annotations

from plugwright import (
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    ExactlyOnceSupport,
    Importance,
    LambdaValidator,
    NonEmptyString,
    Range,
    SourceConnector,
)

VERSION = "1.0.0"


def check_identifier(name, value):
    if not isinstance(value, str) or not value.isidentifier():
        raise ConfigError(f"{name} must be a plain identifier, found {value!r}")


CONFIG = (
    ConfigDef()
    .define(
        "database",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the database file.",
    )
    .define(
        "table",
        ConfigType.STRING,
        default="events",
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(check_identifier, lambda: "a plain identifier"),
        documentation="Table with the columns id, body, kind and created_ms.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each row.",
    )
    .define(
        "batch.max.rows",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(1, 10_000),
        documentation="The most rows of one poll.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(1, 60_000),
        documentation="Milliseconds to wait after a poll that found nothing.",
    )
)


class TableFeedConnector(SourceConnector):
    """Reads new rows of one table; it cannot be divided."""

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self.props = dict(props)

    def task_class(self):
        from tablefeed.task import TableFeedTask

        return TableFeedTask

    def task_configs(self, max_tasks):
        return [dict(self.props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        from tablefeed.task import last_id

        for partition, offset in offsets:
            if offset is None:
                continue
            if set(partition) != {"database", "table"}:
                raise ConnectError(
                    f"a source partition must name database and table, found {dict(partition)!r}"
                )
            last_id(offset)
        return True
