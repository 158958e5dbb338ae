"""What becomes of an odd task's records is the same whoever runs the task."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pytest
from tests.runtime.spark import odd
from tests.runtime.spark.datasource.fakes import plan_of
from tests.runtime.spark.odd import LAST, READ, WRITTEN, OddSinkTask, OddSourceTask
from tests.runtime.worker.fakes import (
    Clock,
    FakeConsumer,
    FakeOffsetStore,
    FakeProducer,
    FakeTransactions,
    Message,
    StatusLog,
)

from plugwright.converters import StringConverter
from plugwright.errors import ConnectError
from plugwright.record import TopicPartition
from plugwright.spark import register
from plugwright.spark.datasource.reader import RowsReader, TaskPartition
from plugwright.spark.datasource.sink_run import TaskBatch, run_sink
from plugwright.spark.datasource.stream_reader import RowsStreamReader
from plugwright.spark.datasource.writer import records_for
from plugwright.task import BatchIdentity
from plugwright.worker import (
    AtLeastOnceGuarantee,
    BatchConsumer,
    Conversion,
    ExactlyOnceGuarantee,
    RecordCodec,
    SinkClients,
    SinkSettings,
    SinkTaskLoop,
    SourceSettings,
    SourceTaskLoop,
    TaskControl,
    TaskEnvironment,
    TaskIdentity,
)

IDENTITY = TaskIdentity("odd", 0, "odd.Task", "1.0", "")
CODEC = RecordCodec(StringConverter(), StringConverter(), StringConverter())
COLUMNS = pa.schema([pa.field("value", pa.int64(), nullable=False)])
T0 = TopicPartition("t", 0)
COUNT = 600
"""More records than one put is given."""


class Unhurried(TaskControl):
    """Does not sleep."""

    def __init__(self, clock):
        super().__init__()
        self._clock = clock

    def wait(self, timeout_s):
        """Let the time pass."""
        self._clock.advance(timeout_s)


def resident_source(oddity):
    """As a worker runs it: records to Kafka, which has them at once."""
    return _sent(oddity, AtLeastOnceGuarantee(FakeProducer(), FakeOffsetStore()))


def exactly_once_source(oddity):
    """The same in transactions."""
    return _sent(oddity, ExactlyOnceGuarantee(FakeTransactions(), FakeOffsetStore()))


def _sent(oddity, guarantee):
    """What a source's loop sends to Kafka."""
    status, control = StatusLog(), Unhurried(Clock())
    producer = guarantee.producer
    producer.prompt = True
    environment = TaskEnvironment(
        identity=IDENTITY,
        configs={"odd": oddity},
        conversion=Conversion(CODEC),
        control=control,
        status=status,
    )
    settings = SourceSettings(0.0, 1.0)
    loop = SourceTaskLoop(OddSourceTask(), environment, guarantee, settings=settings)
    for number, _ in enumerate(loop.steps()):
        if number > LAST:
            control.stop()
    return _outcome([int(value) for value in producer.topic], status.error)


def _plan(task, oddity, **options):
    return plan_of(task, {"odd": oddity, **options}, topics="t", rows_idle_timeout_ms=20)


def batch_source(oddity):
    """As a query reads it that ends."""
    reader = RowsReader(_plan(OddSourceTask, oddity), COLUMNS, strict=True)
    return _caught(lambda: _numbers(reader.read(TaskPartition(0))))


def stream_source(oddity):
    """As a query reads it that goes on; everything is acknowledged."""
    reader = RowsStreamReader(_plan(OddSourceTask, oddity), COLUMNS, strict=True)

    def read():
        found, at = [], reader.initialOffset()
        while len(found) < LAST:
            batches, at = reader.read(at)
            found += _numbers(batches)
            reader.commit(at)
        reader.stop()
        return found

    return _caught(read)


def repeated_source(oddity):
    """As a query reads it that goes on after a crash."""
    reader = RowsStreamReader(_plan(OddSourceTask, oddity), COLUMNS, strict=True)
    begin = reader.initialOffset()
    end = {**begin, "records": LAST, "offsets": {f'{{"of":"{oddity}"}}': {"next": LAST}}}
    return _caught(lambda: _numbers(reader.readBetweenOffsets(begin, end)))


def resident_sink(oddity, directory):
    """As a worker runs it: a member of a group."""
    clock, status = Clock(), StatusLog()
    control, consumer = Unhurried(clock), FakeConsumer(clock)
    consumer.produce(T0, *map(str, range(COUNT)))

    def until_committed():
        if consumer.group.get(T0) == COUNT or len(consumer.polls) > COUNT:
            control.stop()
        else:
            consumer.steps.appendleft(until_committed)

    consumer.steps.extend([lambda: consumer.assign(T0), until_committed])
    _sink_loop(oddity, directory, consumer, control, status, clock).run()
    return _sink_outcome(oddity, directory, status.error)


def streamed_sink(oddity, directory):
    """As Structured Streaming runs it: given a batch of Kafka's records."""
    clock, status = Clock(), StatusLog()
    control = Unhurried(clock)
    messages = [Message((*T0, n), str(n).encode()) for n in range(COUNT)]
    consumer = BatchConsumer(iter([messages]), control, starts={T0: 0}, clock=clock)
    loop = _sink_loop(oddity, directory, consumer, control, status, clock)
    consumer.request_commit = loop.request_commit
    loop.run()
    assert consumer.complete is (status.error is None)
    return _sink_outcome(oddity, directory, status.error)


def rows_sink(oddity, directory):
    """As a query writes it: given rows."""
    batch = pa.record_batch({"value": pa.array(range(COUNT), pa.int64())})
    plan = _plan(OddSinkTask, oddity, dir=str(directory))
    records = records_for(plan.options, batch.schema).records(batch, 0, 0)
    clock = Clock()
    written = TaskBatch(BatchIdentity("q", 0, 0), iter([records]), {T0: 0})
    try:
        run_sink(plan, written, control=Unhurried(clock), clock=clock)
    except ConnectError as error:
        return _sink_outcome(oddity, directory, error)
    return _sink_outcome(oddity, directory, None)


def _sink_loop(oddity, directory, consumer, control, status, clock):  # noqa: PLR0913, PLR0917
    return SinkTaskLoop(
        OddSinkTask(),
        TaskEnvironment(
            identity=IDENTITY,
            configs={"odd": oddity, "dir": str(directory)},
            conversion=Conversion(CODEC),
            control=control,
            status=status,
            clock=clock,
        ),
        SinkClients(consumer, ["t"]),
        settings=SinkSettings(2.0),
    )


def _sink_outcome(oddity, directory, error):
    file = Path(directory, oddity)
    return _outcome([int(x) for x in file.read_text().split()] if file.exists() else [], error)


def _numbers(batches):
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def _caught(read):
    try:
        return _outcome(read(), None)
    except ConnectError as error:
        return _outcome([], error)


def _outcome(values, error):
    """The records, and the code of an error with what it says of the task; Spark adds the rest."""
    said = str(error).partition(" failed in ")[2].partition(" (plugin.")[0]
    return values, error and (error.code, said)


SOURCES = [resident_source, exactly_once_source, batch_source, stream_source, repeated_source]
SINKS = [resident_sink, streamed_sink, rows_sink]


@pytest.mark.parametrize("host", SOURCES)
@pytest.mark.parametrize("oddity", READ)
def test_every_host_reads_all_of_an_odd_source(host, oddity, monkeypatch):
    """In order, once; what a task does about acknowledgements changes nothing."""
    monkeypatch.setattr("plugwright.worker._source_loop._IDLE_S", 0.0)

    assert host(oddity) == (list(range(LAST)), None)


FAULTS = {
    "mapping": "poll: poll returned a dict instead of a list",
    "texts": "poll: poll returned a str where a SourceRecord was expected",
}


@pytest.mark.parametrize("host", SOURCES)
@pytest.mark.parametrize("oddity", FAULTS)
def test_every_host_refuses_what_is_no_record(host, oddity):
    """With the same error."""
    assert host(oddity) == ([], ("plugin.failed", FAULTS[oddity]))


@pytest.mark.parametrize("host", SINKS)
@pytest.mark.parametrize("oddity", WRITTEN)
def test_every_host_writes_all_to_an_odd_sink(host, oddity, tmp_path):
    """A refused commit has everything put again, a rewind what lies behind it."""
    assert host(oddity, tmp_path) == (expected(oddity), None)


@pytest.mark.parametrize("host", SINKS)
def test_every_host_tells_of_a_broken_sink(host, tmp_path):
    """With the same error."""
    assert host("broken", tmp_path) == ([], ("plugin.failed", "put: a bad record"))


def expected(oddity):
    """The values that a sink is given, in order."""
    if oddity == "refused":
        return [*range(COUNT), *range(COUNT)]
    if oddity == "back":
        return [*range(500), *range(498, COUNT)]
    return list(range(COUNT))


ENTRIES = """[plugwright.SourceConnector]
odd.OddSource = odd:OddSource
[plugwright.SinkConnector]
odd.OddSink = odd:OddSink
"""


@pytest.fixture
def options(spark_session, tmp_path):
    """The options of odd connectors in a location of their own."""
    register(spark_session)
    metadata = tmp_path / "plugins/odd/odd.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRIES)
    (metadata.parent / "odd.py").write_text(Path(odd.__file__).read_text())

    def of(**given):
        named = {name.replace("_", "."): str(value) for name, value in given.items()}
        return {"plugin.path": str(tmp_path / "plugins"), **named}

    return of


@pytest.mark.spark
def test_spark_reads_all_of_odd_sources(spark_session, options):
    """One task for each oddity."""
    given = options(connector_class="OddSource", tasks_max=len(READ), odd=json.dumps(READ))

    rows = spark_session.read.format("plugwright").options(**given).schema("value long").load()

    found = defaultdict(list)
    for row in rows.collect():
        found[READ[row.value // 1000]].append(row.value % 1000)
    assert found == {oddity: list(range(LAST)) for oddity in READ}


@pytest.mark.spark
def test_spark_writes_all_to_odd_sinks(spark_session, options, tmp_path):
    """One Spark partition for each oddity."""
    count = len(WRITTEN)
    given = options(
        connector_class="OddSink",
        tasks_max=count,
        odd=json.dumps(WRITTEN),
        dir=tmp_path,
        topics="t",
    )

    rows = spark_session.range(0, COUNT * count, numPartitions=count).toDF("value")
    rows.write.format("plugwright").options(**given).mode("append").save()

    found = {odd: (tmp_path / odd).read_text().split() for odd in WRITTEN}
    assert {name: [int(value) % COUNT for value in put] for name, put in found.items()} == {
        oddity: expected(oddity) for oddity in WRITTEN
    }
