"""Records a second of processor time through the task loops, with clients that cost nothing.

A source loop polls, transforms, converts and queues; a sink loop converts and puts. Strings without
transformations, and JSON with schemas after three transformations; sources also with
``errors.tolerance=all`` and with a task that wants to hear of each record; sinks that join values,
of records and of columns; a sink of which half the records go to a dead-letter queue. Processor
time, because the loops wait for nothing here. A/A: the first row is measured twice; what the two
differ by is the error of the method.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any

import plugwright
from plugwright.config import import_class
from plugwright.converters import JsonConverter, StringConverter
from plugwright.record import SourceRecord, TopicPartition
from plugwright.schema import STRING_SCHEMA
from plugwright.source_columns import SourceColumns
from plugwright.task import SinkTask, SourceTask
from plugwright.transforms import TransformationChain
from plugwright.worker import (
    AtLeastOnceGuarantee,
    Conversion,
    ErrorSettings,
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

if TYPE_CHECKING:
    from collections.abc import Callable

IDENTITY = TaskIdentity("benchmark", 0, "benchmark.Task", "1", "")
BATCH = 500
PAYLOAD = "x" * 100
POISON = ErrorSettings(tolerate_all=True, dead_letter_topic="letters", dead_letter_headers=True)
STEPS = {
    "transforms": "a,b,c",
    "transforms.a.type": "HoistField$Value",
    "transforms.a.field": "line",
    "transforms.b.type": "InsertField$Value",
    "transforms.b.topic.field": "topic",
    "transforms.b.static.field": "origin",
    "transforms.b.static.value": "benchmark",
    "transforms.c.type": "ReplaceField$Value",
    "transforms.c.exclude": "topic",
    "transforms.c.renames": "line:text",
}


class Client:
    """A producer, an offset store, a consumer and a listener that do next to nothing."""

    def __init__(self, control: TaskControl, messages: int) -> None:
        self._control, self._left = control, messages
        self._callbacks: list[Any] = []
        self._messages = [Message(number) for number in range(BATCH)]

    def spoil(self) -> None:
        """Every other message is cut off, and the rest are JSON."""
        whole = b'{"schema":{"type":"string","optional":false},"payload":"%b"}' % PAYLOAD.encode()
        for number, message in enumerate(self._messages):
            text = whole[: 50 if number % 2 else None]
            message.value = lambda text=text: text  # type: ignore[method-assign, misc]

    def send(self, batch: Any) -> None:
        """Acknowledge later."""
        self._callbacks += [record[-1] for record in batch]

    def serve(self) -> None:
        """Acknowledge."""
        for callback in self._callbacks:
            callback(None, self._messages[0])
        self._callbacks.clear()

    def poll(self, *_: Any) -> Any:
        """The next messages."""
        if self._left <= 0:
            self._control.stop()
            return ()
        self._left -= BATCH
        return self._messages

    def subscribe(self, _: Any, listener: Any) -> None:
        """The group gives its partition at once."""
        listener.assigned(self.assignment())

    def assignment(self) -> Any:
        """One partition."""
        return [TopicPartition("lines", 0)]

    def flush(self, _: float) -> int:
        """Nothing is outstanding."""
        self.serve()
        return 0

    outstanding = 0

    def failed(self, error: Exception) -> None:
        """A benchmark that fails measures nothing."""
        raise error

    def _nothing(self, *_: Any, **__: Any) -> Any:
        return {}

    when_full = store = offset = commit = commit_async = pause = resume = _nothing
    running = paused = stopped = committed = positions = seek = _nothing


class Letters(Client):
    """The producer of a dead-letter queue, which has every record at once."""

    def send(self, batch: Any) -> None:
        """Acknowledge."""
        for record in batch:
            record[-1](None, None)


class Message:
    """A consumed record."""

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def offset(self) -> int:
        """Its place."""
        return self._offset

    topic = staticmethod(lambda: "lines")
    partition = staticmethod(lambda: 0)
    key = headers = staticmethod(lambda: None)
    value = staticmethod(PAYLOAD.encode)
    timestamp = staticmethod(lambda: (1, 1_700_000_000_000))


class Source(SourceTask):
    """Makes records."""

    def __init__(self, control: TaskControl, records: int) -> None:
        self._control, self._left = control, records

    version = start = stop = lambda *_: None  # type: ignore[assignment]  # nothing to do

    def poll(self) -> Any:
        """The next batch."""
        if self._left <= 0:
            self._control.stop()
            return None
        self._left -= 2000
        partition, schema = {"file": "a"}, STRING_SCHEMA
        return [
            SourceRecord(partition, {"position": n}, "lines", PAYLOAD, schema) for n in range(2000)
        ]


class ColumnSource(Source):
    """Makes the same as columns."""

    def poll(self) -> Any:
        """The next batch."""
        if self._left <= 0:
            self._control.stop()
            return None
        self._left -= 2000
        return SourceColumns(
            {"file": "a"}, lambda n: {"position": n}, "lines", [PAYLOAD] * 2000, STRING_SCHEMA
        )


class ListeningSource(Source):
    """Wants to hear of each record."""

    def commit_record(self, record: Any, metadata: Any) -> None:
        """Hear of it."""


class Sink(SinkTask):
    """Takes records."""

    version = start = stop = put = lambda *_: None  # type: ignore[assignment]  # nothing to do


class JoiningSink(SinkTask):
    """Joins the values of each batch, as one that writes lines."""

    version = start = stop = lambda *_: None  # type: ignore[assignment]  # nothing to do

    def put(self, records: Any) -> None:
        """Join them."""
        "\n".join([record.value for record in records])


class ColumnSink(JoiningSink):
    """Does the same with columns."""

    def put_batch(self, batch: Any) -> None:
        """Join them."""
        "\n".join([value for part in batch for value in part.values])


def _codec(form: str) -> RecordCodec:
    value: Any = JsonConverter() if form == "json" else StringConverter()
    value.configure({}, is_key=False)
    return RecordCodec(StringConverter(), value, StringConverter())


def _environment(control: TaskControl, client: Any, conversion: Conversion) -> TaskEnvironment:
    return TaskEnvironment(
        identity=IDENTITY, configs={}, conversion=conversion, control=control, status=client
    )


def _source(form: str, task: type[Source] = Source, *, tolerate: bool = False) -> Any:
    chain: Any = None
    if form == "json":
        chain = TransformationChain.compile(
            STEPS, lambda name: import_class(f"plugwright.transforms:{name}")
        )

    def run(records: int) -> None:
        control = TaskControl()
        client: Any = Client(control, 0)
        SourceTaskLoop(
            task(control, records),
            _environment(control, client, Conversion(_codec(form), chain)),
            AtLeastOnceGuarantee(client, client),
            settings=SourceSettings(errors=ErrorSettings(tolerate_all=tolerate)),
        ).run()

    return run


def _sink(task: type[SinkTask]) -> Callable[[int], None]:
    def run(records: int) -> None:
        control = TaskControl()
        client: Any = Client(control, records)
        SinkTaskLoop(
            task(),
            _environment(control, client, Conversion(_codec("string"))),
            SinkClients(client, ["lines"]),
        ).run()

    return run


def _poisoned(records: int) -> None:
    """Half of all records are no JSON and go to a dead-letter queue, with headers that say why."""
    control = TaskControl()
    client: Any = Client(control, records)
    client.spoil()
    letters: Any = Letters(control, 0)
    SinkTaskLoop(
        Sink(),
        _environment(control, client, Conversion(_codec("json"))),
        SinkClients(client, ["lines"], letters),
        settings=SinkSettings(errors=POISON),
    ).run()


def main() -> int:
    """Measure and print; 0 when done."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--records", type=int, default=100_000, help="records in a round")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each figure")
    options = parser.parse_args()
    contenders: dict[str, Callable[[int], None]] = {
        "source string": _source("string"),
        "source string, tolerant": _source("string", tolerate=True),
        "source string, by column": _source("string", ColumnSource),
        "source string, listening": _source("string", ListeningSource),
        "source json, 3 SMTs": _source("json"),
        "source json, 3 SMTs, by column": _source("json", ColumnSource),
        "sink string": _sink(Sink),
        "sink string, values joined": _sink(JoiningSink),
        "sink string, by column": _sink(ColumnSink),
        "sink json, half dead letters": _poisoned,
        "the same A/A": _poisoned,
        "source string A/A": _source("string"),
    }
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(options.rounds + 1):
        for name, run in contenders.items():
            start = time.process_time()
            run(options.records)
            if turn:  # the first round warms up
                rates[name].append(options.records / (time.process_time() - start))
    _say(f"plugwright {plugwright.__version__}, Python {platform.python_version()}, one core of")
    _say(f"{os.cpu_count()}, {platform.system()} {platform.machine()}, 100 B a record;")
    _say("records a second of processor time, median (range)\n")
    for name, found in rates.items():
        median = statistics.median(found)
        _say(f"{name:30}{median:>10,.0f}   ({min(found):,.0f} to {max(found):,.0f})")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
