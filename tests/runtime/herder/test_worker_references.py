"""References to config providers in a worker's own properties."""

from __future__ import annotations

import pytest

from plugwright.config import HiddenTexts
from plugwright.errors import ConfigError
from plugwright.herder import resolved_properties
from plugwright.plugins import Plugins
from plugwright.rest import RestSettings

NONE = Plugins([], [], [])
JAVA = "org.apache.kafka.common.config.provider"


def test_references_are_replaced_by_providers_of_javas_names(tmp_path, monkeypatch):
    """As `producer.sasl.jaas.config=${file:...}` stands in many a worker.properties."""
    monkeypatch.setenv("TOPIC", "offsets")
    (tmp_path / "secrets").write_text("jaas=s3cret\n")
    properties = {
        "config.providers": "file,env",
        "config.providers.file.class": f"{JAVA}.FileConfigProvider",
        "config.providers.env.class": f"{JAVA}.EnvVarConfigProvider",
        "producer.sasl.jaas.config": f"${{file:{tmp_path}/secrets:jaas}}",
        "offset.storage.topic": "${env:TOPIC}",
        "listeners": "http://127.0.0.1:0",
    }

    found = resolved_properties(properties, NONE, HiddenTexts())

    assert found["producer.sasl.jaas.config"] == "s3cret"
    assert found["offset.storage.topic"] == "offsets"
    assert RestSettings.parse(found).request_timeout_s == 90


def test_without_providers_nothing_is_a_reference():
    """As Kafka leaves it."""
    properties = {"offset.storage.topic": "${env:TOPIC}"}

    assert resolved_properties(properties, NONE, HiddenTexts()) == properties


def test_a_file_outside_the_allowed_paths_is_not_read(tmp_path):
    """KIP-993: the reference stays as it is."""
    (tmp_path / "allowed").mkdir()
    (tmp_path / "secrets").write_text("a=s3cret\n")
    properties = {
        "config.providers": "file",
        "config.providers.file.class": "FileConfigProvider",
        "config.providers.file.param.allowed.paths": str(tmp_path / "allowed"),
        "x": f"${{file:{tmp_path}/secrets:a}}",
    }

    assert resolved_properties(properties, NONE, HiddenTexts())["x"] == properties["x"]


def test_an_unknown_provider_is_refused():
    """Before anything runs."""
    properties = {"config.providers": "v", "config.providers.v.class": "shop.VaultProvider"}

    with pytest.raises(ConfigError, match="Could not load config provider class"):
        resolved_properties(properties, NONE, HiddenTexts())
