"""Starts and stops Spark's JVM, and filters Py4J's log."""

from __future__ import annotations

import logging
import os
import shlex
import signal
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from py4j.protocol import CALL_COMMAND_NAME
from pyspark import SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway

from plugwright.config import properties_text
from plugwright.errors import SetupError
from plugwright.spark.secured import hide_callbacks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_END_S = 10.0
_REQUESTED = {128 + signal.SIGTERM, 128 + signal.SIGHUP, 128 + signal.SIGINT}
"""Exit status of a JVM after each signal that asks it to end."""

_PY4J_ROOT = "py4j"
_PY4J = ("py4j.clientserver", "py4j.java_gateway")  # a filter does not apply to child loggers
_COMMAND, _ANSWER = "Command to send", "Answer received"
_CALL_LINES = 3
"""A call is a line with its kind, one with the object, one with the method, then the arguments."""
_ANSWER_TYPE = 3
"""A marker, success or failure, and the type, followed by the value."""
_SAID = 5
_SUBMIT = "PYSPARK_SUBMIT_ARGS"


@contextmanager
def child_environment(**changes: str) -> Iterator[None]:
    """Set variables for the child processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def start_jvm(
    settings: Mapping[str, str], scratch: Path, output: BinaryIO, directory: Path | None = None
) -> None:
    """Start the JVM, unless this process has one, with a file for its standard error.

    The JVM and its Python workers keep that file for life: their output belongs in a log, not
    on the terminal. Settings are passed in a file that is deleted once the JVM runs, because
    everyone on the machine can read command lines.
    """
    if SparkContext._gateway is None:  # noqa: SLF001  # pyspark's only way to its JVM
        file = scratch / "spark.properties"
        file.touch(0o600)
        spark = {key: value for key, value in settings.items() if key.startswith("spark.")}
        file.write_text(properties_text(spark), encoding="utf-8")
        given = os.environ.get(_SUBMIT, "pyspark-shell")
        command = f"--load-spark-defaults --properties-file {shlex.quote(str(file))} {given}"
        start: Any = launch_gateway  # pyspark has no types for this
        try:
            with child_environment(**{_SUBMIT: command}):
                gateway = start(None, {"stderr": output, "cwd": directory})
        except PySparkRuntimeError as error:
            raise _no_jvm(Path(output.name)) from error
        finally:
            file.unlink()
        hide_callbacks(gateway)
        SparkContext._ensure_initialized(gateway=gateway)  # noqa: SLF001  # the same


def _no_jvm(log: Path) -> SetupError:
    """The error with the JVM's last output."""
    said = [line.strip() for line in log.read_text("utf-8", errors="replace").splitlines()]
    reason = "; ".join([line for line in said if line][-_SAID:]) or "it printed nothing"
    return SetupError(
        f"Spark's JVM ended before it was ready: {reason}",
        code="spark.no-jvm",
        hint="correct the Java or the spark.* settings that the message names, and start again",
    )


def end_was_requested() -> bool:
    """Whether the JVM ended because of a signal that asks for it."""
    gateway: Any = SparkContext._gateway  # noqa: SLF001  # pyspark's only way to its JVM
    jvm = getattr(gateway, "proc", None)
    if jvm is None:
        return False
    with suppress(subprocess.TimeoutExpired):
        return jvm.wait(_END_S) in _REQUESTED
    return False


def quiet_gateway() -> None:
    """Keep Py4J from logging stack traces when the JVM ends; its callers report that.

    Levels that are set on Py4J's loggers are kept. At level DEBUG,
    Py4J logs the called methods, but neither arguments nor results: the token of its
    gateway, the keys of jobs and the values of settings are among them.
    """
    for name in _PY4J:
        logging.getLogger(name).addFilter(_is_wanted)
        logging.getLogger(name).addFilter(_without_values)
    logging.getLogger().addFilter(_is_not_py4j)  # some records have the root logger


def _is_wanted(record: logging.LogRecord) -> bool:
    asked_for = any(logging.getLogger(name).level for name in (_PY4J_ROOT, record.name))
    return asked_for or record.levelno >= logging.WARNING


def _without_values(record: logging.LogRecord) -> bool:
    """Remove arguments and results from what Py4J logs of its protocol (`py4j.protocol`)."""
    said, _, content = str(record.msg).partition(": ")
    if said == _COMMAND:
        lines = content.split("\n")
        shown = lines[:_CALL_LINES] if lines[0] == CALL_COMMAND_NAME.strip() else lines[:1]
        record.msg = f"{said}: {' '.join(shown)}"
    elif said == _ANSWER:
        record.msg = f"{said}: {content[:_ANSWER_TYPE]}"
    return True


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != _PY4J_ROOT
