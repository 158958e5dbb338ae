"""A group of workers with many executors and tasks: nothing runs twice, is lost, or writes much."""

from __future__ import annotations

import logging
import re

import pytest
from tests.simulated.scenario import (
    Shape,
    check_event,
    config_bound,
    rehearse,
    status_bound,
    uneven_connectors,
)

from plugwright.herder import ConfigStore, StatusStore, local_connectors
from plugwright.herder.generation import Generation
from plugwright.herder.local_tasks import LocalTasks
from plugwright.herder.runner import ConnectorRunner
from plugwright.herder.shards import ShardOwnership
from plugwright.spark import CrashBudget, task_job
from plugwright.spark.crashes import CrashHistory
from plugwright.spark.placement import FailureReports
from plugwright.spark.recovery import Recovery

pytestmark = pytest.mark.slow

SHAPE = Shape(
    workers=4,
    executors=5,
    slots=60,
    connectors=40,
    tasks=300,
    shards=48,
    budget=CrashBudget(restarts=3),
)
SMALL = Shape(3, 2, 60, connectors=8, tasks=60, shards=24, budget=CrashBudget(restarts=2))


@pytest.fixture(autouse=True)
def silence():
    """Thousands of tasks have much to say."""
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


def _everything(rehearsal):
    rehearsal.begin()
    rehearsal.create()
    rehearsal.idle()
    rehearsal.join()
    rehearsal.leave()
    rehearsal.kill()
    rehearsal.storm(0.1)
    rehearsal.storm(0.5)
    rehearsal.lose_executors(2)
    rehearsal.repair(rehearsal.break_tasks(0.03))
    rehearsal.configure(0.2)
    rehearsal.upgrade()
    rehearsal.delete(0.3)


def _most(rehearsal):
    """What finds a wrong worker soon."""
    rehearsal.begin()
    rehearsal.create(at_once=1)
    assert rehearsal.events[-1].workers == (20, 20), "spread"
    rehearsal.join()
    rehearsal.storm(0.5)
    rehearsal.storm(0.5)
    rehearsal.break_tasks(0.1)
    rehearsal.configure(0.5)
    rehearsal.leave()
    for event in rehearsal.events:
        check_event(event)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_300_tasks_on_20_executors_survive_everything(seed):
    """Each event ends with every task running once; what it writes keeps its bound."""
    rehearsal = rehearse(SHAPE, seed, _everything)
    for event in rehearsal.events:
        check_event(event)


def test_the_bounds_are_reached():
    """Nothing is written less often than it has to be, so the bounds are no larger than need be."""
    events = {each.name: each for each in rehearse(SHAPE, 1, _everything).events}

    for name in ("create", "worker joins", "worker stops", "upgrade", "crash of 50%"):
        event = events[name]
        assert event.records("config") == config_bound(event)
        assert 0.8 * status_bound(event) <= event.records("status")


def test_connectors_that_are_created_one_by_one_are_spread_within_one():
    """Over workers all together, and over the executors of a worker each of them."""

    def play(rehearsal):
        rehearsal.begin()
        rehearsal.create(at_once=1)
        least, most = rehearsal.events[-1].workers
        assert most - least <= 1
        assert uneven_connectors(rehearsal.group) == []

    rehearse(SHAPE, 4, play)


def test_the_same_seed_is_the_same_run():
    """To the last record; another one is another run."""

    def run(seed):
        rehearsal = rehearse(SMALL, seed, _most)
        fibers = rehearsal.group.fibers
        return fibers.now, fibers.switches, [each.written for each in rehearsal.events]

    assert run(1) == run(1)
    assert run(1) != run(2)


def _drops_a_status(patch):
    put, count = StatusStore.put_tasks, iter(range(10**9))

    def put_tasks(self, name, statuses):
        if next(count) != 40:
            put(self, name, statuses)

    patch.setattr(StatusStore, "put_tasks", put_tasks)


def _waits_for_no_owner(patch):
    patch.setattr(Generation, "_waiting", lambda *_: [])


def _keeps_revoked_shards(patch):
    patch.setattr(ShardOwnership, "revoked", lambda self, shards: None)


def _releases_before_tasks_stop(patch):
    def only_start(calls):
        for call in calls:
            local_connectors.threading.Thread(target=call).start()

    patch.setattr(local_connectors, "_side_by_side", only_start)


def _puts_all_tasks_beside_their_connector(patch):
    patch.setattr(
        Generation, "_shards", lambda self, _, n: (self._ownership.shard_of(self._name),) * n
    )


def _forgets_the_tasks_of_others(patch):
    patch.setattr(ConnectorRunner, "follow", lambda self: None)


def _reports_each_new_process(patch):
    patch.setattr(
        task_job, "_noticeable", lambda status: (status.state, status.trace, status.attempt)
    )


def _reports_news_twice(patch):
    patch.setattr(LocalTasks, "_report_news", _done_twice(LocalTasks._report_news))


def _done_twice(report):
    def report_twice(self):
        news = list(self._news)
        report(self)
        self._news.extend(news)
        report(self)

    return report_twice


def _restarts_for_ever(patch):
    patch.setattr(CrashHistory, "is_spent", property(lambda self: False))


def _restarts_no_crashed_task(patch):
    patch.setattr(Recovery, "admits", lambda self, place, attempt, hello: attempt == 0)


def _asks_spark_about_each_crash(patch):
    patch.setattr(FailureReports, "words", lambda self, hello: str(self._ask()))


def _writes_configurations_twice(patch):
    put = ConfigStore.put_task_configs

    def put_twice(self, name, configs):
        put(self, name, configs)
        put(self, name, configs)

    patch.setattr(ConfigStore, "put_task_configs", put_twice)


WRONG = {
    _drops_a_status: "worker-0 believes c.-. UNASSIGNED",
    _waits_for_no_owner: r"ran twice: \[\('c",
    _keeps_revoked_shards: "worker-0 believes c.-. RUNNING",
    _releases_before_tasks_stop: r"ran twice: \[\('c|believes c.-. UNASSIGNED",
    _puts_all_tasks_beside_their_connector: "spread",
    _forgets_the_tasks_of_others: "does not run",
    _reports_each_new_process: "crash of 50% wrote",
    _reports_news_twice: "create wrote",
    _restarts_for_ever: "RESTARTING",
    _restarts_no_crashed_task: "does not run",
    _asks_spark_about_each_crash: "crash of 50% asked",
    _writes_configurations_twice: "create wrote",
}


def _complaints(wrong):
    """What runs of one seed after another end with; most faults need a certain order of events."""
    for seed in range(1, 21):
        with pytest.MonkeyPatch.context() as patch:
            wrong(patch)
            try:
                rehearse(SMALL, seed, _most)
            except Exception as error:  # noqa: BLE001  # a wrong worker may fail in any way
                yield str(error)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: each.__name__.lstrip("_"))
def test_a_wrong_worker_is_noticed(wrong):
    """What the simulation does not notice it does not show."""
    assert any(re.search(WRONG[wrong], each) for each in _complaints(wrong))
