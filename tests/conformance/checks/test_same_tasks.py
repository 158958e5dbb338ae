"""Plans of tasks are compared as lists, and the finding says which call has made another one."""

from __future__ import annotations

import inspect

import pytest
from tests.conformance.conftest import check_of

from plugwright_conformance.evidence.outcome import CheckFailedError, NotRunError, Outcome

CHECK = check_of("CON-PAR-10")
PLAN = [{"file": "a", "tables": "t1,t2"}, {"file": "a", "tables": "t3"}]
TURNED = [{"file": "a", "tables": "t2,t1"}, {"file": "a", "tables": "t3"}]


@pytest.fixture
def planned(bench, monkeypatch):
    """Judges the plans of two processes."""

    def planned(*processes):
        reports = ({"plans": [plans, plans]} for plans in processes)
        monkeypatch.setattr(
            inspect.getmodule(CHECK), "run_isolated", lambda *_, **__: next(reports)
        )
        return CHECK().run(bench)

    return planned


def test_equal_plans_pass(planned):
    """Each of two processes has made eight."""
    found = planned([PLAN] * 4, [PLAN] * 4)

    assert (found.observations, found.figures) == (4, {"plans": 16})


@pytest.mark.parametrize(
    ("here", "there", "call"),
    [
        ([PLAN, TURNED, PLAN, PLAN], [PLAN] * 4, "a second call"),
        ([PLAN, PLAN, TURNED, PLAN], [PLAN] * 4, "another instance"),
        ([PLAN] * 4, [TURNED] * 4, "another process"),
    ],
)
def test_another_order_is_another_plan(planned, here, there, call):
    """Workers compare texts; the value may be a secret, so it is not shown."""
    with pytest.raises(CheckFailedError) as caught:
        planned(here, there)

    assert caught.value.observed == "another value of tables"
    assert caught.value.scenario == f"task_configs(2) in {call}"


def test_tasks_that_are_missing_make_another_plan(planned):
    """Though the first ones are the same."""
    with pytest.raises(CheckFailedError) as caught:
        planned([PLAN] * 4, [PLAN[:1]] * 4)

    assert (caught.value.expected, caught.value.observed) == ("2 tasks, as before", "1 tasks")


def test_without_tasks_nothing_was_compared(planned):
    """The endpoint had nothing for this connector."""
    with pytest.raises(NotRunError, match="no task"):
        planned([[]] * 4, [[]] * 4)


def test_connector_that_cannot_start_elsewhere_is_not_judged(bench, monkeypatch):
    """That its endpoint cannot be reached from another process is no question of order."""

    def failing(*_, **__):
        raise CheckFailedError("the same to work there", "ConnectError: gone")

    monkeypatch.setattr(inspect.getmodule(CHECK), "run_isolated", failing)
    with pytest.raises(NotRunError, match="ConnectError: gone"):
        CHECK().run(bench)


@pytest.mark.slow
def test_instances_of_a_process_are_reported_apart(run):
    """The step itself makes all the plans that are compared."""
    (result,) = run("rows-source", "CON-PAR-10").results

    assert (result.outcome, result.figures) == (Outcome.PASS, {"plans": 16})
