"""Check that Spark and the lists of processes show no secrets."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._canaries import armed, found_in
from plugwright_conformance.checks.delivery import open_pipeline, share_of
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright_conformance.catalogue.bench import Bench

_SHORTEST = 12
"""Spark's files are full of words such as ``password``, which prove nothing."""


@registered
class NoSecretOnSpark(Check):
    """No secret is in Spark's files, or in the arguments and environment of a process."""

    id = "CON-SEC-10"
    level = Level.C4
    wave = 3
    gate = "SECRET"
    title = "No secret in Spark's checkpoints, event logs and environment, or in process lists"
    why = "Event logs are kept for weeks, and every user of a machine may list its processes."
    mend = "Give a child process its password through a pipe, never in arguments or environment."
    origin = "NEW"
    live = True
    other_driver = True
    budget_s = 240.0

    def run(self, bench: Bench) -> Evidence:
        """Run with canaries in a worker that keeps Spark's event log; search what it shows."""
        with open_pipeline(bench) as pipeline, bench.live.idle_driver() as driver:
            named = {**pipeline.config(), "name": pipeline.name}
            config, canaries = armed(bench, named, shortest=_SHORTEST)
            pipeline.feed(share_of(bench))
            with suppress(CheckFailedError):  # a canary may be refused, and shown by that
                driver.run(bench.subject, bench.live.worker_settings(), [config])
                pipeline.await_all()
            return Evidence(_searched(driver.shown(pipeline.checkpoints), canaries))


def _searched(shown: Iterable[tuple[str, str]], canaries: Mapping[str, str]) -> int:
    """How many texts were searched.

    Raises:
        CheckFailedError: if a secret is in one of them.
    """
    number = 0
    for what, text in shown:
        number += 1
        for key, secret in canaries.items():
            if form := found_in(text, secret):
                around = text[max(0, text.index(form) - 60) :][:120].replace(form, "<secret>")
                raise CheckFailedError(
                    expected=f"the value of {key} nowhere",
                    observed=f"in {what}: {around}",
                    scenario="records flowed in a worker with Spark's event log enabled",
                )
    return number
