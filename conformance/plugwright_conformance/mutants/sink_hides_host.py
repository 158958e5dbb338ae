"""A sink that cannot reach its endpoint, and does not say which."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, ConnectError
from plugwright_file_sink import FileStreamSinkConnector, FileStreamSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright import Task

__all__ = ["BrokenSinkConnector"]


_HOST = "127.0.0.1"
CONFIG = (
    ConfigDef()
    .define("file", ConfigType.STRING, documentation="The file to append to.")
    .define("host", ConfigType.STRING, default=_HOST, documentation="Where to report to.")
    .define("password", ConfigType.PASSWORD, default="", documentation="For the report.")
)


class BrokenSinkTask(FileStreamSinkTask):
    """Leaves it open who cannot be reached."""

    def start(self, props: Mapping[str, str]) -> None:
        """Connect before the file is opened."""
        self._props = props
        self._connect()
        super().start(props)

    def _connect(self) -> None:
        try:
            socket.create_connection((_HOST, 9), timeout=1).close()
        except OSError as error:
            raise ConnectError("cannot connect") from error


class BrokenSinkConnector(FileStreamSinkConnector):
    """Runs the broken task."""

    def task_class(self) -> type[Task]:
        """The broken class."""
        return BrokenSinkTask

    def config(self) -> ConfigDef:
        """Where to connect to, and as whom."""
        return CONFIG
