"""Listing plugins, their settings, and validating configurations."""

from __future__ import annotations

import pytest

SINK = b'{"class":"file.FileStreamSinkConnector","type":"sink","version":"1.0"}'
SOURCE = b'{"class":"file.FileStreamSourceConnector","type":"source","version":"1.0"}'
FILTER = b'{"class":"plugwright.transforms.Filter","type":"transformation"}'


@pytest.mark.parametrize("query", ["", "?connectorsOnly=true", "?connectorsOnly=TRUE"])
def test_connectors_alone_are_listed_by_default(call, query):
    """KIP-769."""
    assert call("GET", f"/connector-plugins{query}").body == b"[" + SINK + b"," + SOURCE + b"]"


@pytest.mark.parametrize("value", ["false", "no", ""])
def test_all_plugins_are_listed_on_request(call, value):
    """An undefined version is left out; every word but true is false, as in JAX-RS."""
    answer = call("GET", f"/connector-plugins?connectorsOnly={value}")

    assert answer.body == b"[" + b",".join([SINK, SOURCE, FILTER]) + b"]"


def test_settings_of_a_plugin_are_listed(call, herder):
    """The herder makes the definitions."""
    answer = call("GET", "/connector-plugins/FileStreamSource/config")

    assert answer.json == [{"name": "file", "type": "STRING", "default_value": None}]
    assert herder.asked == [("connector_plugin_config", "FileStreamSource", None)]


def test_a_version_of_a_plugin_can_be_asked_for(call, herder):
    """KIP-891, ranges included."""
    call("GET", "/connector-plugins/FileStreamSource/config?version=%5B1.0%2C2.0%29")

    assert herder.asked[0][2] == "[1.0,2.0)"


def test_an_unknown_plugin_is_not_found(call):
    """404 with the herder's text."""
    answer = call("GET", "/connector-plugins/Nope/config")

    assert (answer.status, answer.message) == (404, "Unknown plugin Nope.")


@pytest.mark.parametrize(
    ("plugin", "included"),
    [
        ("FileStreamSource", "file.FileStreamSourceConnector"),
        ("FileStreamSourceConnector", "FileStreamSource"),
        ("file.FileStreamSourceConnector", "file.FileStreamSourceConnector"),
        ("Connector", "Connector"),
    ],
)
def test_a_configuration_is_validated(call, plugin, included):
    """Class name and alias both fit."""
    path = f"/connector-plugins/{plugin}/config/validate"

    answer = call("PUT", path, {"connector.class": included})

    assert answer.status == 200
    assert answer.json == {"name": included, "error_count": 0, "groups": [], "configs": []}


def test_a_configuration_of_another_plugin_is_a_bad_request(call):
    """Kafka's words."""
    path = "/connector-plugins/FileStreamSink/config/validate"

    answer = call("PUT", path, {"connector.class": "FileStreamSource"})

    assert answer.status == 400
    assert answer.message == (
        "Included connector type FileStreamSource does not match request type FileStreamSink"
    )


def test_a_configuration_without_plugin_cannot_be_validated(call):
    """Kafka prints the configuration, we print its keys: values may be secret."""
    body = {"password": "s3cret", "file": "x"}

    answer = call("PUT", "/connector-plugins/FileStreamSink/config/validate", body)

    assert answer.status == 500
    assert answer.message.startswith("Connector config {file, password} contains no connector type")
