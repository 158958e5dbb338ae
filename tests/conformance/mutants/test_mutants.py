"""Every broken connector that needs no live system is killed by the check designated to it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from tests.conformance.conftest import check_of

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.checks.lifecycle import IdlePollIsCalm
from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.mutants import MUTANTS, materialise_base
from plugwright_conformance.mutants.document_faults import ship_change_log
from plugwright_conformance.mutants.driver_faults import give_driver, take_snapshots
from plugwright_conformance.mutants.form_faults import order_settings, propose
from plugwright_conformance.mutants.queue_faults import (
    declare_batches,
    keep_order_of_keys,
    keep_place_at_endpoint,
    read_page_or_all,
    report_bad_rows,
)
from plugwright_conformance.mutants.time_faults import use_times
from plugwright_conformance.reference import REFERENCES

pytestmark = pytest.mark.slow

PLUGIN_PATH = Path(__file__).parents[3] / "plugin-path"
LIVE = {check.id for check in CHECKS if check.live}
OFFLINE = [mutant for mutant in MUTANTS if mutant.killed_by not in LIVE]
GATED = {
    "CON-ERR-03": "opens no network connection",
    "CON-ERR-04": "no thread of its own",
    "CON-ERR-05": "opens no network connection",
    "CON-RES-05": "on no thread of its own",
    "SNK-ERR-08": "calls no executemany(), and the endpoint driver has no reject_some()",
    "SNK-OFF-05": "no thread of its own",
}
"""What the good connectors do not claim, and the words of the probe that confirms it."""
POSTS = partial(give_driver, module="rows_sink_post", driver="RowsService", task="PostsTask")
HONEST = {
    "CON-ERR-06": (
        "lines-source",
        partial(
            give_driver,
            module="rows_source_denied",
            driver="DeniedEndpoint",
            task="FailsWhenRefusedTask",
        ),
    ),
    "CON-ERR-08": ("lines-sink", POSTS),
    "CON-ERR-09": ("lines-sink", POSTS),
    "CON-ERR-10": ("lines-sink", POSTS),
    "CON-RES-05": (
        "lines-sink",
        partial(give_driver, module="rows_sink_queue", driver="", task="QueueWithLimitTask"),
    ),
    "SNK-ERR-08": (
        "lines-sink",
        partial(give_driver, module="rows_sink_bulk", driver="BulkEndpoint", task="BulkTask"),
    ),
    "CON-RES-06": ("lines-source", declare_batches),
    "SNK-ERR-09": ("lines-sink", partial(report_bad_rows, task="ReportsBadRowsTask")),
    "SNK-TYP-22": (
        "keyed-sink",
        partial(
            give_driver,
            module="keyed_sink_topics",
            driver="TopicsEndpoint",
            task="TablesOfTopicsTask",
        ),
    ),
    "CON-DLV-10": ("keyed-sink", keep_order_of_keys),
    "SRC-OFF-14": ("lines-source", partial(take_snapshots, task="KeepsPlaceOfStreamTask")),
    "SRC-OFF-20": (
        "lines-source",
        partial(
            give_driver,
            module="rows_source_bursts",
            driver="BurstsEndpoint",
            task="ReadsEqualTimesTask",
        ),
    ),
    "SRC-TYP-13": (
        "lines-source",
        partial(
            give_driver, module="rows_source_keys", driver="KeysEndpoint", task="KeysByRowTask"
        ),
    ),
    "CON-CFG-11": ("rows-sink", partial(order_settings, url=1, password=2)),
    "CON-CFG-12": ("rows-sink", partial(propose, recommender="ProposesPowers")),
    "SRC-TYP-08": (
        "lines-source",
        partial(
            give_driver, module="rows_source_keys", driver="KeysEndpoint", task="KeysByRowTask"
        ),
    ),
    "SRC-ERR-03": (
        "lines-source",
        partial(
            give_driver,
            module="rows_source_corrupt",
            driver="CorruptEndpoint",
            task="PlacesErrorsTask",
        ),
    ),
    "CON-CFG-19": ("lines-source", read_page_or_all),
    "CON-DOC-08": ("file-source", ship_change_log),
    "SNK-TYP-16": ("lines-sink", partial(use_times, kind="Sink", task="WritesTimesTask")),
    "SRC-TYP-10": ("lines-source", partial(use_times, kind="Source", task="ReadsTimesTask")),
    "SRC-OFF-08": ("lines-source", partial(keep_place_at_endpoint, task="RemembersItselfTask")),
    "SRC-OFF-12": ("file-source", lambda _: None),  # as it is
}
"""What makes a good connector claim, and keep, what these checks are about."""
NEEDS_LIVE_PROOFS = "CON-CAP-01"
IN_EVERY_RUN = {"rows-source", "evolving-sink"}
"""Reference connectors that meet all checks in every run of the tests; the others in drills."""
CONTROLS = {
    base: {
        m.killed_by
        for m in OFFLINE
        if m.base == base and m.killed_by not in {*GATED, *HONEST, NEEDS_LIVE_PROOFS}
    }
    for base in sorted({m.base for m in OFFLINE})
}
WHOLE = {"file-sink", *(each.name for each in REFERENCES)}
"""What has to pass every check, not those alone that kill its mutants."""


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    """What is certified with patience is tested with less."""
    monkeypatch.setattr(IdlePollIsCalm, "idle_s", 0.4)
    monkeypatch.setattr(IdlePollIsCalm, "budget_s", 1.0)
    monkeypatch.setattr(check_of("SRC-OFF-03"), "patience_s", 0.3)
    monkeypatch.setattr(check_of("CON-LIF-05"), "patience_s", 0.5)
    monkeypatch.setattr(check_of("CON-LIF-09"), "patience_s", 0.5)
    monkeypatch.setattr(check_of("CON-LIF-06"), "budget_s", 1.0)


@pytest.mark.parametrize("mutant", OFFLINE, ids=lambda mutant: mutant.id)
def test_mutant_is_killed_by_its_check(mutant, mutate, run):
    """The check fails, and says what is wrong in the words that its author needs."""
    (result,) = run(mutate(mutant.id), mutant.killed_by).results

    assert result.outcome is Outcome.FAIL
    assert mutant.failure in f"{result.expected} | {result.observed} | {result.scenario}"


@pytest.mark.parametrize("base", [base for base in CONTROLS if base not in WHOLE])
def test_good_connector_passes_the_same_checks(base, run):
    """A check that kills everything proves nothing."""
    assert_passed(run(base, *CONTROLS[base]), CONTROLS[base])


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "base",
    [
        pytest.param(each.name, marks=[pytest.mark.drill] * (each.name not in IN_EVERY_RUN))
        for each in REFERENCES
    ],
)
def test_reference_connector_fails_no_check(base, run):
    """What mutants are made of is right itself, and passes what kills them."""
    kind = base.rpartition("-")[2]
    checks = [c.id for c in CHECKS if not c.live and c.id != NEEDS_LIVE_PROOFS and kind in c.kinds]
    found = run(base, *checks)

    wrong = {Outcome.FAIL, Outcome.ERROR, Outcome.NOT_RUN}
    assert [(r.id, r.message) for r in found.results if r.outcome in wrong] == []
    assert_passed(found, CONTROLS[base])


def test_bundled_plugin_reaches_c2_without_a_live_system(run):
    """Nothing of the higher levels counts that could not be looked at."""
    found = run("file-sink")

    assert (found.complete, found.level()) == (True, Level.C2)
    assert found.failed == []
    assert_passed(found, CONTROLS["file-sink"])


def assert_passed(found, checks):
    """That a run has passed checks, and has seen something."""
    assert {
        r.id: (r.outcome, r.message, r.observations > 0) for r in found.results if r.id in checks
    } == dict.fromkeys(checks, (Outcome.PASS, "", True))


@pytest.mark.parametrize("check", HONEST)
def test_connector_that_claims_it_honestly_passes(check, run, tmp_path):
    """The mutant differs from it by its fault alone."""
    base, claim = HONEST[check]
    location = tmp_path / "honest"
    materialise_base(base, PLUGIN_PATH, location)
    claim(location)

    (result,) = run(location, check).results

    assert (result.outcome, result.message) == (Outcome.PASS, "")


@pytest.mark.parametrize(
    ("check", "outcome"),
    [("SNK-ERR-04", Outcome.NOT_APPLICABLE), ("SNK-ERR-05", Outcome.PASS)],
    ids=["no-queue", "no-tolerance"],
)
def test_poison_is_found_for_a_sink_that_declares_every_type(check, outcome, run):
    """What it takes for a field or without schema is no poison to it."""
    (result,) = run("rows-sink", check).results

    assert (result.outcome, result.expected) == (outcome, "")


@pytest.mark.parametrize("check", GATED)
def test_good_connector_does_not_claim_what_the_check_is_about(check, run):
    """The probe for the undeclared capability is clean."""
    (result,) = run("file-sink", check).results

    assert result.outcome is Outcome.NOT_APPLICABLE
    assert GATED[check] in result.message


@pytest.mark.parametrize("mutant", ["M053", "M094"])
def test_mutants_of_one_base_do_not_share_modules(mutant, mutate, run):
    """Packages of the same name are imported afresh for every run."""
    good = {"M053": "file-source", "M094": "file-sink"}[mutant]
    check = {"M053": "SRC-TYP-07", "M094": "SNK-TYP-01"}[mutant]

    outcomes = [run(where, check).results[0].outcome for where in (good, mutate(mutant), good)]

    assert outcomes == [Outcome.PASS, Outcome.FAIL, Outcome.PASS]
