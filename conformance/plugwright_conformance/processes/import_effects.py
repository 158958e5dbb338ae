"""Records the side effects of an import."""

from __future__ import annotations

import importlib
import logging
import os
import signal
import sys
import threading
from typing import Any

__all__ = ["import_watched"]

_ACTS = {
    "socket.connect": "opens a connection",
    "socket.bind": "opens a port",
    "socket.getaddrinfo": "looks up a host",
    "subprocess.Popen": "starts a process",
    "os.system": "starts a process",
    "os.fork": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.remove": "removes a file",
    "os.rename": "renames a file",
    "os.mkdir": "makes a directory",
    "os.rmdir": "removes a directory",
    "os.truncate": "cuts a file",
    "shutil.rmtree": "removes a directory",
    "signal.pthread_kill": "sends a signal",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def import_watched(module: str) -> list[str]:
    """Import it and tell what it did: to files, network, processes, threads and shared state."""
    sys.dont_write_bytecode = True
    seen: list[str] = []
    watching = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching[0] and (act := _act(event, arguments)):
            seen.append(act)

    before = _shared_state()
    sys.addaudithook(hook)
    importlib.import_module(module)
    watching[0] = False
    after = _shared_state()
    seen += [f"changes {name}" for name, value in after.items() if value != before[name]]
    return list(dict.fromkeys(seen))


def _act(event: str, arguments: tuple[Any, ...]) -> str:
    if event == "open" and len(arguments) > 2 and isinstance(arguments[2], int):  # noqa: PLR2004  # path, mode, flags
        writes = arguments[2] & _WRITES
        return f"writes {arguments[0]}" if writes and arguments[0] != os.devnull else ""
    return _ACTS.get(event, "")


def _shared_state() -> dict[str, object]:
    root = logging.getLogger()
    return {
        "the threads": sorted(thread.name for thread in threading.enumerate()),
        "sys.path": list(sys.path),
        "the environment": dict(os.environ),
        "the working directory": os.getcwd(),  # noqa: PTH109  # compared as text
        "the root logger": (root.level, len(root.handlers)),
        "signal handlers": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
    }
