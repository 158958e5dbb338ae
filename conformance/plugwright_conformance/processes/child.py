"""The child side of `isolated`: functions that run in a new process.

A step gets plain data on standard input. Its report is all that the process writes to standard
output, whatever the plugin prints. Steps with a task are in `simulator.task_steps`.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from plugwright.import_order import enter
from plugwright_conformance.processes.import_effects import import_watched
from plugwright_conformance.processes.marked_blocks import run_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

__all__ = ["loaded", "main", "run_step"]

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # a function for a validator has another one each time


def main() -> None:
    """Run the step that the command line names."""
    run_step(_STEPS)


def run_step(
    steps: Mapping[str, Callable[..., dict[str, Any]]], lethal: Collection[str] = ()
) -> None:
    """Run the step that the command line names, report its result, and end the process.

    Args:
        steps: by their names.
        lethal: those after which the process kills itself, so that nothing can be tidied up.
    """
    location, step = sys.argv[1:3]
    me = os.getpid()
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    arguments = json.load(sys.stdin)
    enter([location])
    try:
        found = steps[step](**arguments)
        if os.getpid() != me:
            os._exit(0)  # a copy that the plugin has made of this process
    except Exception as error:  # noqa: BLE001  # plugin code, reported as what it is
        _report(report, raised=_described(error))
    else:
        _report(report, **found)
    if step in lethal:
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(0)  # whatever the plugin has left behind in this process


def loaded(module: str, qualname: str) -> Any:
    """A class of the plugin."""
    found: Any = importlib.import_module(module)
    for name in qualname.split("."):
        found = getattr(found, name)
    return found


def _report(report: TextIO, **content: Any) -> None:
    json.dump(content, report)
    report.flush()


def _described(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} from {Path(last.filename).name}:{last.lineno}"


def watch_import(module: str) -> dict[str, Any]:
    """Import a module and tell what its import did beside defining things."""
    return {"events": import_watched(module)}


def describe_config(module: str, qualname: str) -> dict[str, Any]:
    """The definition of a connector, as text in its own order."""
    definition = loaded(module, qualname)().config()
    if definition is None:
        raise TypeError("config() returned None")
    keys = [
        f"{key.name} {key.type.value} {key.default_value!r} {key.importance} "
        f"{key.documentation} {key.validator}"
        for key in definition.keys.values()
    ]
    return {"keys": [_ADDRESS.sub("", key) for key in keys]}


def plan_tasks(
    module: str, qualname: str, config: dict[str, str], limits: list[int]
) -> dict[str, Any]:
    """The task configurations for each limit: of two instances, and of two calls of each."""
    from plugwright_conformance.subject.contexts import started  # noqa: PLC0415  # imports are watched

    kind = loaded(module, qualname)
    plans: dict[int, list[list[dict[str, str]]]] = {limit: [] for limit in limits}
    for _ in range(2):
        with started(kind(), dict(config)) as connector:
            for limit, found in plans.items():
                found += [_texts(connector.task_configs(limit)) for _ in range(2)]
    return {"plans": list(plans.values())}


def _texts(configs: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Task configurations as plain data, whatever their values are."""
    return [{str(name): str(value) for name, value in config.items()} for config in configs]


_STEPS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "watch-import": watch_import,
    "describe-config": describe_config,
    "plan-tasks": plan_tasks,
    "run-blocks": run_blocks,
}

if __name__ == "__main__":
    main()
