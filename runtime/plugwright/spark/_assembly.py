"""Makes the loop of a task from its spec: plugin, converters, transformations, Kafka clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.hosts import StagePipeline, StageSetup
from plugwright.kafka import (
    BackgroundProducer,
    KafkaOffsetStore,
    KafkaRecordConsumer,
    KafkaRecordProducer,
    KafkaTopicAdmin,
    KafkaTransactionalProducer,
    consumer_settings,
    create_topic,
    producer_settings,
    topic_exists,
    transactional_settings,
)
from plugwright.spark._arrival import require_location
from plugwright.spark._late_producer import LateProducer
from plugwright.task import IdempotentSinkTask, SourceTask, TransactionBoundary
from plugwright.transforms import TransformationChain
from plugwright.worker import (
    RecordCodec,
    SinkSettings,
    SinkTaskLoop,
    SourceSettings,
    SourceTaskLoop,
    TaskIdentity,
    ThreadAttendant,
    TopicCreation,
    WholeBatchTask,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack

    from plugwright.plugins import ClassReference
    from plugwright.spark._driver import Driver, HostLevels
    from plugwright.spark._driver_offsets import DriverOffsetStore
    from plugwright.spark._spec import TaskSpec
    from plugwright.task import BatchIdentity
    from plugwright.worker import BatchConsumer, RecordConsumer, RecordProducer

__all__ = ["assemble", "assemble_sink"]


def assemble(spec: TaskSpec, driver: Driver, stack: ExitStack) -> SourceTaskLoop | SinkTaskLoop:
    """A loop that is ready to run.

    Args:
        spec: what the task runs.
        driver: steers it.
        stack: closes what the loop needs.

    Raises:
        SetupError: if the plugin's location is not on this machine.
        ConnectError: from a plugin that cannot be made or configured, or from Kafka.
    """
    task, common = _prepared(spec, driver, stack)
    if spec.kind == "source":
        return _source_loop(spec, task, common, driver.offsets, stack)
    member = _group_member(spec, stack)
    return _sink_loop(spec, task, common, member, _dead_letters(spec, stack))


def assemble_sink(
    spec: TaskSpec,
    driver: Driver,
    stack: ExitStack,
    consumer: BatchConsumer,
    identify: Callable[[], BatchIdentity],
) -> SinkTaskLoop:
    """A sink's loop that is ready to run over one batch of a stream.

    Args:
        spec: what the task runs.
        driver: steers it.
        stack: closes what the loop needs.
        consumer: gives the batch.
        identify: says which batch it is, to a task that goes by that.

    Raises:
        SetupError: if the plugin's location is not on this machine.
        ConnectError: from a plugin that cannot be made or configured, or from Kafka.
    """
    task, common = _prepared(spec, driver, stack)
    if isinstance(task, IdempotentSinkTask):
        task = WholeBatchTask(task, identify(), consumer, common["identity"])
        common["task_class"] = spec.plugin
    queue = spec.errors.dead_letter_topic
    # A batch without dead letters does not pay for their producer.
    letters = LateProducer(lambda: _dead_letter_producer(spec, stack)) if queue else None
    return _sink_loop(spec, task, common, consumer, letters)


def _prepared(spec: TaskSpec, driver: Driver, stack: ExitStack) -> tuple[Any, dict[str, Any]]:
    """The plugin's task, and what loops of all kinds need."""
    identity = TaskIdentity(
        spec.connector,
        spec.task,
        spec.plugin,
        spec.version,
        spec.location,
        driver.enter,
    )
    require_location(spec)
    with identity.calling("constructor"):
        task = _instance(spec.task_class)
    if spec.stage_paths:
        around = _bridged(spec, driver.levels, stack)
    else:
        around = _direct(spec, identity, stack)
    common: dict[str, Any] = {
        "identity": identity,
        "configs": spec.config,
        **around,
        "control": driver.control,
        "status": driver.report,
    }
    return task, common


def _direct(spec: TaskSpec, identity: TaskIdentity, stack: ExitStack) -> dict[str, Any]:
    """Converters and transformations in this process, called for each record."""
    with identity.calling("configuration of its converters"):
        codec = RecordCodec(
            key=_converter(spec.key_converter, is_key=True),
            value=_converter(spec.value_converter, is_key=False),
            header=_header_converter(spec.header_converter),
        )
    with identity.calling("configuration of its transformations"):
        transform = _chain(spec, stack)
    return {"codec": codec, "transform": transform}


def _bridged(spec: TaskSpec, levels: HostLevels, stack: ExitStack) -> dict[str, Any]:
    """Some of them in stage hosts beside this process, called for each batch."""
    converters = {
        "key.converter": spec.key_converter,
        "value.converter": spec.value_converter,
        "header.converter": spec.header_converter,
    }
    setup = StageSetup(spec.transforms, spec.transform_classes, converters, spec.stage_paths)
    pipeline = stack.enter_context(StagePipeline(setup))
    levels.beside = pipeline.set_level
    is_source = spec.kind == "source"
    return {
        "codec": pipeline.codec,
        "transform": pipeline.transform if pipeline.has_chain else None,
        "prepare": pipeline.prepare_source if is_source else pipeline.prepare_sink,
    }


def _source_loop(
    spec: TaskSpec, task: Any, common: dict[str, Any], kept: DriverOffsetStore, stack: ExitStack
) -> SourceTaskLoop:
    client_id = f"connector-producer-{spec.connector}-{spec.task}"
    if spec.transactional_id:
        client = transactional_settings(
            spec.bootstrap_servers, client_id, spec.transactional_id, spec.client
        )
        # A commit waits for every record; the task itself may want to hear of each.
        silent = type(task).commit_record is SourceTask.commit_record
        client["delivery.report.only.error"] = silent
        transactions = KafkaTransactionalProducer(client, lambda: _offset_store(spec))
        stack.callback(transactions.close)
        common |= {"transactions": transactions, "offsets": transactions.offsets}
    else:
        producer = KafkaRecordProducer(
            producer_settings(spec.bootstrap_servers, client_id, spec.client)
        )
        stack.callback(producer.close)
        offsets = _offset_store(spec) if spec.offsets_topic else kept
        stack.callback(offsets.close)
        common |= {"producer": producer, "offsets": offsets}
    admin = KafkaTopicAdmin(spec.bootstrap_servers, spec.admin_client)
    settings = SourceSettings(
        spec.flush_interval_s,
        spec.flush_timeout_s,
        boundary=TransactionBoundary(spec.boundary),
        transaction_interval_s=spec.transaction_interval_s,
        errors=spec.errors,
    )
    return SourceTaskLoop(
        task,
        settings=settings,
        creation=TopicCreation(spec.topic_groups, admin),
        attendant=ThreadAttendant(common["control"]),
        **common,
    )


def _offset_store(spec: TaskSpec) -> KafkaOffsetStore:
    return KafkaOffsetStore(
        spec.bootstrap_servers,
        spec.offsets_topic,
        spec.connector,
        partitions=spec.offsets_partitions,
        shared_topic=spec.shared_offsets_topic,
        timeout_s=spec.flush_timeout_s,
        overrides=spec.offset_clients,
        shared_overrides=spec.shared_offset_clients,
    )


def _group_member(spec: TaskSpec, stack: ExitStack) -> KafkaRecordConsumer:
    client_id = f"connector-consumer-{spec.connector}-{spec.task}"
    group = f"connect-{spec.connector}"
    consumer = KafkaRecordConsumer(
        consumer_settings(spec.bootstrap_servers, client_id, group, spec.client)
    )
    stack.callback(consumer.close)
    return consumer


def _sink_loop(
    spec: TaskSpec,
    task: Any,
    common: dict[str, Any],
    consumer: RecordConsumer,
    letters: RecordProducer | None,
) -> SinkTaskLoop:
    settings = SinkSettings(spec.flush_interval_s, spec.flush_timeout_s, errors=spec.errors)
    return SinkTaskLoop(
        task,
        consumer=consumer,
        topics=spec.topics,
        settings=settings,
        dead_letters=letters,
        **common,
    )


def _dead_letters(spec: TaskSpec, stack: ExitStack) -> BackgroundProducer | None:
    """The producer of the dead-letter queue, if there is one."""
    return _dead_letter_producer(spec, stack) if spec.errors.dead_letter_topic else None


def _dead_letter_producer(spec: TaskSpec, stack: ExitStack) -> BackgroundProducer:
    """The same; the queue's topic has one partition if it is made now."""
    topic = spec.errors.dead_letter_topic
    if not topic_exists(spec.bootstrap_servers, topic, overrides=spec.admin_client):
        create_topic(
            spec.bootstrap_servers,
            topic,
            replication_factor=spec.errors.dead_letter_replication,
            overrides=spec.admin_client,
        )
    client_id = f"connector-dlq-producer-{spec.connector}-{spec.task}"
    producer = BackgroundProducer(
        producer_settings(spec.bootstrap_servers, client_id, spec.dead_letter_client)
    )
    stack.callback(producer.close)
    return producer


def _instance(reference: ClassReference) -> Any:
    return reference.load()()


def _chain(spec: TaskSpec, stack: ExitStack) -> TransformationChain[Any] | None:
    """The compiled transformations, or ``None`` where there are none."""
    chain: TransformationChain[Any] = TransformationChain.compile(
        spec.transforms, lambda name: spec.transform_classes[name].load()
    )
    stack.callback(chain.close)
    return chain or None


def _converter(reference: ClassReference, *, is_key: bool) -> Any:
    converter = _instance(reference)
    converter.configure(reference.settings, is_key=is_key)
    return converter


def _header_converter(reference: ClassReference) -> Any:
    converter = _instance(reference)
    converter.configure(reference.settings)
    return converter
