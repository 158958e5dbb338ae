"""A worker of its own that does not come up: what the check says of it."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from plugwright_conformance import driver
from plugwright_conformance.driver import DoomedDriver
from plugwright_conformance.outcome import CheckFailedError

pytestmark = pytest.mark.slow

NOWHERE = SimpleNamespace(root=SimpleNamespace(resolve=lambda: "/nowhere"))


@pytest.mark.parametrize(
    ("body", "patience_s", "observed"),
    [
        ("import sys; sys.exit('no Java here')", 60.0, "no Java here"),
        ("import time; time.sleep(60)", 0.5, "nothing within 0.5 s, and last: no output"),
    ],
    ids=["ended", "late"],
)
def test_one_that_does_not_come_up_is_told(tmp_path, monkeypatch, body, patience_s, observed):
    """With its last words, or how long was waited for it."""
    script = tmp_path / "body.py"
    script.write_text(body)
    monkeypatch.setattr(driver, "__file__", str(script))
    monkeypatch.setattr(driver, "_START_S", patience_s)
    started = DoomedDriver.started(NOWHERE, {}, [], tmp_path / "log")

    with pytest.raises(CheckFailedError) as failure, started:
        sys.exit("it has come up")

    assert failure.value.expected == "tasks that run in a worker of their own"
    assert failure.value.observed == observed
