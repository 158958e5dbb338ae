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
        bootstrap_servers: the broker that was asked for, for replay commands.
        spark_master: the same for the cluster.
        worker_config: the same for the file of its settings.
        waivers: leave to fail, beside what the declaration has.
        most_s: seconds after which a check is interrupted that has a larger budget.
        level: the last level whose checks are run; all of them by default.
        settings: takes what connectors are given.
        skip_waits: whether isolated checks skip the waits of a plugin that does nothing else
            meanwhile; for plugins that are slow on purpose.
        experiment_processes: for simulated checks, if several runs are to share them.
        until: returns after a check whether the run is over; by default it goes on to the end.
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
        """Whether the check is not above the last level."""
        return check.level.value <= self.level.value

    def command(self, subject: Subject) -> str:
        """The command line that makes this run of a subject, or this part of it, again."""
        words = ["plugwright", "certify", str(subject.given)]
        words += ["--plugin", subject.descriptor.class_name]
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
