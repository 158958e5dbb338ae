"""The other side of `isolated`: steps that run in a process of their own.

A step gets plain data on standard input. Its report is all that the process writes to standard
output, whatever the plugin prints.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from plugwright.errors import RetriableError
from plugwright.import_order import enter
from plugwright.record import SinkRecord, TopicPartition
from plugwright.schema import STRING_SCHEMA
from plugwright.task import SinkTask
from plugwright_conformance.processes.watching import import_watched
from plugwright_conformance.subject.contexts import SinkContext, SourceContext, sink_records
from plugwright_conformance.subject.shape import RowShape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["main"]

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # a function for a validator has another one each time
_PATIENCE_S = 2.0
_SHORT = 2000
_ATTEMPTS = 100
_PAUSE_S = 0.05


def main() -> None:
    """Run the step that the command line names."""
    location, step = sys.argv[1:3]
    me = os.getpid()
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    arguments = json.load(sys.stdin)
    enter([location])
    try:
        found = STEPS[step](**arguments)
        if os.getpid() != me:
            os._exit(0)  # a copy that the plugin has made of this process
    except Exception as error:  # noqa: BLE001  # plugin code, reported as what it is
        _report(report, raised=_described(error))
    else:
        _report(report, **found)
    if step in LETHAL:
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(0)  # whatever the plugin has left behind in this process


def _report(report: TextIO, **content: Any) -> None:
    json.dump(content, report)
    report.flush()


def _described(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} from {Path(last.filename).name}:{last.lineno}"


def _load(module: str, qualname: str) -> Any:
    found: Any = importlib.import_module(module)
    for name in qualname.split("."):
        found = getattr(found, name)
    return found


def start_and_stop(module: str, qualname: str, config: dict[str, str]) -> dict[str, Any]:
    """Bring the task to life from its configuration alone, as an executor would, and stop it."""
    task = _load(module, qualname)()
    task.initialize(SinkContext(config) if isinstance(task, SinkTask) else SourceContext())
    try:
        task.start(config)
    finally:
        task.stop()
    return {"version": task.version()}


def put_and_promise(
    module: str, qualname: str, config: dict[str, str], topic: str, records: dict[str, Any]
) -> dict[str, Any]:
    """Put records and ask for the offset that may be committed, until there is one."""
    home = TopicPartition(topic, 0)
    task = _put(_load(module, qualname)(), config, home, sink_records(home=home, **records))
    deadline = time.monotonic() + _PATIENCE_S
    while not (promised := (task.pre_commit({home: len(records["values"])}) or {}).get(home, 0)):
        if time.monotonic() > deadline:
            break
        task.put([])
        time.sleep(_PAUSE_S)
    return {"offset": promised}


def _put(task: Any, config: dict[str, str], home: TopicPartition, records: list[SinkRecord]) -> Any:
    """A task that was started and has taken records, again if it has asked for that."""
    task.initialize(SinkContext(config, {home}))
    task.start(config)
    task.open([home])
    for _ in range(_ATTEMPTS):
        try:
            task.put(records)
        except RetriableError:
            time.sleep(_PAUSE_S)
        else:
            return task
    raise TimeoutError(f"put() asked for the same batch {_ATTEMPTS} times")


def watch_import(module: str) -> dict[str, Any]:
    """Import a module and tell what its import did beside defining things."""
    return {"events": import_watched(module)}


def describe_config(module: str, qualname: str) -> dict[str, Any]:
    """The definition of a connector, as text in its own order."""
    definition = _load(module, qualname)().config()
    if definition is None:
        raise TypeError("config() returned None")
    keys = [
        f"{key.name} {key.type.value} {key.default_value!r} {key.importance} "
        f"{key.documentation} {key.validator}"
        for key in definition.keys.values()
    ]
    return {"keys": [_ADDRESS.sub("", key) for key in keys]}


def put_and_die(
    module: str, qualname: str, config: dict[str, str], topic: str, records: dict[str, Any]
) -> dict[str, Any]:
    """Put records and die before any offset is committed."""
    home = TopicPartition(topic, 0)
    _put(_load(module, qualname)(), config, home, sink_records(home=home, **records))
    return {"put": len(records["values"])}


def read_through(module: str, qualname: str, config: dict[str, str], count: int) -> dict[str, Any]:
    """Poll until so many values are there, or none have come for a while; in no order."""
    task: Any = _load(module, qualname)()
    found: list[str] = []
    task.initialize(SourceContext())
    task.start(config)
    begun = time.monotonic()
    while len(found) < count and time.monotonic() < begun + _PATIENCE_S:
        with suppress(RetriableError):
            for record in task.poll() or ():
                begun = time.monotonic()
                found.append(repr(record.value))
                task.commit_record(record, None)
            task.commit()
    task.stop()
    return {"values": sorted(found)}


def write_through(
    module: str, qualname: str, config: dict[str, str], work: dict[str, Any]
) -> dict[str, Any]:
    """Put texts, or rows of the declared fields, and commit them."""
    home = TopicPartition(work["topic"], 0)
    records = sink_records(work["values"], home)
    if work["fields"]:
        shape = RowShape.parse(work["fields"])
        schema = shape.schema()
        records += [
            SinkRecord(home.topic, 0, None, None, schema, shape.struct(schema, row), offset)
            for offset, row in enumerate(shape.boundary_rows(work["excluded"]))
            if len(str(row)) < _SHORT
        ]
    for record in records if work["keyed"] else ():
        record.key_schema, record.key = STRING_SCHEMA, f"key {record.original_kafka_offset}"
    task = _put(_load(module, qualname)(), config, home, records)
    deadline = time.monotonic() + _PATIENCE_S
    end = records[-1].original_kafka_offset + 1
    while (task.pre_commit({home: end}) or {}).get(home, 0) < end:
        if time.monotonic() > deadline:
            break
        task.put([])
        time.sleep(_PAUSE_S)
    task.close([home])
    task.stop()
    return {"put": len(records)}


STEPS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "start-and-stop": start_and_stop,
    "put-and-promise": put_and_promise,
    "put-and-die": put_and_die,
    "read-through": read_through,
    "write-through": write_through,
    "watch-import": watch_import,
    "describe-config": describe_config,
}
LETHAL = frozenset({"put-and-die", "put-and-promise"})
"""Steps after which the process kills itself at once, so that nothing can be tidied up."""

if __name__ == "__main__":
    main()
