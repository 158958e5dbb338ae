"""The implementation of `Bench`: plugin objects, endpoints, ledgers, the live system."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from plugwright_conformance.catalogue.assignment import TaskAssignment
from plugwright_conformance.evidence.ledger import Ledger
from plugwright_conformance.evidence.outcome import NotRunError
from plugwright_conformance.execution.endpoint_trial import read_back_problem
from plugwright_conformance.execution.facts import KnownFacts
from plugwright_conformance.subject.contexts import started
from plugwright_conformance.subject.endpoint import open_endpoint
from plugwright_conformance.subject.engines import RESIDENT
from plugwright_conformance.subject.imports import require_own_code
from plugwright_conformance.subject.names import CONNECTOR, TOPIC
from plugwright_conformance.subject.settings_used import SettingsUsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    from plugwright.connector import Connector
    from plugwright.task import Task
    from plugwright_conformance.catalogue.bench import Experiments
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.subject.endpoint import OpenEndpoint
    from plugwright_conformance.subject.subject import Subject

__all__ = ["Workbench"]

_T = TypeVar("_T")


@dataclass(kw_only=True)
class Workbench:
    """The `Bench` for one run of one check."""

    subject: Subject
    random: Random
    workspace: Path
    records: int
    live_system: LiveSystem | None = None
    ask: Callable[[str], CheckResult | None] = lambda _: None
    facts: KnownFacts = field(default_factory=KnownFacts)
    settings: SettingsUsed = field(default_factory=SettingsUsed)
    engine: str = RESIDENT
    experiment_processes: Experiments | None = None
    _class: type | None = field(default=None, init=False)

    @property
    def live(self) -> LiveSystem:
        """Spark and a Kafka broker.

        Raises:
            NotRunError: if the run leaves out live checks.
        """
        if self.live_system is None:
            raise NotRunError("requires Spark and a Kafka broker, which this run does not have")
        return self.live_system

    def directory(self) -> Path:
        """A new, empty directory that exists until the run ends."""
        return Path(tempfile.mkdtemp(dir=self.workspace))

    def connector(self) -> Connector:
        """A new instance of the plugin, created as the runtime does."""
        connector: Connector = self.plugin_class()()
        return connector

    def plugin_class(self) -> type:
        """The plugin's class, from its own location; loaded once, because it never changes.

        Raises:
            DiscoveryError: if it cannot be loaded.
            OtherCodeError: if its name leads to code outside the location.
            UnloadableError: if an earlier check has shown that it cannot be.
        """
        self.facts.require_loadable()
        if self._class is None:
            loaded = self.subject.plugins.load(self.subject.descriptor)
            require_own_code(self.subject.descriptor, self.subject.root)
            self._class = loaded
        return self._class

    @contextmanager
    def endpoint(self) -> Iterator[OpenEndpoint]:
        """The plugin's endpoint, started and empty, whose driver has been tested (H03).

        Raises:
            UnloadableError: if the plugin cannot be loaded, so that an endpoint would be useless.
        """
        self.facts.require_loadable()
        problem = self.once("read-back", lambda: read_back_problem(self.subject, self.directory()))
        with open_endpoint(self.subject, self.directory(), problem) as endpoint:
            self.settings.note({**self.subject.declaration.config, **endpoint.settings})
            yield endpoint

    def outcome_of(self, check: str) -> CheckResult | None:
        """The result of another check of this run, which runs now if necessary.

        ``None`` if the suite has no such check for this kind of plugin.
        """
        return self.ask(check)

    def once(self, name: str, look: Callable[[], _T]) -> _T:
        """A fact shared by the checks of a run, or a failure, computed on first use."""
        return self.facts.once(name, look)

    def ledger(self) -> Ledger:
        """An empty ledger for values that this endpoint can store."""
        return Ledger(self.random, self.subject.declaration.excluded_characters)

    def config(self, endpoint: OpenEndpoint, topic: str = TOPIC, **more: str) -> dict[str, str]:
        """The declared example configuration, for an endpoint and a topic."""
        declared = {
            key: value.replace("{topic}", topic)
            for key, value in self.subject.declaration.config.items()
        }
        made = {
            "name": CONNECTOR,
            "connector.class": self.subject.descriptor.class_name,
            **declared,
            **endpoint.settings,
            **more,
        }
        self.settings.note(made)
        return made

    def task(self, config: Mapping[str, str]) -> tuple[Task, Mapping[str, str]]:
        """A new, uninitialised task and its configuration, from a started connector.

        Raises:
            NotRunError: if the connector has no task, because there is nothing to do.
        """
        with self.assignment(config) as assignment:
            return assignment.task()

    @contextmanager
    def assignment(self, config: Mapping[str, str]) -> Iterator[TaskAssignment]:
        """The work of one task, from a connector that runs until the block ends."""
        with self.started_connector(config) as connector:
            yield TaskAssignment(connector)

    @contextmanager
    def started_connector(self, config: Mapping[str, str]) -> Iterator[Connector]:
        """A new instance, initialised and started, which is stopped at the end of the block."""
        with started(self.connector(), config) as connector:
            yield connector
