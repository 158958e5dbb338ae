"""The resident task host: runs inside a Spark task, for as long as the Connect task lives."""

from __future__ import annotations

import logging
import os
import threading
import traceback
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark import TaskContext

from plugwright.errors import ConnectError, render
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
from plugwright.spark._channel import Channel, ChannelClosedError, connect
from plugwright.spark._spec import TaskSpec
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
    from collections.abc import Set as AbstractSet

    from plugwright.plugins import ClassReference

__all__ = ["JOB_PROPERTY", "OUTPUT_SCHEMA", "run_resident_tasks"]

JOB_PROPERTY = "plugwright.job"
"""Spark's local property that names the job, so that many jobs can share one plan."""

OUTPUT_SCHEMA = "task bigint"

_REPORT_S = 0.25
_CALM_S = 1.0


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
        for task in batch.column(0).to_pylist():
            _run(address, secret, job, task, attempt)
        # The column as it came: Arrow would import pandas to make one of Python's objects.
        yield pa.RecordBatch.from_arrays([batch.column(0)], names=["task"])


def _run(address: tuple[str, int], secret: bytes, job: str, task: int, attempt: int) -> None:
    channel = connect(address, secret)
    channel.send("hello", job=job, task=task, attempt=attempt, pid=os.getpid())
    answer = channel.receive()
    if answer["type"] == "dismissed":
        channel.close()
        return
    spec = TaskSpec.from_plain(answer["spec"])
    report = _Report(channel)
    log = _ChannelLogHandler(channel)
    logging.getLogger().addHandler(log)
    try:
        with ExitStack() as stack:
            control = TaskControl()
            loop = _build(spec, control, report, stack)
            report.counters = loop.counters.snapshot
            report.topics = loop.counters.topics
            threading.Thread(target=_obey, args=(channel, control), daemon=True).start()
            stack.enter_context(report)
            loop.run()
    except Exception as error:  # noqa: BLE001  # whatever it is, it is this task's outcome
        report.failed(error)
    finally:
        logging.getLogger().removeHandler(log)
        channel.close()


def _obey(channel: Channel, control: TaskControl) -> None:
    """Carry out the driver's commands; a driver that is gone means stop."""
    commands: dict[str, Callable[[], None]] = {
        "stop": control.stop,
        "pause": control.pause,
        "resume": control.resume,
        # Nothing of a task that does not stop can be trusted to unwind.
        "kill": partial(os._exit, 1),
    }
    try:
        while True:
            command = commands.get(channel.receive()["type"])
            if command is not None:
                command()
    except ChannelClosedError:
        control.stop()


def _build(
    spec: TaskSpec, control: TaskControl, report: _Report, stack: ExitStack
) -> SourceTaskLoop | SinkTaskLoop:
    identity = TaskIdentity(
        spec.connector,
        spec.task,
        f"{spec.task_class.module}.{spec.task_class.qualname}",
        spec.version,
        spec.location,
    )
    with identity.calling("constructor"):
        task = _instance(spec.task_class)
    around = _bridged(spec, stack) if spec.stage_paths else _direct(spec, identity, stack)
    common: dict[str, Any] = {
        "identity": identity,
        "configs": spec.config,
        **around,
        "control": control,
        "status": report,
    }
    if spec.kind == "source":
        return _source_loop(spec, task, common, stack)
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


def _bridged(spec: TaskSpec, stack: ExitStack) -> dict[str, Any]:
    """Some of them in stage hosts beside this process, called for each batch."""
    converters = {
        "key.converter": spec.key_converter,
        "value.converter": spec.value_converter,
        "header.converter": spec.header_converter,
    }
    setup = StageSetup(spec.transforms, spec.transform_classes, converters, spec.stage_paths)
    pipeline = stack.enter_context(StagePipeline(setup))
    is_source = spec.kind == "source"
    return {
        "codec": pipeline.codec,
        "transform": pipeline.transform if pipeline.has_chain else None,
        "prepare": pipeline.prepare_source if is_source else pipeline.prepare_sink,
    }


def _source_loop(
    spec: TaskSpec, task: Any, common: dict[str, Any], stack: ExitStack
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
        offsets = _offset_store(spec)
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


class _Report:
    """Tells the driver how the task is: a new state at once, new figures now and then."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._ended = threading.Event()
        self.counters: Callable[[], dict[str, int]] = dict
        self.topics: AbstractSet[str] = frozenset()
        self.state = "UNASSIGNED"
        self._trace = ""
        self._told: dict[str, Any] = {}

    def __enter__(self) -> None:
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def running(self) -> None:
        self._change("RUNNING")

    def paused(self) -> None:
        self._change("PAUSED")

    def stopped(self) -> None:
        self._change("STOPPED")

    def failed(self, error: Exception) -> None:
        lines = traceback.format_exception(error)
        summary = render(error) if isinstance(error, ConnectError) else ""
        self._trace = "\n".join(filter(None, [summary, "".join(lines).rstrip()]))
        self._change("FAILED")

    def _change(self, state: str) -> None:
        self.state = state
        self._send()

    def _beat(self) -> None:
        pause_s = _REPORT_S
        while not self._ended.wait(pause_s):
            if self._news() != self._told:
                self._send()
                pause_s = _REPORT_S
            else:
                pause_s = min(2 * pause_s, _CALM_S)

    def _news(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "trace": self._trace,
            "counters": self.counters(),
            "topics": sorted(self.topics),
        }

    def _send(self) -> None:
        self._told = news = self._news()
        try:
            self._channel.send("status", **news)
        except ChannelClosedError:
            self._ended.set()


class _ChannelLogHandler(logging.Handler):
    """Carries warnings and errors of the host to the driver's log."""

    def __init__(self, channel: Channel) -> None:
        super().__init__(logging.WARNING)
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        """Send one log record."""
        try:
            self._channel.send(
                "log", level=record.levelno, logger=record.name, message=self.format(record)
            )
        except ChannelClosedError:
            self.flush()
