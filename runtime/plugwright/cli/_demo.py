"""``plugwright demo``: a table, a topic, a lake and a crash, with one command."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from plugwright.cli._command import Command, ExitCode
from plugwright.cli._demo_table import DATABASES, demo_table
from plugwright.cli._one_machine import one_machine
from plugwright.cli._output import add_json, write_json
from plugwright.cli.ending import Ending
from plugwright.cli.serving import begin_log
from plugwright.errors import ConnectError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

_EXAMPLES = """\
examples:
  plugwright demo
  plugwright demo --rows 100000 --keep shop
  plugwright demo --database postgresql
"""
_FORMAT = "plugwright-demo/1"
_IN_A_FILE = 1000
_JSON = "org.apache.kafka.connect.json.JsonConverter"
_LOOK_S = 0.2
_PATIENCE_S = 120.0
_TRANSFORMS = "org.apache.kafka.connect.transforms"


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rows", type=_thousands, default=20_000, help="rows of the table (default: 20000)"
    )
    parser.add_argument(
        "--database",
        choices=DATABASES,
        default=DATABASES[0],
        help="where the table is; a server has to be installed (default: sqlite)",
    )
    parser.add_argument(
        "--plugin-path",
        help="directory with plugwright-sql and plugwright-lake (default: plugin-path)",
    )
    parser.add_argument(
        "--keep",
        metavar="DIR",
        type=Path,
        help="keep the files, and the database of SQLite, in this directory",
    )
    add_json(parser)


def _thousands(text: str) -> int:
    """A number of rows that fills whole files."""
    rows = int(text)
    if rows < _IN_A_FILE or rows % _IN_A_FILE:
        raise ValueError(text)
    return rows


def _run(arguments: argparse.Namespace) -> int:
    begin_log("ERROR")
    # A worker redirects standard output to its log.
    out, ending = sys.stderr if arguments.json else sys.stdout, Ending()
    result = sys.stdout
    with ending.heeded(), ExitStack() as stack:
        home = stack.enter_context(_home(arguments.keep))
        table = stack.enter_context(demo_table(arguments.database, home, arguments.rows))
        _say(f"loaded   {arguments.rows:,} rows into {table.database}", out)
        _, worker = stack.enter_context(one_machine(plugin_path=arguments.plugin_path, port=0))
        ending.serve()
        for config in (_source(table.url), _sink(home / "lake")):
            worker.herder.put_connector_config(config["name"], config)
        killed = _await_rows(home / "lake", arguments.rows, ending, out)
        found = _show(home / "lake", out)
        if arguments.json:
            given = {"killed": killed, "rows": arguments.rows, "database": table.database}
            write_json({"format": _FORMAT, "lake": found, **given}, result)
    return ExitCode.DONE


@contextmanager
def _home(kept: Path | None) -> Iterator[Path]:
    """A temporary directory, or one that is kept unless nothing has come into it."""
    if kept is None:
        with tempfile.TemporaryDirectory(prefix="plugwright-demo-") as name:
            yield Path(name)
        return
    kept.mkdir(parents=True)
    try:
        yield kept
    finally:
        with suppress(OSError):  # it is not empty
            kept.rmdir()


def _await_rows(lake: Path, rows: int, ending: Ending, out: TextIO) -> int:
    """Wait until the lake has every row; returns the process that was killed meanwhile."""
    _await_files(lake, 1, ending)
    killed = _kill_a_task()
    _say(f"killed   process {killed} of a task, after {_files(lake) * _IN_A_FILE:,} rows", out)
    _await_files(lake, rows // _IN_A_FILE, ending)
    return killed


def _source(url: str) -> Mapping[str, str]:
    return {
        "name": "orders-out",
        "connector.class": "SqlSourceConnector",
        "connection.url": url,
        "mode": "incrementing",
        "incrementing.column.name": "id",
        "topic.prefix": "shop-",
        "poll.interval.ms": "100",
        "batch.max.rows": "500",
        "value.converter": _JSON,
        "transforms": "mask,shop",
        "transforms.mask.type": f"{_TRANSFORMS}.MaskField$Value",
        "transforms.mask.fields": "card",
        "transforms.shop.type": f"{_TRANSFORMS}.InsertField$Value",
        "transforms.shop.static.field": "shop",
        "transforms.shop.static.value": "Main Street",
    }


def _sink(lake: Path) -> Mapping[str, str]:
    return {
        "name": "orders-in",
        "connector.class": "LakeSinkConnector",
        "topics": "shop-orders",
        "store.url": str(lake),
        "format.class": "parquet",
        "flush.size": str(_IN_A_FILE),
        "value.converter": _JSON,
    }


def _files(lake: Path) -> int:
    return sum(1 for path in lake.rglob("*.parquet") if "+tmp" not in path.parts)


def _await_files(lake: Path, wanted: int, ending: Ending) -> None:
    """Wait until the lake has this many files.

    Raises:
        ConnectError: ``demo.stuck`` if no new file appears for minutes.
        KeyboardInterrupt: if a signal arrives.
    """
    seen, waited_s = 0, 0.0
    while (now := _files(lake)) < wanted:
        seen, waited_s = now, waited_s + _LOOK_S if now == seen else 0.0
        if waited_s > _PATIENCE_S:
            raise ConnectError(
                f"the demo is stuck: {now} of {wanted} files, and no new one for {_PATIENCE_S:g} s",
                code="demo.stuck",
                hint="run plugwright doctor; plugwright up shows the task statuses",
                facts={"files": now, "wanted": wanted},
            )
        if ending.wait(_LOOK_S):
            raise KeyboardInterrupt


def _kill_a_task() -> int:
    """Kill the process of a task like a crash, with everything that it has started.

    Raises:
        ConnectError: ``demo.stuck`` if the system does not list processes.
    """
    from plugwright.processes import descendants  # noqa: PLC0415  # after --help

    tasks = [pid for pid, command in descendants() if "pyspark.worker" in command]
    if not tasks:
        raise ConnectError(
            "the demo cannot find the process of a task to kill",
            code="demo.stuck",
            hint="run it on Linux, which lists the processes of a worker",
        )
    os.kill(tasks[-1], signal.SIGKILL)
    return tasks[-1]


def _show(lake: Path, out: TextIO) -> Mapping[str, int]:
    from plugwright.spark import joined_session  # noqa: PLC0415  # an extra

    orders = joined_session().read.parquet(str(lake))
    rows, different = orders.count(), orders.select("id").distinct().count()
    _say(f"Parquet  {rows:,} rows, {different:,} of them different", out)
    with redirect_stdout(out):
        orders.groupBy("good", "shop").sum("pieces").orderBy("good").show()
    return {"different": different, "rows": rows}


def _say(sentence: str, out: TextIO) -> None:
    out.write(f"{sentence}\n")
    out.flush()


DEMO = Command(
    name="demo",
    summary="move a table through Kafka into a lake, with a crash on the way",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
