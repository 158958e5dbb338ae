"""The Spark session that resident tasks run in."""

from __future__ import annotations

import logging
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from plugwright.errors import SetupError
from plugwright.java import find_java
from plugwright.spark._accumulators import end_accumulators
from plugwright.spark._classes import spark_archive
from plugwright.spark.addresses import driver_addresses, require_master
from plugwright.spark.driver_python import absolute_files, driver_directory
from plugwright.spark.jvm import child_environment, end_was_requested, quiet_gateway, start_jvm
from plugwright.spark.scratch import SCRATCH, claim_scratch, release_scratch
from plugwright.spark.secured import network_settings, require_secured, socket_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.java import Java

DEFAULT_MASTER = "local[1024]"
"""Slots are threads that wait for a Python process and cost nothing until then, and a task without
one waits, so there are more slots than tasks that fit on a machine."""

log = logging.getLogger(__name__)

_LOCAL = re.compile(r"local(?:\[\s*(\d+|\*)\s*(?:,\s*\d+\s*)?\])?")
_NEVER = 2**31 - 1
"""Number of failures of one task after which Spark gives up its whole job: effectively unlimited,
because the crash budget of each task decides, without affecting other tasks."""

_FAILURES = "spark.task.maxFailures"
_QUICK_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Records never pass through Spark's JVM, so start-up time matters and peak speed does not."""
_LOG_CONFIGURATION = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = RollingFile
appender.file.name = file
appender.file.fileName = {log}
appender.file.filePattern = {log}.%i
appender.file.policies.type = SizeBasedTriggeringPolicy
appender.file.policies.size = 10MB
appender.file.strategy.type = DefaultRolloverStrategy
appender.file.strategy.max = 2
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d{{ISO8601}} %p %c{{1}}: %m%n%ex
"""


def open_session(
    name: str = "plugwright",
    *,
    master: str = DEFAULT_MASTER,
    log: Path | None = None,
    settings: Mapping[str, str] | None = None,
    java_options: Sequence[str] | None = None,
) -> SparkSession:
    """Start Spark, or join the session of this process.

    Args:
        name: application name.
        master: Spark's master.
        log: file for Spark's own log and the output of its processes; a temporary one by
            default.
        settings: further Spark properties; they override the ones chosen here, except for the
            number of failures of one task that ends the others.
        java_options: of the JVM, beside those chosen here; by default those with which it uses an
            archive of its classes, if there is one.

    Raises:
        SetupError: if there is no suitable Java, or the master is a Spark Connect server, a
            cluster with unauthenticated ports, or one that does not answer or refuses.
    """
    _require_own_driver(master)
    require_master(master)
    quiet_gateway()
    scratch = claim_scratch()
    try:
        java, log = find_java(), log or scratch / "spark.log"
        options = _archive_options(java) if java_options is None else java_options
        chosen = _settings(scratch, log, options) | _connections(master, scratch, settings or {})
        return _opened(name, master, java, log, chosen)
    except BaseException:
        release_scratch(scratch)
        raise


def _opened(
    name: str, master: str, java: Java, log: Path, chosen: Mapping[str, str]
) -> SparkSession:
    scratch = Path(chosen[SCRATCH])
    directory = driver_directory(chosen, scratch)
    if directory is not None:
        chosen = absolute_files(chosen)
    builder = SparkSession.builder.appName(name).master(patient_master(master))
    for key, value in chosen.items():
        builder = builder.config(key, value)
    variables = {
        "JAVA_HOME": str(java.home),
        "PYSPARK_PYTHON": chosen.get("spark.pyspark.python", sys.executable),
        **_home(master, scratch),
    }
    with child_environment(**variables), log.open("ab") as output:
        spark = {**chosen, "spark.master": patient_master(master)}
        start_jvm(spark, scratch, output, directory)
        require_secured(master, {**_present_settings(), **chosen})
        session = _created(builder, master)
    session.sparkContext.setLogLevel("WARN")
    return session


def _created(builder: Any, master: str) -> SparkSession:
    try:
        session: SparkSession = builder.getOrCreate()
    except Py4JJavaError as error:
        raise SetupError(
            f"Spark could not begin an application at {master}: {_reason(error.java_exception)}",
            code="spark.no-session",
            hint="correct the spark.* settings or the rights that the message names",
            facts={"master": master},
        ) from error
    return session


def _reason(error: Any) -> str:
    """What an error of the JVM says, and what its first cause says."""
    first = error
    while (cause := first.getCause()) is not None:
        first = cause
    said = dict.fromkeys(str(each.toString()).splitlines()[0] for each in (error, first))
    return "; ".join(said)


def _connections(master: str, scratch: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Settings by the master, those that are given, and the one that nobody may change."""
    return (
        socket_settings(master, scratch)
        | driver_addresses(master, given)
        | network_settings(master)
        | dict(given)
        | {_FAILURES: str(_NEVER)}
    )


def _archive_options(java: Java) -> Sequence[str]:
    archive = spark_archive(java)
    return archive.options() if archive else ()


def _require_own_driver(master: str) -> None:
    if master.startswith("sc://"):
        raise SetupError(
            f"spark.master={master} is a Spark Connect server, but tasks are placed and monitored "
            "by the driver of their jobs, which is on the server's side",
            code="environment.spark-connect",
            hint="name the cluster itself, such as spark://host:7077; "
            "DataFrames (plugwright.spark.register) work over Spark Connect",
        )


def session_scratch(session: SparkSession) -> Path | None:
    """The scratch directory of a session; ``None`` if the session was created elsewhere."""
    scratch = session.sparkContext.getConf().get(SCRATCH)
    return Path(scratch) if scratch else None


def joined_session() -> SparkSession:
    """The existing session of this process, such as a worker's; callers do not close it."""
    return SparkSession.builder.getOrCreate()


def close_session(session: SparkSession, scratch: Path | None = None) -> None:
    """Stop Spark and remove its scratch directory.

    If its JVM has crashed, the log is kept for a while; not if it was asked to end,
    as each process of a service is when the service stops.

    Args:
        session: the session to stop.
        scratch: its directory; by default queried from Spark, which must still be running.
    """
    try:
        scratch = scratch or session_scratch(session)
        end_accumulators(session)
        session.stop()
    except Exception as error:  # noqa: BLE001  # py4j has one for each way not to be answered
        log.debug("Spark did not stop cleanly: %s", error)
        if not end_was_requested():
            return
    if scratch is not None:
        release_scratch(scratch)


def patient_master(master: str) -> str:
    """The same master without a limit on task failures.

    A local master has the limit in its name, and by default tolerates no failure; all others
    have it in spark.task.maxFailures.

    >>> patient_master("local[4]")
    'local[4,2147483647]'
    """
    found = _LOCAL.fullmatch(master)
    return f"local[{found[1] or 1},{_NEVER}]" if found else master


def plain_master(master: str) -> str:
    """The master that was passed to `patient_master`."""
    return master.replace(f",{_NEVER}]", "]")


def master_of(session: SparkSession) -> str:
    """The master of a session as operators write it."""
    return plain_master(str(session.sparkContext.master))


def java_version(session: SparkSession) -> str:
    """The version of the Java that runs the session."""
    jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # pyspark's only way to its JVM
    return str(jvm.System.getProperty("java.version"))


def _settings(scratch: Path, log: Path, java_options: Sequence[str]) -> dict[str, str]:
    configuration = scratch / "log4j2.properties"
    configuration.write_text(_LOG_CONFIGURATION.format(log=log), encoding="utf-8")
    return {
        # By default there are as many partitions, and message threads, as slots, which mostly wait.
        "spark.default.parallelism": str(os.cpu_count() or 1),
        "spark.rpc.netty.dispatcher.numThreads": "4",
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile=file:{configuration} {_QUICK_START} "
            # Libraries that the JVM unpacks to load them, and files of a JVM that was killed.
            f"-Djava.io.tmpdir={scratch} {shlex.join(java_options)}"
        ),
        "spark.executor.extraJavaOptions": _QUICK_START,
        "spark.local.dir": str(scratch),
        SCRATCH: str(scratch),
        "spark.python.daemon.module": "plugwright.spark.daemon",
        "spark.python.worker.faulthandler.enabled": "true",
        # Threads, handlers and modules that a task leaves behind end with its process.
        "spark.python.worker.reuse": "false",
        # A freed slot goes to the connector with the fewest, see `SparkLauncher`.
        "spark.scheduler.mode": "FAIR",
        "spark.speculation": "false",
        # After one executor out of memory, each later one would have a single slot for good.
        "spark.kubernetes.allocation.recoveryMode.enabled": "false",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def _home(master: str, scratch: Path) -> dict[str, str]:
    """A copy of Spark's home directory, if the master would write into it.

    The executors of a ``local-cluster`` work below SPARK_HOME, which is where pyspark is installed;
    they get a substitute.
    """
    if not master.startswith("local-cluster"):
        return {}
    home = scratch / "home"
    home.mkdir()
    for entry in Path(_find_spark_home()).iterdir():
        if entry.name != "work":
            (home / entry.name).symlink_to(entry)
    return {"SPARK_HOME": str(home)}


def _present_settings() -> dict[str, str]:
    """Spark settings from elsewhere, such as ``spark-defaults.conf``."""
    present = SparkContext._active_spark_context  # noqa: SLF001  # pyspark's only way to know
    return dict((present.getConf() if present else SparkConf()).getAll())
