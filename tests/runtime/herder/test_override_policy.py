"""Kafka's three policies about overridden client settings."""

from __future__ import annotations

import pytest
from tests.runtime.herder.conftest import WORKER

from plugwright.errors import ConfigError
from plugwright.herder import WorkerConfig
from plugwright.herder._override_policy import OverridePolicy, validate_overrides

CONFIG = {
    "producer.override.linger.ms": "5",
    "consumer.override.security.protocol": "SSL",
    "admin.override.sasl.mechanism": "PLAIN",
    "name": "a",
}


@pytest.mark.parametrize(
    ("policy", "refused"),
    [
        (OverridePolicy.ALL, []),
        (OverridePolicy.NONE, [key for key in CONFIG if "override" in key]),
        (OverridePolicy.PRINCIPAL, ["producer.override.linger.ms"]),
    ],
)
def test_each_policy_refuses_what_kafkas_does(policy, refused):
    """KIP-458."""
    assert [value.name for value in validate_overrides(policy, CONFIG)] == refused


def test_the_refusal_names_policy_and_setting():
    """In Kafka's words."""
    [value] = validate_overrides(OverridePolicy.PRINCIPAL, CONFIG)
    assert value.error_messages == (
        (
            "The 'Principal' policy does not allow 'linger.ms' to be overridden in the connector "
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
    worker = WorkerConfig.parse({**WORKER, "connector.client.config.override.policy": name})
    assert worker.override_policy is OverridePolicy.NONE


def test_an_unknown_policy_is_refused():
    """With the ones that there are."""
    with pytest.raises(ConfigError, match="All, None, Principal"):
        WorkerConfig.parse({**WORKER, "connector.client.config.override.policy": "Some"})


def test_a_forbidden_override_is_a_problem_of_the_configuration(world):
    """Beside all others."""
    world.herder = world.make(**{"connector.client.config.override.policy": "None"})
    with pytest.raises(ConfigError) as raised:
        world.start(**{"producer.override.linger.ms": "5"})
    assert [key for key, _ in raised.value.facts["problems"]] == ["producer.override.linger.ms"]
