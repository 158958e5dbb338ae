"""Names that settings may have: short ones, and Confluent's class names for the same."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright import ConfigError, ValidString

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AVRO_CODECS", "EXTRACTORS", "FORMATS", "PARQUET_CODECS", "PARTITIONERS", "Choice"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A validator of one of several names.

    Attributes:
        names: the ones to write.
        others: simple class names of Confluent's, with the name that means the same.
    """

    names: tuple[str, ...]
    others: Mapping[str, str]

    def __call__(self, name: str, value: object) -> None:
        """Refuse any other name.

        Raises:
            ConfigError: if the value is none of them.
        """
        if not isinstance(value, str) or self.short(value) is None:
            raise ConfigError(
                f"Invalid value {value} for configuration {name}: "
                f"String must be one of: {', '.join(self.names)}",
                code="config.invalid",
            )

    def __str__(self) -> str:
        return f"[{', '.join(self.names)}]"

    def short(self, value: str) -> str | None:
        """The name that a value selects; ``None`` if there is none."""
        if value in self.names:
            return value
        return self.others.get(value.rpartition(".")[2])


FORMATS = Choice(
    ("jsonl", "avro", "parquet"),
    MappingProxyType({"JsonFormat": "jsonl", "AvroFormat": "avro", "ParquetFormat": "parquet"}),
)
PARTITIONERS = Choice(
    ("default", "field", "time", "daily", "hourly"),
    MappingProxyType(
        {
            "DefaultPartitioner": "default",
            "FieldPartitioner": "field",
            "TimeBasedPartitioner": "time",
            "DailyPartitioner": "daily",
            "HourlyPartitioner": "hourly",
        }
    ),
)
EXTRACTORS = ValidString.in_("Wallclock", "Record", "RecordField")
PARQUET_CODECS = ValidString.in_("none", "snappy", "gzip", "brotli", "lz4", "zstd")
AVRO_CODECS = ValidString.in_("null", "deflate", "bzip2", "xz")
