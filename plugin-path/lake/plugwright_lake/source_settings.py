"""The settings of the lake source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugwright import (
    AbstractConfig,
    ConfigDef,
    ConfigError,
    ConfigType,
    Importance,
    NonEmptyString,
    Range,
    ValidString,
)
from plugwright_lake.settings import define_options, driver_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Password

__all__ = ["SOURCE_CONFIG", "TASK", "TASKS", "SourceSettings", "hidden"]

TASK, TASKS = "lake.task", "lake.tasks"
"""The keys that the connector passes to each task: its number, and the number of tasks."""

SOURCE_CONFIG = define_options(
    ConfigDef()
    .define(
        "store.url",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Where the files are: a directory, or the URL of an fsspec driver such as "
        "s3://bucket/path, gs://bucket or hdfs://host/path.",
    )
    .define(
        "topics.dir",
        ConfigType.STRING,
        default="topics",
        importance=Importance.HIGH,
        documentation="Folder below store.url that is read, with all folders in it; empty for "
        "store.url itself.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        default="",
        importance=Importance.HIGH,
        documentation="Topic that receives the records; without it, the one that is named like "
        "the first folder below topics.dir, as the lake sink writes them.",
    )
    .define(
        "file.order",
        ConfigType.STRING,
        default="name",
        importance=Importance.MEDIUM,
        validator=ValidString.in_("name", "modified"),
        documentation="Whether files that are there together are read by their paths, or by the "
        "time at which they were modified.",
    )
    .define(
        "finished.dir",
        ConfigType.STRING,
        default="",
        importance=Importance.MEDIUM,
        documentation="Folder below store.url that finished files are moved into, once their "
        "offsets are stored; without it they stay, and offsets mark them as finished.",
    )
    .define(
        "poll.interval.ms",
        ConfigType.LONG,
        default=1000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="Time to wait before looking for new files again if there were none.",
    )
    .define(
        "batch.size",
        ConfigType.INT,
        default=2000,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most records that one poll returns, one at least.",
    )
)


def hidden(props: Mapping[str, str]) -> str | None:
    """Why nothing would ever be read, ``None`` if something would."""
    finished = (props.get("finished.dir") or "").strip("/")
    folder = (props.get("topics.dir", "topics") or "").strip("/")
    if finished and f"{folder}/".startswith(f"{finished}/"):
        return "topics.dir lies in finished.dir, whose files are not read"
    return None


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """The settings as typed values.

    Attributes:
        options: of the store's driver; secrets among them are masked.
        folder: that is read.
        finished: the folder of finished files; empty if they stay.
        task: the number of this task among all of them.
    """

    url: str
    options: Mapping[str, str | Password]
    folder: str
    topic: str
    by_time: bool
    finished: str
    wait_s: float
    batch: int
    task: int
    tasks: int

    @classmethod
    def parse(cls, props: Mapping[str, str]) -> SourceSettings:
        """The settings of a connector or a task.

        Raises:
            ConfigError: if a setting is missing or wrong.
        """
        read = AbstractConfig(SOURCE_CONFIG, props, log_values=False)
        if problem := hidden(props):
            raise ConfigError(problem, code="lake.settings", hint="give it another folder")
        return cls(
            read.get_string("store.url"),
            driver_options(read),
            (read.get("topics.dir") or "").strip("/"),
            read.get("topic") or "",
            read.get_string("file.order") == "modified",
            (read.get("finished.dir") or "").strip("/"),
            read.get("poll.interval.ms") / 1000,
            read.get_int("batch.size"),
            int(props.get(TASK, "0")),
            int(props.get(TASKS, "1")),
        )
