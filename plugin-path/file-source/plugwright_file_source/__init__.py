"""A source connector that reads a text file line by line and follows its growth."""

from __future__ import annotations

from plugwright_file_source.connector import FileStreamSourceConnector
from plugwright_file_source.task import FileStreamSourceTask

__all__ = ["FileStreamSourceConnector", "FileStreamSourceTask"]
