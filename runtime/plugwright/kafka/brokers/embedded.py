"""Apache Kafka in a separate process that ends with the process that opened it."""

from __future__ import annotations

import base64
import os
import secrets
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from plugwright.cache import cache_directory
from plugwright.class_archive import ClassArchive
from plugwright.config import properties_text
from plugwright.errors import SetupError
from plugwright.guarded import GuardedProcess, new_log, tail
from plugwright.java import find_java
from plugwright.kafka.brokers._artifacts import KAFKA_VERSION, class_path, jars, kafka_server
from plugwright.kafka.brokers._broker import ProgressListener, RestartableBroker, quiet
from plugwright.kafka.brokers.ivy import IvyResolver
from plugwright.kafka.brokers.ports import (
    LOOPBACK,
    free_ports,
    require_free,
    require_own_address,
)
from plugwright.kafka.brokers.probe import wait_until_ready
from plugwright.kafka.brokers.properties import for_host

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.java import Java
    from plugwright.kafka.brokers._artifacts import ArtifactResolver

_READY_SECONDS = 60.0
_ATTEMPTS = 3
_SHOWN_LINES = 15
_SEARCHED_LINES = 500
_STARTED = "Kafka Server started"
_LOOK_SECONDS = 0.1
_PORT_TAKEN = "Address already in use"
# Measured over 3 M records written and 6 M read on two cores: the first compiler alone with the
# serial collector needs 7-8 s of processor time where Java's defaults need 13-15 s, with the same
# throughput, and the broker answers 0.3 s earlier.
_JAVA_OPTIONS = (
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Djava.awt.headless=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
    # Kafka logs 1,300 lines of settings at each start.
    "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.common.config.AbstractConfig=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSS",
)


class EmbeddedBroker(RestartableBroker):
    """A single Kafka node on this machine, with its data in a temporary directory."""

    kind: ClassVar[str] = "embedded"
    version: ClassVar[str] = KAFKA_VERSION

    def __init__(self, process: GuardedProcess, bootstrap_servers: str, log: Path) -> None:
        self._process = process
        self._bootstrap_servers = bootstrap_servers
        self._log = log

    @property
    def bootstrap_servers(self) -> str:
        """The clients' address, by default on the loopback interface."""
        return self._bootstrap_servers

    @property
    def log(self) -> Path:
        """The broker's log, which is kept after its end."""
        return self._log

    @property
    def exit_status(self) -> int | None:
        """The broker's exit status, ``None`` while it runs, 0 if it was stopped."""
        return self._process.poll()

    @property
    def found_port_taken(self) -> bool:
        """Whether the broker reports that another process uses one of its ports."""
        return any(_PORT_TAKEN in line for line in tail(self._log, _SEARCHED_LINES))

    def restart(self, *, kill: bool = False) -> None:
        """End the broker, start it again on its port with its data, and wait until it answers.

        Args:
            kill: end it with SIGKILL instead of in order.

        Raises:
            SetupError: ``environment.kafka-start-failed`` if it does not answer again.
        """
        for attempt in range(_ATTEMPTS):  # Kafka's start may get stuck on a busy machine
            if self._comes_back(kill=kill or attempt > 0):
                return
        self.close()
        raise _start_failed(self)

    def _comes_back(self, *, kill: bool) -> bool:
        starts = self._starts()
        self._process.restart(kill=kill)
        limit = time.monotonic() + _READY_SECONDS
        while self._starts() == starts and self.exit_status is None and time.monotonic() < limit:
            time.sleep(_LOOK_SECONDS)
        return self._starts() > starts and wait_until_ready(
            self.bootstrap_servers, _READY_SECONDS, lambda: self.exit_status is not None
        )

    def _starts(self) -> int:
        """How often the broker has reported that it is up."""
        return self._log.read_text("utf-8", errors="replace").count(_STARTED)

    def close(self) -> None:
        """Stop the broker and remove its data."""
        self._process.stop()


def open_embedded(  # noqa: PLR0913  # each has a default
    *,
    port: int | None = None,
    properties: Mapping[str, str] | None = None,
    environ: Mapping[str, str] = os.environ,
    resolve: ArtifactResolver | None = None,
    progress: ProgressListener = quiet,
    host: str = LOOPBACK,
) -> EmbeddedBroker:
    """Start a new, empty Kafka; takes a few seconds once its jars are in the cache.

    Args:
        port: the port for clients; by default a free one.
        properties: server properties on top of those for a single node.
        environ: the environment with Java and the cache.
        resolve: fetches the jars; by default with Ivy.
        progress: notified of slow steps.
        host: the address of this machine that clients connect to.

    Raises:
        SetupError: ``environment.port-in-use``, ``environment.not-our-address``,
            ``environment.kafka-start-failed`` with the log's last lines, and the errors of
            ``find_java`` and ``jars``.
    """
    require_own_address(host)
    if port is not None:
        require_free(port, host)
    launch, archive = _installed(environ, resolve, progress)
    progress(f"starting Apache Kafka {KAFKA_VERSION}")
    options = archive.options() if archive else ()
    launch = replace(launch, properties=properties or {}, java_options=options, host=host)
    for _ in range(_ATTEMPTS - 1):
        broker = launch.start(port)
        if _is_ready(broker):
            return broker
        if not broker.found_port_taken:
            raise _start_failed(broker)
        if port is not None:
            require_free(port, host)
    broker = launch.start(port)
    if _is_ready(broker):
        return broker
    raise _start_failed(broker)


def archive_broker_classes(
    *, environ: Mapping[str, str] = os.environ, progress: ProgressListener = quiet
) -> Path | None:
    """Archive the classes of the embedded Kafka, which then starts twice as fast.

    The jars are fetched, if the cache does not have them. Takes about ten seconds, unless there is
    an archive that fits.

    Args:
        environ: the environment with Java and the cache.
        progress: notified of slow steps.

    Returns:
        The archive; ``None`` if this Java cannot have one.

    Raises:
        SetupError: see `open_embedded`; ``environment.no-class-archive``.
    """
    launch, archive = _installed(environ, None, progress)
    if archive is None:
        return None
    if not archive.exists:
        progress(f"archiving the classes of Apache Kafka {KAFKA_VERSION}")
        with archive.recording() as options:
            broker = replace(launch, java_options=options).start(None)
            if not _is_ready(broker):
                raise _start_failed(broker)
            broker.close()
    return archive.file


def _installed(
    environ: Mapping[str, str], resolve: ArtifactResolver | None, progress: ProgressListener
) -> tuple[_Launch, ClassArchive | None]:
    """How Kafka is launched with its defaults, and where its classes may be archived."""
    cache = cache_directory(environ)
    paths = jars(kafka_server(), cache, resolve or IvyResolver(environ), progress)
    java = find_java(environ)
    archive = ClassArchive.of(f"kafka-{KAFKA_VERSION}", java, paths, environ)
    return _Launch(java, class_path(paths), cache, environ), archive


@dataclass(frozen=True, slots=True)
class _Launch:
    """The common settings of all attempts to start a broker."""

    java: Java
    class_path: str
    cache: Path
    environ: Mapping[str, str]
    properties: Mapping[str, str] = field(default_factory=dict)
    java_options: Sequence[str] = ()
    host: str = LOOPBACK

    def start(self, port: int | None) -> EmbeddedBroker:
        """Start Kafka on this port, or on a free one, without waiting for it."""
        free, controller_port = free_ports(2, self.host)
        client_port = free if port is None else port
        scratch = Path(tempfile.mkdtemp(prefix="plugwright-kafka-"))
        settings = scratch / "server.properties"
        node = for_host(client_port, controller_port, scratch / "data", self.host)
        settings.write_text(properties_text({**node, **self.properties}), "utf-8")
        log = new_log(self.cache, "broker")
        process = GuardedProcess(
            self._commands(str(settings)), scratch=scratch, log=log, environ=self.environ
        )
        return EmbeddedBroker(process, f"{self.host}:{client_port}", log)

    def _commands(self, settings: str) -> list[list[str]]:
        options = [*_JAVA_OPTIONS, *self.java_options]
        java = [str(self.java.executable), *options, "-cp", self.class_path]
        storage = ["kafka.tools.StorageTool", "format", "--cluster-id", _cluster_id()]
        return [[*java, *storage, "--config", settings], [*java, "kafka.Kafka", settings]]


def _cluster_id() -> str:
    """A new id in Kafka's form: 16 bytes as 22 characters, not starting with a hyphen."""
    return base64.urlsafe_b64encode(b"\0" + secrets.token_bytes(15)).decode().rstrip("=")


def _is_ready(broker: EmbeddedBroker) -> bool:
    """Whether the broker answers in time; if not, it has been stopped."""
    ready = False
    try:
        ready = wait_until_ready(
            broker.bootstrap_servers, _READY_SECONDS, lambda: broker.exit_status is not None
        )
    finally:
        if not ready:
            broker.close()
    return ready


def _start_failed(broker: EmbeddedBroker) -> SetupError:
    lines = tail(broker.log, _SHOWN_LINES)
    what = f"ended with status {broker.exit_status} before it answered"
    if not broker.exit_status:
        what = f"did not answer within {_READY_SECONDS:g} s"
    return SetupError(
        "\n".join([f"Apache Kafka {KAFKA_VERSION} {what}; its log is {broker.log}", *lines]),
        code="environment.kafka-start-failed",
        hint="read the log; or name a running broker with --bootstrap-servers",
        facts={"status": broker.exit_status, "log": str(broker.log), "lines": lines},
    )
