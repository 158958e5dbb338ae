"""Runs the checks on one plugin and adds a replay command to each result."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.selection import select_checks
from plugwright_conformance.checks import MUST_CHECKS, PRESENT
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.evidence.process_exit import with_crashes
from plugwright_conformance.execution.context import RunContext
from plugwright_conformance.execution.dispatch import CheckDispatcher
from plugwright_conformance.execution.environment import describe_environment
from plugwright_conformance.execution.options import RunOptions
from plugwright_conformance.execution.order import RunOrder
from plugwright_conformance.execution.verdict import blank, verdict
from plugwright_conformance.processes.virtual_time import real_s
from plugwright_conformance.report.results import RunResults
from plugwright_conformance.simulator import ExperimentProcesses
from plugwright_conformance.subject.imports import forgetting_imports
from plugwright_conformance.subject.plugin_under_test import PluginUnderTest
from plugwright_conformance.subject.waivers import require_in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.report import RunListener
    from plugwright_conformance.subject.subject import Subject
    from plugwright_conformance.subject.waivers import Waiver

__all__ = ["RunOptions", "run_checks"]


def run_checks(  # noqa: PLR0913  # what runs, how, where, and who listens
    subject: Subject,
    checks: Sequence[type[Check]],
    options: RunOptions,
    *,
    workspace: Path,
    live: LiveSystem | None,
    listener: RunListener,
) -> RunResults:
    """Run the selected checks in catalogue order; an error in one does not end the run.

    Raises:
        NotFoundError: if a selected id is not among the checks for this kind of plugin.
    """
    started = datetime.now(UTC)
    choice = _Choice.of(subject, checks, options)
    context = RunContext(
        subject=subject,
        options=options,
        workspace=workspace,
        live=live,
        experiment_processes=options.experiment_processes or ExperimentProcesses(),
        other_driver=any(check.other_driver for check in choice.chosen),
        begun=time.monotonic(),
    )
    listener.started(subject.descriptor.distribution, len(choice.chosen))
    results = _results(context, choice, listener)
    return _run_of(context, choice, started, results)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """The selected checks of a run.

    Attributes:
        chosen: the reported checks, in catalogue order.
        registry: every check for this kind of plugin, by its label.
        known: the same, by id.
        waivers: those in force, by the id of their check.
    """

    chosen: Sequence[type[Check]]
    registry: Mapping[str, type[Check]]
    known: Mapping[str, type[Check]]
    waivers: Mapping[str, Waiver]

    @classmethod
    def of(cls, subject: Subject, checks: Sequence[type[Check]], options: RunOptions) -> _Choice:
        engines = subject.declaration.engines
        fitting = select_checks(checks, subject.kind, options.selection, engines)
        whole = select_checks(checks, subject.kind, (), engines)
        known = {check.id: check for check in checks if subject.kind in check.kinds}
        given = (*subject.declaration.waivers, *options.waivers)
        return cls(
            chosen=[check for check in fitting if options.includes(check)],
            registry={each.label(): each for each in whole},
            known=known,
            waivers=require_in_force(given, known, datetime.now(UTC).date()),
        )

    def waiver(self, check: type[Check], order: RunOrder) -> Waiver | None:
        """Its waiver; ``None`` where the check passes, if another engine needs the waiver."""
        waiver = self.waivers.get(check.id)
        if waiver is None or order.result(check).outcome is Outcome.FAIL:
            return waiver
        labels = {each.label(): each for each in self.chosen}
        rows = [labels.get(each.label()) for each in self.registry.values() if each.id == check.id]
        useless = all(each and order.result(each).outcome.fulfils for each in rows)
        return waiver if useless else None


def _results(context: RunContext, choice: _Choice, listener: RunListener) -> Sequence[CheckResult]:
    """Run the chosen checks, and notify the listener of each in order."""
    until = context.options.until
    results = []
    with _order(context, choice) as order:
        for check in choice.chosen:
            listener.check_started(check.label(), check.title)
            result = _with_waiver(order.result(check), choice.waiver(check, order))
            listener.check_finished(result)
            results.append(result)
            if until is not None and until(result):
                break
    return results


@contextmanager
def _order(context: RunContext, choice: _Choice) -> Iterator[RunOrder]:
    """Runs the checks, each in its process; what is still at work is ended with the block."""
    options, workers = context.options, _ahead(context)
    single = _Single(context)
    dispatcher = CheckDispatcher(
        known=choice.known,
        run=single,
        blank=single.blank,
        facts=context.facts,
        skips_waits=lambda check: options.skip_waits or check.skips_waits,
    )
    order = RunOrder(
        chosen=choice.chosen,
        known=choice.registry,
        alone=sum(1 for _ in takewhile(_is_of_packaging, choice.chosen)),
        processes=dispatcher,
        workers=workers,
    )
    dispatcher.answer = order.ask
    ours = nullcontext() if options.experiment_processes else context.experiment_processes
    isolated = [each for each in choice.chosen if not (each.live or each.detached)]
    with forgetting_imports(context.subject.root), ours, dispatcher:
        dispatcher.start(isolated, 1 + workers)
        with order:
            yield order


@dataclass(frozen=True, slots=True)
class _Single:
    """Runs one check in the process that calls it."""

    context: RunContext

    def __call__(
        self, check: type[Check], ask: Callable[[str], CheckResult | None], most_s: float
    ) -> CheckResult:
        options, live = self.context.options, self.context.live
        if not options.includes(check):  # requested by another check
            words = f"above {options.level.name}"
            return replace(self.blank(check), outcome=Outcome.NOT_RUN, message=words)
        first, at_s = live.events_so_far if live else 0, real_s() - self.context.begun
        most_s = min(options.most_s, most_s)
        bench = self.context.bench(check, ask)
        if check.live and live and self.context.other_driver:
            bench.once("other driver", live.start_driver)
        result = verdict(check, bench, replace(options, most_s=most_s))
        events = live.events_since(first, self.context.begun) if live and check.live else ()
        found = with_crashes(result, events)
        return replace(found, begun_s=round(at_s, 3), events=events)

    def blank(self, check: type[Check]) -> CheckResult:
        """An ERROR result without a message."""
        return blank(check, self.context.subject, self.context.options)


def _with_waiver(result: CheckResult, waiver: Waiver | None) -> CheckResult:
    """The result with a waiver: a failure is waived; a waiver without one is a failure (rule 9)."""
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
        expected="the failure that the waiver permits",
        observed=result.outcome.value,
        scenario=f"waived by {waiver.owner} until {waiver.expires}: {waiver.reason}",
        mend="remove this waiver",
    )


def _run_of(
    context: RunContext, choice: _Choice, started: datetime, results: Sequence[CheckResult]
) -> RunResults:
    subject, options, live = context.subject, context.options, context.live
    waived = [result.id for result in results if result.outcome is Outcome.WAIVED]
    return RunResults(
        plugin=_plugin(subject),
        environment=describe_environment(live),
        seed=options.seed,
        started=started.isoformat(timespec="seconds"),
        duration_s=round(time.monotonic() - context.begun, 3),
        command=options.command(subject),
        results=results,
        registry=list(choice.registry),
        selection=options.selection,
        waivers=[choice.waivers[name] for name in dict.fromkeys(waived)],
        catalogue=MUST_CHECKS[subject.kind],
        profile=PRESENT.name,
        workers=1 + _ahead(context),
        setup_s=live.setup_s if live else 0.0,
    )


def _is_of_packaging(check: type[Check]) -> bool:
    """Whether it examines the package, and what its import does."""
    return check.id.startswith("PLG-PKG-")


def _ahead(context: RunContext) -> int:
    """How many checks may run ahead: none with a time limit, which needs the main thread."""
    if context.options.most_s < math.inf:
        return 0
    return 1 if context.live else 2


def _plugin(subject: Subject) -> PluginUnderTest:
    return PluginUnderTest(
        name=subject.descriptor.distribution,
        version=subject.descriptor.version,
        plugin_class=subject.name,
        type=subject.kind,
        location=str(subject.given),
        digest=subject.digest,
        capabilities=dict(subject.declaration.capabilities),
    )
