"""The connector: one service, one task."""

from __future__ import annotations

from urllib.parse import urlsplit

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
    ValidString,
)

VERSION = "1.0.0"


def check_url(name, value):
    if (
        not isinstance(value, str)
        or urlsplit(value).scheme not in {"http", "https"}
        or not urlsplit(value).netloc
        or "@" in urlsplit(value).netloc
    ):
        raise ConfigError(f"{name} must be an http or https URL without user and password")


CONFIG = (
    ConfigDef()
    .define(
        "service.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=LambdaValidator.with_(check_url, lambda: "an http or https URL"),
        documentation="Address of the service.",
    )
    .define(
        "service.token",
        ConfigType.PASSWORD,
        default="",
        importance=Importance.HIGH,
        documentation="Bearer token; empty if the service asks for none.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each item.",
    )
    .define(
        "page.size",
        ConfigType.INT,
        default=100,
        importance=Importance.LOW,
        validator=Range.between(1, 1000),
        documentation="Items to ask for at once; the service may give fewer.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(10, 3_600_000),
        documentation="Milliseconds to wait when there was nothing new.",
    )
    .define(
        "timeout.ms",
        ConfigType.INT,
        default=5000,
        importance=Importance.LOW,
        validator=Range.between(100, 600_000),
        documentation="Milliseconds to wait for the service.",
    )
    .define(
        "value.format",
        ConfigType.STRING,
        default="envelope",
        importance=Importance.MEDIUM,
        validator=ValidString.in_("envelope", "text"),
        documentation="Whether a record has the whole item or its text alone.",
    )
)


class PagedHttpConnector(SourceConnector):
    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self.props = dict(props)

    def task_class(self):
        from pagedhttp.task import PagedHttpTask

        return PagedHttpTask

    def task_configs(self, max_tasks):
        return [dict(self.props)]

    def stop(self):
        pass

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        from pagedhttp.task import cursor_of

        for partition, offset in offsets:
            if offset is None:
                continue
            if set(partition) != {"service"}:
                raise ConnectError(
                    f"a source partition must be {{'service': URL}}, found {dict(partition)!r}"
                )
            cursor_of(offset)
        return True
