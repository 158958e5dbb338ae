"""The settings of the file source."""

from __future__ import annotations

from plugwright import ConfigDef, ConfigType, Importance, NonEmptyString

__all__ = ["BATCH_SIZE", "CONFIG", "FILE", "TOPIC", "VERSION"]

VERSION = "0.1.0"

FILE = "file"
TOPIC = "topic"
BATCH_SIZE = "batch.size"

CONFIG = (
    ConfigDef()
    .define(
        FILE,
        ConfigType.STRING,
        default=None,
        importance=Importance.HIGH,
        documentation="Path of the text file to read, which may appear later than the connector; "
        "without it the worker's standard input is read.",
    )
    .define(
        TOPIC,
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Name of the topic that receives one record for each line.",
    )
    .define(
        BATCH_SIZE,
        ConfigType.INT,
        default=2000,
        importance=Importance.LOW,
        documentation="The most records that one poll returns, one at least.",
    )
)
