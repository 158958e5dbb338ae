"""The settings of the file sink."""

from __future__ import annotations

from plugwright import ConfigDef, ConfigType, Importance

__all__ = ["CONFIG", "FILE", "VERSION"]

VERSION = "0.1.0"

FILE = "file"

CONFIG = ConfigDef().define(
    FILE,
    ConfigType.STRING,
    default=None,
    importance=Importance.HIGH,
    documentation="Path of the text file to append to, which is made if it does not exist; without "
    "it lines go to standard output, and so to the worker's log.",
)
