"""A broker that can be killed and started again on the same port, with the data it had."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

from plugwright.cache import cache_directory
from plugwright.config import properties_text
from plugwright.java import find_java
from plugwright.kafka.brokers import IvyResolver, class_path, jars, kafka_server
from plugwright.kafka.brokers._guarded import GuardedProcess
from plugwright.kafka.brokers._ports import LOOPBACK, free_ports
from plugwright.kafka.brokers._probe import wait_until_ready
from plugwright.kafka.brokers._properties import for_loopback

__all__ = ["KillableBroker"]

_READY_S = 120.0
_ATTEMPTS = 3
_AWAY_S = 2.0
_CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAQ"


class KillableBroker:
    """A single Kafka node; its data live until ``close``."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="killable-kafka-"))
        paths = jars(kafka_server(), cache_directory(), IvyResolver(os.environ))
        java = str(find_java().executable)
        self._java = [java, "-Xmx512m", "-XX:+UseSerialGC", "-cp", class_path(paths)]
        port, controller = free_ports(2)
        self.bootstrap_servers = f"{LOOPBACK}:{port}"
        self._settings = self._directory / "server.properties"
        self._settings.write_text(
            properties_text(for_loopback(port, controller, self._directory / "data")), "utf-8"
        )
        formatting = ["kafka.tools.StorageTool", "format", "--cluster-id", _CLUSTER_ID]
        self._process = self._start(
            [*self._java, *formatting, "--config", str(self._settings)], self._server()
        )

    def kill_and_return(self) -> None:
        """Kill -9; some time without a broker; the same broker again."""
        os.kill(self._pid(), signal.SIGKILL)
        self._process.stop()
        time.sleep(_AWAY_S)
        self._process = self._start(self._server())

    def suspend(self) -> None:
        """Have it answer nobody, and close no connection; its last thread has stopped by then."""
        pid = self._pid()
        os.kill(pid, signal.SIGSTOP)
        while not all(map(_is_stopped, Path(f"/proc/{pid}/task").glob("*/stat"))):
            time.sleep(0.01)

    def resume(self) -> None:
        """Have it go on."""
        os.kill(self._pid(), signal.SIGCONT)

    def close(self) -> None:
        """End it and remove its data."""
        self._process.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _start(self, *commands: list[str]) -> GuardedProcess:
        """Start it; Kafka's own start may get stuck on a busy machine, so it is tried again."""
        for _ in range(_ATTEMPTS):
            process = GuardedProcess(
                commands,
                scratch=Path(tempfile.mkdtemp(prefix="guard-", dir=self._directory)),
                log=self._directory / "broker.log",
                environ=os.environ,
            )
            if wait_until_ready(
                self.bootstrap_servers, _READY_S, lambda started=process: started.poll() is not None
            ):
                return process
            process.stop()
        raise RuntimeError((self._directory / "broker.log").read_text("utf-8")[-4000:])

    def _server(self) -> list[str]:
        return [*self._java, "kafka.Kafka", str(self._settings)]

    def _pid(self) -> int:
        """The only child of the guardian."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return int(children.read_text("utf-8").split()[0])


def _is_stopped(stat: Path) -> bool:
    """Whether a thread is stopped, or gone; one that waits for a core may go on for a while."""
    try:
        return stat.read_text("utf-8").rpartition(")")[2].split()[0] == "T"
    except (FileNotFoundError, ProcessLookupError):
        return True
