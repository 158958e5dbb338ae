"""A setting of a bundled connector that is null, as JSON lets a client write it."""

from __future__ import annotations

import pytest

from legacy_sink.connector import LegacySinkConnector
from plugwright.errors import ConfigError
from plugwright_file_sink.connector import FileStreamSinkConnector
from plugwright_file_source.connector import FileStreamSourceConnector


class _Context:
    """No offset is stored."""

    class offset_storage_reader:  # noqa: N801  # an attribute of the context
        @staticmethod
        def offset(partition):
            return None


def _started(connector, settings):
    """What validation and start, as a worker calls them, say about settings."""
    values = connector.validate(settings)
    connector.start(settings)
    task = connector.task_class()()
    task.context = _Context
    try:
        task.start(connector.task_configs(1)[0])
    finally:
        task.stop()
    return [message for value in values for message in value.error_messages]


@pytest.mark.parametrize(
    ("connector", "good", "key"),
    [
        (FileStreamSourceConnector, {"file": "f", "topic": "t"}, "topic"),
        (FileStreamSourceConnector, {"file": "f", "topic": "t"}, "batch.size"),
        (LegacySinkConnector, {"directory": "d"}, "directory"),
    ],
    ids=str,
)
def test_a_connector_refuses_null_where_it_needs_a_value(connector, good, key):
    """The error names the setting."""
    with pytest.raises(ConfigError, match=key):
        _started(connector(), {**good, key: None})


@pytest.mark.parametrize(
    ("connector", "good"),
    [
        (FileStreamSourceConnector, {"topic": "t"}),
        (FileStreamSinkConnector, {}),
    ],
    ids=str,
)
def test_a_file_of_null_is_the_standard_stream(connector, good):
    """As without the setting."""
    assert _started(connector(), {**good, "file": None}) == []
