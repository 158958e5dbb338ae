"""Reads every JSON-lines file of a directory."""

from __future__ import annotations

from dropbox.connector import DropboxConnector
from dropbox.task import DropboxTask

__all__ = ["DropboxConnector", "DropboxTask"]
