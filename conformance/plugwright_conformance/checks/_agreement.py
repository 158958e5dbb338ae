"""Check that validate() and start() accept the same settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import ConfigType
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._config import errors_by_key, start_objection
from plugwright_conformance.checks._definition import edges
from plugwright_conformance.checks._stepped_tasks import config_with_work
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from plugwright.config import ConfigKey
    from plugwright_conformance.catalogue.bench import Bench

_COMBINATIONS = 12


def _choices(key: ConfigKey) -> Sequence[str]:
    """The values of a key that its definition itself calls valid, as far as it names them."""
    if key.type is ConfigType.BOOLEAN:
        return ("true", "false")
    return [str(value) for value, good in edges(key) if good]


@registered
class ValidationAndStartAgree(Check):
    """Settings that pass validation also pass start()."""

    id = "CON-CFG-10"
    level = Level.C2
    wave = 2
    title = "validate() and start() agree"
    why = (
        "A missing dependent setting is otherwise reported when the task fails, not when it "
        "is entered."
    )
    mend = "In validate(), check settings that depend on each other, and attach the error to a key."
    origin = "G-Cfg; jdbc#568"
    budget_s = 120.0

    def run(self, bench: Bench) -> Evidence:
        """Start with whatever the definition calls valid, one by one and combined at random."""
        started = 0
        with bench.endpoint() as endpoint:
            config = config_with_work(bench, endpoint)
            keys = bench.connector().config().keys.values()
            domains = {
                key.name: choices
                for key in keys
                if key.name not in endpoint.settings and (choices := _choices(key))
            }
            if not domains:
                raise NotApplicableError("no key has a range, an enumeration or a boolean type")
            for changed in self._changes(bench, domains):
                if errors_by_key(bench, {**config, **changed}):
                    continue
                started += 1
                if error := start_objection(bench, {**config, **changed}):
                    shown = ", ".join(f"{name} = {value}" for name, value in changed.items())
                    raise CheckFailedError(
                        expected="a start, or an error from validate()",
                        observed=f"no error, and then {type(error).__name__}: {error} from start()",
                        scenario=f"the example configuration with {shown}",
                        likely="one setting requires another one, and validate() does not check it",
                    )
        if not started:
            raise NotApplicableError("no combination of values is valid with the example")
        return Evidence(started)

    @staticmethod
    def _changes(bench: Bench, domains: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
        """Every single value, then random combinations."""
        for name, values in domains.items():
            yield from ({name: value} for value in values)
        for _ in range(_COMBINATIONS if len(domains) > 1 else 0):
            yield {name: bench.random.choice(values) for name, values in domains.items()}
