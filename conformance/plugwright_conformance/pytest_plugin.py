"""The suite inside pytest: every check of the named locations becomes one test.

Loaded with every pytest run in an environment that has the suite, so nothing of it is imported
before a location is named.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plugwright_conformance.check import Check
    from plugwright_conformance.live import LiveSystem
    from plugwright_conformance.outcome import CheckResult
    from plugwright_conformance.subject import Subject

__all__ = ["ConformanceItem", "ConformanceLocation"]


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
        "--conformance-live",
        action="store_true",
        help="start Spark and a Kafka broker for the checks that need them",
    )
    group.addoption("--conformance-seed", metavar="HEX", help="repeat the checks of a seed")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the checks of the named locations, before anything is deselected."""
    locations: Sequence[Path] = session.config.getoption("conformance_location")
    if not locations:
        return
    resources = _Resources(session.config)
    for location in locations:
        collector = ConformanceLocation.from_parent(
            session, name=location.name, nodeid=str(location), location=location, suite=resources
        )
        items.extend(collector.collect())


class _Resources:
    """What the checks of one pytest run share; made when it is first needed."""

    def __init__(self, config: pytest.Config) -> None:
        from plugwright_conformance.seeds import new_seed  # noqa: PLC0415  # a location was named

        self.seed: str = config.getoption("conformance_seed") or new_seed()
        self._with_live: bool = config.getoption("conformance_live")
        self._stack = ExitStack()
        config.add_cleanup(self._stack.close)

    @cached_property
    def workspace(self) -> Path:
        """A directory that is removed at the end."""
        import tempfile  # noqa: PLC0415  # a location was named

        made = tempfile.TemporaryDirectory(prefix="plugwright-")
        return Path(self._stack.enter_context(made))

    def live(self, check: type[Check]) -> LiveSystem | None:
        """Spark and Kafka, if the check needs them and they were asked for."""
        return self._system if check.live and self._with_live else None

    @cached_property
    def _system(self) -> LiveSystem:
        from plugwright_conformance.live import LiveSystem  # noqa: PLC0415  # a live check runs

        log = self.workspace / "spark.log"
        opening = LiveSystem.open(None, self.workspace.name, log, lambda _: None)
        return self._stack.enter_context(opening)


class ConformanceLocation(pytest.Collector):
    """The connectors of one location or wheel."""

    def __init__(self, *, location: Path, suite: _Resources, **more: Any) -> None:
        super().__init__(**more)
        self._location = location
        self._suite = suite

    def collect(self) -> Iterator[ConformanceItem]:
        """One item for each check of each connector.

        Raises:
            UsageError: if there is nothing to check in the location.
        """
        from plugwright.errors import ConnectError, render  # noqa: PLC0415  # a location was named
        from plugwright_conformance.checks import CHECKS  # noqa: PLC0415
        from plugwright_conformance.runner import select_checks  # noqa: PLC0415
        from plugwright_conformance.subject import open_subjects  # noqa: PLC0415

        try:
            subjects = open_subjects(self._location, self._suite.workspace)
        except ConnectError as error:
            raise pytest.UsageError(render(error)) from error
        for subject in subjects:
            mark = f"[{subject.descriptor.qualname}]" if len(subjects) > 1 else ""
            for check in select_checks(CHECKS, subject.kind):
                yield ConformanceItem.from_parent(
                    self, name=f"{check.id}{mark}", check=check, subject=subject, suite=self._suite
                )


class ConformanceItem(pytest.Item):
    """One check of one connector."""

    def __init__(
        self, *, check: type[Check], subject: Subject, suite: _Resources, **more: Any
    ) -> None:
        super().__init__(**more)
        self._check = check
        self._subject = subject
        self._suite = suite

    def runtest(self) -> None:
        """Run the check; what does not apply or cannot run is skipped with its reason."""
        from plugwright_conformance.outcome import Outcome  # noqa: PLC0415  # a check runs

        result = self._result()
        if result.outcome in {Outcome.NOT_APPLICABLE, Outcome.NOT_RUN}:
            pytest.skip(f"{result.outcome.value}: {result.message}")
        if result.outcome is not Outcome.PASS:
            raise _NotPassedError(result)

    def _result(self) -> CheckResult:
        from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # a check runs
        from plugwright_conformance.runner import RunOptions, run_checks  # noqa: PLC0415

        options = RunOptions(seed=self._suite.seed, selection=(self._check.id,))
        workspace, live = self._suite.workspace, self._suite.live(self._check)
        run = run_checks(self._subject, CHECKS, options, workspace, live, _Silent())
        return run.results[0]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure text of the suite instead of a stack."""
        if isinstance(excinfo.value, _NotPassedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The location, and the claim."""
        return self._subject.given, None, f"{self._check.id} {self._check.title}"


class _NotPassedError(Exception):
    """Carries the result of a check that failed or went wrong."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result)
        self._result = result

    def __str__(self) -> str:
        from plugwright_conformance.report import failure_heading, failure_rows  # noqa: PLC0415  # rendered only on failure

        rows = [f" {label:<10} {text}" for label, text in failure_rows(self._result)]
        return "\n".join([f"{failure_heading(self._result)}  {self._result.title}", *rows])


class _Silent:
    """Listens to a run and says nothing; pytest reports."""

    def started(self, plugin_name: str, total: int) -> None:
        """Nothing."""

    def phase(self, text: str) -> None:
        """Nothing."""

    def check_started(self, id: str, title: str) -> None:  # noqa: A002  # the model's name
        """Nothing."""

    def check_finished(self, result: CheckResult) -> None:
        """Nothing."""

    def finished(self, results: Any, directory: Path | None) -> None:
        """Nothing."""
