"""Runs a command and sends the JSON lines that it prints to Kafka.

A line is {"seq": number, "text": text}, with numbers that rise. The command is given the number to
continue after in the environment variable AFTER_SEQ. When it ends it is started again:

    exit status 0     it had nothing more for now
    75 (EX_TEMPFAIL)  what it reads from is away for a while
    77 and 78         no permission, or a wrong configuration: the task fails
    others            it has crashed; the task fails after command.max.crashes in a row

Its standard input is a pipe that is closed when the task is gone, even if that was killed.
"""

import contextlib
import json
import os
import selectors
import shlex
import subprocess
import threading
from collections import deque

from plugwright import (
    INT64_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigError,
    ConfigType,
    ConnectError,
    DataError,
    Importance,
    NonEmptyString,
    Range,
    RetriableError,
    SourceConnector,
    SourceRecord,
    SourceTask,
)

VERSION = "1.4.0"
EX_TEMPFAIL = 75
LASTING = {77: "no permission", 78: "wrong configuration"}


def can_be_split(name, value):
    try:
        words = shlex.split(value or "")
    except ValueError as error:
        raise ConfigError(f"Invalid value for configuration {name}: {error}") from error
    if not words:
        raise ConfigError(f"Invalid value for configuration {name}: a command is needed")


CONFIG = (
    ConfigDef()
    .define("command", ConfigType.STRING, importance=Importance.HIGH, validator=can_be_split,
            documentation="Command with its arguments, quoted as in a shell; no shell runs it.")
    .define("stream.name", ConfigType.STRING, importance=Importance.HIGH,
            validator=NonEmptyString(),
            documentation="Name under which the position in the output is stored.")
    .define("topic", ConfigType.STRING, importance=Importance.HIGH, validator=NonEmptyString(),
            documentation="Topic to write to.")
    .define("batch.size", ConfigType.INT, default=500, importance=Importance.MEDIUM,
            validator=Range.at_least(1), documentation="Most records that a poll returns.")
    .define("restart.ms", ConfigType.INT, default=1000, importance=Importance.MEDIUM,
            validator=Range.at_least(1),
            documentation="Milliseconds to wait before the command is started again.")
    .define("command.max.crashes", ConfigType.INT, default=10, importance=Importance.LOW,
            validator=Range.at_least(1),
            documentation="After so many crashes without any line between them the task fails.")
)


class CommandSourceConnector(SourceConnector):
    def version(self):
        return VERSION

    def config(self):
        return CONFIG

    def start(self, props):
        CONFIG.parse(props)
        self.props = dict(props)

    def stop(self):
        pass

    def task_class(self):
        return CommandSourceTask

    def task_configs(self, max_tasks):
        return [self.props]  # one output cannot be divided

    def alter_offsets(self, props, offsets):
        for partition, offset in offsets:
            if set(partition) != {"stream"}:
                raise ConnectError(f"no partition of this connector: {dict(partition)}")
            seq_of(offset)
        return True


def seq_of(offset):
    if offset is None:
        return 0
    if set(offset) != {"seq"} or type(offset["seq"]) is not int or offset["seq"] < 0:
        raise ConnectError(f"an offset is {{'seq': number}}, not {dict(offset)}")
    return offset["seq"]


class Child:
    """A running command, and what it has printed and nobody has taken yet."""

    def __init__(self, words, after):
        self.lines = deque()
        self.rest = b""
        self.complaint = b""
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            bufsize=0, env={**os.environ, "AFTER_SEQ": str(after)})
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ, self._output)
        self.selector.register(self.process.stderr, selectors.EVENT_READ, self._errors)

    @property
    def ended(self):
        return not self.selector.get_map()

    def read(self, timeout):
        for key, _ in self.selector.select(timeout):
            data = os.read(key.fd, 65536)
            if data:
                key.data(data)
            else:
                self.selector.unregister(key.fileobj)

    def close(self):
        """End the command, if it still runs, and return its exit status."""
        if not self.ended and self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(0.4)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.selector.close()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
        return self.process.returncode

    def _output(self, data):
        *whole, self.rest = (self.rest + data).split(b"\n")
        self.lines.extend(whole)

    def _errors(self, data):
        self.complaint = (self.complaint + data)[-1000:]


class CommandSourceTask(SourceTask):
    def __init__(self):
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.child = None

    def version(self):
        return VERSION

    def start(self, props):
        config = CONFIG.parse(props)
        self.stopping.clear()
        self.words = shlex.split(config["command"])
        self.topic = config["topic"]
        self.batch_size = config["batch.size"]
        self.pause = config["restart.ms"] / 1000
        self.max_crashes = config["command.max.crashes"]
        self.crashes = 0
        self.partition = {"stream": config["stream.name"]}
        self.seq = seq_of(self.context.offset_storage_reader.offset(self.partition))

    def poll(self):
        with self.lock:
            if self.stopping.is_set():
                return None
            if self.child is None:
                self.child = self.launch()
            try:
                if not self.child.lines:
                    self.child.read(0.1)
                records = self.take_records()
            except OSError as error:
                self.drop()
                self.stopping.wait(self.pause)
                raise RetriableError(f"cannot read from {self.words[0]}: {error}") from error
            except DataError:
                self.drop()
                raise
            if records:
                self.crashes = 0
                return records
            if self.child.ended:
                self.ended(self.child.complaint.decode(errors="replace").strip(), self.drop())
            return None

    def stop(self):
        self.stopping.set()
        with self.lock:
            self.drop()

    def launch(self):
        try:
            return Child(self.words, self.seq)
        except BlockingIOError as error:
            self.stopping.wait(self.pause)
            raise RetriableError(f"cannot start {self.words[0]} now: {error}") from error
        except (OSError, ValueError) as error:
            raise ConnectError(f"cannot start {self.words[0]}: {error}",
                               hint="check the setting command") from error

    def drop(self):
        child, self.child = self.child, None
        return None if child is None else child.close()

    def ended(self, complaint, status):
        message = f"{self.words[0]} ended with status {status}: {complaint or 'it said nothing'}"
        if status in LASTING:
            raise ConnectError(f"{LASTING[status]}; {message}")
        if status not in {0, EX_TEMPFAIL}:
            self.crashes += 1
            if self.crashes >= self.max_crashes:
                raise ConnectError(f"crashed {self.crashes} times in a row; {message}")
        self.stopping.wait(self.pause)
        if status != 0:
            raise RetriableError(message)

    def take_records(self):
        records = []
        while self.child.lines and len(records) < self.batch_size:
            try:
                record = self.to_record(self.child.lines[0])
            except DataError:
                if records:
                    break
                raise
            self.child.lines.popleft()
            if record is not None:
                records.append(record)
        return records

    def to_record(self, line):
        try:
            event = json.loads(line)
            seq, text = event["seq"], event["text"]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"the line after event {self.seq} of {self.partition['stream']} "
                            f"cannot be read: {error!r}") from error
        if type(seq) is not int or not isinstance(text, str):
            raise DataError(f"the line after event {self.seq} of {self.partition['stream']} should "
                            f"have an int and a str, found {type(seq).__name__} and "
                            f"{type(text).__name__}")
        if seq <= self.seq:
            return None  # a command that begins earlier than it was asked to
        self.seq = seq
        return SourceRecord(self.partition, {"seq": seq}, self.topic, text, STRING_SCHEMA,
                            key=seq, key_schema=INT64_SCHEMA)
