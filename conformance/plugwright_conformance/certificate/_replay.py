"""Repeats checks of a recorded run and compares the results."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError, NotFoundError
from plugwright_conformance.certificate._evidence import evidence_hash
from plugwright_conformance.certificate._issue import row_of
from plugwright_conformance.certificate.canonical_json import NotCanonicalError, read_canonical
from plugwright_conformance.certificate.envelope import MalformedEnvelopeError, decode_envelope
from plugwright_conformance.certificate.statement import CheckRow, Statement
from plugwright_conformance.certificate.typed import LayoutError, from_plain
from plugwright_conformance.evidence.outcome import Level
from plugwright_conformance.report import read_json
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from plugwright_conformance.catalogue.check import Check
    from plugwright_conformance.evidence.outcome import CheckResult


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The parts of a run that a replay needs.

    Attributes:
        digest: of the tested artifact.
        location: its recorded path, which is not verified.
        records: how many records the large live scenarios moved.
    """

    plugin_class: str
    digest: str
    location: Path | None
    seed: str
    records: int | None
    rows: Sequence[CheckRow]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The recorded and the repeated result of one check."""

    before: CheckRow
    after: CheckResult

    @property
    def difference(self) -> str:
        """The difference between both results; empty if none."""
        then, now = self.before, self.after
        if then.revision != now.revision:
            return f"revision {then.revision} then, {now.revision} now: another check"
        if then.outcome != now.outcome.value:
            return f"{then.outcome} then, {now.outcome.value} now"
        if then.evidence != evidence_hash(now):
            return f"evidence {then.evidence[:12]} then, {evidence_hash(now)[:12]} now"
        return ""


def read_recorded(data: bytes) -> RecordedRun:
    """Read a run from a certificate or ``results.json``, without verifying signatures.

    Raises:
        ConnectError: ``replay.unreadable`` or ``report.unreadable`` if it is neither.
    """
    if not _is_envelope(data):
        run = read_json(data)
        location, rows = Path(run.plugin.location), [row_of(result) for result in run.results]
        plugin, seed, command = run.plugin, run.seed, run.command
        records = _records(command)
        return RecordedRun(plugin.plugin_class, plugin.digest, location, seed, records, rows)
    try:
        predicate = from_plain(Statement, read_canonical(decode_envelope(data).payload)).predicate
    except (MalformedEnvelopeError, NotCanonicalError, LayoutError) as error:
        raise ConnectError(
            f"the certificate cannot be read: {error}",
            code="replay.unreadable",
            hint="take certificate.json or results.json as the run wrote it",
        ) from error
    facts, records = predicate.plugin, _records(predicate.run.command)
    seed = predicate.run.seed
    return RecordedRun(facts.plugin_class, facts.digest, None, seed, records, predicate.results)


def sample(
    run: RecordedRun, checks: Sequence[type[Check]], count: int, random: Random
) -> Sequence[str]:
    """Ids of randomly chosen checks up to C3 that need no live system, in the run's order."""
    offline = {
        check.id for check in checks if not check.live and check.level.value <= Level.C3.value
    }
    fitting = [row.label for row in run.rows if row.id in offline]
    chosen = set(random.sample(fitting, min(count, len(fitting))))
    return [name for name in fitting if name in chosen]


def compare(run: RecordedRun, results: Sequence[CheckResult]) -> Sequence[Comparison]:
    """Each replayed check with its recorded row.

    Raises:
        NotFoundError: ``replay.no-such-check`` if the recorded run has no such row.
    """
    rows = {row.label: row for row in run.rows}
    results = [_as_before(result, rows) for result in results]
    if strange := [result.label for result in results if result.label not in rows]:
        raise NotFoundError(
            f"the recorded run has no check called {', '.join(strange)}",
            code="replay.no-such-check",
            hint=f"it has: {', '.join(sorted(rows))}",
        )
    return [Comparison(rows[result.label], result) for result in results]


def _as_before(result: CheckResult, rows: Mapping[str, CheckRow]) -> CheckResult:
    """The result without its engine if the recorded run has none."""
    older = result.engine == RESIDENT and result.label not in rows and result.id in rows
    return replace(result, engine="") if older else result


def _is_envelope(data: bytes) -> bool:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "payloadType" in document


def _records(command: str) -> int | None:
    try:
        words = shlex.split(command)
        return int(words[words.index("--records") + 1])
    except (ValueError, IndexError):
        return None
