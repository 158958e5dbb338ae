"""Connector files in the three forms that Kafka's launcher takes."""

from __future__ import annotations

import pytest

from plugwright.control_plane import CreateConnector
from plugwright.errors import ConfigError
from plugwright.herder import read_connector_file, read_settings_file


@pytest.fixture
def read(tmp_path):
    """Writes a file and reads it."""

    def read(data):
        file = tmp_path / "connector"
        file.write_bytes(data)
        return read_connector_file(file)

    return read


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"name=a\nfile = x\n", CreateConnector("a", {"name": "a", "file": "x"})),
        (b'{"name": "a", "file": "x"}', CreateConnector("a", {"name": "a", "file": "x"})),
        (
            b'{"name": "a", "config": {"file": "x"}, "initial_state": "stopped"}',
            CreateConnector("a", {"file": "x", "name": "a"}, "STOPPED"),
        ),
        (
            b'{"config": {"name": "a", "tasks.max": 2}}',
            CreateConnector("a", {"name": "a", "tasks.max": "2"}, "STARTED"),
        ),
    ],
    ids=["properties", "settings", "request", "request named inside"],
)
def test_a_connector_is_read_in_each_form(read, data, expected):
    """Name, settings and initial state."""
    assert read(data) == expected


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"file=x\n", "config.no-connector-name", "does not name its connector"),
        (b'{"file": "x"}', "config.no-connector-name", "does not name its connector"),
        (b"name=\\u12", "config.malformed-properties", "Malformed"),
        (b"\xff\xfe", "config.unreadable-file", "cannot be read"),
        (b'{"config": {"name": "a"}, "initial_state": "ASLEEP"}', "config.invalid", "'ASLEEP'"),
    ],
    ids=["nameless properties", "nameless settings", "malformed", "no text", "state"],
)
def test_a_file_that_is_none_is_refused(read, data, code, message):
    """With its name and what is wrong."""
    with pytest.raises(ConfigError, match=message) as raised:
        read(data)
    assert raised.value.code == code
    assert "connector" in str(raised.value)


def test_a_missing_file_is_named(tmp_path):
    """With what the system says."""
    with pytest.raises(ConfigError, match=r"none\.properties cannot be read: No such file"):
        read_settings_file(tmp_path / "none.properties")


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a", "tasks.max": 2, "errors.log.enable": true, "x": null, "y": 1.5}',
        '{"name": "a", "config": {"tasks.max": 2, "errors.log.enable": true, "x": null, "y": 1.5}}',
    ],
    ids=["flat", "request"],
)
def test_plain_values_become_text_as_jackson_makes_it(tmp_path, text):
    """Numbers and booleans need no quotes in Kafka's files either."""
    path = tmp_path / "a.json"
    path.write_text(text)

    found = read_connector_file(path)

    wanted = {"name": "a", "tasks.max": "2", "errors.log.enable": "true", "x": None, "y": "1.5"}
    assert found.config == wanted
