"""The settings of the lake sink; keys are those of Confluent's S3 and HDFS sinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright import (
    ConfigDef,
    ConfigType,
    Importance,
    NonEmptyString,
    Password,
    Range,
    ValidString,
)
from plugwright_lake.choices import (
    AVRO_CODECS,
    EXTRACTORS,
    FORMATS,
    PARQUET_CODECS,
    PARTITIONERS,
)

if TYPE_CHECKING:
    from plugwright import AbstractConfig

__all__ = ["CONFIG", "VERSION", "define_options", "driver_options"]

VERSION = "0.1.0"

_OPTION_PREFIX = "store.option."
_SECRETS = ("key", "secret", "token", "password")


def define_options(definition: ConfigDef) -> ConfigDef:
    """Add the options of drivers that are secret to a definition."""
    for name in _SECRETS:
        definition.define(
            _OPTION_PREFIX + name,
            ConfigType.PASSWORD,
            default=None,
            importance=Importance.MEDIUM,
            documentation=f"The option {name} of the fsspec driver, which is secret; other options "
            "are given by the same prefix.",
        )
    return definition


def driver_options(settings: AbstractConfig) -> dict[str, str | Password]:
    """The options for the driver of the store; secrets stay masked until it is created."""
    given = settings.originals_with_prefix(_OPTION_PREFIX)
    return {
        name: Password(str(value)) if name in _SECRETS else str(value)
        for name, value in given.items()
    }


CONFIG = define_options(
    ConfigDef()
    .define(
        "store.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Where the files go: a directory, or the URL of an fsspec driver such as "
        "s3://bucket/path, gs://bucket or hdfs://host/path.",
    )
    .define(
        "topics.dir",
        ConfigType.STRING,
        default="topics",
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Folder below store.url that has a folder for each topic.",
    )
    .define(
        "format.class",
        ConfigType.STRING,
        default="jsonl",
        importance=Importance.HIGH,
        validator=FORMATS,
        documentation="Format of the files; Confluent's class names mean the same.",
    )
    .define(
        "flush.size",
        ConfigType.INT,
        importance=Importance.HIGH,
        validator=Range.at_least(1),
        documentation="Records of a partition after which its files are finished; so many are "
        "kept in memory.",
    )
    .define(
        "rotate.interval.ms",
        ConfigType.LONG,
        default=-1,
        importance=Importance.HIGH,
        validator=Range.at_least(-1),
        documentation="Time between the first and the latest record, by timestamp.extractor, "
        "after which files are finished; -1 for no limit.",
    )
    .define(
        "rotate.schedule.interval.ms",
        ConfigType.LONG,
        default=-1,
        importance=Importance.MEDIUM,
        validator=Range.at_least(-1),
        documentation="Time of the clock on the wall, counted from midnight in timezone, after "
        "which files are finished; -1 for no limit.",
    )
    .define(
        "rotate.on.commit",
        ConfigType.BOOLEAN,
        default=False,
        importance=Importance.MEDIUM,
        documentation="Whether files are finished whenever offsets are committed, so that nothing "
        "waits for flush.size.",
    )
    .define(
        "partitioner.class",
        ConfigType.STRING,
        default="default",
        importance=Importance.HIGH,
        validator=PARTITIONERS,
        documentation="What the folders below that of a topic are made of; Confluent's class "
        "names mean the same.",
    )
    .define(
        "partition.field.name",
        ConfigType.LIST,
        default=(),
        importance=Importance.MEDIUM,
        documentation="Fields whose values name the folders, for the partitioner field.",
    )
    .define(
        "path.format",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="Pattern of the folders, such as 'year'=YYYY/'month'=MM/'day'=dd, for the "
        "partitioner time.",
    )
    .define(
        "partition.duration.ms",
        ConfigType.LONG,
        default=-1,
        importance=Importance.MEDIUM,
        validator=Range.at_least(-1),
        documentation="Length of the stretch of time that one folder is for, for the partitioner "
        "time.",
    )
    .define(
        "locale",
        ConfigType.STRING,
        default="en-US",
        importance=Importance.MEDIUM,
        validator=ValidString.in_("en", "en-US", "en-GB", "en_US", "en_GB", ""),
        documentation="Language of the names of months and days in path.format; English only.",
    )
    .define(
        "timezone",
        ConfigType.STRING,
        default="UTC",
        importance=Importance.MEDIUM,
        documentation="Zone whose clocks the time partitioners and the scheduled rotation go by.",
    )
    .define(
        "timestamp.extractor",
        ConfigType.STRING,
        default="Wallclock",
        importance=Importance.MEDIUM,
        validator=EXTRACTORS,
        documentation="Where the time of a record comes from: the clock on the wall, the record, "
        "or the field timestamp.field.",
    )
    .define(
        "timestamp.field",
        ConfigType.STRING,
        default="timestamp",
        importance=Importance.MEDIUM,
        documentation="Field with the time of a record, for the extractor RecordField.",
    )
    .define(
        "file.delim",
        ConfigType.STRING,
        default="+",
        importance=Importance.LOW,
        validator=ValidString.in_("+", "~", "=", "@", "#", ","),
        documentation="What stands between topic, partition and offset in the name of a file; "
        "nothing that the name of a topic may hold.",
    )
    .define(
        "filename.offset.zero.pad.width",
        ConfigType.INT,
        default=10,
        importance=Importance.LOW,
        validator=Range.between(0, 20),
        documentation="Digits of an offset in the name of a file, at least.",
    )
    .define(
        "schema.compatibility",
        ConfigType.STRING,
        default="NONE",
        importance=Importance.MEDIUM,
        validator=ValidString.in_("NONE", "BACKWARD", "FORWARD", "FULL"),
        documentation="Whether another schema finishes the files (NONE), or only a newer one "
        "(BACKWARD, FULL) or an older one (FORWARD); other records are projected.",
    )
    .define(
        "behavior.on.null.values",
        ConfigType.STRING,
        default="fail",
        importance=Importance.LOW,
        validator=ValidString.in_("fail", "ignore"),
        documentation="Whether a record without value is an error, or is left out.",
    )
    .define(
        "parquet.codec",
        ConfigType.STRING,
        default="snappy",
        importance=Importance.LOW,
        validator=PARQUET_CODECS,
        documentation="Compression of Parquet files.",
    )
    .define(
        "avro.codec",
        ConfigType.STRING,
        default="null",
        importance=Importance.LOW,
        validator=AVRO_CODECS,
        documentation="Compression of Avro files.",
    )
    .define(
        "s3.compression.type",
        ConfigType.STRING,
        default="none",
        importance=Importance.LOW,
        validator=ValidString.in_("none", "gzip"),
        documentation="Compression of JSON files, in any store.",
    )
    .define(
        "json.decimal.format",
        ConfigType.STRING,
        default="BASE64",
        importance=Importance.LOW,
        validator=ValidString.in_("BASE64", "NUMERIC"),
        documentation="How JSON files hold decimals: as the bytes of the number, or as a number.",
    )
)
