"""The connector: shares the files of a directory out among its tasks, and looks for new ones."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    ExactlyOnceSupport,
    Importance,
    NonEmptyString,
    Range,
    SourceConnector,
    group_partitions,
)

VERSION = "1.0.0"

CONFIG = (
    ConfigDef()
    .define(
        "directory",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Directory with the files; it may appear later.",
    )
    .define(
        "pattern",
        ConfigType.STRING,
        default="*.jsonl",
        importance=Importance.MEDIUM,
        validator=NonEmptyString(),
        documentation="Names of the files that are read.",
    )
    .define(
        "topic",
        ConfigType.STRING,
        importance=Importance.HIGH,
        validator=NonEmptyString(),
        documentation="Topic that receives a record for each line.",
    )
    .define(
        "batch.lines",
        ConfigType.INT,
        default=200,
        importance=Importance.LOW,
        validator=Range.between(1, 100_000),
        documentation="The most lines of one poll.",
    )
    .define(
        "rescan.interval.ms",
        ConfigType.INT,
        default=500,
        importance=Importance.LOW,
        validator=Range.between(50, 3_600_000),
        documentation="Milliseconds between two looks for new files.",
    )
)
TASK_CONFIG = ConfigDef(CONFIG).define(
    "files", ConfigType.STRING, importance=Importance.HIGH, documentation="JSON list of file names."
)


def names_in(directory, pattern):
    """The names of the files, in order; none if there is no directory."""
    return sorted(path.name for path in Path(directory).glob(pattern) if path.is_file())


def position_of(offset):
    position = offset.get("position")
    if set(offset) != {"position"} or type(position) is not int or position < 0:
        raise ConnectError(
            f"an offset must be {{'position': bytes from 0}}, found {dict(offset)!r}",
            code="dropbox.bad-offset",
        )
    return position


class DropboxConnector(SourceConnector):
    def __init__(self):
        self._stopping = threading.Event()
        self._watcher = None
        self._known = None

    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        config = CONFIG.parse(props)
        self._props = dict(props)
        self._directory, self._pattern = config["directory"], config["pattern"]
        self._interval_s = config["rescan.interval.ms"] / 1000
        self._known = names_in(self._directory, self._pattern)
        self._stopping.clear()
        self._watcher = threading.Thread(target=self._watch, name="dropbox-watch", daemon=True)
        self._watcher.start()

    def task_class(self):
        from dropbox.task import DropboxTask

        return DropboxTask

    def task_configs(self, max_tasks):
        self._known = names = names_in(self._directory, self._pattern)
        if not names:
            return []
        groups = group_partitions(names, min(max_tasks, len(names)))
        return [{**self._props, "files": json.dumps(group)} for group in groups]

    def stop(self):
        self._stopping.set()
        if self._watcher is not None:
            self._watcher.join()
            self._watcher = None

    def exactly_once_support(self, props):
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if offset is None:
                continue
            if set(partition) != {"file"} or not isinstance(partition["file"], str):
                raise ConnectError(
                    f"a source partition must be {{'file': name}}, found {dict(partition)!r}"
                )
            position_of(offset)
        return True

    def _watch(self):
        while not self._stopping.wait(self._interval_s):
            try:
                found = names_in(self._directory, self._pattern)
            except OSError:
                continue
            if found != self._known:
                self._known = found
                self.context.request_task_reconfiguration()
