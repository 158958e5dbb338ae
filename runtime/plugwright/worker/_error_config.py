"""Kafka Connect's ``errors.*`` settings (KIP-298), defined and parsed once for every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import (
    ConfigDef,
    ConfigType,
    Importance,
    Range,
    ValidString,
    Width,
)
from plugwright.worker._error_settings import ErrorSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

_DLQ = "errors.deadletterqueue"
_GROUP = "Error Handling"
_MOST = 1_000_000  # every task stores a time for each

ERROR_CONFIG = (
    ConfigDef()
    .define(
        "errors.retry.timeout",
        ConfigType.LONG,
        default=0,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Time, in milliseconds, during which a failed operation is retried if its "
        "error is retriable. 0 disables retries, -1 retries without limit.",
    )
    .define(
        "errors.retry.delay.max.ms",
        ConfigType.LONG,
        default=60_000,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Maximum delay between two attempts, in milliseconds. Delays double from "
        "300 ms on; beyond this maximum they are chosen at random below it.",
    )
    .define(
        "errors.tolerance",
        ConfigType.STRING,
        default="none",
        validator=ValidString.in_("none", "all"),
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether a failing record fails the task (none) or is skipped (all).",
    )
    .define(
        "errors.tolerance.limit",
        ConfigType.INT,
        default=-1,
        validator=Range.between(-1, _MOST),
        importance=Importance.LOW,
        group=_GROUP,
        width=Width.SHORT,
        display_name="Error Tolerance Limit",
        documentation="Number of records that a task may skip within "
        "errors.tolerance.limit.period.ms. One more fails the task with the code "
        "errors.limit-exceeded. -1 for no limit, as in Kafka Connect. Applies only with "
        "errors.tolerance=all; each task counts separately, and from zero after a restart.",
    )
    .define(
        "errors.tolerance.limit.period.ms",
        ConfigType.LONG,
        default=60_000,
        validator=Range.at_least(1),
        importance=Importance.LOW,
        group=_GROUP,
        width=Width.SHORT,
        display_name="Error Tolerance Limit Period",
        documentation="Length of the time window, in milliseconds, of errors.tolerance.limit.",
    )
    .define(
        "errors.log.enable",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether each failing record is logged, tolerated or not.",
    )
    .define(
        "errors.log.include.messages",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether the log identifies the failing record: topic, partition, offset and "
        "timestamp for sinks, the whole record for sources.",
    )
)
"""Definition of the ``errors.*`` settings of every connector."""

DEAD_LETTER_CONFIG = (
    ConfigDef()
    .define(
        f"{_DLQ}.topic.name",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Topic that receives the records that fail in this sink, as they were "
        "consumed. Empty for none.",
    )
    .define(
        f"{_DLQ}.topic.replication.factor",
        ConfigType.SHORT,
        default=3,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Replication factor of that topic if it is created.",
    )
    .define(
        f"{_DLQ}.context.headers.enable",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether records in that topic carry headers, prefixed with "
        "__connect.errors., with the position and cause of the failure.",
    )
)
"""Definition of the ``errors.*`` settings that only sinks have."""


def error_settings(properties: Mapping[str, str], *, sink: bool) -> ErrorSettings:
    """Parse the error-handling settings of a valid configuration."""
    values = ERROR_CONFIG.parse(properties)
    queue = DEAD_LETTER_CONFIG.parse(properties if sink else {})
    timeout_ms = values["errors.retry.timeout"]
    return ErrorSettings(
        tolerate_all=values["errors.tolerance"].lower() == "all",
        tolerance_limit=values["errors.tolerance.limit"],
        tolerance_period_s=values["errors.tolerance.limit.period.ms"] / 1000,
        retry_timeout_s=timeout_ms / 1000,
        retry_delay_max_s=values["errors.retry.delay.max.ms"] / 1000,
        log=values["errors.log.enable"],
        log_messages=values["errors.log.include.messages"],
        dead_letter_topic=queue[f"{_DLQ}.topic.name"].strip(),
        dead_letter_replication=queue[f"{_DLQ}.topic.replication.factor"],
        dead_letter_headers=queue[f"{_DLQ}.context.headers.enable"],
    )
