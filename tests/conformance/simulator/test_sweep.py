"""What the sweep makes of lives, whatever they are."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace

import pytest

from plugwright_conformance.evidence.ledger import Reconciliation
from plugwright_conformance.evidence.outcome import CheckFailedError
from plugwright_conformance.simulator import Call, LifeReport, Plan, Sweep
from plugwright_conformance.simulator.left_behind import is_visible, left_behind
from plugwright_conformance.simulator.world import World

EVENTS = ["start", "put.enter", "put.return", "put.enter", "put.return", "stop"]


class ExperimentFactory:
    """Plays lives that were written down."""

    def __init__(self, lives, *, fatal=()):
        self.lives = 0
        self.random = Random(0)  # noqa: S311  # repeatable
        self.plans = []
        self._lives = iter(lives)
        self._fatal = fatal

    @contextmanager
    def experiment(self):
        """One world; the random source begins again, as it does in the real one."""
        self.random.seed(0)
        plans = []
        self.plans.append(plans)
        lost = lambda: ["00000001:x"] if any(p.stop_at in self._fatal for p in plans) else []  # noqa: E731  # short
        yield SimpleNamespace(
            live=lambda plan: self._live(plan, plans),
            drain=lambda _=None: [LifeReport("stopped", None)],
            reconcile=lambda: Reconciliation(3, 3 - len(lost()), lost(), 0, [], "d"),
        )

    def require_complete(self, experiment, lives, scenario):
        """Nothing is lost without a crash."""
        return experiment.reconcile()

    def _live(self, plan, plans):
        plans.append(plan)
        self.lives += 1
        if plan.stop_at is None and plan.stop_in is None:
            return LifeReport("stopped", None, next(self._lives, EVENTS))
        return LifeReport("crashed", None)


def test_each_event_is_a_crash_point_once():
    """The sweep is exhaustive."""
    factory = ExperimentFactory([EVENTS, EVENTS])
    sweep = Sweep(factory, Plan())
    sweep.run()
    crashes = [plan.stop_at for plans in factory.plans for plan in plans][2:]
    assert crashes == [0, 1, 2, 3, 4, 5]
    assert (sweep.points, sweep.deterministic, sweep.evidence().observations) == (6, True, 6)


def test_pairs_crash_a_second_time_while_the_first_is_made_good():
    """As many as there is budget for."""
    factory = ExperimentFactory([EVENTS, EVENTS])
    sweep = Sweep(factory, Plan())
    sweep.run(pairs=5)
    assert Counter(map(len, factory.plans)) == {1: 8, 2: 5}
    assert len({tuple(plans) for plans in factory.plans[-5:]}) > 1
    assert sweep.pairs == 5


def test_crash_map_tells_of_each_boundary_event():
    """Crashes at events of one name are one place; a loss is marked."""
    sweep = Sweep(ExperimentFactory([EVENTS, EVENTS], fatal={2}), Plan(), "exactly once")
    with pytest.raises(CheckFailedError) as caught:
        sweep.run()
    assert [(c.row, c.column, c.text, c.sound) for c in caught.value.evidence.cells] == [
        ("start", "crash, exactly once", "1 held", True),
        ("put.enter", "crash, exactly once", "2 held", True),
        ("put.return", "crash, exactly once", "1 of 2 lost", False),
        ("stop", "crash, exactly once", "1 held", True),
    ]


def test_lives_that_differ_are_swept_by_classes_and_the_report_says_so():
    """What only one of two lives has is no crash point."""
    other = ["start", "put.enter", "put.return", "heartbeat", "stop"]
    factory = ExperimentFactory([EVENTS, other])
    sweep = Sweep(factory, Plan())
    sweep.run(pairs=5)
    crashes = [plan.stop_in for plans in factory.plans for plan in plans][2:]
    assert crashes == [("put.enter", 1), ("put.return", 1), ("start", 1), ("stop", 1)]
    assert sweep.figures()["deterministic"] == "no: crashed at boundary classes"
    assert sweep.pairs == 0


def test_failure_names_the_event_and_counts_the_others():
    """The first loss in full, the number of all of them."""
    sweep = Sweep(ExperimentFactory([EVENTS, EVENTS], fatal={2, 4}), Plan(), "a fault standing")
    with pytest.raises(CheckFailedError) as caught:
        sweep.run()
    failure = caught.value
    assert failure.expected == "all 3 values, and no others, wherever a crash comes"
    assert failure.observed == (
        "in 3, out 2, lost 1, duplicated 0, foreign 0; first lost id 00000001; "
        "so after 2 of 6 crashes"
    )
    assert failure.scenario == (
        "the world stopped at event 2 of 6 (put.return), a fault standing; "
        "a new task drained what was left"
    )


@pytest.mark.parametrize(
    ("calls", "visible"),
    [
        ([Call("os.write", "put", 0.0, own_thread=False)], True),
        ([Call("os.write", "put", 0.0, own_thread=True)], False),
        ([Call("socket.send", "put", 0.0, own_thread=False)], False),
        ([], False),
    ],
    ids=["files", "thread", "network", "library"],
)
def test_states_are_compared_only_where_they_can_be_seen(calls, visible):
    """What is elsewhere, or comes at its own time, is drained after every crash."""
    assert is_visible(LifeReport("stopped", None, calls=calls)) is visible


@pytest.fixture
def experiment(tmp_path):
    """A world and a directory."""
    return SimpleNamespace(endpoint=SimpleNamespace(directory=tmp_path), world=World())


@pytest.mark.parametrize(
    ("change", "events", "same"),
    [
        (lambda e: e.world.clock.advance(5), ["io.open after", "file.read after"], True),
        (lambda e: (e.endpoint.directory / "x").touch(), [], False),
        (lambda e: e.world.kafka.produce("t", b"x"), [], False),
        (lambda e: e.world.kafka.group("g").join(["t"], 0.0), [], False),
        (lambda e: e.world.kafka.transactions.init("t"), [], False),
        (lambda _: None, ["file.write after", "file.close after"], False),
    ],
    ids=["reading", "file", "record", "member", "epoch", "elsewhere"],
)
def test_crashes_are_the_same_if_the_next_task_cannot_tell(change, events, same, experiment):
    """Whatever it could find counts; the time does not."""
    before = left_behind(experiment, LifeReport("crashed", None))

    change(experiment)

    assert (left_behind(experiment, LifeReport("crashed", None, events)) == before) is same


def test_equal_states_are_drained_once(experiment):
    """And judged after each of the crashes."""
    factory = ExperimentFactory([EVENTS, EVENTS])
    drained = []
    sweep = Sweep(factory, Plan())
    sweep._comparable, sweep.events = True, EVENTS
    experiment.live = lambda plan: LifeReport("crashed", None)
    experiment.drain = lambda _: drained.append(1) or [LifeReport("failed", None, error="E")]
    experiment.reconcile = lambda: Reconciliation(3, 3, [], 2, [], "d")
    factory.experiment = contextmanager(lambda: iter([experiment]))

    for number in range(3):
        sweep._crash(str(number), Plan(stop_at=number))

    assert (len(drained), sweep.states, sweep.points, sweep.repeating) == (1, 1, 3, 3)
    assert [where for where, _, _ in sweep.losing] == ["0", "1", "2"]
