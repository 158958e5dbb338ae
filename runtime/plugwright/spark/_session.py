"""The Spark session that resident tasks run in."""

from __future__ import annotations

import logging
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import SparkConf, SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from plugwright.errors import SetupError
from plugwright.java import find_java
from plugwright.spark._accumulators import end_accumulators
from plugwright.spark._addresses import driver_addresses
from plugwright.spark._jvm import child_environment, end_was_requested, quiet_gateway, start_jvm
from plugwright.spark._scratch import SCRATCH, claim_scratch, release_scratch
from plugwright.spark._secured import network_settings, require_secured, socket_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_MASTER = "local[1024]"
"""Slots are threads that wait for a Python process and cost nothing until then, and a task without
one waits: there are more of them than a machine holds tasks."""

log = logging.getLogger(__name__)

_LOCAL = re.compile(r"local(?:\[\s*(\d+|\*)\s*(?:,\s*\d+\s*)?\])?")
_NEVER = 2**31 - 1
"""How often a task fails until Spark gives up its whole job: that is for the crash budget of the
task to say, and concerns no other task."""

_FAILURES = "spark.task.maxFailures"
_QUICK_START = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Records never pass through Spark's JVMs, so quick start counts and peak speed does not."""
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
) -> SparkSession:
    """Start Spark, or join the session that this process has already.

    Args:
        name: application name.
        master: where Spark runs, in Spark's notation.
        log: file that takes Spark's own log, and what its processes print; a temporary one by
            default.
        settings: further Spark properties; they win over the ones chosen here, except that no
            number of failures of one task ends the others.

    Raises:
        SetupError: if there is no Java to run it, the master is a Spark Connect server, or a
            cluster whose ports answer anybody.
    """
    _require_own_driver(master)
    quiet_gateway()
    scratch = claim_scratch()
    try:
        return _opened(name, master, log or scratch / "spark.log", scratch, dict(settings or {}))
    except BaseException:
        release_scratch(scratch)
        raise


def _opened(
    name: str, master: str, log: Path, scratch: Path, given: dict[str, str]
) -> SparkSession:
    builder = SparkSession.builder.appName(name).master(patient_master(master))
    network = network_settings(master)
    chosen = (
        _settings(scratch, log)
        | socket_settings(master, scratch)
        | driver_addresses(master, given)
        | network
        | given
        | {_FAILURES: str(_NEVER)}
    )
    for key, value in chosen.items():
        builder = builder.config(key, value)
    variables = {
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": given.get("spark.pyspark.python", sys.executable),
        **_home(master, scratch),
    }
    with child_environment(**variables), log.open("ab") as output:
        start_jvm(chosen | {"spark.master": patient_master(master)}, scratch, output)
        require_secured(master, _present_settings() | chosen)
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("WARN")
    return session


def _require_own_driver(master: str) -> None:
    if master.startswith("sc://"):
        raise SetupError(
            f"spark.master={master} is a Spark Connect server: tasks are placed, watched and moved "
            "by the driver of their jobs, which is on the other side of it",
            code="environment.spark-connect",
            hint="name the cluster itself, such as spark://host:7077; "
            "DataFrames (plugwright.spark.register) work over Spark Connect",
        )


def session_scratch(session: SparkSession) -> Path | None:
    """The directory that a session works in; none if it is of somebody else's making."""
    scratch = session.sparkContext.getConf().get(SCRATCH)
    return Path(scratch) if scratch else None


def joined_session() -> SparkSession:
    """The session that this process has already, such as that of a worker; it is not closed."""
    return SparkSession.builder.getOrCreate()


def close_session(session: SparkSession, scratch: Path | None = None) -> None:
    """End Spark and remove its scratch directory.

    Where its JVM has died there is nothing left to end, and its log stays to be read for a while;
    not so where it was told to end, as each process of a service is when the service stops.

    Args:
        session: the one to end.
        scratch: its directory; by default Spark is asked for it, which is too late if it has gone.
    """
    try:
        scratch = scratch or session_scratch(session)
        end_accumulators(session)
        session.stop()
    except Exception as error:  # noqa: BLE001  # py4j has one for each way not to be answered
        log.debug("Spark did not stop in order: %s", error)
        if not end_was_requested():
            return
    if scratch is not None:
        release_scratch(scratch)


def patient_master(master: str) -> str:
    """The same place to run, which does not give up a job when a task of it fails.

    A local master has its limit in its name, and by default takes no failure at all; all others
    have it in spark.task.maxFailures.

    >>> patient_master("local[4]")
    'local[4,2147483647]'
    """
    found = _LOCAL.fullmatch(master)
    return f"local[{found[1] or 1},{_NEVER}]" if found else master


def plain_master(master: str) -> str:
    """What was given to `patient_master`."""
    return master.replace(f",{_NEVER}]", "]")


def master_of(session: SparkSession) -> str:
    """Where a session runs, as operators write it."""
    return plain_master(str(session.sparkContext.master))


def java_version(session: SparkSession) -> str:
    """The version of the Java that runs the session."""
    jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # pyspark's only way to its JVM
    return str(jvm.System.getProperty("java.version"))


def _settings(scratch: Path, log: Path) -> dict[str, str]:
    configuration = scratch / "log4j2.properties"
    configuration.write_text(_LOG_CONFIGURATION.format(log=log), encoding="utf-8")
    return {
        # Else as many parts, and as many threads for messages, as there are slots, which only wait.
        "spark.default.parallelism": str(os.cpu_count() or 1),
        "spark.rpc.netty.dispatcher.numThreads": "4",
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile=file:{configuration} {_QUICK_START} "
            # Libraries that the JVM unpacks to load them, and files of a JVM that was killed.
            f"-Djava.io.tmpdir={scratch}"
        ),
        "spark.executor.extraJavaOptions": _QUICK_START,
        "spark.local.dir": str(scratch),
        SCRATCH: str(scratch),
        "spark.python.daemon.module": "plugwright.spark._daemon",
        "spark.python.worker.faulthandler.enabled": "true",
        # What a task leaves behind in its process (threads, handlers, old modules) ends with it.
        "spark.python.worker.reuse": "false",
        # A slot that comes free goes to the connector with the fewest, see `SparkLauncher`.
        "spark.scheduler.mode": "FAIR",
        "spark.speculation": "false",
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def _home(master: str, scratch: Path) -> dict[str, str]:
    """Spark's own directory, if the master would write into it.

    The executors of a ``local-cluster`` work below SPARK_HOME, which is where pyspark is installed;
    it gets a look-alike.
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
    """What Spark was told elsewhere, as in its own ``spark-defaults.conf``."""
    present = SparkContext._active_spark_context  # noqa: SLF001  # pyspark's only way to know
    return dict((present.getConf() if present else SparkConf()).getAll())
