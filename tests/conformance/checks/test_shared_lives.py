"""What several rows look at happens once in a run, and each row has a verdict of its own."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.conformance.conftest import check_of

from plugwright_conformance.checks import driver_loss
from plugwright_conformance.checks.driver_loss import DriverLoss
from plugwright_conformance.evidence.ledger import Reconciliation
from plugwright_conformance.evidence.outcome import CheckFailedError

WHOLE = Reconciliation(137, 137, [], 0, [], "ab")
FAILURE = CheckFailedError("tasks all RUNNING", "FAILED")


@pytest.fixture
def on():
    """A workbench on an engine; all of them share what was looked at."""
    memory = {}

    def on(engine):
        def once(name, look):
            if name not in memory:
                memory[name] = look()
            return memory[name]

        declaration = SimpleNamespace(engines=("resident", "stream"))
        subject = SimpleNamespace(declaration=declaration)
        return SimpleNamespace(engine=engine, once=once, subject=subject)

    return on


def test_connector_that_does_not_start_is_found_beside_one_that_does(on, monkeypatch):
    """A driver that cannot run both is tried with each of them alone."""
    tried = []

    def lost_driver(_, engines):
        tried.append(engines)
        if "stream" in engines:
            raise FAILURE
        return {"resident": DriverLoss(WHOLE, 5, {"processes_killed": 6})}

    monkeypatch.setattr(driver_loss, "lost_driver", lost_driver)

    assert check_of("CON-SPK-05")().run(on("resident")).figures["processes_killed"] == 6
    with pytest.raises(CheckFailedError, match="tasks all RUNNING"):
        check_of("CON-SPK-05")().run(on("stream"))
    assert tried == [("resident", "stream"), ("resident",), ("stream",)]


def test_loss_on_one_engine_is_none_on_the_other(on, monkeypatch):
    """One driver is lost for both."""
    short = Reconciliation(137, 136, ["00"], 0, [], "ab")
    found = {"resident": DriverLoss(WHOLE, 5, {}), "stream": DriverLoss(short, 5, {})}
    monkeypatch.setattr(driver_loss, "lost_driver", lambda *_: found)

    assert check_of("CON-SPK-05")().run(on("resident")).observations == 137
    with pytest.raises(CheckFailedError, match="lost 1"):
        check_of("CON-SPK-05")().run(on("stream"))
