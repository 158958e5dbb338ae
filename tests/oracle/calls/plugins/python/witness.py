"""The counterpart of the Java package ``witness``: connectors that write down their calls."""

from __future__ import annotations

import os
import time

from plugwright import (
    OPTIONAL_STRING_SCHEMA,
    STRING_SCHEMA,
    ConfigDef,
    ConfigType,
    ConnectError,
    ConnectorTransactionBoundaries,
    DataError,
    ExactlyOnceSupport,
    Importance,
    RetriableError,
    SinkConnector,
    SinkTask,
    SourceConnector,
    SourceRecord,
    SourceTask,
    TopicPartition,
)
from plugwright.config import NO_DEFAULT_VALUE

_VERSION = "1.0.0"
_TOO_LARGE = 2_000_000
_TEXT = "as the script says"


def _failures():
    return {
        "throw retriable": RetriableError(_TEXT, code="witness.scripted"),
        "throw data": DataError(_TEXT, code="witness.scripted"),
        "throw connect": ConnectError(_TEXT, code="witness.scripted"),
        "throw runtime": RuntimeError(_TEXT),
    }


def _fail(action):
    failure = _failures().get(action)
    if failure is not None:
        raise failure


def _definition():
    kinds, importance = ConfigType, Importance
    return (
        ConfigDef()
        .define("calls", kinds.STRING, NO_DEFAULT_VALUE, importance.HIGH, "The file of calls.")
        .define("script", kinds.STRING, "", importance.LOW, "What to do at which call.")
        .define("parts", kinds.INT, 1, importance.LOW, "How many tasks there are.")
    )


def _task_configs(props, most):
    parts = min(int(props.get("parts", "1")), most)
    return [{**props, "part": str(part)} for part in range(parts)]


def _partition(text):
    topic, _, number = text.rpartition("-")
    return TopicPartition(topic, int(number))


def _offsets(words):
    pairs = (word.split("=") for word in words)
    return {_partition(partition): int(offset) for partition, offset in pairs}


def _named(partitions):
    return {f"{p.topic}-{p.partition}": p for p in partitions}


def _values(values):
    return " ".join(f"{key}={value}" for key, value in sorted(values.items()))


def _at(offsets):
    return _values({f"{p.topic}-{p.partition}": offset for p, offset in offsets.items()})


def _braced(values):
    """As Java writes a map."""
    return (
        "null" if values is None else "{" + ", ".join(f"{k}={v}" for k, v in values.items()) + "}"
    )


class _Calls:
    """Writes each call to the file, and returns what the script has for it."""

    def __init__(self, props, actor):
        self._file, self._actor = props["calls"], actor
        rules = [rule.split(":", 1) for rule in props.get("script", "").split(";") if rule.strip()]
        self._script = {call.strip(): actions.strip().split(" & ") for call, actions in rules}
        self._counts = {}

    def next(self, call):
        """What the script has for the next call of this name."""
        self._counts[call] = count = self._counts.get(call, 0) + 1
        return self._script.get(f"{call} {count}", [])

    def write(self, text):
        """One line, whole though processes share the file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        number = os.open(self._file, flags, 0o644)
        try:
            os.write(number, f"{self._actor} {text}\n".encode())
        finally:
            os.close(number)

    def note(self, call, text=""):
        """Write a call and fail where the script says so; else return the script's actions."""
        actions = self.next(call)
        failure = next((each for each in actions if each.startswith("throw ")), "")
        self.write(f"{call} {text}".strip() + (f" -> {failure}" if failure else ""))
        if "late" not in actions:
            _fail(failure)
        return actions


class _WitnessConnector:
    calls = None

    def version(self):
        """Of this location."""
        return _VERSION

    def config(self):
        """Where calls are written, and what is done."""
        return _definition()

    def start(self, props):
        """Note the names of the settings."""
        self.props, self.calls = dict(props), _Calls(props, "connector")
        self.started(self.calls.note("start", " ".join(sorted(props))))

    def started(self, actions):
        """Do what the script says."""

    def stop(self):
        """Note it."""
        if self.calls is not None:
            self.calls.note("stop")


class WitnessSinkConnector(_WitnessConnector, SinkConnector):
    """Writes down how it is called."""

    def task_class(self):
        """The one that writes it down too."""
        return WitnessSinkTask

    def task_configs(self, max_tasks):
        """As many as are configured."""
        self.calls.note("task_configs", str(max_tasks))
        return _task_configs(self.props, max_tasks)

    def alter_offsets(self, props, offsets):
        """Note the offsets."""
        _Calls(props, "offsets").note("alter_offsets", _null(_at(offsets)))
        return True


def _null(text):
    return text.replace("=None", "=null")


class WitnessSinkTask(SinkTask):
    """Writes down how it is called, and does what its script says."""

    def version(self):
        """Of this location."""
        return _VERSION

    def initialize(self, context):
        """Note the partitions."""
        super().initialize(context)
        self.calls = _Calls(context.configs, f"task-{context.configs['part']}")
        self._act(self.calls.note("initialize", " ".join(sorted(_named(context.assignment())))))

    def start(self, props):
        """Note the names of the settings."""
        self._act(self.calls.note("start", " ".join(sorted(props))))

    def open(self, partitions):
        """Note the partitions."""
        self._act(self.calls.note("open", " ".join(sorted(_named(partitions)))))

    def put(self, records):
        """Note the records, or that there are none."""
        if not records:
            if self.context.assignment():
                self._act(self.calls.note("idle"))
            return
        texts = [
            f"{r.topic}-{r.kafka_partition}@{r.kafka_offset}={_java(r.value)}" for r in records
        ]
        actions = self.calls.note("put", " ".join(texts))
        if "report" in actions:
            self.context.errant_record_reporter().report(records[0], _failures()["throw data"])
        self._act(actions)

    def pre_commit(self, offsets):
        """Note the offsets, and answer with what the script has."""
        actions = self.calls.note("pre_commit", _at(offsets))
        self._act(actions)
        for action in actions:
            if action == "answer null":
                return None
            if action.startswith("answer"):
                return _offsets(action.split()[1:])
        return super().pre_commit(offsets)

    def flush(self, offsets):
        """Note the offsets."""
        self._act(self.calls.note("flush", _at(offsets)))

    def close(self, partitions):
        """Note the partitions."""
        self._act(self.calls.note("close", " ".join(sorted(_named(partitions)))))

    def stop(self):
        """Note it."""
        self.calls.note("stop")

    def _act(self, actions):
        doing = {
            "seek": lambda *words: self.context.offset(_offsets(words)),
            "pause": lambda word: self.context.pause(_partition(word)),
            "resume": lambda word: self.context.resume(_partition(word)),
            "timeout": lambda word: self.context.timeout(int(word)),
            "commit": self.context.request_commit,
            "assignment": self._assignment,
            "sleep": lambda word: time.sleep(int(word) / 1000),
        }
        for action in actions:
            word, *rest = action.split()
            _fail(action)
            if word in doing:
                doing[word](*rest)

    def _assignment(self):
        self.calls.write("assignment " + " ".join(sorted(_named(self.context.assignment()))))


def _java(value):
    return "null" if value is None else value


class WitnessSourceConnector(_WitnessConnector, SourceConnector):
    """Writes down how it is called."""

    def config(self):
        """The topic too."""
        return _definition().define(
            "topic", ConfigType.STRING, NO_DEFAULT_VALUE, Importance.HIGH, "The topic."
        )

    def started(self, actions):
        """Read an offset where the script says so."""
        if "read" in actions:
            offset = self.context.offset_storage_reader.offset({"p": "0"})
            self.calls.write(f"offset {_braced(offset)}")

    def task_class(self):
        """The one that writes it down too."""
        return WitnessSourceTask

    def task_configs(self, max_tasks):
        """As many as are configured."""
        if "again" in self.calls.note("task_configs", str(max_tasks)):
            self.context.request_task_reconfiguration()
        return _task_configs(self.props, max_tasks)

    def exactly_once_support(self, props):
        """It can."""
        return ExactlyOnceSupport.SUPPORTED

    def can_define_transaction_boundaries(self, props):
        """It can."""
        return ConnectorTransactionBoundaries.SUPPORTED

    def alter_offsets(self, props, offsets):
        """Note the offsets."""
        found = {_braced(partition): _braced(offset) for partition, offset in offsets}
        _Calls(props, "offsets").note("alter_offsets", _values(found))
        return True


class WitnessSourceTask(SourceTask):
    """Writes down how it is called, and does what its script says."""

    def version(self):
        """Of this location."""
        return _VERSION

    def initialize(self, context):
        """Note it."""
        super().initialize(context)
        self.calls = _Calls(context.configs, f"task-{context.configs['part']}")
        self.calls.note("initialize")

    def start(self, props):
        """Note the names of the settings, and go on where the last one stopped."""
        self.topic, self.partition = props["topic"], {"p": props["part"]}
        actions = self.calls.note("start", " ".join(sorted(props)))
        offset = self.context.offset_storage_reader.offset(self.partition)
        self.given = 0 if offset is None else offset["n"]
        self.calls.write("offset " + ("null" if offset is None else _values(offset)))
        if "transactions" in actions:
            there = self.context.transaction_context is not None
            self.calls.write(f"transactions {str(there).lower()}")

    def poll(self):
        """What the script has, else nothing."""
        for action in self.calls.next("poll"):
            word, *rest = action.split()
            if word == "give":
                return self._records(rest)
            if word == "empty":
                return []
            if word == "throw":
                self.calls.write(f"poll -> {action}")
                _fail(action)
            if word == "sleep":
                time.sleep(int(rest[0]) / 1000)
            if word == "transaction":
                self._end(rest[0])
        time.sleep(0.02)
        return None

    def _records(self, names):
        records = [self._record(name) for name in names]
        self.calls.write("poll -> " + " ".join(names))
        return records

    def _record(self, name):
        self.given += 1
        value = None if name == "null" else "x" * _TOO_LARGE if name.startswith("large") else name
        record = SourceRecord(
            self.partition,
            {"n": self.given},
            f"{self.topic}?" if name.startswith("bad") else self.topic,
            value,
            OPTIONAL_STRING_SCHEMA,
            key=name,
            key_schema=STRING_SCHEMA,
            kafka_partition=0,
        )
        if name.endswith("+"):
            self.context.transaction_context.commit_transaction(record)
        elif name.endswith("-"):
            self.context.transaction_context.abort_transaction(record)
        return record

    def _end(self, how):
        context = self.context.transaction_context
        (context.commit_transaction if how == "commit" else context.abort_transaction)()

    def commit_record(self, record, metadata):
        """Note where it is."""
        where = "nowhere" if metadata is None else f"{metadata.topic}-{metadata.partition}"
        self.calls.note("commit_record", f"{record.key} {where}")

    def commit(self):
        """Note it."""
        self.calls.note("commit")

    def stop(self):
        """Note it."""
        self.calls.note("stop")
