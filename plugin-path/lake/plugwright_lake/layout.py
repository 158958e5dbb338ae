"""Settings as typed values: where files go, what they are, and when they are finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from plugwright import AbstractConfig, ConfigError
from plugwright_lake.choices import FORMATS, PARTITIONERS
from plugwright_lake.joda import PathFormat
from plugwright_lake.moments import FieldMoment, RecordMoment, WallClock
from plugwright_lake.names import FileNames
from plugwright_lake.partitioners import FieldFolders, KafkaFolders, TimeFolders
from plugwright_lake.refusals import refusal
from plugwright_lake.settings import CONFIG, driver_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright import Password
    from plugwright_lake.formats import FileFormat
    from plugwright_lake.moments import Moments
    from plugwright_lake.partitioners import Folders

__all__ = ["Layout", "problems"]

_DAY_MS = 86_400_000
_HOUR_MS = 3_600_000
_DAILY = "'year'=YYYY/'month'=MM/'day'=dd"


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that decides where a record goes.

    Attributes:
        url: of the store.
        options: of the store's driver, secrets among them.
        topics: the folder of the folders of topics.
        interval_ms: between the first and the latest record of a file; none if not positive.
        schedule_ms: of the wall clock; none if not positive.
        by_time: whether folders are time intervals, each of which finishes the one before.
    """

    url: str
    options: Mapping[str, str | Password]
    topics: str
    format: FileFormat
    names: FileNames
    folders: Folders
    moments: Moments
    flush_size: int
    interval_ms: int
    schedule_ms: int
    zone: ZoneInfo
    on_commit: bool
    by_time: bool
    compatibility: str
    leaves_out_nulls: bool

    @classmethod
    def parse(cls, props: Mapping[str, str]) -> Layout:
        """The layout of some settings.

        Raises:
            ConfigError: naming everything that is wrong with them.
        """
        found = problems(props)
        settings = AbstractConfig(CONFIG, props, log_values=False)
        if found:
            lines = [f"{key}: {text}" for key, text in found]
            raise ConfigError("\n".join(lines), code="lake.settings", hint="correct the settings")
        return _Reading(settings).layout()


def problems(props: Mapping[str, str]) -> list[tuple[str, str]]:
    """Problems of settings that are valid individually: key and message."""
    return list(_problems(props))


def _problems(props: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key in props:
        if reason := refusal(key):
            yield key, f"{key} is not supported: {reason}"
    partitioner = PARTITIONERS.short(props.get("partitioner.class") or "default")
    if partitioner == "field" and not (props.get("partition.field.name") or "").strip():
        yield "partition.field.name", "the partitioner field needs partition.field.name"
    if partitioner == "time":
        if not (props.get("partition.duration.ms") or "").strip().lstrip("+0").isdecimal():
            yield "partition.duration.ms", "the partitioner time needs a positive duration"
        try:
            PathFormat.parse(props.get("path.format") or "")
        except ValueError as error:
            yield "path.format", f"the partitioner time needs a path.format: {error}"
    try:
        ZoneInfo(props.get("timezone") or "UTC")
    except (KeyError, ValueError, OSError):
        yield "timezone", f"there is no time zone {props['timezone']}"


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reads settings that are right."""

    settings: AbstractConfig

    def layout(self) -> Layout:
        read = self.settings
        schedule, on_commit = read.get("rotate.schedule.interval.ms"), read.get("rotate.on.commit")
        interval, moments = read.get("rotate.interval.ms"), self._moments()
        form = self._format()
        names = FileNames(
            read.get_string("file.delim"),
            read.get_int("filename.offset.zero.pad.width"),
            form.extension,
            ranged=on_commit or schedule > 0 or (interval > 0 and isinstance(moments, WallClock)),
        )
        return Layout(
            read.get_string("store.url"),
            driver_options(read),
            read.get_string("topics.dir").strip("/"),
            form,
            names,
            self._folders(),
            moments,
            read.get_int("flush.size"),
            interval,
            schedule,
            self._zone(),
            on_commit,
            PARTITIONERS.short(read.get_string("partitioner.class")) in {"time", "daily", "hourly"},
            read.get_string("schema.compatibility"),
            read.get_string("behavior.on.null.values") == "ignore",
        )

    def _format(self) -> FileFormat:
        read = self.settings
        name = FORMATS.short(read.get_string("format.class"))
        if name == "avro":
            from plugwright_lake.avro import avro  # noqa: PLC0415  # heavy, and discovery needs none

            return avro(read.get_string("avro.codec"))
        if name == "parquet":
            from plugwright_lake.parquet import parquet  # noqa: PLC0415

            return parquet(read.get_string("parquet.codec"))
        from plugwright_lake.json_lines import json_lines  # noqa: PLC0415

        return json_lines(
            numeric=read.get_string("json.decimal.format") == "NUMERIC",
            compressed=read.get_string("s3.compression.type") == "gzip",
        )

    def _moments(self) -> Moments:
        kind = self.settings.get_string("timestamp.extractor")
        if kind == "RecordField":
            return FieldMoment(self.settings.get_string("timestamp.field"))
        return RecordMoment() if kind == "Record" else WallClock()

    def _folders(self) -> Folders:
        read = self.settings
        kind = PARTITIONERS.short(read.get_string("partitioner.class"))
        if kind == "default":
            return KafkaFolders()
        if kind == "field":
            return FieldFolders(tuple(read.get_list("partition.field.name")))
        pattern, duration = {
            "daily": (_DAILY, _DAY_MS),
            "hourly": (f"{_DAILY}/'hour'=HH", _HOUR_MS),
        }.get(kind or "", (read.get_string("path.format"), read.get("partition.duration.ms")))
        return TimeFolders(PathFormat.parse(pattern), duration, self._zone(), self._moments())

    def _zone(self) -> ZoneInfo:
        return ZoneInfo(self.settings.get_string("timezone") or "UTC")
