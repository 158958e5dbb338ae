"""Reported faults of sources of files: lines, encodings, files that change, tasks that share."""

from __future__ import annotations

import locale
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConnectError
from plugwright_conformance.mutants.reported.lines_source import (
    FolderSource,
    FolderSourceTask,
    LinesSourceTask,
)
from plugwright_conformance.mutants.reported.plain import PlainSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import SourceRecord

__all__ = [
    "BlankLineEndsBatchTask",
    "DecodesByLocaleTask",
    "EmptyGroups",
    "EveryTaskReadsAllTask",
    "ExactlyOneFileTask",
    "GoesOnInReplacedFileTask",
    "LongLineStopsTask",
    "MoreTasksThanAllowed",
    "NoFilesNoGroups",
    "OverlooksNewFilesTask",
    "ReadsIncompleteLineTask",
    "TaskForEveryNumber",
]


class LongLineStopsTask(LinesSourceTask):
    """Its buffer never grows, so a longer line never ends.

    https://github.com/apache/kafka/pull/8612: KAFKA-8120, the buffer was not expanded as it should
    when it held no line, and the task failed on long ones.
    """

    def read(self, path: Path, position: int) -> bytes:
        """The next 8192 bytes."""
        return super().read(path, position)[:8192]


class GoesOnInReplacedFileTask(LinesSourceTask):
    """Goes on at its old position when the file was rotated.

    https://github.com/apache/kafka/pull/2830: KAFKA-5046, rotation and removal of the file were
    not detected; what the new file had before that position was never read.
    """

    def read(self, path: Path, position: int) -> bytes:
        """What the file has behind a position, if there is anything."""
        with path.open("rb") as file:
            file.seek(position)
            return file.read()


class BlankLineEndsBatchTask(LinesSourceTask):
    """An empty line at the end swallows the group before it.

    https://github.com/streamthoughts/kafka-connect-file-pulse/issues/667: the last buffered group
    was not forwarded when the file ended with an empty line.
    """

    def records(self, path: Path) -> list[SourceRecord]:
        """The records of the file, by groups of five."""
        records = super().records(path)
        if records and not records[-1].value:
            return records[: len(records) // 5 * 5]
        return records


class DecodesByLocaleTask(LinesSourceTask):
    """Decodes by the encoding of the machine.

    https://github.com/LinkedInAttic/camus/pull/156: bytes were decoded without naming UTF-8, so the
    text depended on the platform's default.
    """

    def text(self, line: bytes) -> str:
        """The text of a line, as this machine sees it."""
        return line.decode(locale.getpreferredencoding(do_setlocale=False), "replace")


class ReadsIncompleteLineTask(LinesSourceTask):
    """Takes the end of what is written by now for the end of the line.

    https://github.com/logstash-plugins/logstash-input-file/issues/151: lines came in pieces when
    the file was written or rotated while it was read.
    """

    def lines(self, data: bytes) -> list[bytes]:
        """All lines, with or without their end."""
        complete = data.split(b"\n")
        return complete if complete[-1] else complete[:-1]


class OverlooksNewFilesTask(FolderSourceTask):
    """Reads the files that had something when it began.

    https://github.com/streamthoughts/kafka-connect-file-pulse/issues/107: the connector read the
    first file, and none of those that came later.
    """

    def paths(self, props: Mapping[str, str]) -> Sequence[Path]:
        """The files of this task that are not empty."""
        return [path for path in super().paths(props) if path.stat().st_size]


class EveryTaskReadsAllTask(FolderSourceTask):
    """Looks for files itself instead of reading those of its configuration.

    https://github.com/SAP-archive/kafka-connect-sap/pull/98: several tasks pulled the same data,
    and there were duplicates if tasks.max was above one.
    """

    def paths(self, props: Mapping[str, str]) -> Sequence[Path]:
        """Every file."""
        return sorted(Path(props["place"]).iterdir())


class ExactlyOneFileTask(FolderSourceTask):
    """Insists on one file for each task.

    https://github.com/yugabyte/yugabyte-db/issues/13903: with fewer tasks than tablets the task
    failed with "must be configured to use exactly one partition, 2 found".
    """

    def paths(self, props: Mapping[str, str]) -> Sequence[Path]:
        """The one file.

        Raises:
            ConnectError: if there are more.
        """
        paths = super().paths(props)
        if len(paths) != 1:
            raise ConnectError(f"must be configured to use exactly one file, {len(paths)} found")
        return paths


class EmptyGroups(FolderSource):
    """Makes a task for an empty group, too, which then reads everything.

    https://github.com/C0urante/kafka-connect-reddit/issues/1: with tasks.max above the number of
    subreddits empty lists were not skipped when task configurations were made.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """One configuration for each task allowed; without files it means all."""
        names = self.names()
        groups = [names[number::max_tasks] for number in range(max_tasks)]
        return [{**self._props, "files": "|".join(group or names)} for group in groups]


class MoreTasksThanAllowed(FolderSource):
    """Makes a task for every file, whatever the limit.

    https://github.com/apache/kafka/pull/14694: connectors were found to return more task
    configurations than tasks.max, and all of them were brought up.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:  # noqa: ARG002
        """A configuration for each file."""
        return [{**self._props, "files": name} for name in self.names()]


class TaskForEveryNumber(FolderSource):
    """Takes a file for every task allowed, whether there is one or not.

    https://github.com/DataReply/kafka-connect-mongodb/pull/1: taskConfigs counted to maxTasks where
    it had to count the groups.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The files, shared out."""
        names = self.names()
        count = min(max_tasks, len(names))
        groups = [names[number::count] for number in range(count)]
        return [{**self._props, "files": "|".join(groups[n])} for n in range(max_tasks)]


class NoFilesNoGroups(PlainSource):
    """Cannot share out nothing.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/234: if no table was found,
    groupPartitions raised "Number of groups must be positive" and the worker went down.
    """

    TASK = FolderSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """The files that have something, shared out.

        Raises:
            ValueError: if there are none.
        """
        found = sorted(Path(self._props["place"]).iterdir())
        names = [path.name for path in found if path.stat().st_size]
        count = min(max_tasks, len(names))
        if count <= 0:
            raise ValueError("Number of groups must be positive.")
        return [{**self._props, "files": "|".join(names[number::count])} for number in range(count)]
