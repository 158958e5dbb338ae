"""Checks that end as a test specifies."""

from __future__ import annotations

from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.evidence.outcome import (
    CheckFailedError,
    Evidence,
    Level,
    NotApplicableError,
    NotRunError,
    Outcome,
)
from plugwright_conformance.subject.endpoint import EndpointError

__all__ = ["OUTCOMES", "blame_for_the_driver", "check", "raising"]


def check(number, act, **more):
    """A check of its own class that does what a test specifies."""
    texts = {"group": "Tests", "title": f"claim {number}", "why": "", "mend": "mend it"}
    body = {"id": f"TST-TST-{number:02}", "level": Level.C1, **texts, **more}
    return type(f"Check{number}", (Check,), {**body, "run": lambda self, bench: act(bench)})


def raising(error):
    """Something that raises."""

    def act(_):
        raise error

    return act


def blame_for_the_driver(_):
    """Says of the plugin what the endpoint driver did."""
    raise CheckFailedError("values stored", "0 of 6") from EndpointError("0 of 6 values")


OUTCOMES = {
    "pass": (lambda _: Evidence(3, "ab", {"in": 3}), Outcome.PASS, ""),
    "no-observation": (lambda _: Evidence(0), Outcome.ERROR, "no observation"),
    "fail": (raising(CheckFailedError("a", "b")), Outcome.FAIL, "expected a; observed b"),
    "driver": (blame_for_the_driver, Outcome.ERROR, "EndpointError: 0 of 6 values"),
    "not-applicable": (raising(NotApplicableError("no keys")), Outcome.NOT_APPLICABLE, "no keys"),
    "not-run": (raising(NotRunError("no broker")), Outcome.NOT_RUN, "no broker"),
    "harness": (raising(KeyError("x")), Outcome.ERROR, "KeyError: 'x' (given_checks.py:"),
    "without-words": (raising(ValueError()), Outcome.ERROR, "ValueError (given_checks.py:"),
    "exit": (raising(SystemExit(0)), Outcome.ERROR, "SystemExit: 0"),
    "no-evidence": (lambda _: None, Outcome.ERROR, "NoneType"),
    "no-live-system": (lambda bench: bench.live, Outcome.NOT_RUN, "requires Spark and a Kafka"),
    "in-plugin": (
        lambda bench: bench.connector().start({"file": 3}),
        Outcome.FAIL,
        "Expected value to be a string, but it was a int from connector.py:",
    ),
}
