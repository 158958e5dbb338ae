"""Kafka Connect's ``errors.*`` settings (KIP-298), defined and read once for every engine."""

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
_MOST = 1_000_000  # a time is kept for each, in every task

ERROR_CONFIG = (
    ConfigDef()
    .define(
        "errors.retry.timeout",
        ConfigType.LONG,
        default=0,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="How long, in milliseconds, a failed operation is tried again if its error "
        "is one that may pass. 0 means not at all, -1 without limit.",
    )
    .define(
        "errors.retry.delay.max.ms",
        ConfigType.LONG,
        default=60_000,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="The longest wait between two attempts, in milliseconds. Waits double from "
        "300 ms on; beyond this limit they are drawn at random below it.",
    )
    .define(
        "errors.tolerance",
        ConfigType.STRING,
        default="none",
        validator=ValidString.in_("none", "all"),
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether a record that fails ends the task (none) or is left out (all).",
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
        documentation="How many records a task may leave out within "
        "errors.tolerance.limit.period.ms. One more, and the task fails with the code "
        "errors.limit-exceeded. -1 for any number, as in Kafka Connect. Matters with "
        "errors.tolerance=all only; each task counts by itself, and anew after a restart.",
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
        documentation="The time, in milliseconds up to the present, that errors.tolerance.limit is "
        "about.",
    )
    .define(
        "errors.log.enable",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether each failing record is written to the log, tolerated or not.",
    )
    .define(
        "errors.log.include.messages",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether the log names the record that failed: topic, partition, offset and "
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
        documentation="Topic that receives the records which fail in this sink, as they were "
        "consumed. Empty for none.",
    )
    .define(
        f"{_DLQ}.topic.replication.factor",
        ConfigType.SHORT,
        default=3,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Replication factor of that topic, if it has to be created.",
    )
    .define(
        f"{_DLQ}.context.headers.enable",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        group=_GROUP,
        documentation="Whether records there carry headers, beginning with __connect.errors., "
        "with the place and the reason of the failure.",
    )
)
"""Definition of the further ``errors.*`` settings of sinks."""


def error_settings(properties: Mapping[str, str], *, sink: bool) -> ErrorSettings:
    """The settings about failing records of a valid configuration."""
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
