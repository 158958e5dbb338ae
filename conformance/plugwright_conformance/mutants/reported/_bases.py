"""The good connectors of the reported faults, with their declared capabilities."""

from __future__ import annotations

from dataclasses import replace

from plugwright_conformance.mutants.reported._reported import Base
from plugwright_conformance.reference import FIELDS

_ORDER = 'order = "partition"\n'
_LINE = 'excluded_characters = ["\\n"]\n'
_SINK = 'headers = "ignored"\ntombstones = "left out"\nparallel = true\n'
_ROWS = {"rows.url": "rows://user@localhost/tables"}

LINES_SOURCE = Base("lines_source:LinesSource", "source", "LinesEndpoint", _ORDER + _LINE)
FOLDER = Base("lines_source:FolderSource", "source", "FolderEndpoint", "parallel = true\n" + _LINE)
EVENTS = Base("table_sources:EventsSource", "source", "EventsEndpoint", _ORDER)
STAMPED = replace(
    EVENTS,
    connector="second_sources:StampedEventsSource",
    endpoint="second_sources:StampedEventsEndpoint",
)
PAGES = Base("table_sources:PagesSource", "source", "PagesEndpoint", _ORDER)
QUEUE = Base(
    "table_sources:QueueSource", "source", "MessagesEndpoint", f'{_ORDER}resumes = "endpoint"\n'
)
ROWS_SOURCE = Base(
    "rows_source:RowsSourceConnector",
    "source",
    "rows_testing:RowsEndpoint",
    f"{_ORDER}parallel = true\n{FIELDS}",
    _ROWS,
)
LINES_SINK = Base("sinks:LinesSink", "sink", "LinesEndpoint", _ORDER + _LINE + _SINK)
BUFFER_SINK = Base("sinks:BufferSink", "sink", "LinesEndpoint", _ORDER + _LINE + _SINK)
OBJECTS = Base("sinks:ObjectSink", "sink", "FolderEndpoint", _LINE + _SINK)
TABLE_SINK = Base("sinks:TableSink", "sink", "RowsEndpoint", _ORDER + _SINK)
ROWS_SINK = Base(
    "rows_sink:RowsSinkConnector",
    "sink",
    "rows_testing:RowsEndpoint",
    f"{_ORDER}{_SINK}schemaless = true\n{FIELDS}",
    _ROWS,
)
_SECRET = {"login.password": "a-password-9c51"}
SECRET_SOURCE = replace(
    LINES_SOURCE, connector="settings_faults:WithPasswordSource", config=_SECRET
)
SECRET_SINK = replace(LINES_SINK, connector="settings_faults:WithPasswordSink", config=_SECRET)
REPORTING_SINK = replace(
    LINES_SINK,
    connector="unusual_sinks:ReportingSink",
    claims=LINES_SINK.claims + "dlq = true\n",
)

BASES = (
    LINES_SOURCE,
    FOLDER,
    EVENTS,
    PAGES,
    QUEUE,
    ROWS_SOURCE,
    LINES_SINK,
    BUFFER_SINK,
    OBJECTS,
    TABLE_SINK,
    ROWS_SINK,
    SECRET_SOURCE,
    SECRET_SINK,
    REPORTING_SINK,
)
"""All of them; they run through the checks as well, which shows false findings."""
