"""Where no call of a task can be seen, the endpoint driver makes the outage, if it can."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.subject.subject import open_subjects

pytestmark = pytest.mark.slow

NATIVE = Path(__file__).with_name("native")
SINK = ("native.NativeSinkConnector", "SNK-ERR-01")
SOURCE = ("native.NativeSourceConnector", "SRC-ERR-02")
BOTH = pytest.mark.parametrize(("plugin", "check"), [SINK, SOURCE], ids=["sink", "source"])
UNSEEN = "the suite cannot intercept the task's calls to its endpoint, and the endpoint driver has"


@pytest.fixture
def checked(tmp_path, workspace, listener):
    """Runs a check over the native connectors, their code changed."""

    def checked(plugin, check, old="", new=""):
        location = tmp_path / "native"
        shutil.copytree(NATIVE, location)
        module = location / "native" / "__init__.py"
        module.write_text(module.read_text().replace(old, new) if old else module.read_text())
        subject = open_subjects(location, workspace, plugin)[0]
        options = RunOptions(seed="ab", selection=(check,))
        return run_checks(
            subject, CHECKS, options, workspace=workspace, live=None, listener=listener
        ).results[0]

    return checked


@BOTH
def test_outage_of_the_driver_is_survived(plugin, check, checked):
    """Everything arrives, and the evidence says who made the outage."""
    result = checked(plugin, check)

    assert (result.outcome, result.message) == (Outcome.PASS, "")
    assert (result.figures["outages_by_driver"], result.figures["lost"]) == (1, 0)


@BOTH
def test_loss_in_an_outage_of_the_driver_is_a_failure(plugin, check, checked):
    """A connector that forgets what failed is found, though its calls are not."""
    result = checked(plugin, check, "FORGETS = False", "FORGETS = True")

    assert (result.outcome, result.expected) == (Outcome.FAIL, "all 24 values, and no others")
    assert "out 12, lost 12, duplicated 0" in result.observed
    assert "the endpoint driver caused an outage and ended it" in result.scenario


@BOTH
@pytest.mark.parametrize("method", ["refuse", "recover"])
def test_driver_without_outages_leaves_the_check_not_run(method, plugin, check, checked):
    """With the reason; that is no pass."""
    result = checked(plugin, check, f"def {method}(self)", f"def un{method}(self)")

    assert (result.outcome, result.message) == (Outcome.NOT_RUN, f"{UNSEEN} no {method}()")


@BOTH
def test_endpoint_that_cannot_refuse_is_not_applicable(plugin, check, checked):
    """The driver says so by returning nothing."""
    result = checked(plugin, check, 'return ("No such file",)', "return ()")

    assert (result.outcome, result.message) == (
        Outcome.NOT_APPLICABLE,
        "the endpoint cannot refuse",
    )
