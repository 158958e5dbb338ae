"""Reads the pages of an HTTP service."""

from __future__ import annotations

from pagedhttp.connector import PagedHttpConnector
from pagedhttp.task import PagedHttpTask

__all__ = ["PagedHttpConnector", "PagedHttpTask"]
