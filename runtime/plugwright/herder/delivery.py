"""Derives the delivery part of task specs from the settings of connector and worker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright.herder._error_config import validate_errors
from plugwright.herder._source_config import SOURCE_CONFIG, SourceDelivery, validate_source
from plugwright.herder._topic_creation_config import (
    topic_creation_config,
    topic_groups,
    validate_topic_creation,
)
from plugwright.kafka import ClientOverrides, assignment_strategy
from plugwright.worker import DEAD_LETTER_CONFIG, ERROR_CONFIG, error_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.config import ConfigDef, ConfigValue
    from plugwright.herder._connector_config import ConnectorConfig
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.spark import TaskSpec

_STRATEGY = "partition.assignment.strategy"


def validate_delivery(
    properties: Mapping[str, str], worker: WorkerConfig, connector: Any, *, sink: bool
) -> Sequence[ConfigValue]:
    """The delivery settings with their values and problems."""
    errors = validate_errors(properties, sink=sink)
    if sink:
        return errors
    own = validate_source(
        properties,
        connector,
        worker_supports=worker.exactly_once,
        has_boundaries=worker.exactly_once or worker.distributed,
    )
    return [*errors, *own, *validate_topic_creation(properties)]


def delivery_definitions(properties: Mapping[str, str], *, sink: bool) -> Sequence[ConfigDef]:
    """The definitions of the delivery settings."""
    if sink:
        return (ERROR_CONFIG, DEAD_LETTER_CONFIG)
    return (ERROR_CONFIG, SOURCE_CONFIG, topic_creation_config(properties))


def client_settings(
    kind: str, worker: Mapping[str, str], config: Mapping[str, str]
) -> dict[str, str]:
    """The settings of one kind of client: the worker's, overridden by the connector's.

    Args:
        kind: ``producer``, ``consumer`` or ``admin``.
        worker: the worker's properties, read under ``kind.``.
        config: the connector's configuration, read under ``kind.override.``.
    """
    return _under(f"{kind}.", worker) | _under(f"{kind}.override.", config)


def admin_settings(worker: WorkerConfig, config: Mapping[str, str]) -> dict[str, str]:
    """The settings of a connector's admin clients.

    Only these start from the worker's top-level settings (`Worker.adminConfigs` of
    Kafka Connect): producers and consumers of connectors are configured under a prefix.
    """
    return {**worker.clients.admin, **client_settings("admin", worker.originals, config)}


def offset_clients(worker: WorkerConfig, config: Mapping[str, str]) -> ClientOverrides:
    """The settings of the clients for a source's own offsets topic (KIP-618).

    The offsets of a source without its own topic, and without transactions, are stored by clients
    that are configured like the worker's own.
    """
    own = worker.exactly_once or SourceDelivery.parse(config).offsets_topic
    if not own:
        return worker.clients
    return ClientOverrides(
        producer=client_settings("producer", worker.originals, config),
        consumer=client_settings("consumer", worker.originals, config),
        admin=admin_settings(worker, config),
    )


def fencing_client(worker: WorkerConfig, config: Mapping[str, str]) -> dict[str, str]:
    """The settings of the client that fences a source's former tasks.

    Kafka uses an admin client; here it is a producer, which the admin settings override.
    """
    producer = client_settings("producer", worker.originals, config)
    return producer | admin_settings(worker, config)


def _under(prefix: str, properties: Mapping[str, str]) -> dict[str, str]:
    return {k.removeprefix(prefix): v for k, v in properties.items() if k.startswith(prefix)}


def delivery_fields(worker: WorkerConfig, config: ConnectorConfig, *, sink: bool) -> dict[str, Any]:
    """The delivery fields of a task spec.

    Raises:
        ConfigError: if a sink requests an unknown assignor.
    """
    client = client_settings("consumer" if sink else "producer", worker.originals, config.originals)
    fields: dict[str, Any] = {
        "errors": error_settings(config.originals, sink=sink),
        "client": client,
        "admin_client": admin_settings(worker, config.originals),
    }
    if sink:
        if _STRATEGY in client:
            assignment_strategy(client[_STRATEGY])
        fields["dead_letter_client"] = client_settings(
            "producer", worker.originals, config.originals
        )
        return fields
    delivery = SourceDelivery.parse(config.originals)
    shared = "" if worker.offsets_file else worker.offsets_topic
    return fields | {
        "offset_clients": offset_clients(worker, config.originals),
        "shared_offset_clients": worker.clients,
        "topic_groups": topic_groups(config.originals) if worker.topic_creation else (),
        "offsets_topic": delivery.offsets_topic or shared,
        "shared_offsets_topic": shared if delivery.offsets_topic else "",
        # The task number is added for each task.
        "transactional_id": f"{worker.group_id}-{config.name}" if worker.exactly_once else "",
        "boundary": delivery.boundary,
        "transaction_interval_s": delivery.interval_s,
    }


def for_task(common: TaskSpec, number: int, task_config: Mapping[str, str]) -> TaskSpec:
    """The spec of one task."""
    base = common.transactional_id
    return replace(
        common,
        task=number,
        config=dict(task_config),
        transactional_id=f"{base}-{number}" if base else "",
    )


def transactional_ids(specs: Sequence[TaskSpec], before: int) -> list[str]:
    """The producers to fence before these tasks start, including those of a larger former set.

    Args:
        specs: the tasks about to start.
        before: how many tasks the connector had.
    """
    ids = [spec.transactional_id for spec in specs if spec.transactional_id]
    if not ids:
        return []
    base = ids[0].rpartition("-")[0]
    return [f"{base}-{number}" for number in range(max(before, len(specs)))]
