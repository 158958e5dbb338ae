"""The pytest plugin: every check of the named connectors becomes one test.

Connectors are named in test files, by `plugwright_conformance.conformance`, or on the command line.
Loaded with every pytest run in an environment that has the suite, so nothing more of it is imported
before a connector is named.
"""

from __future__ import annotations

import hashlib
import secrets
import shlex
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from plugwright_conformance.subject.suite import ConformanceSuite

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.live.system import LiveSystem
    from plugwright_conformance.report.results import RunResults
    from plugwright_conformance.subject.subject import Subject

__all__ = ["ConformanceItem", "ConformanceLocation"]

_LEVELS = ("C1", "C2", "C3", "C4", "C5")
_DIGITS = 16


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite."""
    group = parser.getgroup("plugwright conformance")
    group.addoption(
        "--conformance-location",
        metavar="PATH",
        action="append",
        default=[],
        type=Path,
        help="check the connectors of this plugin location or wheel; may be given several times",
    )
    group.addoption(
        "--conformance-level",
        metavar="LEVEL",
        choices=_LEVELS,
        help="only the checks up to this level, C1 to C5",
    )
    group.addoption(
        "--conformance-report",
        metavar="DIR",
        type=Path,
        help="write results.json, junit.xml and the report as HTML and Markdown into "
        "DIR/<location>; a pytest run is no certification, so there is no certificate",
    )
    group.addoption(
        "--conformance-live",
        action="store_true",
        help="start Spark and a Kafka broker for the checks that need them",
    )
    group.addoption(
        "--conformance-bootstrap-servers",
        metavar="HOST:PORT",
        help="use this Kafka for them instead of starting one",
    )
    group.addoption("--conformance-seed", metavar="HEX", help="repeat the checks of a seed")


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the reports where all results meet: in the only process, or that of the workers."""
    directory: Path | None = config.getoption("conformance_report")
    if directory is not None and not hasattr(config, "workerinput"):
        from plugwright_conformance.report.pytest_report import (  # noqa: PLC0415  # asked for
            PytestReports,
        )

        command = ["pytest", *map(str, config.invocation_params.args)]
        config.pluginmanager.register(PytestReports(directory, command), "plugwright-reports")


def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: object
) -> pytest.Collector | None:
    """Make the checks of what `conformance` has returned, under the name that it was given."""
    if not isinstance(obj, ConformanceSuite):
        return None
    resources = _resources(collector.config)
    return ConformanceLocation.from_parent(collector, name=name, location=obj, suite=resources)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the checks of the named locations, before anything is deselected."""
    locations: Sequence[Path] = session.config.getoption("conformance_location")
    if not locations:
        return
    resources = _resources(session.config)
    for location in locations:
        collector = ConformanceLocation.from_parent(
            session, name=location.name, nodeid=str(location), location=location, suite=resources
        )
        try:
            items.extend(collector.collect())
        except collector.CollectError as error:
            raise pytest.UsageError(*error.args) from error


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Let the result of a check travel with the report of its test, also from a worker of xdist."""
    report: Any = yield
    if isinstance(item, ConformanceItem) and item.run_found is not None and report.when == "call":
        from plugwright_conformance.report.pytest_report import (  # noqa: PLC0415  # a check ran
            packed,
        )

        report.plugwright_conformance = packed(item.run_found)
    return report


def _resources(config: pytest.Config) -> _Resources:
    name = "plugwright-conformance-resources"
    found: _Resources | None = config.pluginmanager.get_plugin(name)
    if found is None:
        found = _Resources(config)
        config.pluginmanager.register(found, name)
    return found


class _Resources:
    """Resources that the checks of one pytest process share, created on first use."""

    def __init__(self, config: pytest.Config) -> None:
        common: str | None = getattr(config, "workerinput", {}).get("testrunuid")
        self._in_worker = common is not None
        self.seed: str = config.getoption("conformance_seed") or _fresh_seed(common)
        self.root = config.rootpath
        self.level: str | None = config.getoption("conformance_level")
        self.keeps_results: bool = config.getoption("conformance_report") is not None
        self._with_live: bool = config.getoption("conformance_live")
        self._servers: str | None = config.getoption("conformance_bootstrap_servers")
        self._stack = ExitStack()
        config.add_cleanup(self._stack.close)

    @cached_property
    def workspace(self) -> Path:
        """A directory that is removed at the end; its name begins those of topics and groups."""
        from plugwright_conformance.processes.temporary import (  # noqa: PLC0415  # a location was named
            temporary_directory,
        )

        return self._stack.enter_context(temporary_directory())

    def live(self, check: type[Check]) -> LiveSystem | None:
        """Spark and Kafka, if the check needs them and the run includes them."""
        return self._system if check.live and self._with_live else None

    @contextmanager
    def turn(self, check: type[Check]) -> Iterator[None]:
        """Let live checks of xdist's workers take turns: a budget is for the whole machine."""
        if not (self._in_worker and check.live and self._with_live):
            yield
            return
        import fcntl  # noqa: PLC0415  # a live check runs

        with Path(__file__).open("rb") as file:  # one that all workers have
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @cached_property
    def _system(self) -> LiveSystem:
        from plugwright_conformance.live.system import (  # noqa: PLC0415  # a live check runs
            LiveSystem,
        )

        log = self.workspace / "spark.log"
        opening = LiveSystem.open(self._servers, self.workspace.name, log, lambda _: None)
        return self._stack.enter_context(opening)


def _fresh_seed(common: str | None) -> str:
    """A fresh seed, the same for all workers of one run of xdist."""
    return hashlib.sha256((common or secrets.token_hex()).encode()).hexdigest()[:_DIGITS]


class ConformanceLocation(pytest.Collector):
    """The connectors of one location, wheel, project or installed distribution."""

    def __init__(
        self, *, location: Path | ConformanceSuite, suite: _Resources, **more: Any
    ) -> None:
        super().__init__(**more)
        self._named: ConformanceSuite
        self._location: Path | None
        if isinstance(location, ConformanceSuite):
            self._named, self._location = location, None
        else:
            self._named, self._location = ConformanceSuite(str(location)), location
        self._suite = suite

    def collect(self) -> Iterator[ConformanceItem]:
        """One item for each check of each connector.

        Raises:
            CollectError: if there is nothing to check, or no driver to check it with.
        """
        from plugwright.errors import ConnectError, render  # noqa: PLC0415  # a location was named
        from plugwright_conformance.catalogue.selection import select_checks  # noqa: PLC0415
        from plugwright_conformance.checks import CHECKS  # noqa: PLC0415
        from plugwright_conformance.subject.unwritten import (  # noqa: PLC0415
            require_written_driver,
        )

        level = self._suite.level or self._named.level
        try:
            subjects = self._subjects()
            for subject in subjects if level > "C1" else ():
                require_written_driver(subject)
        except ConnectError as error:
            raise self.CollectError(render(error)) from error
        for subject in subjects:
            mark = f"[{subject.short_name}]" if len(subjects) > 1 else ""
            engines = subject.declaration.engines
            for check in select_checks(CHECKS, subject.kind, (), engines):
                if check.level.name <= level:
                    yield ConformanceItem.from_parent(
                        self,
                        name=f"{check.label()}{mark}",
                        check=check,
                        subject=subject,
                        suite=self._suite,
                        level=level,
                        in_file=self._location is None,
                    )

    def _subjects(self) -> Sequence[Subject]:
        from plugwright_conformance.subject.locate import declared, locate  # noqa: PLC0415
        from plugwright_conformance.subject.subject import open_subjects  # noqa: PLC0415

        named, workspace = self._named, self._suite.workspace
        given = self._location or locate(named.named, self._suite.root, workspace)
        return open_subjects(declared(given, named, workspace), workspace, named.plugin)


class ConformanceItem(pytest.Item):
    """One check of one connector."""

    def __init__(
        self,
        *,
        check: type[Check],
        subject: Subject,
        suite: _Resources,
        level: str,
        in_file: bool,
        **more: Any,
    ) -> None:
        super().__init__(**more)
        self._check = check
        self._subject = subject
        self._suite = suite
        self._level = level
        self._in_file = in_file
        self.run_found: RunResults | None = None

    def runtest(self) -> None:
        """Run the check; what does not apply or cannot run is skipped with its reason."""
        from plugwright_conformance.evidence.outcome import Outcome  # noqa: PLC0415  # a check runs

        result = self._result()
        if result.outcome in {Outcome.NOT_APPLICABLE, Outcome.NOT_RUN}:
            pytest.skip(f"{result.outcome.value}: {result.message}")
        if result.outcome is not Outcome.PASS:
            raise _NotPassedError(result)

    def _result(self) -> CheckResult:
        from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # a check runs
        from plugwright_conformance.evidence.outcome import Level  # noqa: PLC0415
        from plugwright_conformance.execution.runner import RunOptions, run_checks  # noqa: PLC0415
        from plugwright_conformance.report.silent_listener import SilentListener  # noqa: PLC0415

        seed, level = self._suite.seed, Level[self._level]
        options = RunOptions(seed=seed, selection=(self._check.label(),), level=level)
        workspace = self._suite.workspace
        with self._suite.turn(self._check):
            live = self._suite.live(self._check)
            run = run_checks(
                self._subject,
                CHECKS,
                options,
                workspace=workspace,
                live=live,
                listener=SilentListener(),
            )
        if self._in_file:
            run = replace(run, results=[replace(run.results[0], replay=self._replay())])
        self.run_found = run if self._suite.keeps_results else None
        return run.results[0]

    def _replay(self) -> str:
        """The replay command; it names the test file, because the wheel may be temporary."""
        return shlex.join(["pytest", self.nodeid, "--conformance-seed", self._suite.seed])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure text of the suite instead of a stack."""
        if isinstance(excinfo.value, _NotPassedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The location, and the claim."""
        return self._subject.given, None, f"{self._check.label()} {self._check.title}"


class _NotPassedError(Exception):
    """Carries the result of a check that did not pass."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result)
        self._result = result

    def __str__(self) -> str:
        from plugwright_conformance.report import failure_heading, failure_rows  # noqa: PLC0415  # rendered only on failure

        rows = [f" {label:<10} {text}" for label, text in failure_rows(self._result)]
        return "\n".join([f"{failure_heading(self._result)}  {self._result.title}", *rows])
