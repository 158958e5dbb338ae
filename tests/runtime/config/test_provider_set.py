"""The providers that a configuration declares."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigData, ConfigProvider, config_providers
from plugwright.errors import ConfigError, PluginError


class Recorder(ConfigProvider):
    """Remembers what happens to it."""

    events: list[object]

    def configure(self, props):
        """Remember the settings."""
        self.events.append(dict(props))
        if "fail" in props:
            raise ValueError("broken by hunter2")

    def get(self, path, keys=None):  # the contract
        """Nothing."""
        return ConfigData()

    def close(self):
        """Remember that, and fail."""
        self.events.append("closed")
        raise OSError("cannot close")


@pytest.fixture
def loader():
    """A class loader that knows one alias; its class starts with no events."""
    Recorder.events = []
    return {"Recorder": Recorder, "dict": dict}.__getitem__


def test_declared_providers_get_their_parameters(loader):
    """Prefix removed, others' settings left out, closed at the end whatever closing says."""
    props = {
        "config.providers": "a, b",
        "config.providers.a.class": "Recorder",
        "config.providers.a.param.x": "1",
        "config.providers.b.class": Recorder,
        "config.providers.b.param.y.z": "2",
        "config.providers.ab.param.q": "3",
    }

    with config_providers(props, loader) as providers:
        assert list(providers) == ["a", "b"]

    assert Recorder.events == [{"x": "1"}, {"y.z": "2"}, "closed", "closed"]


@pytest.mark.parametrize("props", [{}, {"config.providers": ""}, {"config.providers": None}])
def test_none_declared(props):
    """No setting, no providers."""
    with config_providers(props) as providers:
        assert providers == {}


def test_name_without_class_is_left_out_with_a_warning(caplog):
    """References to it stay as text, as in Kafka."""
    with config_providers({"config.providers": "a"}) as providers:
        assert providers == {}

    assert caplog.messages == [
        "The config provider a is not used: config.providers.a.class is not set"
    ]


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        ("Nothing", "Could not load config provider class or one of its dependencies"),
        ("dict", "The class is not a ConfigProvider"),
    ],
)
def test_class_that_cannot_be_used(loader, cls, message):
    """The setting that names it is named."""
    props = {"config.providers": "a", "config.providers.a.class": cls}

    with pytest.raises(ConfigError) as caught, config_providers(props, loader):
        pass

    assert str(caught.value).endswith(f"for configuration config.providers.a.class: {message}")


def test_provider_that_refuses_to_start(loader):
    """Provider and phase are named; those made before, and itself, are closed."""
    props = {
        "config.providers": "a,b",
        "config.providers.a.class": "Recorder",
        "config.providers.b.class": "Recorder",
        "config.providers.b.param.fail": "1",
    }

    with pytest.raises(PluginError) as caught, config_providers(props, loader):
        pass

    assert str(caught.value) == "The config provider b failed with ValueError (phase configure)"
    assert Recorder.events == [{}, {"fail": "1"}, "closed", "closed"]
