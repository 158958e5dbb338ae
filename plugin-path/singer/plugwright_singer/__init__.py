"""Connectors that run other people's Singer taps and targets."""

from __future__ import annotations

from plugwright_singer.sink_connector import SingerSinkConnector
from plugwright_singer.sink_task import SingerSinkTask
from plugwright_singer.source_connector import SingerSourceConnector
from plugwright_singer.source_task import SingerSourceTask

__all__ = [
    "SingerSinkConnector",
    "SingerSinkTask",
    "SingerSourceConnector",
    "SingerSourceTask",
]
