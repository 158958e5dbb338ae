"""Check of sources with a row that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright_conformance.catalogue.check import SOURCE_ONLY, Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._stepped_tasks import PATIENCE_S, running_source
from plugwright_conformance.checks.order import positions_after, reads_all
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.contexts import SourceContext

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.record import SourceRecord
    from plugwright_conformance.catalogue.bench import Bench

    _Positions = Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]

_HOOK = "seed_corrupt"
_AROUND = 5
_SCENARIO = f"a corrupt value between {_AROUND} and {_AROUND} others"
_NO_ERROR = "no error"


@registered
class CorruptRowsFollowThePolicy(Check):
    """A row that cannot be read stops the source where it is, or is passed over alone."""

    id = "SRC-ERR-03"
    severity = Severity.SHOULD
    kinds = SOURCE_ONLY
    level = Level.C3
    wave = 2
    title = "A corrupt source row follows the declared policy"
    why = "An operator has to find the row among millions, and its neighbours are good."
    mend = "Say in the error where the row is; if it may be passed over, leave out nothing else."
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Read around a corrupt value; the driver knows what the error says, if there is to be one.

        After an error the task is started again, which must not take it past the value.
        """
        values = bench.ledger().enter(2 * _AROUND)
        with bench.endpoint() as endpoint:
            endpoint.driver.seed(values[:_AROUND])
            words = endpoint.driver.hook(_HOOK)
            if words is None:
                raise NotApplicableError(f"the endpoint driver does not implement {_HOOK}()")
            endpoint.driver.seed(values[_AROUND:])
            config = bench.config(endpoint)
            records, said = _read(bench, config, ())
            if words:
                self._require_error(words, said, "")
                own = bench.subject.declaration.keeps_own_offsets
                _, said = _read(bench, config, () if own else positions_after(bench, records))
                self._require_error(words, said, "; started again after the error")
            elif said != _NO_ERROR or not reads_all(bench, endpoint.driver, values, records):
                raise CheckFailedError(
                    expected=f"all {len(values)} others, as the endpoint driver says",
                    observed=f"{len(records)} records, {said}",
                    scenario=_SCENARIO,
                    likely="what was read together with the value is thrown away",
                )
        return Evidence(len(values))

    @staticmethod
    def _require_error(words: Sequence[str], said: str, when: str) -> None:
        if not all(word in said for word in words):
            raise CheckFailedError(
                expected=f"a Connect error with {', '.join(words)}",
                observed=said,
                scenario=f"{_SCENARIO}{when}",
                likely="the error does not say where the value is, or there is none",
            )


def _read(
    bench: Bench, config: Mapping[str, str], stored: _Positions
) -> tuple[Sequence[SourceRecord], str]:
    """The records that a task returns, and what its error says."""
    found: list[SourceRecord] = []
    try:
        with running_source(bench, config, SourceContext(stored)) as task:
            try:
                found += task.take(2 * _AROUND + 1, PATIENCE_S)
            finally:
                found += task.taken()
    except ConnectError as error:
        return found, ": ".join(_texts(error))
    except Exception as error:
        raise CheckFailedError(
            expected="a Connect error, or none",
            observed=f"{type(error).__name__}: {error}",
            scenario=_SCENARIO,
        ) from error
    return found, _NO_ERROR


def _texts(error: BaseException | None) -> Iterator[str]:
    """What an error says, and its causes, of which it may be one itself."""
    seen: list[BaseException] = []
    while error is not None and not any(error is each for each in seen):
        yield str(error)
        seen.append(error)
        error = error.__cause__
