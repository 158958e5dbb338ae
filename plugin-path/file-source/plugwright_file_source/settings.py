"""What the file source can be told."""

from __future__ import annotations

from plugwright import ConfigDef, ConfigType, Importance, NonEmptyString, Range

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
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Path of the text file to read; it may appear later than the connector.",
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
        validator=Range.at_least(1),
        documentation="The most records that one poll returns.",
    )
)
