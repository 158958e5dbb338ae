"""The real Kafka Connect 4.3.1 as a process: to take over from, hand over to, compare with."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from plugwright.cache import cache_directory
from plugwright.java import find_java
from plugwright.kafka.brokers import IvyResolver, PinnedSet, class_path, jars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["JavaConnect", "free_port", "peer_jars", "rest_call"]

_NAME = "connect-peer-4.3.1"
_MAIN = "org.apache.kafka.connect.cli.Connect{mode}"
_START_S = 60.0
_STOP_S = 30.0
_PLUGIN = "connect-file-"
_LOGGING = "slf4j-"


def peer_jars() -> tuple[Path, ...]:
    """The jars of Kafka Connect and its tools, checked by content, fetched if need be."""
    text = Path(__file__).with_name(f"{_NAME}.sha256").read_text("utf-8")
    return jars(PinnedSet.parse(_NAME, text), cache_directory(), IvyResolver())


def free_port() -> int:
    """A port on which no process of this machine listens now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def rest_call(url: str, method: str = "GET", body: object = None) -> tuple[int, Any]:
    """Status and parsed answer of a request to a Connect worker, ours or Java's."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(  # noqa: S310  # a worker on loopback
        url, data, {"Content-Type": "application/json"}, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310  # the same
            return answer.status, _parsed(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, _parsed(error.read())


def _parsed(body: bytes) -> Any:
    """JSON, or text where a worker that is about to start answers with a page."""
    try:
        return json.loads(body) if body else None
    except ValueError:
        return body.decode(errors="replace")


class JavaConnect:
    """One worker of Kafka Connect.

    Args:
        bootstrap_servers: of the broker.
        settings: the worker's settings beside those of its plugins and its REST port.
        heap: the most memory of its JVM.
        distributed: whether it joins a group, or stands alone.
        plugins: locations of plugins beside that of the file connectors.
        logging: jars to log with, instead of the plain ones.
    """

    def __init__(  # noqa: PLR0913  # all but the first two have defaults
        self,
        bootstrap_servers: str,
        settings: Mapping[str, str],
        *,
        heap: str = "512m",
        distributed: bool = True,
        plugins: Sequence[Path] = (),
        logging: Sequence[Path] = (),
    ) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="java-connect-"))
        self.log = self._directory / "connect.log"
        self.url = f"http://127.0.0.1:{free_port()}"
        self._heap = heap
        self._main = _MAIN.format(mode="Distributed" if distributed else "Standalone")
        self._plugins = plugins
        self._logging = logging
        self._settings = {
            "bootstrap.servers": bootstrap_servers,
            "plugin.path": str(self._directory / "plugins"),
            "plugin.discovery": "service_load",
            "listeners": self.url,
            "offset.storage.replication.factor": "1",
            "config.storage.replication.factor": "1",
            "status.storage.replication.factor": "1",
            **settings,
        }

    def __enter__(self) -> Self:
        common = self._sort_jars()
        properties = self._directory / "worker.properties"
        lines = [f"{key}={value}\n" for key, value in self._settings.items()]
        properties.write_text("".join(lines), "utf-8")
        command = [
            str(find_java().executable),
            f"-Xmx{self._heap}",
            "-Dlog4j2.level=INFO",
            "-cp",
            class_path(common),
            self._main,
            str(properties),
        ]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        self._wait_until_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._directory, ignore_errors=True)

    def call(self, path: str, method: str = "GET", body: object = None) -> tuple[int, Any]:
        """Status and parsed answer of a request."""
        return rest_call(f"{self.url}{path}", method, body)

    def wait_for_state(self, connector: str, state: str = "RUNNING", timeout_s: float = 60) -> None:
        """Wait until a connector is in a state, with at least a task unless it is stopped."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            code, status = self.call(f"/connectors/{connector}/status")
            parts = [status["connector"], *status["tasks"]] if code == 200 else []
            least = 1 if state == "STOPPED" else 2
            if len(parts) >= least and {part["state"] for part in parts} == {state}:
                return
            time.sleep(0.1)
        raise TimeoutError(f"{connector} is not {state}:\n{self.log.read_text()[-4000:]}")

    def _sort_jars(self) -> list[Path]:
        """Plugins in locations of their own, the rest on the class path."""
        common = [*self._logging]
        home = self._directory / "plugins"
        for jar in peer_jars():
            if jar.name.startswith(_PLUGIN):
                place = home / jar.stem
                place.mkdir(parents=True)
                (place / jar.name).symlink_to(jar)
            elif not (self._logging and jar.name.startswith(_LOGGING)):
                common.append(jar)
        for location in self._plugins:
            (home / location.name).symlink_to(location)
        return common

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if self.call("/connectors")[0] == 200:
                    return
            except OSError:
                pass  # not listening yet
            time.sleep(0.1)
        text = self.log.read_text(errors="replace")[-4000:]
        self.__exit__()
        raise RuntimeError(f"Kafka Connect did not start:\n{text}")
