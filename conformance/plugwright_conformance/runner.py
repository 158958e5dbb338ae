"""Runs the checks over one plugin: outcomes, evidence or error, a replay command for each."""

from __future__ import annotations

import math
import os
import shlex
import time
import traceback
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright_conformance.bench import Bench, UnloadableError
from plugwright_conformance.capabilities import GATES
from plugwright_conformance.catalogue import MUST_CHECKS, WAVE_1
from plugwright_conformance.engines import RESIDENT
from plugwright_conformance.environment import describe_environment
from plugwright_conformance.farewell import told_of_crashes
from plugwright_conformance.imports import forgetting_imports
from plugwright_conformance.order import RunOrder
from plugwright_conformance.outcome import (
    CheckFailedError,
    CheckResult,
    Level,
    NotApplicableError,
    NotRunError,
    Outcome,
)
from plugwright_conformance.places import CheckPlaces
from plugwright_conformance.plugin_under_test import PluginUnderTest
from plugwright_conformance.results import RunResults
from plugwright_conformance.seeds import check_random, check_seed
from plugwright_conformance.selection import select_checks
from plugwright_conformance.settings_used import SettingsUsed
from plugwright_conformance.simulator import Laboratories
from plugwright_conformance.time_budget import OverBudgetError, time_budget
from plugwright_conformance.virtual_time import VirtualTime
from plugwright_conformance.waivers import require_in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright_conformance.check import Check
    from plugwright_conformance.live import LiveSystem
    from plugwright_conformance.outcome import Evidence
    from plugwright_conformance.report import RunListener
    from plugwright_conformance.subject import Subject
    from plugwright_conformance.waivers import Waiver

__all__ = ["RunOptions", "run_checks", "select_checks"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is to be made.

    Attributes:
        seed: the master seed.
        records: how many records the large live scenarios move.
        selection: ids or labels of the only checks to run; empty for all.
        bootstrap_servers: the broker that was asked for, for replay commands.
        waivers: leave to fail, beside what the declaration has.
        most_s: seconds after which a check is interrupted that has a larger budget.
        level: the last level whose checks are run; all of them by default.
        settings: takes what connectors are given.
        skip_waits: whether sheltered checks pass over the waits of a plugin that does nothing else
            meanwhile; for plugins that are slow on purpose.
        laboratories: for simulated checks, if several runs are to share them.
    """

    seed: str
    records: int = 100_000
    selection: tuple[str, ...] = ()
    bootstrap_servers: str | None = None
    waivers: tuple[Waiver, ...] = ()
    most_s: float = math.inf
    level: Level = Level.C5
    settings: SettingsUsed = field(default_factory=SettingsUsed, repr=False, compare=False)
    skip_waits: bool = False
    laboratories: Laboratories | None = field(default=None, repr=False, compare=False)

    def includes(self, check: type[Check]) -> bool:
        """Whether the check is not above the last level."""
        return check.level.value <= self.level.value


def run_checks(  # noqa: PLR0913, PLR0917  # what runs, how, where, and who listens
    subject: Subject,
    checks: Sequence[type[Check]],
    options: RunOptions,
    workspace: Path,
    live: LiveSystem | None,
    listener: RunListener,
) -> RunResults:
    """Run the selected checks in catalogue order; one that goes wrong does not end the run.

    Raises:
        NotFoundError: if a selected id is not among the checks for this kind of plugin.
    """
    engines = subject.declaration.engines
    fitting = select_checks(checks, subject.kind, options.selection, engines)
    chosen = [check for check in fitting if options.includes(check)]
    registry = {each.label(): each for each in select_checks(checks, subject.kind, (), engines)}
    known = {check.id: check for check in checks if subject.kind in check.kinds}
    given = (*subject.declaration.waivers, *options.waivers)
    waivers = require_in_force(given, known, datetime.now(UTC).date())
    started, begun = datetime.now(UTC), time.monotonic()
    memory: dict[str, Any] = {}
    laboratories = options.laboratories or Laboratories()
    other_driver = any(check.other_driver for check in chosen)
    place = workspace, live, other_driver
    single = _Single(subject, options, *place, memory, begun, laboratories)
    prepare = VirtualTime().install if options.skip_waits else None
    places = CheckPlaces(known, single, single.blank, memory, prepare)
    order = RunOrder(chosen, registry, places.run, _ahead(live, options))
    places.answer = order.ask
    listener.started(subject.descriptor.distribution, len(chosen))
    ours = nullcontext() if options.laboratories else laboratories
    with forgetting_imports(subject.root), places, ours, order:
        results = [
            _told(check, order, _waiver(check, chosen, registry, order, waivers), listener)
            for check in chosen
        ]
    waived = [result.id for result in results if result.outcome is Outcome.WAIVED]
    return replace(
        _run_of(subject, options, live, results),
        started=started.isoformat(timespec="seconds"),
        duration_s=round(time.monotonic() - begun, 3),
        registry=list(registry),
        waivers=[waivers[name] for name in dict.fromkeys(waived)],
    )


@dataclass(frozen=True, slots=True)
class _Single:
    """Runs one check of a run, in whichever process it is called in."""

    subject: Subject
    options: RunOptions
    workspace: Path
    live: LiveSystem | None
    other_driver: bool
    memory: dict[str, Any]
    begun: float
    laboratories: Laboratories

    def __call__(
        self, check: type[Check], ask: Callable[[str], CheckResult | None], most_s: float
    ) -> CheckResult:
        options, live = self.options, self.live
        if not options.includes(check):  # another check asks for it
            words = f"above {options.level.name}"
            return replace(self.blank(check), outcome=Outcome.NOT_RUN, message=words)
        first, at_s = live.events_so_far if live else 0, time.monotonic() - self.begun
        most_s = min(options.most_s, most_s)
        bench = self._bench(check, ask)
        if check.live and live and self.other_driver:
            bench.once("other driver", live.start_driver)
        result = _run_check(check, bench, replace(options, most_s=most_s))
        events = live.events_since(first, self.begun) if live and check.live else ()
        told = told_of_crashes(result, events)
        return replace(told, begun_s=round(at_s, 3), events=events)

    def blank(self, check: type[Check]) -> CheckResult:
        """An error of a check, still without its words."""
        return _blank(check, self.subject, self.options)

    def _bench(self, check: type[Check], ask: Callable[[str], CheckResult | None]) -> Bench:
        options = self.options
        random, records = check_random(options.seed, check.id), options.records
        shared = self.memory, options.settings
        engine = check.engine or RESIDENT
        place = self.workspace, self.live
        last = engine, self.laboratories
        return Bench(self.subject, random, *place, records, ask, *shared, *last)


def _told(
    check: type[Check], order: RunOrder, waiver: Waiver | None, listener: RunListener
) -> CheckResult:
    """The result of a check, of which the listener has heard."""
    listener.check_started(check.label(), check.title)
    result = _with_waiver(order.result(check), waiver)
    listener.check_finished(result)
    return result


def _waiver(
    check: type[Check],
    chosen: Sequence[type[Check]],
    registry: Mapping[str, type[Check]],
    order: RunOrder,
    waivers: Mapping[str, Waiver],
) -> Waiver | None:
    """The waiver of a check; none on an engine where all is well while it is of use on another."""
    waiver = waivers.get(check.id)
    if waiver is None or order.result(check).outcome is Outcome.FAIL:
        return waiver
    labels = {each.label(): each for each in chosen}
    rows = [labels.get(each.label()) for each in registry.values() if each.id == check.id]
    useless = all(each and order.result(each).outcome.fulfils for each in rows)
    return waiver if useless else None


def _run_of(
    subject: Subject, options: RunOptions, live: LiveSystem | None, results: Sequence[CheckResult]
) -> RunResults:
    """The run without its times and its registry."""
    return RunResults(
        plugin=_plugin(subject),
        environment=describe_environment(live),
        seed=options.seed,
        started="",
        duration_s=0.0,
        command=_command(subject, options),
        results=results,
        registry=(),
        selection=options.selection,
        catalogue=MUST_CHECKS[subject.kind],
        profile=WAVE_1.name,
        workers=1 + _ahead(live, options),
        setup_s=live.setup_s if live else 0.0,
    )


def _ahead(live: LiveSystem | None, options: RunOptions) -> int:
    """How many checks may run ahead: only the main thread can interrupt before the budget is up."""
    if options.most_s < math.inf:
        return 0
    return 1 if live else 2


def _run_check(check: type[Check], bench: Bench, options: RunOptions) -> CheckResult:
    begun = time.monotonic()
    blank = _blank(check, bench.subject, options)
    try:
        with time_budget(min(check.budget_s, options.most_s)):
            _require_open_gate(check, bench)
            result = _judged(blank, check().run(bench))
    except CheckFailedError as failure:
        result = _failed(blank, failure, check)
    except NotApplicableError as reason:
        result = replace(
            blank, outcome=Outcome.NOT_APPLICABLE, message=str(reason), cells=reason.cells
        )
    except NotRunError as reason:
        result = replace(blank, outcome=Outcome.NOT_RUN, message=str(reason))
    except UnloadableError as reason:
        result = replace(blank, message=str(reason))
    except (OverBudgetError, Exception, SystemExit) as error:  # noqa: BLE001  # a verdict, always
        result = _went_wrong(blank, error, bench.subject, check)
    return replace(result, duration_s=round(time.monotonic() - begun, 3))


def _require_open_gate(check: type[Check], bench: Bench) -> None:
    if check.gate and not GATES[check.gate](bench):
        raise NotApplicableError(f"the plugin does not declare what it is about ({check.gate})")


def _with_waiver(result: CheckResult, waiver: Waiver | None) -> CheckResult:
    """A failure that is waived, or the failure that a waiver is of no more use (rule 9)."""
    if waiver is None:
        return result
    if result.outcome is Outcome.FAIL:
        reason = f"{waiver.reason} ({waiver.owner}, until {waiver.expires})"
        return replace(result, outcome=Outcome.WAIVED, message=f"{reason}: {result.message}")
    if not result.outcome.fulfils:
        return result
    return replace(
        result,
        outcome=Outcome.FAIL,
        message=f"the waived check ended in {result.outcome.value}: remove this waiver",
        expected="a failure, as the waiver says",
        observed=result.outcome.value,
        scenario=f"waived by {waiver.owner} until {waiver.expires}: {waiver.reason}",
        mend="remove this waiver",
    )


def _judged(blank: CheckResult, evidence: Evidence) -> CheckResult:
    """A pass, if there is anything to show for it (conformance rule 2)."""
    if evidence.observations < 1:
        return replace(blank, message="the check made no observation")
    return replace(
        blank,
        outcome=Outcome.PASS,
        observations=evidence.observations,
        digest=evidence.digest,
        figures=evidence.figures,
        cells=evidence.cells,
    )


def _blank(check: type[Check], subject: Subject, options: RunOptions) -> CheckResult:
    return CheckResult(
        id=check.id,
        title=check.title,
        group=check.group,
        revision=check.revision,
        severity=check.severity,
        level=check.level,
        outcome=Outcome.ERROR,
        observations=0,
        seed=check_seed(options.seed, check.id),
        duration_s=0.0,
        message="",
        replay=_command(subject, replace(options, selection=(check.label(),), level=Level.C5)),
        engine=check.engine,
    )


def _failed(blank: CheckResult, failure: CheckFailedError, check: type[Check]) -> CheckResult:
    return replace(
        blank,
        outcome=Outcome.FAIL,
        observations=failure.evidence.observations,
        digest=failure.evidence.digest,
        figures=failure.evidence.figures,
        cells=failure.evidence.cells,
        message=str(failure),
        expected=failure.expected,
        observed=failure.observed,
        scenario=failure.scenario,
        likely=failure.likely,
        mend=failure.mend or check.mend,
    )


def _went_wrong(
    blank: CheckResult, error: BaseException, subject: Subject, check: type[Check]
) -> CheckResult:
    """The plugin's failure if the error came out of its code, else an error of the run itself."""
    hung = isinstance(error, OverBudgetError)
    observed = f"{type(error).__name__}: {error}" if str(error) and not hung else str(error)
    observed = observed or type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)[: -1 if hung else None]
    root = os.path.join(subject.root.resolve(), "")  # noqa: PTH118  # with its separator
    inside = [f for f in frames if os.path.realpath(f.filename).startswith(root)]
    if not inside:
        last = frames[-1] if frames else None
        where = f" ({Path(last.filename).name}:{last.lineno})" if last else ""
        return replace(blank, outcome=Outcome.ERROR, message=f"{observed}{where}")
    place = f"{Path(inside[-1].filename).name}:{inside[-1].lineno} in {inside[-1].name}()"
    failure = CheckFailedError(
        expected=f"calls that return within {check.budget_s:g} s"
        if hung
        else "calls that return, or Connect errors where the contract has them",
        observed=f"{observed}: still in {place}" if hung else f"{observed} from {place}",
        scenario="while the check was preparing its observation",
        mend=f"Let {inside[-1].name}() return: wait with a limit, and end when stop() is called."
        if hung
        else "",
    )
    return _failed(blank, failure, check)


def _plugin(subject: Subject) -> PluginUnderTest:
    return PluginUnderTest(
        name=subject.descriptor.distribution,
        version=subject.descriptor.version,
        plugin_class=subject.descriptor.class_name,
        type=subject.kind,
        location=str(subject.given),
        digest=subject.digest,
        capabilities=dict(subject.declaration.capabilities),
    )


def _command(subject: Subject, options: RunOptions) -> str:
    """The command line that makes this run, or this part of it, again."""
    words = ["plugwright", "certify", str(subject.given)]
    words += ["--plugin", subject.descriptor.class_name]
    for name in options.selection:
        words += ["--check", name]
    if options.level is not Level.C5:
        words += ["--level", options.level.name]
    words += ["--seed", options.seed]
    if options.records != RunOptions(seed="").records:
        words += ["--records", str(options.records)]
    if options.bootstrap_servers:
        words += ["--bootstrap-servers", options.bootstrap_servers]
    return shlex.join(words)
