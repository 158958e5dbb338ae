"""Every run proves that the harness can still see: a good connector passes, broken ones do not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.errors import ConnectError
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.commands.certifier import Certifier
from plugwright_conformance.controls import every_run as controls
from plugwright_conformance.controls.every_run import (
    require_reference,
    require_sentinels,
    sentinel_digests,
    sentinels,
)
from plugwright_conformance.evidence.outcome import Level, Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.mutants import BENIGN, MUTANTS, materialise
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

OFFLINE = [check for check in CHECKS if not check.live and check.id != "CON-CAP-01"]

QUICK = [check for check in CHECKS if check.id in {"PLG-PKG-05", "PLG-PKG-09"}]


def test_sentinels_stand_for_groups_that_need_no_live_system():
    """One for each, twelve at least, none of them with files from elsewhere."""
    groups = {check.id: check.group for check in OFFLINE}
    seen = [groups[mutant.killed_by] for mutant in sentinels() if mutant.killed_by[:3] != "SNK"]

    assert len(set(seen)) == len(seen)
    assert len(sentinels()) >= 12
    assert {mutant.base.partition("-")[0] for mutant in sentinels()} == {"rows", "lines", "keyed"}


@pytest.mark.slow
def test_sentinels_are_the_same_every_time():
    """Or their digests could not be compared (H19)."""
    found = sentinel_digests()

    assert found == sentinel_digests()
    assert len(set(found.values())) == len(sentinels())


@pytest.fixture
def quick(monkeypatch):
    """Level and sentinels of the controls over a suite of two checks, which can award C1."""
    monkeypatch.setattr("plugwright_conformance.execution.runner.MUST_CHECKS", {"sink": {"C1": 1}})
    monkeypatch.setattr(controls, "MUTANTS", [each for each in MUTANTS if each.id == "M007"])

    def run(checks=QUICK):
        _, reached = require_reference("sink", Level.C1, checks, live=None, seed="7f3c")
        return reached, require_sentinels(checks, "7f3c")

    return run


def test_controls_tell_what_they_have_shown(quick):
    """Reference and sentinels, each with its digest."""
    reached, killed = quick()

    assert reached is Level.C1
    assert [(s.id, s.killed_by) for s in killed] == [("M007", "PLG-PKG-05")]


@pytest.mark.slow
def test_check_that_sees_nothing_makes_the_run_invalid(quick, monkeypatch):
    """A sentinel that lives means that the harness is blind (H20)."""
    blind = type("Blind", (QUICK[0],), {"run": lambda self, bench: QUICK[1]().run(bench)})

    with pytest.raises(ConnectError, match=r"PLG-PKG-05 did not find the fault .* M007") as caught:
        quick([blind, QUICK[1]])

    assert caught.value.code == "controls.sentinel"


def test_check_that_fails_the_good_connector_makes_the_run_invalid(quick):
    """A harness that sees faults everywhere is no better."""

    def fail(self, bench):
        raise AssertionError("no")

    grim = type("Grim", (QUICK[0],), {"run": fail})

    with pytest.raises(ConnectError, match=r"lines-sink reached no level, .* C1: PLG-PKG-05") as c:
        quick([grim, QUICK[1]])

    assert c.value.code == "controls.reference"


@pytest.mark.parametrize(
    ("distribution", "references"),
    [("plugwright-file-sink", []), ("plugwright-lake", []), ("shop-sink", ["C3", "C4"])],
    ids=["bundled", "bundled-on-both-engines", "of-somebody"],
)
def test_controls_are_not_run_twice_in_one_command(distribution, references, monkeypatch):
    """A bundled plugin is its own reference; another one needs a better one for a higher level."""
    ran = []

    def reference(kind, level, *_, **__):
        ran.append(level.name)
        return "ab", level

    monkeypatch.setattr(controls, "require_reference", reference)
    monkeypatch.setattr(controls, "require_sentinels", lambda *_: ran.append("M") or ["M007"])
    named = SimpleNamespace(distribution=distribution)
    claims = SimpleNamespace(engines=("resident",))
    subject = SimpleNamespace(kind="sink", descriptor=named, digest="cd", declaration=claims)
    certifier = Certifier(None, None, None)

    for level in (Level.C3, Level.C3, Level.C4):
        found = certifier._controls_for(subject, SimpleNamespace(level=lambda: level, seed="1"))  # noqa: B023  # called at once

    assert ran == [*references[:1], "M", *references[1:]]
    assert (found.reference_level, found.sentinels) == (Level.C4, ["M007"])


def test_good_connector_has_run_on_every_engine_that_the_plugin_claims(monkeypatch):
    """One that ran on more serves who claims less, not the other way round."""
    ran = []
    monkeypatch.setattr(controls, "require_sentinels", lambda *_: ["M007"])
    monkeypatch.setattr(
        controls,
        "require_reference",
        lambda _, level, __, **more: ran.append(more["engines"]) or ("ab", level),
    )
    certifier = Certifier(None, None, None)
    run = SimpleNamespace(level=lambda: Level.C3, seed="1")

    for engines in (("resident",), ("resident", "stream"), ("resident",)):
        claims = SimpleNamespace(engines=engines)
        named = SimpleNamespace(distribution="shop-sink")
        certifier._controls_for(
            SimpleNamespace(kind="sink", descriptor=named, declaration=claims), run
        )

    assert ran == [("resident",), ("resident", "stream")]


@pytest.mark.slow
def test_reference_declares_the_engines_that_it_is_to_run_on(monkeypatch):
    """In its own declaration, as any plugin does."""
    seen = []
    whole = SimpleNamespace(level=lambda: Level.C1)
    monkeypatch.setattr(
        controls, "run_checks", lambda s, *_, **__: seen.append(s.declaration) or whole
    )

    controls.require_reference(
        "sink", Level.C1, QUICK, live=None, seed="7f3c", engines=("resident", "stream")
    )

    assert seen[0].engines == ("resident", "stream")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["source", "sink"])
def test_reference_for_a_plugin_of_c2_can_prove_what_it_declares(kind):
    """What proves it are checks of C3; none of them needs Spark."""
    _, reached = controls.require_reference(kind, Level.C2, CHECKS, live=None, seed="7f3c")

    assert reached is Level.C2


@pytest.mark.drill
@pytest.mark.parametrize("control", BENIGN, ids=lambda control: control.id)
def test_odd_but_right_connector_fails_no_check(control, tmp_path, workspace):
    """A false alarm blocks a release."""
    location = materialise(replace(control), PLUGIN_PATH, tmp_path)
    subject = open_subjects(location, workspace)[0]
    chosen = tuple(c.id for c in OFFLINE if subject.kind in c.kinds and c.level is not Level.C1)
    options = RunOptions(seed="7f3c", records=1000, selection=chosen)

    results = run_checks(
        subject, CHECKS, options, workspace=workspace, live=None, listener=SilentListener()
    ).results

    alarms = [r for r in results if r.outcome in {Outcome.FAIL, Outcome.ERROR}]
    assert [(r.id, r.message) for r in alarms] == []
