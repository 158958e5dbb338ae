"""The `Bench` protocol: everything that a check can use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from plugwright_conformance.subject.names import TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path
    from random import Random

    from plugwright.connector import Connector
    from plugwright.task import Task
    from plugwright_conformance.catalogue.assignment import TaskAssignment
    from plugwright_conformance.evidence.ledger import Ledger
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.subject.endpoint import OpenEndpoint
    from plugwright_conformance.subject.settings_used import SettingsUsed
    from plugwright_conformance.subject.subject import Subject

__all__ = ["Bench", "Experiments"]

_T = TypeVar("_T")


class Experiments(Protocol):
    """Runs experiments in separate processes."""

    def report(self, request: Mapping[str, Any], budget_s: float) -> dict[str, Any]:
        """Run an experiment and return its report."""


class Bench(Protocol):
    """Everything that one run of one check uses.

    Attributes:
        subject: the plugin under test.
        random: the source of random contents and times, which depends only on the seed.
        records: how many records the large live scenarios move.
        settings: the settings that connectors have received.
        engine: the engine that runs the tasks of live scenarios.
        experiment_processes: the processes of simulated checks; by default new ones.
    """

    subject: Subject
    random: Random
    records: int
    settings: SettingsUsed
    engine: str
    experiment_processes: Experiments | None

    @property
    def live(self) -> LiveSystem:
        """Spark and a Kafka broker.

        Raises:
            NotRunError: if the run leaves out live checks.
        """

    def directory(self) -> Path:
        """A new, empty directory that exists until the run ends."""

    def connector(self) -> Connector:
        """A new instance of the plugin, created as the runtime does."""

    def plugin_class(self) -> type:
        """The plugin's class, from its own location; loaded once, because it never changes.

        Raises:
            DiscoveryError: if it cannot be loaded.
            OtherCodeError: if its name leads to code outside the location.
            UnloadableError: if an earlier check has shown that it cannot be.
        """

    def endpoint(self) -> AbstractContextManager[OpenEndpoint]:
        """The plugin's endpoint, started and empty, whose driver has been tested (H03).

        Raises:
            UnloadableError: if the plugin cannot be loaded, so that an endpoint would be useless.
        """

    def outcome_of(self, check: str) -> CheckResult | None:
        """The result of another check of this run, which runs now if necessary.

        ``None`` if the suite has no such check for this kind of plugin.
        """

    def once(self, name: str, look: Callable[[], _T]) -> _T:
        """A fact shared by the checks of a run, or a failure, computed on first use."""

    def ledger(self) -> Ledger:
        """An empty ledger for values that this endpoint can store."""

    def config(self, endpoint: OpenEndpoint, topic: str = TOPIC, **more: str) -> dict[str, str]:
        """The declared example configuration, for an endpoint and a topic."""

    def task(self, config: Mapping[str, str]) -> tuple[Task, Mapping[str, str]]:
        """A new, uninitialised task and its configuration, from a started connector.

        Raises:
            NotRunError: if the connector has no task, because there is nothing to do.
        """

    def assignment(self, config: Mapping[str, str]) -> AbstractContextManager[TaskAssignment]:
        """The work of one task, from a connector that runs until the block ends."""

    def started_connector(self, config: Mapping[str, str]) -> AbstractContextManager[Connector]:
        """A new instance, initialised and started, which is stopped at the end of the block."""
