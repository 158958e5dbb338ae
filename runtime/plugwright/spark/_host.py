"""The resident task host: runs inside a Spark task, for as long as the Connect task lives."""

from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext

from plugwright.hosts import StagePipeline, StageSetup, limit_memory
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
from plugwright.logs import RelayHandler, captured_output, restore_levels, set_level
from plugwright.spark._arrival import arrive, require_location
from plugwright.spark._channel import Channel, ChannelClosedError
from plugwright.spark._driver_offsets import DriverOffsetStore
from plugwright.spark._report import TaskReport
from plugwright.spark._spec import TaskSpec
from plugwright.spark._vigil import Vigil
from plugwright.task import SourceTask, TransactionBoundary
from plugwright.transforms import TransformationChain
from plugwright.worker import (
    RecordCodec,
    SinkSettings,
    SinkTaskLoop,
    SourceSettings,
    SourceTaskLoop,
    TaskControl,
    TaskIdentity,
    ThreadAttendant,
    TopicCreation,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plugwright.plugins import ClassReference

__all__ = ["JOB_PROPERTY", "OUTPUT_SCHEMA", "run_resident_tasks"]

JOB_PROPERTY = "plugwright.job"
"""Spark's local property that names the job, so that many jobs can share one plan."""

OUTPUT_SCHEMA = "task bigint"


def run_resident_tasks(
    batches: Iterable[pa.RecordBatch], *, address: tuple[str, int], secret: bytes
) -> Iterator[pa.RecordBatch]:
    """Run the Connect task whose number comes in, and yield the number when it is over.

    The function that Spark runs in its Python worker. User errors are told to the driver, never
    raised: exceptions would burn Spark's attempts, which are for crashed processes.
    """
    context: Any = TaskContext.get()
    job = str(context.getLocalProperty(JOB_PROPERTY))
    attempt = context.attemptNumber()
    for batch in batches:
        for index in batch.column(0).to_pylist():
            _run(address, secret, job, index, attempt)
        # The column as it came: Arrow would import pandas to make one of Python's objects.
        yield pa.RecordBatch.from_arrays([batch.column(0)], names=["task"])


def _run(address: tuple[str, int], secret: bytes, job: str, index: int, attempt: int) -> None:
    channel, enter = arrive(address, secret, job=job, index=index, attempt=attempt)
    answer = channel.receive()
    if answer["type"] == "dismissed":
        channel.close()
        return
    spec = TaskSpec.from_plain(answer["spec"])
    report = TaskReport(channel)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what interrupts a task is a plugin's doing
    limit_memory(spec.memory_limit)
    vigil = Vigil(spec, report.failed, report.busy)
    try:
        with vigil, ExitStack() as stack:
            stack.enter_context(_logging_to(channel, answer["levels"]))
            kept = DriverOffsetStore(
                spec.connector, channel.send, answer["offsets"], timeout_s=spec.flush_timeout_s
            )
            driver = _Driver(TaskControl(), report, _Levels(), vigil, kept, enter)
            threading.Thread(target=_obey, args=(channel, driver), daemon=True).start()
            loop = _build(spec, driver, stack)
            report.follow(loop.counters)
            stack.enter_context(report)
            loop.run()
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is this task's outcome
        report.failed(error)
    finally:
        channel.close()


@contextmanager
def _logging_to(channel: Channel, levels: Iterable[tuple[str, int]]) -> Iterator[None]:
    """Log to the driver, at its levels, and what is printed as well.

    Other handlers of the process, which serves Spark before and after, keep silent meanwhile.
    """
    root = logging.getLogger()
    handler = RelayHandler(lambda line: channel.send("log", **line.to_plain()), ChannelClosedError)
    before, root.handlers = root.handlers, [handler]
    restore_levels(levels)
    try:
        with captured_output():
            yield
    finally:
        root.handlers = before
        handler.close()


class _Levels:
    """The levels of this process's loggers and of those of the processes beside it."""

    def __init__(self) -> None:
        self.beside: Callable[[str, int], None] | None = None

    def set(self, namespace: str, level: int) -> None:
        """Set the level of the loggers of a name and below."""
        set_level(namespace, level)
        if self.beside is not None:
            self.beside(namespace, level)


@dataclass(frozen=True, slots=True)
class _Driver:
    """What the driver steers the task by, and is told of it.

    Attributes:
        offsets: where it keeps them for tasks whose spec names no topic.
        note: keeps the phase that the task is in for the case that its process crashes.
    """

    control: TaskControl
    report: TaskReport
    levels: _Levels
    vigil: Vigil
    offsets: DriverOffsetStore
    note: Callable[[str], None]

    def enter(self, phase: str) -> None:
        """The task is in this phase now."""
        self.note(phase)
        self.vigil.enter(phase)


def _obey(channel: Channel, driver: _Driver) -> None:
    """Carry out the driver's commands; a driver that is gone means stop."""
    control = driver.control
    commands: dict[str, Callable[[], None]] = {
        "forget-topics": driver.report.forget_topics,
        "stop": control.stop,
        "pause": control.pause,
        "resume": control.resume,
        # Nothing of a task that does not stop can be trusted to unwind.
        "kill": partial(os._exit, 1),
    }
    try:
        while True:
            frame = channel.receive()
            if frame["type"] == "stop":
                driver.vigil.stopping()
            if frame["type"] == "level":
                driver.levels.set(frame["logger"], frame["level"])
            elif frame["type"] == "offsets-stored":
                driver.offsets.answered(frame)
            elif (command := commands.get(frame["type"])) is not None:
                command()
    except ChannelClosedError:
        driver.offsets.answered(None)
        control.stop()


def _build(spec: TaskSpec, driver: _Driver, stack: ExitStack) -> SourceTaskLoop | SinkTaskLoop:
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
    if spec.kind == "source":
        return _source_loop(spec, task, common, driver.offsets, stack)
    return _sink_loop(spec, task, common, stack)


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


def _bridged(spec: TaskSpec, levels: _Levels, stack: ExitStack) -> dict[str, Any]:
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
    )


def _sink_loop(spec: TaskSpec, task: Any, common: dict[str, Any], stack: ExitStack) -> SinkTaskLoop:
    client_id = f"connector-consumer-{spec.connector}-{spec.task}"
    group = f"connect-{spec.connector}"
    consumer = KafkaRecordConsumer(
        consumer_settings(spec.bootstrap_servers, client_id, group, spec.client)
    )
    stack.callback(consumer.close)
    settings = SinkSettings(spec.flush_interval_s, spec.flush_timeout_s, errors=spec.errors)
    return SinkTaskLoop(
        task,
        consumer=consumer,
        topics=spec.topics,
        settings=settings,
        dead_letters=_dead_letters(spec, stack),
        **common,
    )


def _dead_letters(spec: TaskSpec, stack: ExitStack) -> BackgroundProducer | None:
    """The producer of the dead-letter queue, whose topic has one partition if it is made now."""
    topic = spec.errors.dead_letter_topic
    if not topic:
        return None
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
