"""The options of a run, and the command line that repeats it."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import Level
from plugwright_conformance.subject.settings_used import SettingsUsed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.simulator import ExperimentProcesses
    from plugwright_conformance.subject.subject import Subject
    from plugwright_conformance.subject.waivers import Waiver

__all__ = ["RunOptions"]

_RECORDS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of a run.

    Attributes:
        seed: the master seed.
        records: how many records the large live scenarios move.
        selection: ids or labels of the only checks to run; empty for all.
        bootstrap_servers: the option that names the broker, for replay commands.
        spark_master: the option that names the cluster, for the same.
        worker_config: the option that names the file of the cluster's settings, for the same.
        waivers: waivers in addition to those of the declaration.
        most_s: the time limit of checks in seconds, even if their budget is larger.
        level: the last level whose checks are run; all of them by default.
        settings: records the settings that connectors receive.
        skip_waits: whether isolated checks skip the sleeps of a plugin that is otherwise idle; for
            plugins that are slow on purpose.
        experiment_processes: the processes of simulated checks, if several runs share them.
        until: called with each result; returns whether the run ends here. By default it never does.
    """

    seed: str
    records: int = _RECORDS
    selection: tuple[str, ...] = ()
    bootstrap_servers: str | None = None
    spark_master: str | None = None
    worker_config: Path | None = None
    waivers: tuple[Waiver, ...] = ()
    most_s: float = math.inf
    level: Level = Level.C5
    settings: SettingsUsed = field(default_factory=SettingsUsed, repr=False, compare=False)
    skip_waits: bool = False
    experiment_processes: ExperimentProcesses | None = field(
        default=None, repr=False, compare=False
    )
    until: Callable[[CheckResult], bool] | None = field(default=None, repr=False, compare=False)

    def includes(self, check: type[Check]) -> bool:
        """Whether the level of the check is not above the last level."""
        return check.level.value <= self.level.value

    def command(self, subject: Subject) -> str:
        """The command line that repeats this run of a subject, or a part of it."""
        words = ["plugwright", "certify", str(subject.given)]
        words += ["--plugin", subject.name]
        for name in self.selection:
            words += ["--check", name]
        if self.level is not Level.C5:
            words += ["--level", self.level.name]
        words += ["--seed", self.seed]
        if self.records != _RECORDS:
            words += ["--records", str(self.records)]
        if self.bootstrap_servers:
            words += ["--bootstrap-servers", self.bootstrap_servers]
        if self.spark_master:
            words += ["--spark-master", self.spark_master]
        if self.worker_config:
            words += ["--worker-config", str(self.worker_config)]
        return shlex.join(words)
