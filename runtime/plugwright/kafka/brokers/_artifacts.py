"""Sets of jars pinned by their digests, fetched once and verified at every use."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, Self

from plugwright.cache import make_directory
from plugwright.errors import ConnectError, SetupError
from plugwright.kafka.brokers._broker import ProgressListener, quiet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

KAFKA_VERSION = "4.3.1"


class ArtifactResolver(Protocol):
    """Fetches artifacts with all their dependencies."""

    def __call__(self, coordinates: Sequence[str], into: Path, /) -> None:
        """Put the jars into the directory.

        Raises:
            SetupError: ``environment.kafka-unresolved``.
        """


@dataclass(frozen=True, slots=True)
class PinnedSet:
    """Jars with their expected digests.

    Attributes:
        name: the name of the set and of its directory in the cache.
        coordinates: the artifacts to resolve, each ``group:name:version``.
        digests: SHA-256 in hexadecimal by file name.
    """

    name: str
    coordinates: tuple[str, ...]
    digests: Mapping[str, str]

    @classmethod
    def parse(cls, name: str, text: str) -> Self:
        """Parse the result of ``text``: coordinates after ``#``, then lines of ``sha256sum``."""
        lines = [line.strip() for line in text.splitlines()]
        coordinates = tuple(line[1:].strip() for line in lines if line.startswith("#"))
        pairs = (line.split(maxsplit=1) for line in lines if line and not line.startswith("#"))
        return cls(name, coordinates, MappingProxyType({file: digest for digest, file in pairs}))

    @classmethod
    def of(cls, name: str, coordinates: Iterable[str], directory: Path) -> Self:
        """Pin the jars that are now in a directory."""
        digests = {jar.name: _digest(jar) for jar in sorted(directory.glob("*.jar"))}
        return cls(name, tuple(coordinates), MappingProxyType(digests))

    def text(self) -> str:
        """The set as a file, which ``sha256sum --check`` reads too."""
        head = [f"# {coordinate}" for coordinate in self.coordinates]
        return "\n".join([*head, *(f"{self.digests[f]}  {f}" for f in sorted(self.digests)), ""])

    def paths(self, directory: Path) -> tuple[Path, ...]:
        """The jars of the set in a directory, without other files."""
        return tuple(directory / file for file in sorted(self.digests))

    def home(self, cache: Path) -> Path:
        """The directory of the set in a cache."""
        return cache / "jars" / self.name

    def lacks(self, cache: Path) -> bool:
        """Whether a jar is missing in the cache; their digests are compared before use."""
        return not all(jar.is_file() for jar in self.paths(self.home(cache)))


@dataclass(frozen=True, slots=True)
class _Damage:
    """A jar that differs from its digest; ``found`` is ``None`` if it is missing."""

    jar: Path
    expected: str
    found: str | None

    def __str__(self) -> str:
        found = f"has SHA-256 {self.found}" if self.found else "is missing"
        return f"{self.jar.name} {found}, expected {self.expected}"


def kafka_server() -> PinnedSet:
    """The Kafka broker that the embedded provider runs."""
    name = f"kafka-{KAFKA_VERSION}"
    file = resources.files("plugwright.kafka.brokers") / f"{name}.sha256"
    return PinnedSet.parse(name, file.read_text("utf-8"))


def class_path(paths: Iterable[Path]) -> str:
    """The jars in the form of Java's ``-cp``."""
    return os.pathsep.join(map(str, paths))


def jars(
    pins: PinnedSet, cache: Path, resolve: ArtifactResolver, progress: ProgressListener = quiet
) -> tuple[Path, ...]:
    """The verified jars of the set, fetched if the cache does not have all of them.

    Several processes may call this at once: one fetches the jars, the others wait.

    Raises:
        SetupError: ``environment.kafka-unresolved`` if they cannot be fetched,
            ``environment.kafka-cache-damaged`` if cached jars have changed.
    """
    home = pins.home(cache)
    if _damage(pins, home):
        with _lock(home):
            if damage := _damage(pins, home):
                _renew(pins, home, damage, resolve, progress)
    return pins.paths(home)


def _damage(pins: PinnedSet, directory: Path) -> _Damage | None:
    for jar in pins.paths(directory):
        expected = pins.digests[jar.name]
        try:
            found = _digest(jar)
        except OSError:
            return _Damage(jar, expected, None)
        if found != expected:
            return _Damage(jar, expected, found)
    return None


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def _lock(home: Path) -> Iterator[None]:
    """Lock this directory against other processes; the lock ends with the process."""
    make_directory(home.parent)
    with (home.parent / f"{home.name}.lock").open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        _remove_leftovers(home)
        yield


def _remove_leftovers(home: Path) -> None:
    """Remove files of a process that was killed while it held the lock."""
    for leftover in home.parent.glob(f".{home.name}-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _renew(
    pins: PinnedSet,
    home: Path,
    damage: _Damage,
    resolve: ArtifactResolver,
    progress: ProgressListener,
) -> None:
    was_there = home.exists()
    why = f"again, because {damage}" if was_there else "once"
    progress(f"fetching {pins.name} ({len(pins.digests)} jars) {why}")
    staging = Path(tempfile.mkdtemp(dir=home.parent, prefix=f".{home.name}-"))
    try:
        resolve(pins.coordinates, staging)
        _require_whole(pins, staging)
        _install(staging, home)
    except SetupError as error:
        if was_there:
            raise _damaged(home, damage, error) from error
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _require_whole(pins: PinnedSet, staging: Path) -> None:
    if damage := _damage(pins, staging):
        raise SetupError(
            f"the files fetched for {pins.name} are not the expected ones: {damage}",
            code="environment.kafka-unresolved",
            hint="check which repository or proxy this network uses; the cache was not changed",
            facts={
                "jar": damage.jar.name,
                "expected": damage.expected,
                "found": damage.found,
            },
        )


def _install(staging: Path, home: Path) -> None:
    """Replace the old directory with the new one, and flush everything to disk."""
    staging.chmod(0o755)
    for path in (*staging.iterdir(), staging):
        _sync(path)
    if home.exists():
        home.rename(Path(tempfile.mkdtemp(dir=home.parent, prefix=f".{home.name}-")) / "old")
    staging.rename(home)
    _sync(home.parent)
    _remove_leftovers(home)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _damaged(home: Path, damage: _Damage, cause: ConnectError) -> SetupError:
    return SetupError(
        f"{damage.jar.name} in {home} is damaged (expected SHA-256 {damage.expected}, "
        f"found {damage.found or 'no such file'}), and could not be fetched again: {cause}",
        code="environment.kafka-cache-damaged",
        hint=f"connect to the network once, or copy {home} from another machine, "
        "or name a running broker with --bootstrap-servers",
        facts={
            "jar": damage.jar.name,
            "directory": str(home),
            "expected": damage.expected,
            "found": damage.found,
        },
    )
