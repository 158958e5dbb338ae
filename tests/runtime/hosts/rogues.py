"""A generated plugin that does the worst it can, in the phase that its settings or its name say."""

from __future__ import annotations

from tests.runtime.hosts.locations import make

DEEDS = '''
import ctypes, locale, os, signal, sys, threading, time


class OddError(Exception):
    """Fails even at saying what it is."""

    def __str__(self):
        raise RuntimeError("no text")


class Nothing(BaseException):
    """Of no class that anybody catches."""


def grow():
    held = []
    while True:
        held.append(bytes(1 << 24))  # is never filled, which takes a busy machine long


def close():
    for descriptor in range(21):
        try:
            os.close(descriptor)
        except OSError:
            pass


def flood():
    for stream in (1, 2):
        for _ in range(64):
            os.write(stream, b"flood " * 5000 + b"\\n")
    print("flooded", flush=True)


def threads():
    for daemon in (True, False):
        threading.Thread(target=time.sleep, args=(3600,), daemon=daemon).start()


def surroundings():
    os.chdir("/")
    os.umask(0o077)
    os.environ.clear()
    locale.setlocale(locale.LC_ALL, "C")
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            signal.signal(number, signal.SIG_IGN)
    sys.stdout = sys.stderr = None
    sys.setrecursionlimit(10000)


def raising(error):
    def deed():
        raise error

    return deed


DEEDS = {{
    "hang": lambda: time.sleep(3600),
    "hold": lambda: ctypes.PyDLL(None).sleep(3600),  # and lets no other thread run
    "raise": raising(ValueError("not like this")),
    "odd": raising(OddError()),
    "long": raising(ValueError("x" * 50_000_000)),
    "exit": raising(SystemExit(3)),
    "interrupt": raising(KeyboardInterrupt()),
    "generator": raising(GeneratorExit()),
    "nothing": raising(Nothing("at all")),
    "stop iteration": raising(StopIteration()),
    "leave": lambda: os._exit(7),
    "crash": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "grow": grow,
    "close": close,
    "flood": flood,
    "threads": threads,
    "surroundings": surroundings,
    "fork": os.fork,
}}


def do(phase, trouble):
    where, _, what = trouble.partition(":")
    if where == phase:
        DEEDS[what]()
'''

CONNECTORS = """
from plugwright import (
    ConfigDef, ConfigType, Converter, SchemaAndValue, SinkConnector, SinkTask, SourceConnector,
    SourceRecord, SourceTask, Transformation
)
import time
from rogue_deeds import do

TROUBLE = "{trouble}"
do("import", TROUBLE)


class _Connector:
    trouble = TROUBLE

    def __init__(self):
        do("constructor", self.trouble)

    def version(self):
        return "1.0"

    def config(self):
        do("config", self.trouble)
        return ConfigDef().define("trouble", ConfigType.STRING, default="", documentation="Which.")

    def validate(self, props):
        do("validate", props.get("trouble", ""))
        return super().validate(props)

    def initialize(self, context):
        super().initialize(context)
        do("initialize", self.trouble)

    def start(self, props):
        self.props = props
        self.trouble = props.get("trouble") or self.trouble
        do("start", self.trouble)

    def task_class(self):
        do("task_class", self.trouble)
        return self.tasks

    def task_configs(self, max_tasks):
        do("task_configs", self.trouble)
        return [dict(self.props, number=str(n)) for n in range(max_tasks)]

    def stop(self):
        do("stop", self.trouble)


class _Task:
    def version(self):
        return "1.0"

    def start(self, props):
        self.trouble = props.get("trouble", "") if props.get("number", "0") == "0" else ""
        self.props, self.count = props, 0
        do("task start", self.trouble)

    def stop(self):
        do("task stop", self.trouble)


class {prefix}SourceTask(_Task, SourceTask):
    def poll(self):
        time.sleep(0.02)
        self.count += 1
        if self.count > 5:
            do("poll", self.trouble)
        value = self.props["name"] + " " + str(self.count)
        return [SourceRecord({{"n": self.props["number"]}}, {{"n": self.count}},
                             self.props["topic"], value)]

    def commit(self):
        do("commit", self.trouble)

    def commit_record(self, record, metadata):
        do("commit_record", self.trouble)


class {prefix}SinkTask(_Task, SinkTask):
    def put(self, records):
        if records:
            do("put", self.trouble)

    def open(self, partitions):
        do("open", self.trouble)

    def flush(self, offsets):
        do("flush", self.trouble)

    def pre_commit(self, offsets):
        do("pre_commit", self.trouble)
        return super().pre_commit(offsets)

    def close(self, partitions):
        do("close", self.trouble)


class {prefix}Source(_Connector, SourceConnector):
    tasks = {prefix}SourceTask


class {prefix}Sink(_Connector, SinkConnector):
    tasks = {prefix}SinkTask


class {prefix}Unmade(SourceTask):
    def __init__(self):
        do("task constructor", "task constructor:hang")

    version = start = poll = stop = None


class {prefix}UnmadeSource({prefix}Source):
    tasks = {prefix}Unmade


class {prefix}Converter(Converter):
    def config(self):
        do("converter config", TROUBLE)
        return ConfigDef()

    def configure(self, configs, *, is_key):
        self.trouble = configs.get("trouble", "")
        do("converter configure", self.trouble)

    def from_connect_data(self, topic, schema, value):
        do("from_connect_data", self.trouble)
        return None if value is None else str(value).encode()

    def to_connect_data(self, topic, data):
        do("to_connect_data", self.trouble)
        return SchemaAndValue(None, None if data is None else data.decode())


class {prefix}Transformation(Transformation):
    def config(self):
        do("transformation config", TROUBLE)
        return ConfigDef().define("trouble", ConfigType.STRING, default="", documentation="Which.")

    def configure(self, props):
        self.trouble = props.get("trouble", "")
        do("configure", self.trouble)

    def apply(self, record):
        do("apply", self.trouble)
        return record
"""


def rogue(root, name="rogue", *, trouble="", prefix="Rogue"):
    """A location with the plugin; what cannot see settings takes its trouble from the argument."""
    entries = {
        "{prefix}Source": "SourceConnector",
        "{prefix}UnmadeSource": "SourceConnector",
        "{prefix}Sink": "SinkConnector",
        "{prefix}Converter": "Converter",
        "{prefix}Transformation": "Transformation",
    }
    source = CONNECTORS.replace("{trouble}", trouble)
    made = make(root / name, "1.0", source, entries, prefix=prefix)
    (made.path / "rogue_deeds.py").write_text(DEEDS.format())
    return made
