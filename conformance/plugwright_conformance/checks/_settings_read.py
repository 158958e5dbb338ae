"""Check that every setting is read."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.config import (
    CaseInsensitiveValidString,
    ConfigType,
    ValidList,
    ValidString,
)
from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import seeds, under_loop
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.simulator import SteppedSink
from plugwright_conformance.subject.contexts import sink_records
from plugwright_conformance.subject.names import HOME
from plugwright_conformance.subject.read_sites import names_read
from plugwright_conformance.subject.read_tracking import ReadTracking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.config import ConfigKey
    from plugwright_conformance.catalogue.bench import Bench

_SOMETHING = {ConfigType.BOOLEAN: "true", ConfigType.STRING: "x", ConfigType.LIST: "x"}
_GLANCE_S = 0.2
_MOST_LIVES = 12


@registered
class EverySettingIsRead(Check):
    """The connector reads every setting that it defines."""

    id = "CON-CFG-17"
    severity = Severity.SHOULD
    level = Level.C3
    wave = 2
    title = "Every setting is read by the connector or its tasks"
    why = "A setting that is never read has no effect, and its user does not notice."
    mend = "Read the setting by its name where it takes effect, or remove it."
    origin = "confluentinc/kafka-connect-jdbc#1694"
    budget_s = 60.0

    def run(self, bench: Bench) -> Evidence:
        """Run with the configuration and with every other choice; record which keys are read.

        Secrets are left out: many are asked for only where the other side demands them. So are
        settings that the code reads by their names in a place to which no life here has come.
        Reading settings in order to check them is no use of them.
        """
        keys = bench.connector().config().keys.values()
        judged = [k.name for k in keys if k.type is not ConfigType.PASSWORD and not k.internal]
        if not judged:
            raise NotApplicableError("the definition has no key")
        asked, lives = ReadTracking(), 0
        defaults = {k.name: _text(k.default_value) for k in keys if _is_plain(k)}
        for choice in ({}, *_choices(list(keys))):
            if asked.names.issuperset(judged) or lives == _MOST_LIVES:
                break
            lives += 1
            with suppress(Exception):  # what a life comes to, other checks ask
                _live(bench, asked, defaults, choice)
        elsewhere = names_read(bench.subject.root)  # in modes that were not met here
        dead = [name for name in judged if name not in asked.names and name not in elsewhere]
        if not asked.names.intersection(judged):
            raise NotApplicableError("the suite cannot observe how the settings are read")
        if dead:
            raise CheckFailedError(
                expected="every setting read, by the connector or by a task",
                observed=f"never read: {', '.join(dead)}",
                scenario=f"{lives} lives, as configured and with each choice made otherwise",
                likely="a setting without effect, or read under another name",
            )
        return Evidence(len(judged), figures={"lives": lives})


def _is_plain(key: ConfigKey) -> bool:
    """Whether the default of a setting could be written down, as a user may."""
    return isinstance(key.default_value, bool | int | float | str | list | tuple)


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _choices(keys: Sequence[ConfigKey]) -> Iterator[Mapping[str, str]]:
    """Each choice made otherwise, which may make other settings count; what is unset, set."""
    for key in keys:
        validator = key.validator
        members: Sequence[str | None] = ()
        if key.type is ConfigType.BOOLEAN:
            members = ("true", "false")
        elif isinstance(validator, ValidString | CaseInsensitiveValidString):
            members = validator.valid_strings
        elif isinstance(validator, ValidList):
            members = validator.valid_string.valid_strings
        elif key.default_value is None:
            members = (_SOMETHING.get(key.type, "1"),)
        yield from ({key.name: m} for m in members if m and m != _text(key.default_value))


def _live(
    bench: Bench, asked: ReadTracking, defaults: Mapping[str, str], choice: Mapping[str, str]
) -> None:
    """One life of connector and task, with some data; a key that is not there notices nothing."""
    with bench.endpoint() as endpoint, asked.listening():
        if bench.subject.kind == "source":
            endpoint.driver.seed(seeds(bench, 3))
        task, props = bench.task(asked.noticing({**defaults, **bench.config(endpoint), **choice}))
        worker = under_loop(bench, task, asked.noticing(props))
        try:
            worker.step()
            if isinstance(worker, SteppedSink):
                worker.put(sink_records(["one", "two"], HOME))
                worker.commit()
            else:
                worker.take(3, _GLANCE_S)
        finally:
            worker.end()
