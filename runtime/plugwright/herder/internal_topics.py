"""Settings of the topics that store a worker's state (`DistributedConfig` of Kafka Connect)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from plugwright.config import LambdaValidator, invalid_value

if TYPE_CHECKING:
    from collections.abc import Mapping

log = logging.getLogger(__name__)

_OWN = frozenset({"topic", "partitions", "replication.factor", "file.filename"})
_POLICY = "cleanup.policy"


def _check_count(name: str, value: object) -> None:
    if isinstance(value, int) and (value == 0 or value < -1):
        raise invalid_value(name, value, "Value must be at least 1, or -1 for the broker's default")


COUNT = LambdaValidator.with_(_check_count, lambda: "[1,...] or -1")
"""A number of partitions or replicas."""


def topic_settings(properties: Mapping[str, str], kind: str) -> dict[str, str]:
    """The topic settings under ``config.storage.``, ``offset.storage.`` and so on.

    A worker that creates the topic passes all of them on, so that Kafka rejects an unknown key.
    ``cleanup.policy`` cannot be configured, and is ignored with a warning.

    Args:
        properties: the worker's properties.
        kind: ``config``, ``offset`` or ``status``.
    """
    prefix = f"{kind}.storage."
    found = {
        key.removeprefix(prefix): value
        for key, value in properties.items()
        if key.startswith(prefix) and key.removeprefix(prefix) not in _OWN
    }
    if (policy := found.pop(_POLICY, None)) is not None:
        log.warning("Ignoring %s%s=%s, since compaction is always used", prefix, _POLICY, policy)
    partitions = properties.get(f"{prefix}partitions")
    if kind == "config" and partitions is not None:
        log.warning(
            "Ignoring %spartitions=%s, since the configs topic always has one", prefix, partitions
        )
    return found
