"""A sink connector that appends values to a text file, one line each."""

from __future__ import annotations

from plugwright_file_sink.connector import FileStreamSinkConnector
from plugwright_file_sink.task import FileStreamSinkTask

__all__ = ["FileStreamSinkConnector", "FileStreamSinkTask"]
