"""Choosing the kind of broker."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError, SetupError
from plugwright.kafka.brokers import open_broker
from plugwright.kafka.brokers import selection as selection_module
from plugwright.kafka.brokers.selection import choose


@pytest.fixture
def providers(monkeypatch):
    """Replaces the providers by their names; ``errors`` makes one of them fail."""
    errors = {}

    def provider(kind):
        def open_kind(*address, **options):
            if kind in errors:
                raise errors[kind]
            return kind, address, options

        return open_kind

    monkeypatch.setattr(selection_module, "open_external", provider("external"))
    monkeypatch.setattr(selection_module, "open_container", provider("testcontainers"))
    monkeypatch.setattr(selection_module, "open_embedded", provider("embedded"))
    monkeypatch.setattr(selection_module, "engine_answers", lambda: True)
    return errors


def never():
    """An engine that must not be asked."""
    pytest.fail("asked for an engine without need")


@pytest.mark.parametrize(
    ("bootstrap", "kind", "engine", "expected"),
    [
        pytest.param("a:1", None, never, "external", id="address"),
        pytest.param("a:1", "external", never, "external", id="address-and-kind"),
        pytest.param(None, "embedded", never, "embedded", id="forced-embedded"),
        pytest.param(None, "testcontainers", never, "testcontainers", id="forced-container"),
        pytest.param(None, None, lambda: True, "testcontainers", id="engine"),
        pytest.param(None, None, lambda: False, "embedded", id="no-engine"),
    ],
)
def test_the_first_that_fits_is_chosen(bootstrap, kind, engine, expected):
    """The address given, else an engine that answers, else our own; a kind forces one."""
    assert choose(bootstrap, kind, engine) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"kind": "docker"}, "expected one of external, testcontainers", id="unknown"),
        pytest.param({"kind": "external"}, "requires bootstrap servers", id="no-address"),
        pytest.param(
            {"kind": "embedded", "bootstrap_servers": "a:1"}, "require an external", id="address"
        ),
        pytest.param({"port": 1, "bootstrap_servers": "a:1"}, "has its own port", id="port"),
        pytest.param(
            {"kind": "testcontainers", "host": "10.0.0.1"}, "only an embedded broker", id="host"
        ),
    ],
)
@pytest.mark.usefixtures("providers")
def test_arguments_that_contradict_each_other_are_refused(options, message):
    """Before anything is started."""
    with pytest.raises(ConfigError, match=message) as caught:
        open_broker(**options)

    assert caught.value.code == "config.invalid"


@pytest.mark.usefixtures("providers")
def test_options_reach_the_provider():
    """Port, properties and progress for one that is started; properties for one that is not."""
    options = {"port": 5, "properties": {"a": "b"}, "progress": print}

    assert open_broker(kind="embedded", **options) == ("embedded", (), options)
    assert open_broker("a:1", properties={"a": "b"}) == ("external", ("a:1", {"a": "b"}), {})


def test_an_engine_that_cannot_run_the_image_is_passed_over(providers):
    """The user gets a broker all the same, and a message."""
    providers["testcontainers"] = SetupError("no image", code="environment.kafka-container-failed")
    reported = []

    assert open_broker(progress=reported.append)[0] == "embedded"
    assert reported == ["no image; continuing with an embedded broker"]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        pytest.param("testcontainers", "environment.kafka-container-failed", id="insists"),
        pytest.param(None, "environment.port-in-use", id="port"),
    ],
)
def test_some_failures_of_the_engine_are_final(providers, kind, code):
    """Where the user insists, or where the next kind would fail in the same way."""
    providers["testcontainers"] = SetupError("no", code=code)

    with pytest.raises(SetupError) as caught:
        open_broker(kind=kind)

    assert caught.value.code == code


@pytest.mark.usefixtures("providers")
def test_for_clients_elsewhere_there_is_an_embedded_broker():
    """Even where a container engine answers; a broker that runs has its own address."""
    kind, _, options = open_broker(host="10.0.0.1")

    assert (kind, options["host"]) == ("embedded", "10.0.0.1")
    assert open_broker("a:1", host="10.0.0.1")[0] == "external"
