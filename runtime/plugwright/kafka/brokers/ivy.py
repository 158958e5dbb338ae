"""Fetches Java artifacts with the Ivy in the pyspark package."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from plugwright.cache import cache_directory
from plugwright.errors import SetupError
from plugwright.guarded import new_log, tail
from plugwright.java import find_java
from plugwright.kafka.brokers.packages import missing_package
from plugwright.kafka.brokers.trust import trust_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.java import Java

_MAIN = "org.apache.ivy.Main"
_PATTERN = "[artifact]-[revision](-[classifier]).[ext]"
_POLL_SECONDS = 0.1
_SHOWN_REASONS = 3
_LOG_LINES = 400
_TRUST_HINT = (
    "this Java does not trust the authority that signed the connection; point it to a trust store "
    "with JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=<file>"
)
_NETWORK_HINT = (
    "connect to the network once (Java's proxy settings go into JAVA_TOOL_OPTIONS), or copy a "
    "filled cache from another machine, or name a running broker with --bootstrap-servers"
)


@dataclass(frozen=True, slots=True)
class IvyResolver:
    """Resolves with Ivy's built-in default repository; an ``ArtifactResolver`` for ``jars``.

    Attributes:
        environ: the environment with Java, its settings and the cache.
        total_seconds: the time limit of a resolution.
        silent_seconds: the time limit for Ivy without output, as when a connection hangs, because
            Ivy sets no time limit on a connection.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    total_seconds: float = 300.0
    silent_seconds: float = 45.0

    def __call__(self, coordinates: Sequence[str], into: Path, /) -> None:
        """Put the jars of the coordinates and their dependencies into the directory.

        Raises:
            SetupError: ``environment.kafka-unresolved`` with Ivy's own reason and its log;
                ``environment.package-missing`` without pyspark; the errors of ``find_java``.
        """
        ivy = ivy_jar()
        java = find_java(self.environ)
        log = new_log(cache_directory(self.environ), "ivy")
        with tempfile.TemporaryDirectory(prefix="plugwright-ivy-") as scratch:
            command = _command(java, ivy, coordinates, into, Path(scratch), self.environ)
            self._run(command, log)

    def _run(self, command: Sequence[str], log: Path) -> None:
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603  # Ivy under the user's own Java
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=dict(self.environ),
            )
        try:
            given_up = self._wait(process, log)
        finally:
            process.kill()
            process.wait()
        if given_up or process.returncode != 0:
            raise _unresolved(given_up or _reason(tail(log, _LOG_LINES)), log)

    def _wait(self, process: subprocess.Popen[bytes], log: Path) -> str:
        """The reason for stopping the process, or an empty string once it has ended."""
        started = last_output = time.monotonic()
        size = 0
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            now, new_size = time.monotonic(), log.stat().st_size
            if new_size != size:
                size, last_output = new_size, now
            if now - last_output > self.silent_seconds:
                return f"Ivy got no answer for {self.silent_seconds:g} s"
            if now - started > self.total_seconds:
                return f"Ivy did not end within {self.total_seconds:g} s"
        return ""


def ivy_jar(find_spec: Callable[[str], object] = importlib.util.find_spec) -> Path:
    """Ivy's jar in the pyspark package, found without importing it.

    Raises:
        SetupError: ``environment.package-missing`` if pyspark is missing or contains no Ivy.
    """
    origin = getattr(find_spec("pyspark"), "origin", None)
    found = sorted((Path(origin).parent / "jars").glob("ivy-*.jar")) if origin else []
    if not found:
        raise missing_package("pyspark", "spark")
    return found[-1]


def _command(  # noqa: PLR0913, PLR0917  # the parts of one command line
    java: Java,
    ivy: Path,
    coordinates: Sequence[str],
    into: Path,
    scratch: Path,
    environ: Mapping[str, str],
) -> list[str]:
    module = scratch / "ivy.xml"
    module.write_bytes(ivy_module(coordinates))
    options = [
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        f"-Divy.default.ivy.user.dir={scratch}",
    ]
    arguments = ["-ivy", str(module), "-cache", str(scratch / "cache"), "-confs", "default"]
    # Bundles are ordinary jars that declare themselves as OSGi bundles.
    selection = ["-types", "jar", "bundle", "-retrieve", str(into / _PATTERN)]
    trust = trust_options(java, scratch, environ)
    start = [str(java.executable), *options, *trust, "-cp", str(ivy), _MAIN]
    return [*start, *arguments, *selection]


def ivy_module(coordinates: Sequence[str]) -> bytes:
    """An ``ivy.xml`` that depends on the given ``group:name:version`` coordinates."""
    module = ET.Element("ivy-module", version="2.0")
    ET.SubElement(module, "info", organisation="plugwright", module="resolve", revision="1")
    ET.SubElement(ET.SubElement(module, "configurations"), "conf", name="default")
    dependencies = ET.SubElement(module, "dependencies")
    for coordinate in coordinates:
        group, name, version = coordinate.split(":")
        ET.SubElement(
            dependencies,
            "dependency",
            {"org": group, "name": name, "rev": version, "conf": "default->default"},
        )
    return bytes(ET.tostring(module, encoding="utf-8", xml_declaration=True))


def _reason(lines: Sequence[str]) -> str:
    """The errors that Ivy reports: failed connections, otherwise missing artifacts."""
    unique = list(dict.fromkeys(line.strip() for line in lines))
    for is_reason in (_is_connection_failure, _is_not_found):
        if reasons := [line.strip(": ") for line in unique if is_reason(line)]:
            more = len(reasons) - _SHOWN_REASONS
            shown = "; ".join(reasons[:_SHOWN_REASONS])
            return f"{shown}; and {more} more" if more > 0 else shown
    return "; ".join(unique[-_SHOWN_REASONS:]) or "Ivy reported no reason"


def _is_connection_failure(line: str) -> bool:
    is_unknown_host = line.startswith("Host ") and " not found" in line
    return is_unknown_host or line.startswith("Server access error")


def _is_not_found(line: str) -> bool:
    is_missing = line.startswith(":: ") and line.endswith(": not found")
    return is_missing or line.startswith("[FAILED")


def _unresolved(reason: str, log: Path) -> SetupError:
    return SetupError(
        f"the jars of Kafka could not be fetched: {reason}; Ivy's log is {log}",
        code="environment.kafka-unresolved",
        hint=_TRUST_HINT if "SSLHandshakeException" in reason else _NETWORK_HINT,
        facts={"reason": reason, "log": str(log)},
    )
