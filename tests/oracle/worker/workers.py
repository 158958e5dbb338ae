"""The two workers that the conversation is held with, set up alike."""

from __future__ import annotations

import logging
import shutil
import subprocess
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.workers import WorkerProcess, cluster_settings
from tests.oracle.worker.playing import Stage
from tests.oracle.worker.steps import DISTRIBUTED, STANDALONE
from tests.peer.java_connect import JavaConnect, peer_jars
from tests.plugin_paths import make_distribution_metadata

from plugwright import __version__
from plugwright.cache import cache_directory
from plugwright.herder import (
    ConfigStore,
    Herder,
    HerderParts,
    HerderSettings,
    MemoryLog,
    OffsetFile,
    SoleOwner,
    SparkWorker,
    StatusStore,
    WorkerConfig,
    standalone_herder,
)
from plugwright.hosts import PluginHosts
from plugwright.java import find_java
from plugwright.kafka.brokers import IvyResolver, PinnedSet, class_path, jars, open_broker
from plugwright.plugins import Plugins
from plugwright.rest import RestServer, RestSettings
from plugwright.spark import TaskStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.spark import TaskSpec

__all__ = [
    "KAFKA",
    "VERSIONS",
    "PluginPackage",
    "java_worker",
    "our_herder",
    "our_worker",
    "pins",
]

KAFKA = "4.3.1"
VERSIONS = ("1.0.0", "2.0.0")
"""The versions of the plugin that there are several of."""

_HERE = Path(__file__).parent
_PLUGINS = _HERE / "plugins"
_BUNDLED = Path(__file__).parents[3] / "plugin-path"
_ANY = "http://127.0.0.1:0"
_LOGGING = "logging-2.25.3"
_STRINGS = "org.apache.kafka.connect.storage.StringConverter"
_JSON = "org.apache.kafka.connect.json.JsonConverter"
_API = "org.apache.kafka.connect"
_LOGGERS = ("made", "drawn", "further", "third", "3.d", "details")
"""What the names of loggers begin with that the conversation makes."""


@dataclass(frozen=True, slots=True)
class PluginPackage:
    """A package of plugins that there is in Java and in Python, under the same class names.

    Attributes:
        name: of the Java package and of the Python module.
        home: has the sources, in ``java/NAME`` and ``python/NAME.py``.
        services: its classes, by the name of Kafka's interface.
        versions: each has a location of its own.
    """

    name: str
    home: Path
    services: Mapping[str, tuple[str, ...]]
    versions: tuple[str, ...]

    @property
    def locations(self) -> dict[str, str]:
        """Each location with its version."""
        if len(self.versions) == 1:
            return {self.name: self.versions[0]}
        return {f"{self.name}-{version}": version for version in self.versions}


_CONVERSATION = (
    PluginPackage(
        "trial",
        _PLUGINS,
        {
            f"{_API}.source.SourceConnector": ("trial.TrialSourceConnector",),
            f"{_API}.sink.SinkConnector": (
                "trial.EveryTypeSinkConnector",
                "trial.TrialSinkConnector",
            ),
            f"{_API}.transforms.Transformation": ("trial.Unwilling",),
        },
        ("1.2.3",),
    ),
    PluginPackage(
        "versioned",
        _PLUGINS,
        {f"{_API}.sink.SinkConnector": ("versioned.VersionedSinkConnector",)},
        VERSIONS,
    ),
)


def pins() -> PinnedSet:
    """The logging that Kafka Connect is distributed with: its levels can be changed."""
    return PinnedSet.parse(_LOGGING, (_HERE / f"{_LOGGING}.sha256").read_text("utf-8"))


def _settings(directory: Path, mode: str) -> dict[str, str]:
    """What both workers receive."""
    common = {
        "key.converter": _STRINGS,
        "value.converter": _JSON,
        "value.converter.schemas.enable": "false",
        "offset.flush.interval.ms": "300",
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
        "connector.client.config.override.policy": "All",
        "access.control.allow.origin": "https://console.example",
        "access.control.allow.methods": "GET,POST,PUT",
    }
    if mode != DISTRIBUTED:
        return {**common, "offset.storage.file.filename": str(directory / "offsets")}
    cluster = {**cluster_settings("conversation"), "exactly.once.source.support": "enabled"}
    return {**common, **cluster}


@contextmanager
def java_worker(
    mode: str,
    packages: Sequence[PluginPackage] = _CONVERSATION,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Stage]:
    """The real Kafka Connect, with a broker of its own; ``settings`` go before the usual ones."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conversation-")))
        broker = stack.enter_context(open_broker())
        logging = jars(pins(), cache_directory(), IvyResolver())
        worker = JavaConnect(
            broker.bootstrap_servers,
            {**_settings(directory, mode), **(settings or {})},
            distributed=mode == DISTRIBUTED,
            plugins=_java_plugins(directory / "plugins", packages),
            logging=logging,
        )
        stack.enter_context(worker)
        yield Stage(worker.url, directory, broker.bootstrap_servers, KAFKA)


@contextmanager
def our_worker(
    mode: str,
    packages: Sequence[PluginPackage] = _CONVERSATION,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Stage]:
    """The worker that is tested, with a broker of its own; ``settings`` as for Java's."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conversation-")))
        broker = stack.enter_context(open_broker())
        properties = {
            **_settings(directory, mode),
            "bootstrap.servers": broker.bootstrap_servers,
            "plugin.path": str(_our_plugins(directory / "plugins", packages)),
            "plugin.discovery": "service_load",
            **(settings or {}),
        }
        worker = WorkerProcess(properties, distributed=mode == DISTRIBUTED)
        stack.enter_context(worker)
        yield Stage(worker.url, directory, broker.bootstrap_servers, __version__)


class _Tasks:
    """Tasks that are at once what they are asked to be, or have failed as configured."""

    graceful = True

    def __init__(
        self, specs: Sequence[TaskSpec], listener: Callable[[int, TaskStatus], None]
    ) -> None:
        self.counters: Mapping[int, Mapping[str, float]] = {}
        self.topics: Mapping[int, tuple[str, ...]] = {}
        failing = [spec.task for spec in specs if spec.config.get("fail.at") == "task.start"]
        self._numbers = [spec.task for spec in specs if spec.task not in failing]
        self._listener = listener
        for number in failing:
            listener(number, TaskStatus("FAILED", trace="failed at task.start"))
        self._tell("RUNNING")

    def pause(self) -> None:
        """At once."""
        self._tell("PAUSED")

    def resume(self) -> None:
        """At once."""
        self._tell("RUNNING")

    def forget_topics(self, before_ms: int) -> None:
        """There are none."""

    def stop(self, timeout_s: float, tasks: Sequence[int] | None = None) -> bool:
        """At once."""
        return True

    def _tell(self, state: str) -> None:
        for number in self._numbers:
            self._listener(number, TaskStatus(state))


class _Launcher:
    """Takes tasks, and never runs them."""

    def prepare(self, paths: Sequence[str]) -> None:
        """There is nothing to prepare."""

    def launch(
        self,
        name: str,
        specs: Sequence[TaskSpec],
        *,
        python_path: str = "",
        listener: Callable[[int, TaskStatus], None],
    ) -> _Tasks:
        """Tasks that seem to run."""
        return _Tasks(specs, listener)

    def set_level(self, namespace: str, level: int) -> None:
        """There is no process."""


@contextmanager
def our_herder(mode: str = STANDALONE, *, transacts: bool = False) -> Iterator[Stage]:
    """The herder and the API of a worker in this process, without Spark and Kafka.

    One that ``transacts`` says that it has exactly-once sources, but cannot start any.
    """
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="conversation-")))
        settings = _settings(directory, STANDALONE)  # offsets in a file, whatever the mode
        config = WorkerConfig.parse(settings)
        offsets = OffsetFile.of(config)
        config = replace(config, exactly_once=transacts)
        plugins = Plugins.service_load([_our_plugins(directory / "plugins", _CONVERSATION)])
        hosts = PluginHosts(plugins, timeout_s=60)
        for location in plugins.locations:
            hosts.acquire((location,))  # kept for all connectors: each start takes its time
        worker = SparkWorker(config, hosts, _Launcher(), offsets)
        stack.callback(worker.close)
        herder = _herder(mode, worker, plugins)
        rest = RestSettings.parse({**settings, "listeners": _ANY})
        server = stack.enter_context(RestServer(herder, rest))
        herder.start(server.url)
        root = logging.getLogger()
        stack.callback(root.setLevel, root.level)
        root.setLevel(logging.INFO)
        stack.callback(_forget_loggers, set(logging.root.manager.loggerDict))
        stack.callback(herder.close)
        yield Stage(server.url.rstrip("/"), directory, "", __version__)


def _forget_loggers(but: set[str]) -> None:
    """Those of this conversation: the next one is to find none of them."""
    for name in set(logging.root.manager.loggerDict) - but:
        if name.lower().startswith(_LOGGERS):
            del logging.root.manager.loggerDict[name]


def _herder(mode: str, worker: SparkWorker, plugins: Plugins) -> Herder:
    """That of a standalone worker, or one that is alone in a cluster and keeps nothing."""
    settings = HerderSettings("c" * 22, settle_timeout_s=20.0)
    if mode != DISTRIBUTED:
        return standalone_herder(worker, plugins, settings)
    configs, statuses = ConfigStore(MemoryLog()), StatusStore(MemoryLog())
    return Herder(HerderParts(worker, plugins, configs, statuses, SoleOwner(), settings))


def _java_plugins(place: Path, packages: Sequence[PluginPackage]) -> list[Path]:
    """Compiles the plugins into locations, one for each version."""
    api = class_path(peer_jars())
    compiler = find_java().executable.with_name("javac")
    found = []
    for package in packages:
        classes = place / "classes" / package.name
        sources = sorted((package.home / "java" / package.name).glob("*.java"))
        subprocess.run(
            [compiler, "-proc:none", "-d", classes, "-cp", api, *sources],
            check=True,
            capture_output=True,
        )
        for name, version in package.locations.items():
            found.append(_java_location(place / name, classes, package))
            (place / name / package.name / "version.txt").write_text(f"{version}\n")
    return found


def _java_location(place: Path, classes: Path, package: PluginPackage) -> Path:
    shutil.copytree(classes, place)
    manifests = place / "META-INF" / "services"
    manifests.mkdir(parents=True)
    for service, names in package.services.items():
        (manifests / service).write_text("".join(f"{name}\n" for name in names))
    return place


def _our_plugins(place: Path, packages: Sequence[PluginPackage]) -> Path:
    """The counterparts of these plugins as locations of a plugin path."""
    for kind in ("source", "sink"):
        shutil.copytree(_BUNDLED / f"file-{kind}", place / f"file-{kind}")
    for package in packages:
        for name, version in package.locations.items():
            _our_location(place / name, package, version)
            (place / name / "version.txt").write_text(f"{version}\n")
    return place


def _our_location(place: Path, package: PluginPackage, version: str) -> None:
    place.mkdir()
    file = f"{package.name}.py"
    shutil.copy(package.home / "python" / file, place / file)
    groups = [
        f"[plugwright.{service.rpartition('.')[2]}]\n"
        + "".join(f"{name} = {name.replace('.', ':', 1)}\n" for name in names)
        for service, names in package.services.items()
    ]
    make_distribution_metadata(place, package.name, [file], "\n".join(groups), version=version)
