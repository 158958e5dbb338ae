"""Check that tasks start in a new process from their configuration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import config_with_work
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.processes.isolated import run_isolated

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench


@registered
class TasksTravelToExecutors(Check):
    """A task starts in a new process from its configuration alone."""

    id = "CON-SPK-01"
    level = Level.C2
    title = "Classes and configurations can be sent to executors"
    why = "A task that relies on the driver's memory works on one machine only."
    mend = "Put everything that a task needs into its configuration, as text."

    def run(self, bench: Bench) -> Evidence:
        """Serialize the task configurations; start each task in a fresh interpreter."""
        with (
            bench.endpoint() as endpoint,
            bench.started_connector(config_with_work(bench, endpoint)) as connector,
        ):
            task_class = connector.task_class()
            configs: list[dict[str, Any]] = [dict(c) for c in connector.task_configs(2)]
            for config in configs:
                self._must_travel(config)
                run_isolated(
                    bench.subject,
                    "start-and-stop",
                    "the task created and started in a new process, from its configuration",
                    module=task_class.__module__,
                    qualname=task_class.__qualname__,
                    config=config,
                )
        return Evidence(2 * len(configs))

    @staticmethod
    def _must_travel(config: dict[str, Any]) -> None:
        wrong = [key for key, value in config.items() if not isinstance(value, str)]
        if wrong or json.loads(json.dumps(config)) != config:
            raise CheckFailedError(
                expected="string task configurations", observed=f"{', '.join(wrong)} is not text"
            )
