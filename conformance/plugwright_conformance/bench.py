"""The workbench of a check: fresh plugin objects, endpoints, ledgers, the live system."""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.drive import ConnectorContext, stopped_at_end
from plugwright_conformance.endpoint import open_endpoint
from plugwright_conformance.engines import RESIDENT
from plugwright_conformance.imports import require_own_code
from plugwright_conformance.ledger import Ledger
from plugwright_conformance.outcome import NotRunError
from plugwright_conformance.recollection import read_back_problem
from plugwright_conformance.settings_used import SettingsUsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    from plugwright.connector import Connector
    from plugwright.task import Task
    from plugwright_conformance.endpoint import OpenEndpoint
    from plugwright_conformance.live import LiveSystem
    from plugwright_conformance.outcome import CheckResult
    from plugwright_conformance.simulator import Laboratories
    from plugwright_conformance.subject import Subject

__all__ = ["CONNECTOR", "TOPIC", "UNLOADABLE", "Bench", "UnloadableError"]

CONNECTOR, TOPIC = "orders-feed", "orders"
"""Connector and topic of checks that never reach Kafka: names that do not tell of a test."""

UNLOADABLE = "unloadable"
"""Where the checks of a run keep why the plugin cannot be loaded, once that is known."""


class UnloadableError(BaseException):
    """An import that hangs or ends the process, and is not tried by every check again.

    Not an `Exception`, so that no check takes it for one of the plugin's.
    """


class Bench:
    """Everything that one run of one check works with.

    Attributes:
        subject: the plugin under test.
        random: decides contents and moments; the same seed, the same choices.
        records: how many records the large live scenarios move.
        settings: what connectors were given so far.
        engine: what runs the tasks of live scenarios.
        laboratories: where simulated checks make their experiments; ``None`` for one of their own.
    """

    def __init__(  # noqa: PLR0913, PLR0917  # what a check may reach for
        self,
        subject: Subject,
        random: Random,
        workspace: Path,
        live: LiveSystem | None,
        records: int,
        ask: Callable[[str], CheckResult | None] = lambda _: None,
        memory: dict[str, Any] | None = None,
        settings: SettingsUsed | None = None,
        engine: str = RESIDENT,
        laboratories: Laboratories | None = None,
    ) -> None:
        self.subject: Subject = subject
        self.random = random
        self.records = records
        self.settings = SettingsUsed() if settings is None else settings
        self.engine = engine
        self.laboratories = laboratories
        self._workspace = workspace
        self._live = live
        self._ask = ask
        self._memory: dict[str, Any] = {} if memory is None else memory
        self._class: type | None = None

    @property
    def live(self) -> LiveSystem:
        """Spark and a Kafka broker.

        Raises:
            NotRunError: if the run was told to do without.
        """
        if self._live is None:
            raise NotRunError("needs Spark and a Kafka broker, and this run is without them")
        return self._live

    def directory(self) -> Path:
        """A fresh, empty directory that lives as long as the run."""
        return Path(tempfile.mkdtemp(dir=self._workspace))

    def connector(self) -> Connector:
        """A fresh instance of the plugin, as the runtime makes it."""
        connector: Connector = self.plugin_class()()
        return connector

    def plugin_class(self) -> type:
        """The plugin's class, from its own location; loaded once, because it never changes.

        Raises:
            DiscoveryError: if it cannot be loaded.
            OtherCodeError: if its name leads to code outside the location.
            UnloadableError: if an earlier check has shown that it cannot be.
        """
        self._require_loadable()
        if self._class is None:
            loaded = self.subject.plugins.load(self.subject.descriptor)
            require_own_code(self.subject.descriptor, self.subject.root)
            self._class = loaded
        return self._class

    @contextmanager
    def endpoint(self) -> Iterator[OpenEndpoint]:
        """The plugin's endpoint, up and empty; its driver is tried before it is first used (H03).

        Raises:
            UnloadableError: if the plugin, without which it is of no use, cannot be loaded.
        """
        self._require_loadable()
        problem = self.once("read-back", lambda: read_back_problem(self.subject, self.directory()))
        with open_endpoint(self.subject, self.directory(), problem) as endpoint:
            self.settings.note({**self.subject.declaration.config, **endpoint.settings})
            yield endpoint

    def _require_loadable(self) -> None:
        if reason := self._memory.get(UNLOADABLE):
            raise UnloadableError(reason)

    @staticmethod
    def files_of(endpoint: OpenEndpoint) -> Mapping[str, str]:
        """Every file of an endpoint's directory, by its digest."""
        return {
            str(path.relative_to(endpoint.directory)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(endpoint.directory.rglob("*"))
            if path.is_file()
        }

    def outcome_of(self, check: str) -> CheckResult | None:
        """How another check ended in this run; it is run now if it was not yet.

        ``None`` if the suite has no such check for this kind of plugin.
        """
        return self._ask(check)

    def once(self, name: str, look: Callable[[], Any]) -> Any:
        """What a look has shown that several checks of a run need; taken when it is asked for."""
        if name not in self._memory:
            self._memory[name] = look()
        return self._memory[name]

    def ledger(self) -> Ledger:
        """An empty book for values that this endpoint can hold."""
        return Ledger(self.random, self.subject.declaration.excluded_characters)

    def config(self, endpoint: OpenEndpoint, topic: str = TOPIC, **more: str) -> dict[str, str]:
        """The declared example configuration, pointed at an endpoint and a topic."""
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
        """A fresh, uninitialised task and its configuration, from a connector that was started."""
        with self.started_connector(config) as connector:
            task_config = connector.task_configs(1)[0]
            return connector.task_class()(), task_config

    @contextmanager
    def started_connector(self, config: Mapping[str, str]) -> Iterator[Connector]:
        """A fresh instance that was initialised and started; stopped at the end."""
        connector = self.connector()
        connector.initialize(ConnectorContext())
        with stopped_at_end(connector):
            connector.start(config)
            yield connector
