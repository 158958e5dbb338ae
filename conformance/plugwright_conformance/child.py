"""The other side of `isolated`: steps that run in a process of their own.

A step gets plain data on standard input and prints one ``REPORT`` line.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

from plugwright.record import TopicPartition
from plugwright_conformance.drive import SinkContext, sink_records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["main"]


def main() -> None:
    """Run the step that the command line names."""
    location, step = sys.argv[1:3]
    sys.path.append(location)
    STEPS[step](**json.load(sys.stdin))


def _report(**content: Any) -> None:
    sys.stdout.write("REPORT " + json.dumps(content) + "\n")
    sys.stdout.flush()


def _load(module: str, qualname: str) -> Any:
    found: Any = importlib.import_module(module)
    for name in qualname.split("."):
        found = getattr(found, name)
    return found


def instantiate(module: str, qualname: str, config: dict[str, str]) -> None:
    """Make the task and take its configuration, as an executor would."""
    task = _load(module, qualname)()
    _report(version=task.version(), settings=len(config))


def put_flush_die(
    module: str, qualname: str, config: dict[str, str], topic: str, values: list[str]
) -> None:
    """Put the values, ask for the offsets that may be committed, report them, and die at once."""
    home = TopicPartition(topic, 0)
    task = _load(module, qualname)()
    task.initialize(SinkContext(config, {home}))
    task.start(config)
    task.open([home])
    task.put(sink_records(values, home))
    durable = task.pre_commit({home: len(values)})
    _report(offset=durable.get(home, 0))
    os.kill(os.getpid(), signal.SIGKILL)


STEPS: Mapping[str, Callable[..., None]] = {
    "instantiate": instantiate,
    "put-flush-die": put_flush_die,
}

if __name__ == "__main__":
    main()
