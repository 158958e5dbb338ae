"""Check that the plugin does not modify the settings passed to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import config_with_work, under_loop
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level
from plugwright_conformance.subject.contexts import RecordingConnectorContext, stopped_at_end
from plugwright_conformance.subject.write_tracking import WriteTrackingSettings

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_TASKS = 2


@registered
class GivenSettingsAreLeftAlone(Check):
    """The plugin does not modify the settings passed to it."""

    id = "CON-CFG-18"
    level = Level.C2
    wave = 2
    title = "The settings passed to the plugin are not modified"
    why = "The worker displays them, compares them and passes them to the next task."
    mend = "Copy the mapping before you add, resolve or remove anything."
    origin = "apache/kafka#6795"

    def run(self, bench: Bench) -> Evidence:
        """Start a connector and its task; record which of them writes into which settings."""
        with bench.endpoint() as endpoint:
            given = WriteTrackingSettings(config_with_work(bench, endpoint))
            connector = bench.connector()
            connector.initialize(RecordingConnectorContext())
            with stopped_at_end(connector):
                connector.start(given)
                self._require_untouched(given, "start() of the connector")
                configs = connector.task_configs(_TASKS)
                self._require_untouched(given, "task_configs()")
                handed = WriteTrackingSettings(configs[0] if configs else {})
                if configs:
                    stepped = under_loop(bench, connector.task_class()(), handed)
                    stepped.step()
                    try:
                        self._require_untouched(handed, "start() of the task")
                        stepped.step()
                    finally:
                        stepped.end()
                    self._require_untouched(handed, "a life of the task")
            self._require_untouched(given, "a life of the connector")
        return Evidence(len(given) + len(handed))

    @staticmethod
    def _require_untouched(settings: WriteTrackingSettings, call: str) -> None:
        if settings.written:
            raise CheckFailedError(
                expected="the settings as they were passed",
                observed=f"{', '.join(settings.written)} written by {call}",
                scenario="settings that record writes",
                likely="a setting is resolved, added or removed in the worker's mapping",
            )
