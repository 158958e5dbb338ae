"""Where live checks run their tasks: in this machine's Spark, or on a cluster."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugwright.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from plugwright.spark import SparkLauncher, TaskStatus

__all__ = ["SLOTS", "OpenedSpark", "SparkChoice"]

SLOTS = 4
"""The most tasks that a check runs at once in one session: two of each of two connectors."""

_STANDALONE = "spark://"
_CORES = "spark.executor.cores"
_MOST_CORES = "spark.cores.max"
_PORTS = ("spark.driver.port", "spark.driver.blockManager.port", "spark.plugwright.control.port")


@dataclass(frozen=True, slots=True)
class SparkChoice:
    """Where Spark runs, and how plugins get there.

    Attributes:
        master: Spark's master; empty for this machine.
        settings: further Spark settings.
        distribution: how executors get plugin locations, as in ``plugin.distribution``.
    """

    master: str = ""
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    distribution: str = "auto"

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> SparkChoice:
        """What `to_plain` has returned."""
        return cls(**plain)

    def to_plain(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def beside(self) -> SparkChoice:
        """The choice of a second session on this machine, whose fixed ports are the next ones."""
        ports = {p: self.settings.get(p, "") for p in _PORTS}
        moved = {name: str(int(p) + 1) for name, p in ports.items() if p.isdecimal() and int(p)}
        return replace(self, settings={**self.settings, **moved})

    @property
    def is_cluster(self) -> bool:
        """Whether tasks run in processes that this one has not started."""
        from plugwright.spark import is_local  # noqa: PLC0415  # an extra

        return bool(self.master) and not is_local(self.master)

    def address(self) -> str:
        """The address at which tasks reach this machine; empty for loopback.

        Raises:
            SetupError: ``environment.not-our-address`` if it is not known.
        """
        from plugwright.spark import driver_address  # noqa: PLC0415  # an extra

        if not self.is_cluster:
            return ""
        if host := driver_address(self.master, self.settings):
            return host
        raise SetupError(
            f"the address at which executors of {self.master} reach this machine is not known, "
            "and no Kafka can be started there",
            code="environment.not-our-address",
            hint="set spark.driver.host in the file of --worker-config",
        )

    @contextmanager
    def opened(
        self, name: str, log: Path, settings: Mapping[str, str] | None = None
    ) -> Iterator[OpenedSpark]:
        """Run Spark until the block ends.

        Args:
            name: of the application.
            log: the file of Spark's log.
            settings: on top of those of the choice.

        Raises:
            SetupError: if there is no Java, the master cannot be used, or its executors have too
                few slots or no Python.
        """
        from plugwright.spark import (  # noqa: PLC0415  # an extra
            DEFAULT_MASTER,
            Shipments,
            SparkLauncher,
            open_session,
            require_executors,
        )

        master = self.master or DEFAULT_MASTER
        chosen = {**self._modest(), **self.settings, **(settings or {})}
        with ExitStack() as stack:
            session = open_session(name, master=master, log=log, settings=chosen)
            stack.callback(session.stop)
            if self.is_cluster:
                require_executors(session, SLOTS)
            launcher = SparkLauncher(session, shipments=Shipments.of(session, self.distribution))
            stack.callback(launcher.close)
            yield OpenedSpark(session, launcher, _is_here(self))

    def _modest(self) -> Mapping[str, str]:
        """On a standalone cluster each application takes every core unless a setting limits it."""
        if not self.master.startswith(_STANDALONE):
            return {}
        given = self.settings.get(_CORES, "1")
        cores = int(given) if given.isdecimal() and int(given) else 1
        return {_MOST_CORES: str(-(-SLOTS // cores) * cores)}


@dataclass(frozen=True, slots=True)
class OpenedSpark:
    """A running Spark.

    Attributes:
        session: a ``SparkSession``.
        launcher: puts tasks onto it.
        is_here: whether the process of a task is one of this machine.
    """

    session: Any
    launcher: SparkLauncher
    is_here: Callable[[TaskStatus], bool]


def _is_here(choice: SparkChoice) -> Callable[[TaskStatus], bool]:
    from plugwright.spark import is_here  # noqa: PLC0415  # an extra

    return is_here if choice.is_cluster else lambda _: True
