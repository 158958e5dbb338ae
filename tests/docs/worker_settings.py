"""The settings that a worker reads."""

from __future__ import annotations

import re

from plugwright.converters import JsonConverter
from plugwright.herder import (
    CLUSTER_CONFIG,
    WORKER_CONFIG,
)
from plugwright.herder.internal_topics import topic_settings
from plugwright.kafka import worker_clients
from plugwright.rest import REST_CONFIG

__all__ = ["CLIENTS", "DEFINITIONS", "OTHERS", "is_client_setting", "is_worker_setting"]

DEFINITIONS = (WORKER_CONFIG, CLUSTER_CONFIG, REST_CONFIG)

OTHERS = {
    # Read where they belong, by nothing that has a definition of its own.
    "config.providers",
    "connector.client.config.override.allowlist",
    "rest.basic.auth.credentials.file",
}

CLIENTS = {
    "allow.auto.create.topics",
    "exclude.internal.topics",
    "isolation.level",
    "linger.ms",
    "max.poll.interval.ms",
    "max.poll.records",
    "metadata.max.age.ms",
    "partition.assignment.strategy",
    "sasl.jaas.config",
    "sasl.mechanism",
    "security.protocol",
    "session.timeout.ms",
    "ssl.truststore.location",
    "ssl.truststore.type",
}


def is_client_setting(key, after):
    """Whether a key is that of a setting for Kafka's clients."""
    client, _, setting = key.partition(after)
    return client in {"producer", "consumer", "admin"} and setting in CLIENTS


def is_worker_setting(key):
    """Whether a worker reads it."""
    if any(key in definition.keys for definition in DEFINITIONS) or key in OTHERS | CLIENTS:
        return True
    if key.startswith(("key.converter.", "value.converter.")):
        return key.partition("converter.")[2] in JsonConverter().config().keys
    if re.match(r"(config|offset|status)\.storage\.", key):
        return bool(topic_settings({key: "1"}, key.partition(".")[0]))
    https = key.removeprefix("admin.").removeprefix("listeners.https.")
    provider = re.fullmatch(r"config\.providers\.\w+\.(class|param\.[\w.]+)", key)
    return (
        key.startswith("spark.")
        or provider is not None
        or (https != key and https in REST_CONFIG.keys)
        or is_client_setting(key, ".")
        or dict(worker_clients({"security.protocol": "SASL_SSL", key: "1"}).admin).keys() >= {key}
    )
