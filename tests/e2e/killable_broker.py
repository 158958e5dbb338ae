"""A broker that can be killed and started again on the same port, with the data it had."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from plugwright.kafka.brokers import open_restartable
from plugwright.processes import descendants

__all__ = ["KillableBroker"]

_SERVER = " kafka.Kafka "


class KillableBroker:
    """A single Kafka node; its data live until ``close``."""

    def __init__(self) -> None:
        self._others = _servers()
        self._broker = open_restartable()
        self.bootstrap_servers = self._broker.bootstrap_servers

    def kill_and_return(self) -> None:
        """Kill -9; some time without a broker; the same broker again."""
        self._broker.restart(kill=True)

    def suspend(self) -> None:
        """Let it answer no client and close no connection; its last thread has stopped by then."""
        pid = self._pid()
        os.kill(pid, signal.SIGSTOP)
        while not all(map(_is_stopped, Path(f"/proc/{pid}/task").glob("*/stat"))):
            time.sleep(0.01)

    def resume(self) -> None:
        """Have it go on."""
        os.kill(self._pid(), signal.SIGCONT)

    def close(self) -> None:
        """End it and remove its data."""
        self._broker.close()

    def _pid(self) -> int:
        (pid,) = _servers() - self._others
        return pid


def _servers() -> set[int]:
    return {pid for pid, command in descendants() if _SERVER in command}


def _is_stopped(stat: Path) -> bool:
    """Whether a thread is stopped, or gone; one that waits for a core may go on for a while."""
    try:
        return stat.read_text("utf-8").rpartition(")")[2].split()[0] == "T"
    except (FileNotFoundError, ProcessLookupError):
        return True
