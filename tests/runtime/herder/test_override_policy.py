"""Kafka's four policies about overridden client settings, and those of plugins."""

from __future__ import annotations

import logging

import pytest
from tests.runtime.herder.conftest import WORKER

from plugwright import ClientConfigOverridePolicy
from plugwright.config import ConfigValue
from plugwright.errors import ConfigError, ConnectError
from plugwright.herder import WorkerConfig
from plugwright.herder.override_policy import override_policy, validate_overrides
from plugwright.plugins import OVERRIDE_POLICY, PluginDescriptor, Plugins

POLICY = "connector.client.config.override.policy"
ALLOWLIST = "connector.client.config.override.allowlist"
CONFIG = {
    "producer.override.linger.ms": "5",
    "consumer.override.security.protocol": "SSL",
    "admin.override.sasl.mechanism": "PLAIN",
    "name": "a",
}
OVERRIDES = [key for key in CONFIG if "override" in key]
NONE = Plugins([], [], [])


def policy_of(name, plugins=NONE, **settings):
    """The policy of a worker."""
    return override_policy(WorkerConfig.parse({**WORKER, POLICY: name, **settings}), plugins)


@pytest.mark.parametrize(
    ("policy", "allowed", "refused"),
    [
        ("All", "", []),
        ("None", "", OVERRIDES),
        ("Principal", "", ["producer.override.linger.ms"]),
        ("Allowlist", "", OVERRIDES),
        ("Allowlist", "linger.ms, sasl.mechanism", ["consumer.override.security.protocol"]),
    ],
)
def test_each_policy_refuses_what_kafkas_does(policy, allowed, refused):
    """KIP-458, KIP-1188."""
    policy = policy_of(policy, **{ALLOWLIST: allowed})

    assert [value.name for value in validate_overrides(policy, CONFIG)] == refused


@pytest.mark.parametrize("name", ["Principal", "Allowlist"])
def test_the_refusal_names_policy_and_setting(name):
    """In Kafka's words."""
    [value] = validate_overrides(policy_of(name), {"producer.override.linger.ms": "5"})
    assert value.error_messages == (
        (
            f"The '{name}' policy does not allow 'linger.ms' to be overridden in the connector "
            "configuration."
        ),
    )


@pytest.mark.parametrize(
    "name",
    [
        "None",
        "none",
        "NoneConnectorClientConfigOverridePolicy",
        "org.apache.kafka.connect.connector.policy.NoneConnectorClientConfigOverridePolicy",
    ],
)
def test_a_policy_is_named_by_alias_or_class(name):
    """As Kafka resolves plugin aliases."""
    assert type(policy_of(name)).__name__ == "NoneConnectorClientConfigOverridePolicy"


def test_an_unknown_policy_is_refused():
    """With the ones that there are."""
    with pytest.raises(ConfigError) as caught:
        policy_of("Some")
    assert str(caught.value) == (
        f"Invalid value Some for configuration {POLICY}: must be one of All, Allowlist, None, "
        "Principal"
    )


def test_an_allowlist_names_no_setting_twice():
    """Kafka's validator."""
    with pytest.raises(ConfigError, match="duplicate"):
        policy_of("Allowlist", **{ALLOWLIST: "a,a"})


def test_a_forbidden_override_is_a_problem_of_the_configuration(world):
    """Beside all others."""
    world.herder = world.make(**{POLICY: "None"})
    with pytest.raises(ConfigError) as raised:
        world.start(**{"producer.override.linger.ms": "5"})
    assert [key for key, _ in raised.value.facts["problems"]] == ["producer.override.linger.ms"]


class Nightly(ClientConfigOverridePolicy):
    """A policy of somebody else."""

    def configure(self, settings):
        """From the worker's settings."""
        self.word = settings["nightly.word"]

    def validate(self, request):
        """Judges by everything that there is to know."""
        if self.word == "boom":
            raise RuntimeError("secret")
        asked = f"{request.connector} {request.connector_type} {request.client_type}"
        return [ConfigValue(key).with_error(f"{self.word} {asked}") for key in request.settings]


@pytest.fixture
def plugins():
    """A plugin path with a policy."""
    found = PluginDescriptor(OVERRIDE_POLICY, "shop", "Nightly", "nightly", "shop", "1")
    plugins = Plugins([], [found], [])
    inherited = plugins.load
    plugins.load = lambda plugin: Nightly if plugin is found else inherited(plugin)
    return plugins


def test_a_policy_may_be_a_plugin(plugins):
    """It is configured with the worker's settings and asked about every kind of client."""
    policy = policy_of("shop.Nightly", plugins, **{"nightly.word": "no"})

    found = validate_overrides(policy, CONFIG, kind="sink", class_name="shop.Sink")

    assert [(value.name, value.error_messages) for value in found] == [
        ("producer.override.linger.ms", ("no a sink producer",)),
        ("consumer.override.security.protocol", ("no a sink consumer",)),
        ("admin.override.sasl.mechanism", ("no a sink admin",)),
    ]


def test_a_policy_that_fails_fails_the_request_and_shows_nothing(plugins):
    """Its own message may hold a secret setting."""
    policy = policy_of("Nightly", plugins, **{"nightly.word": "boom"})

    with pytest.raises(ConnectError) as caught:
        validate_overrides(policy, CONFIG)

    assert (caught.value.code, "secret" in str(caught.value)) == ("herder.policy-failed", False)


def test_defaults_allow_everything(caplog):
    """As Kafka since 3.0; the log says nothing of it."""
    with caplog.at_level(logging.INFO):
        policy = override_policy(WorkerConfig.parse(WORKER), NONE)

    assert (validate_overrides(policy, CONFIG), caplog.text) == ([], "")
