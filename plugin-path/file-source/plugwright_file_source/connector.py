"""The connector: one file, one task."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright import ConnectError, ExactlyOnceSupport, SourceConnector
from plugwright_file_source.position import position_of
from plugwright_file_source.settings import CONFIG, FILE, VERSION
from plugwright_file_source.task import FileStreamSourceTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import ConfigDef, Task

__all__ = ["FileStreamSourceConnector"]


class FileStreamSourceConnector(SourceConnector):
    """Reads one text file, or standard input; neither can be divided, so there is one task."""

    def __init__(self) -> None:
        self._props: Mapping[str, str] = {}

    def version(self) -> str:
        """The version of this distribution."""
        return VERSION

    def config(self) -> ConfigDef:
        """``file``, ``topic`` and ``batch.size``."""
        return CONFIG

    def start(self, props: Mapping[str, str]) -> None:
        """Check the settings and keep them for the task."""
        CONFIG.parse(props)
        self._props = dict(props)

    def task_class(self) -> type[Task]:
        """The class that reads."""
        return FileStreamSourceTask

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:  # noqa: ARG002
        """One configuration, whatever the limit."""
        return [self._props]

    def stop(self) -> None:
        """Nothing is held."""

    def exactly_once_support(self, props: Mapping[str, str]) -> ExactlyOnceSupport:
        """Supported for a file, where the offset of every line is exact; not for standard input."""
        if not props.get(FILE):
            return ExactlyOnceSupport.UNSUPPORTED
        return ExactlyOnceSupport.SUPPORTED

    def alter_offsets(
        self,
        props: Mapping[str, str],
        offsets: Sequence[tuple[Mapping[str, Any], Mapping[str, Any] | None]],
    ) -> bool:
        """Accept positions of files, and that anything is forgotten; refuse anything else.

        Raises:
            ConnectError: if a partition does not name a file, an offset is not a position, or
                standard input is read, which has no positions.
        """
        if not props.get(FILE):
            raise ConnectError(
                "offsets cannot be changed while standard input is read",
                code="file-source.no-positions",
                hint="name a file",
            )
        for partition, offset in offsets:
            if offset is None:
                continue
            position_of(offset)
            if "filename" not in partition:
                raise ConnectError(
                    "a source partition must have a filename, found "
                    f"{json.dumps(dict(partition), ensure_ascii=False, default=str)}",
                    code="file-source.bad-partition",
                )
        return True
