"""Generated plugin locations, each with a version of its own of one small dependency."""

from __future__ import annotations

from plugwright.plugins import Location

CONNECTOR = '''
import os, sys, time
from plugwright import (
    ConfigDef, ConfigType, ConnectError, Importance, SourceConnector, SourceRecord, SourceTask
)
import shared_dep


class {prefix}Error(ConnectError):
    """An error class of the plugin's own."""


class {prefix}Source(SourceConnector):
    """Does what its settings say, or dies of it."""

    def version(self):
        return shared_dep.__version__

    def config(self):
        return (
            ConfigDef()
            .define("topic", ConfigType.STRING, importance=Importance.HIGH, documentation="To.")
            .define("trouble", ConfigType.STRING, default="", documentation="What goes wrong.")
        )

    def validate(self, props):
        self._trouble("validate", props)
        return super().validate(props)

    def start(self, props):
        self.props = props
        print("starting", shared_dep.__version__, flush=True)
        self._trouble("start", props)

    def task_class(self):
        return {prefix}Task

    def task_configs(self, max_tasks):
        self._trouble("task_configs", self.props)
        return [dict(self.props, dependency=shared_dep.__version__)]

    def stop(self):
        pass

    def _trouble(self, phase, props):
        where, _, what = props.get("trouble", "").partition(":")
        if where != phase:
            return
        if what == "exit":
            sys.exit(3)
        if what == "die":
            print("so long", flush=True)
            os._exit(7)
        if what == "hang":
            time.sleep(3600)
        if what == "own":
            raise {prefix}Error("closed today", code="shop.closed", hint="wait", facts={{"a": 1}})
        if what == "value":
            raise ValueError("not like this")
        if what == "ask":
            self.context.offset_storage_reader.offset({{"file": "a"}})
        if what == "measure":
            metrics = self.context.plugin_metrics()
            metrics.add_metric(metrics.metric_name("stock", "What is left."), lambda: 7)
        if what == "tell":
            self.context.request_task_reconfiguration()
            self.context.raise_error({prefix}Error("no stock left", code="shop.empty"))


class {prefix}Task(SourceTask):
    """Emits what it sees of its dependency."""

    def version(self):
        return shared_dep.__version__

    def start(self, props):
        self.props, self.left = props, int(props.get("records", "2"))

    def poll(self):
        time.sleep(0.01)
        if not self.left:
            return None
        self.left -= 1
        value = self.props.get("value") or "source " + shared_dep.__version__
        return [SourceRecord({{"p": 1}}, {{"left": self.left}}, self.props["topic"], value)]

    def stop(self):
        pass
'''

SINK = """
from plugwright import ConfigDef, ConfigType, SinkConnector, SinkTask
import shared_dep


class {prefix}Sink(SinkConnector):
    def version(self):
        return shared_dep.__version__

    def config(self):
        return ConfigDef().define("file", ConfigType.STRING, documentation="To.")

    def start(self, props):
        self.props = props

    def task_class(self):
        return {prefix}SinkTask

    def task_configs(self, max_tasks):
        return [dict(self.props)]

    def stop(self):
        pass


class {prefix}SinkTask(SinkTask):
    def version(self):
        return shared_dep.__version__

    def start(self, props):
        self.file = open(props["file"], "a")

    def put(self, records):
        for record in records:
            self.file.write(f"sink {{shared_dep.__version__}} | {{record.value}}\\n")
        self.file.flush()

    def stop(self):
        self.file.close()
"""

CONVERTER = '''
import os, sys
from plugwright import ConfigDef, ConfigType, ConnectError, Converter, DataError, SchemaAndValue
import shared_dep


class {prefix}Converter(Converter):
    """Writes its dependency's version behind the value, and its process if configured to."""

    def config(self):
        return ConfigDef().define("size", ConfigType.INT, default=1, documentation="A number.")

    def configure(self, configs, *, is_key):
        self.pid = " " + str(os.getpid()) if configs.get("pid") == "true" else ""

    def from_connect_data(self, topic, schema, value):
        if value is None:
            return None
        if value == "bad":
            raise DataError("bad value", code="shop.bad")
        if value == "die":
            print("converter dies", flush=True)
            os._exit(9)
        return (str(value) + " | converter " + shared_dep.__version__ + self.pid).encode()

    def to_connect_data(self, topic, data):
        text = None if data is None else data.decode() + " | converter " + shared_dep.__version__
        return SchemaAndValue(None, text)
'''

TRANSFORMATION = '''
import os
from plugwright import ConfigDef, ConfigType, Predicate, RetriableError, Transformation
import shared_dep


class {prefix}Mark(Transformation):
    """Writes its dependency's version behind the value, and its process if configured to."""

    def config(self):
        return ConfigDef().define("mark", ConfigType.STRING, documentation="Said of a record.")

    def configure(self, props):
        self.mark = props["mark"].replace("PID", str(os.getpid()))
        self.tried = False

    def apply(self, record):
        if record.value == "odd":
            raise ValueError("odd value")
        if record.value == "flaky" and not self.tried:
            self.tried = True
            raise RetriableError("not now", code="shop.busy")
        if record.value == "drop":
            return None
        text = str(record.value) + " | " + self.mark + " " + shared_dep.__version__
        return record.new_record(value=text)


class {prefix}Chosen(Predicate):
    """Whether a value says yes."""

    def config(self):
        return ConfigDef()

    def test(self, record):
        return str(record.value).startswith("yes")
'''


def make(path, version, source, entries, *, prefix="Shop"):
    """A location with one plugin distribution and one version of the dependency."""
    name = path.name
    path.mkdir(parents=True)
    (path / "shared_dep.py").write_text(f'__version__ = "{version}"\n')
    _distribution(path, "shared_dep", version, "")
    (path / f"{name}_plugin.py").write_text(source.format(prefix=prefix))
    lines = [
        f"[plugwright.{base}]\n{cls} = {name}_plugin:{cls}"
        for cls, base in ((each.format(prefix=prefix), kind) for each, kind in entries.items())
    ]
    _distribution(path, name, "1.0", "\n".join(lines))
    return Location(path)


def _distribution(path, name, version, manifest):
    directory = path / f"{name}-{version}.dist-info"
    directory.mkdir()
    (directory / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    )
    if manifest:
        (directory / "entry_points.txt").write_text(manifest)


def connector(root, name="shop", version="1.0", **more):
    """A location with a source connector."""
    return make(root / name, version, CONNECTOR, {"{prefix}Source": "SourceConnector"}, **more)


def sink(root, name="shop", version="1.0", **more):
    """A location with a sink connector."""
    return make(root / name, version, SINK, {"{prefix}Sink": "SinkConnector"}, **more)


def converter(root, name="press", version="2.0", **more):
    """A location with a converter."""
    return make(root / name, version, CONVERTER, {"{prefix}Converter": "Converter"}, **more)


def transformation(root, name="pen", version="3.0", **more):
    """A location with a transformation and a predicate."""
    entries = {"{prefix}Mark": "Transformation", "{prefix}Chosen": "Predicate"}
    return make(root / name, version, TRANSFORMATION, entries, **more)


PROVIDER = """
from plugwright import ConfigData, ConfigProvider
import shared_dep


class {prefix}Provider(ConfigProvider):
    def configure(self, props):
        self.suffix = props.get("suffix", "")

    def get(self, path, keys=None):
        if path == "bad":
            raise ValueError("no such path")
        value = path + "-" + shared_dep.__version__ + self.suffix
        return ConfigData({{key: value for key in keys}})
"""


def provider(root, name="vault", version="9.0", **more):
    """A location with a config provider."""
    return make(root / name, version, PROVIDER, {"{prefix}Provider": "ConfigProvider"}, **more)


IDIOMS = '''
import enum, importlib, inspect, json, multiprocessing, pickle, typing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from importlib import metadata, resources

from plugwright import ConfigDef, SourceConnector, SourceRecord, SourceTask


class Colour(enum.Enum):
    RED = "red"


@dataclass(frozen=True)
class Order:
    number: int
    colour: "Colour" = Colour.RED


def doubled(order):
    return replace(order, number=order.number * 2)


def idioms():
    """What plugins do with Python, and what came of it."""
    order = Order(21)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        spawned = pool.submit(doubled, order).result(60)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        forked = pool.apply(doubled, (order,))
    return {{
        "pickle": pickle.loads(pickle.dumps(order)) == order,
        "enum": pickle.loads(pickle.dumps(Colour.RED)) is Colour.RED,
        "hints": typing.get_type_hints(Order)["colour"] is Colour,
        "source": "order.number * 2" in inspect.getsource(doubled),
        "late import": importlib.import_module("shared_dep").__version__,
        "metadata": metadata.version("shared_dep"),
        "resource": resources.files("words").joinpath("words.txt").read_text(),
        "spawn": spawned.number,
        "fork": forked.number,
    }}


class {prefix}Source(SourceConnector):
    def version(self):
        return "1"

    def config(self):
        return ConfigDef()

    def start(self, props):
        self.props = dict(props, driver=json.dumps(idioms()))

    def task_class(self):
        return {prefix}Task

    def task_configs(self, max_tasks):
        return [self.props]

    def stop(self):
        pass


class {prefix}Task(SourceTask):
    def version(self):
        return "1"

    def start(self, props):
        self.values = [props["driver"], json.dumps(idioms())]
        self.topic = props["topic"]

    def poll(self):
        values, self.values = self.values, []
        return [SourceRecord({{"p": 1}}, {{"o": 1}}, self.topic, value) for value in values] or None

    def stop(self):
        pass
'''
IDIOMS_WORK = {
    "pickle": True,
    "enum": True,
    "hints": True,
    "source": True,
    "late import": "1.5",
    "metadata": "1.5",
    "resource": "one two",
    "spawn": 42,
    "fork": 42,
}


def idioms(root):
    """A location whose plugin uses Python as plugins do."""
    made = make(root / "idioms", "1.5", IDIOMS, {"{prefix}Source": "SourceConnector"})
    (made.path / "words").mkdir()
    (made.path / "words/__init__.py").write_text("")
    (made.path / "words/words.txt").write_text("one two")
    return made
