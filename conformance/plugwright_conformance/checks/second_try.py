"""What is required of a put that has asked for another try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.evidence.outcome import CheckFailedError

if TYPE_CHECKING:
    from plugwright_conformance.simulator import LifeReport


def require_second_try(life: LifeReport, number: int, scenario: str) -> None:
    """A put that has asked for another try does not fail for good when it gets it.

    No error of a put but a RetriableError is followed by another one, some time later.
    """
    errors = [each for each in life.crossings if each.phase == "put"]
    calls = life.calls[number:]
    again = any(each.phase == "put" and each.at > calls[0].at for each in calls[1:])
    last = len(errors) > 1 and errors[-1] is life.crossings[-1]
    if life.ending == "failed" and again and last:
        raise CheckFailedError(
            expected="the batch written when it is delivered again",
            observed=str(errors[-1]),
            scenario=f"{scenario}; put() raised {errors[0].kind}, and then nothing failed any more",
            likely="what the first try had begun, such as a transaction, is still open",
        )
