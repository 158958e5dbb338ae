"""The connector: one spool, one task."""

from __future__ import annotations

from plugwright import ConfigDef, ConfigType, Importance, NonEmptyString, Range, SourceConnector

VERSION = "1.0.0"

CONFIG = (
    ConfigDef()
    .define(
        "spool",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory of the messages, one file each.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives the messages.",
    )
    .define(
        "window",
        ConfigType.INT,
        default=10,
        importance=Importance.LOW,
        validator=Range.between(1, 1000),
        documentation="The most messages that Kafka has not acknowledged yet.",
    )
)


class SpoolConnector(SourceConnector):
    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self.props = dict(props)

    def task_class(self):
        from spool.task import SpoolTask

        return SpoolTask

    def task_configs(self, max_tasks):
        return [dict(self.props)]

    def stop(self):
        pass
