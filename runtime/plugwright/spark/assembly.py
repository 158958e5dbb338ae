"""Builds the loop of a task from its spec: plugin, converters, transformations, Kafka clients."""

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
    TopicPattern,
    consumer_settings,
    create_topic,
    max_poll_records,
    producer_settings,
    topic_exists,
    transactional_settings,
)
from plugwright.metrics import OwnPluginMetrics, reported_figures, watched
from plugwright.shipping import local_directory
from plugwright.spark._driver_connection import require_location
from plugwright.spark._lazy_producer import LazyProducer
from plugwright.task import IdempotentSinkTask, SourceTask, TransactionBoundary
from plugwright.transforms import TransformationChain
from plugwright.worker import (
    AtLeastOnceGuarantee,
    BackgroundThread,
    Conversion,
    ExactlyOnceGuarantee,
    RecordCodec,
    SinkClients,
    SinkSettings,
    SinkTaskLoop,
    SourceSettings,
    SourceTaskLoop,
    TaskEnvironment,
    TaskIdentity,
    TopicCreation,
    WholeBatchTask,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import ExitStack

    from plugwright.plugins import ClassReference
    from plugwright.spark._spec import TaskSpec
    from plugwright.spark.driver_offsets import DriverOffsetStore
    from plugwright.spark.task_commands import HostLevels, TaskCommands
    from plugwright.task import BatchIdentity
    from plugwright.transforms import TransformationStage
    from plugwright.worker import BatchConsumer, DeliveryGuarantee


def assemble(
    spec: TaskSpec, commands: TaskCommands, stack: ExitStack
) -> SourceTaskLoop | SinkTaskLoop:
    """Build a loop that is ready to run.

    Args:
        spec: the task.
        commands: the driver's control of the task.
        stack: closes the loop's resources.

    Raises:
        SetupError: if the plugin's location does not exist on this machine.
        ConnectError: from a plugin that cannot be created or configured, or from Kafka.
    """
    task, environment = _prepared(spec, commands, stack)
    if spec.kind == "source":
        guarantee = _guarantee(spec, task, commands.offsets, stack)
        return _source_loop(spec, task, environment, guarantee)
    member = _group_member(spec, stack)
    clients = SinkClients(member, spec.topics, _dead_letters(spec, stack))
    return SinkTaskLoop(task, environment, clients, settings=_sink_settings(spec))


def assemble_sink(
    spec: TaskSpec,
    commands: TaskCommands,
    stack: ExitStack,
    consumer: BatchConsumer,
    identify: Callable[[], BatchIdentity],
) -> SinkTaskLoop:
    """Build a sink's loop over one batch of a stream.

    Args:
        spec: the task.
        commands: the driver's control of the task.
        stack: closes the loop's resources.
        consumer: provides the batch.
        identify: returns the identity of the batch, for idempotent tasks.

    Raises:
        SetupError: if the plugin's location does not exist on this machine.
        ConnectError: from a plugin that cannot be created or configured, or from Kafka.
    """
    task, environment = _prepared(spec, commands, stack)
    wrapped = ""
    if isinstance(task, IdempotentSinkTask):
        task = WholeBatchTask(task, identify(), consumer, environment.identity)
        wrapped = spec.plugin
    queue = spec.errors.dead_letter_topic
    # A batch without dead letters does not create their producer.
    letters = LazyProducer(lambda: _dead_letter_producer(spec, stack)) if queue else None
    clients = SinkClients(consumer, spec.topics, letters)
    settings = _sink_settings(spec)
    return SinkTaskLoop(task, environment, clients, settings=settings, task_class=wrapped)


def _prepared(
    spec: TaskSpec, commands: TaskCommands, stack: ExitStack
) -> tuple[Any, TaskEnvironment]:
    """The plugin's task, and what surrounds it whatever its kind is."""
    metrics = OwnPluginMetrics({"connector": spec.connector, "task": str(spec.task)})
    stack.callback(metrics.close)
    commands.report.plugins = lambda: reported_figures(metrics.figures())
    identity = TaskIdentity(
        spec.connector,
        spec.task,
        spec.plugin,
        spec.version,
        spec.location,
        commands.enter,
        metrics,
    )
    require_location(spec)
    with identity.calling("constructor"):
        task = _instance(spec.task_class)
    if spec.stage_paths:
        conversion = _bridged(spec, commands.levels, stack)
    else:
        conversion = _direct(spec, identity, stack)
    environment = TaskEnvironment(
        identity=identity,
        configs=spec.config,
        conversion=conversion,
        control=commands.control,
        status=commands.report,
    )
    return task, environment


def _direct(spec: TaskSpec, identity: TaskIdentity, stack: ExitStack) -> Conversion:
    """Converters and transformations in this process, called for each record."""
    with identity.calling("configuration of its converters"):
        codec = RecordCodec(
            key=_converter(spec.key_converter, identity.metrics, "key"),
            value=_converter(spec.value_converter, identity.metrics, "value"),
            header=_header_converter(spec.header_converter, identity.metrics),
        )
    with identity.calling("configuration of its transformations"):
        transform = _chain(spec, stack)
        _watch_chain(spec, transform or (), identity.metrics)
    return Conversion(codec, transform)


def _bridged(spec: TaskSpec, levels: HostLevels, stack: ExitStack) -> Conversion:
    """Converters and transformations partly in stage hosts, called for each batch."""
    converters = {
        "key.converter": spec.key_converter,
        "value.converter": spec.value_converter,
        "header.converter": spec.header_converter,
    }
    paths = tuple(tuple(_here(spec, each) for each in path) for path in spec.stage_paths)
    setup = StageSetup(spec.transforms, spec.transform_classes, converters, paths)
    pipeline = stack.enter_context(StagePipeline(setup))
    levels.beside = pipeline.set_level
    is_source = spec.kind == "source"
    return Conversion(
        pipeline.codec,
        pipeline.transform if pipeline.has_chain else None,
        pipeline.prepare_source if is_source else pipeline.prepare_sink,
    )


def _here(spec: TaskSpec, location: str) -> str:
    """The directory of a location on this machine."""
    return local_directory(spec.shipped.get(location, location))


def _guarantee(
    spec: TaskSpec, task: Any, kept: DriverOffsetStore, stack: ExitStack
) -> DeliveryGuarantee:
    """Exactly once if the task has a transactional id."""
    creation = TopicCreation(
        spec.topic_groups, KafkaTopicAdmin(spec.bootstrap_servers, spec.admin_client)
    )
    client_id = f"connector-producer-{spec.connector}-{spec.task}"
    if spec.transactional_id:
        client = transactional_settings(
            spec.bootstrap_servers, client_id, spec.transactional_id, spec.client
        )
        # A commit waits for every record; the task itself may request each acknowledgement.
        silent = type(task).commit_record is SourceTask.commit_record
        client["delivery.report.only.error"] = silent
        transactions = KafkaTransactionalProducer(client, lambda: _offset_store(spec))
        stack.callback(transactions.close)
        return ExactlyOnceGuarantee(transactions, transactions.offsets, creation)
    producer = KafkaRecordProducer(
        producer_settings(spec.bootstrap_servers, client_id, spec.client)
    )
    stack.callback(producer.close)
    offsets = _offset_store(spec) if spec.offsets_topic else kept
    stack.callback(offsets.close)
    return AtLeastOnceGuarantee(producer, offsets, creation)


def _source_loop(
    spec: TaskSpec, task: Any, environment: TaskEnvironment, guarantee: DeliveryGuarantee
) -> SourceTaskLoop:
    settings = SourceSettings(
        spec.flush_interval_s,
        spec.flush_timeout_s,
        boundary=TransactionBoundary(spec.boundary),
        transaction_interval_s=spec.transaction_interval_s,
        errors=spec.errors,
    )
    return SourceTaskLoop(
        task,
        environment,
        guarantee,
        background=BackgroundThread(environment.control, spec.flush_interval_s / 4),
        settings=settings,
    )


def _offset_store(spec: TaskSpec) -> KafkaOffsetStore:
    return KafkaOffsetStore(
        spec.bootstrap_servers,
        spec.offsets_topic,
        spec.connector,
        shape=spec.offsets_shape,
        shared_topic=spec.shared_offsets_topic,
        timeout_s=spec.flush_timeout_s,
        overrides=spec.offset_clients,
        shared_overrides=spec.shared_offset_clients,
    )


def _group_member(spec: TaskSpec, stack: ExitStack) -> KafkaRecordConsumer:
    client_id = f"connector-consumer-{spec.connector}-{spec.task}"
    group = f"connect-{spec.connector}"
    consumer = KafkaRecordConsumer(
        consumer_settings(spec.bootstrap_servers, client_id, group, spec.client),
        TopicPattern.of(spec.topics_regex, spec.client) if spec.topics_regex else None,
    )
    stack.callback(consumer.close)
    return consumer


def _sink_settings(spec: TaskSpec) -> SinkSettings:
    return SinkSettings(
        spec.flush_interval_s,
        spec.flush_timeout_s,
        errors=spec.errors,
        max_poll_records=max_poll_records(spec.client),
        flush_max_records=spec.flush_max_records,
    )


def _dead_letters(spec: TaskSpec, stack: ExitStack) -> BackgroundProducer | None:
    """The producer of the dead-letter queue, if one is configured."""
    return _dead_letter_producer(spec, stack) if spec.errors.dead_letter_topic else None


def _dead_letter_producer(spec: TaskSpec, stack: ExitStack) -> BackgroundProducer:
    """The producer of the dead-letter queue, whose topic gets one partition if it is created."""
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
    """The compiled transformations, or ``None`` if there are none."""
    chain: TransformationChain[Any] = TransformationChain.compile(
        spec.transforms, lambda name: spec.transform_classes[name].load()
    )
    stack.callback(chain.close)
    return chain or None


def _watch_chain(
    spec: TaskSpec, stages: Iterable[TransformationStage], metrics: OwnPluginMetrics
) -> None:
    """Provide transformations and predicates with the registry for their metrics (KIP-877)."""
    for stage in stages:
        watched(stage.transformation, metrics, transformation=stage.alias)
        if stage.predicate is not None:
            alias = spec.transforms[f"transforms.{stage.alias}.predicate"]
            watched(stage.predicate, metrics, predicate=alias)


def _converter(reference: ClassReference, metrics: OwnPluginMetrics, part: str) -> Any:
    converter = _instance(reference)
    converter.configure(reference.settings, is_key=part == "key")
    return watched(converter, metrics, converter=part)


def _header_converter(reference: ClassReference, metrics: OwnPluginMetrics) -> Any:
    converter = _instance(reference)
    converter.configure(reference.settings)
    return watched(converter, metrics, converter="header")
