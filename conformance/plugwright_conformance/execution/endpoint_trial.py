"""Tests whether an endpoint driver reads the system instead of remembering values."""

from __future__ import annotations

import gc
import time
from collections import Counter
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from plugwright.origin import ending_forks
from plugwright_conformance.evidence.ledger import Ledger
from plugwright_conformance.processes.isolated_process import ChildError, run_in_child
from plugwright_conformance.subject.endpoint import (
    EndpointError,
    asked,
    load_driver,
    own_random_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.processes.isolated_process import Host
    from plugwright_conformance.subject.endpoint import Endpoint
    from plugwright_conformance.subject.subject import Subject

__all__ = ["read_back_problem"]

_Answer = tuple[str, list[str]]
"""Why a driver read nothing, or the values that it read."""

_VALUES = 12
_PATIENCE_S = 60.0
_MEND = "; let read_back read the endpoint itself each time"
_WRITE = (
    "; let seed write to the endpoint itself, for sinks too, and declare visible_after_s if what "
    "was written shows only later"
)
_ATTACH = (
    "; let a new object of its class, given the directory, read the endpoint, or write a method "
    "attach(settings) that leads it to what start() has set up"
)
_HERE_ONLY = ", or the endpoint lives in one process alone, where no task on Spark can reach it"


def read_back_problem(subject: Subject, directory: Path) -> str:
    """The problem of an endpoint driver's ``read_back``; empty if none.

    A random selection of new values is seeded. The driver must read it back, and so must a process
    that was forked before the values were generated. That process uses a new object of the driver's
    class, or if that fails, its own copy of the driver.

    Args:
        subject: declares the driver.
        directory: an empty directory for the endpoint.

    Raises:
        DiscoveryError: if the declared class cannot be loaded.
    """
    with ending_forks():  # a fork that an import makes of this process would seed as well
        kind = load_driver(subject)
    with own_random_numbers():
        try:
            return _tried(subject, kind, directory)
        except EndpointError as error:
            return str(error)


def _tried(subject: Subject, kind: Callable[[Path], Endpoint], directory: Path) -> str:
    driver = asked(lambda: kind(directory))
    settings = asked(driver.start)
    try:
        return _Trial(subject, driver, _newcomer(kind, directory, settings)).problem()
    finally:
        asked(driver.stop)


class _Trial:
    """One test: seed values, then read them back in two processes.

    Args:
        subject: declares the driver.
        driver: the started driver.
        newcomer: creates another driver for the same endpoint.
    """

    def __init__(
        self, subject: Subject, driver: Endpoint, newcomer: Callable[[], Endpoint]
    ) -> None:
        self._declaration, self._driver, self._newcomer = subject.declaration, driver, newcomer
        self._seeded: list[str] = []
        self._here: Sequence[Any] = ()

    def problem(self) -> str:
        """Run the trial, and return the problem found, or an empty string."""
        try:
            patience_s = _PATIENCE_S + self._declaration.visible_after_s
            answers = run_in_child(self._look, self._answer_there, patience_s)
        except ChildError as error:
            return _not_there(str(error).strip().splitlines()[-1])
        if not _same(self._here, self._seeded):
            counts = _counts(self._here, self._seeded)
            return f"the endpoint driver does not read back its seeded values: {counts}{_WRITE}"
        if answers is None:
            return _not_there(f"read_back did not return within {_PATIENCE_S:g} s")
        return _judged(answers, self._seeded)

    def _look(self, host: Host) -> list[_Answer]:
        """Read back in the other process."""
        gc.freeze()  # inherited objects, such as Kafka clients, are not to be freed in the child
        visible_at = host.ask(None)
        time.sleep(max(0.0, visible_at - time.time()))  # its clock may differ
        first = _answer(lambda: self._newcomer().read_back())
        return [first] if host.ask(first) else [first, _answer(self._driver.read_back)]

    def _answer_there(self, request: _Answer | None) -> float | bool:
        """Seed when the other process is ready, or return whether it has read enough."""
        return self._seed() if request is None else _same(request[1], self._seeded)

    def _seed(self) -> float:
        """Seed, and read the values here; returns the time from which on they are visible."""
        random = SystemRandom()
        values = Ledger(random, self._declaration.excluded_characters).enter(_VALUES)
        self._seeded = random.sample(values, random.randint(1, _VALUES - 1))
        asked(lambda: self._driver.seed(self._seeded))
        visible_at = time.time() + self._declaration.visible_after_s
        time.sleep(self._declaration.visible_after_s)
        self._here = asked(lambda: list(self._driver.read_back()))
        return visible_at


def _newcomer(
    kind: Callable[[Path], Endpoint], directory: Path, settings: Mapping[str, str]
) -> Callable[[], Endpoint]:
    """Creates a driver for an endpoint that another driver has set up."""

    def make() -> Endpoint:
        driver = kind(directory)
        if attach := getattr(driver, "attach", None):
            attach(settings)
        return driver

    return make


def _answer(read: Callable[[], Iterable[Any]]) -> _Answer:
    try:
        return "", [str(value) for value in asked(lambda: list(read()))]
    except EndpointError as error:
        return str(error), []


def _judged(answers: Sequence[_Answer], seeded: Sequence[str]) -> str:
    """Judge the values that the other process read; empty if they are right."""
    given = [values for trouble, values in answers if not trouble]
    if not given:
        return _not_there(answers[0][0])
    if any(_same(values, seeded) for values in given):
        return ""
    return (
        "the endpoint driver answers from memory: where it has not seen what was seeded, "
        f"read_back gives {_counts(given[0], seeded)}{_HERE_ONLY}{_MEND}"
    )


def _not_there(trouble: str) -> str:
    return f"the endpoint driver cannot be tried in another process: {trouble}{_HERE_ONLY}{_ATTACH}"


def _same(values: Iterable[Any], seeded: Iterable[str]) -> bool:
    return Counter(map(str, values)) == Counter(seeded)


def _counts(values: Sequence[Any], seeded: Sequence[str]) -> str:
    right = (Counter(map(str, values)) & Counter(seeded)).total()
    return f"{right} of {len(seeded)} values, and {len(values) - right} others"
