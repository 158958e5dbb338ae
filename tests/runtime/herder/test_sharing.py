"""Workers of a group share the tasks of each connector, whatever happens to the workers."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest
from tests.runtime.herder.cluster import Cluster
from tests.runtime.herder.fakes import failure

from plugwright.control_plane import (
    BadRequestError,
    RebalanceNeededError,
    RequestTargetError,
    RestartRequest,
    TaskId,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster():
    """Two workers."""
    cluster = Cluster()
    cluster.join("one", "two")
    yield cluster
    cluster.close()
    assert cluster.watch.twice == []


def _shares(cluster, *names):
    """How many tasks each worker runs."""
    workers = [worker for name in names for worker in cluster.watch.of(name).values()]
    return Counter({node.name: 0 for node in cluster.nodes}) + Counter(workers)


def _runs_all(cluster, **tasks):
    """Whether so many tasks of each connector run, as the statuses tell on every worker."""
    for name, count in tasks.items():
        where = cluster.watch.of(name)
        assert list(where) == list(range(count)), (name, where)
        expected = {n: ("RUNNING", worker) for n, worker in where.items()}
        leader = cluster.leader(name).name
        assert cluster.statuses_of(name) == {"connector": ("RUNNING", leader), **expected}
    return True


def _starts(cluster):
    return [call for node in cluster.nodes for call in node.worker.calls if call[0] == "start"]


def test_both_workers_run_tasks_of_a_connector(cluster):
    """As many each, and one of them the connector itself."""
    cluster.create("a", 4)

    assert _runs_all(cluster, a=4)
    assert _shares(cluster, "a") == {"one": 2, "two": 2}
    assert _starts(cluster) == [("start", "a")]


def test_each_worker_counts_what_it_runs_itself(cluster):
    """A connector on one of them, tasks on both."""
    cluster.create("a", 4)
    counts = {}
    for node in cluster.nodes:
        figures = {figure.name: figure.value for figure in node.herder.figures()}
        names = ("connector-count", "task-count", "connector-running-task-count")
        counts[node is cluster.leader("a")] = [figures[name] for name in names]
    assert counts == {True: [1, 2, 2], False: [0, 2, 2]}


def test_a_single_task_runs_beside_its_connector(cluster):
    """Where nothing else has to be balanced."""
    cluster.create("a", 1)
    assert cluster.watch.of("a") == {0: cluster.leader("a").name}


@pytest.mark.parametrize("counts", [(1, 1, 1, 1), (3, 3), (5, 1, 2), (7, 4, 1, 1, 1)])
def test_all_connectors_together_are_balanced_within_one(cluster, counts):
    """Odd numbers of one are made up for by the next."""
    names = [f"c{n}" for n in range(len(counts))]
    for name, count in zip(names, counts, strict=True):
        cluster.create(name, count)

    shares = _shares(cluster, *names)

    assert _runs_all(cluster, **dict(zip(names, counts, strict=True)))
    assert max(shares.values()) - min(shares["one"], shares["two"]) <= 1


def test_more_workers_than_tasks_leave_some_idle(cluster):
    """No worker has two."""
    cluster.join("three", "four")
    cluster.create("a", 3)
    assert _runs_all(cluster, a=3)
    assert set(_shares(cluster, "a").values()) == {1}


def test_one_worker_alone_runs_everything():
    """No other worker has to report anything."""
    cluster = Cluster()
    cluster.join("one")
    cluster.create("a", 5)
    assert _runs_all(cluster, a=5)
    cluster.close()


def test_a_worker_that_joins_takes_tasks_and_the_others_go_on(cluster):
    """Only what moves is stopped; there is no new generation."""
    cluster.create("a", 6)
    before, generation = cluster.watch.of("a"), cluster.state().generations["a"]

    cluster.join("three")

    after = cluster.watch.of("a")
    moved = [n for n in before if after[n] != before[n]]
    assert _runs_all(cluster, a=6)
    assert {after[n] for n in moved} <= {"three"}
    assert cluster.state().generations["a"] == generation


def test_shards_go_to_another_worker_once_what_is_in_them_has_ended(cluster):
    """However long that takes; the worker that gives them keeps others of the connector."""
    cluster.create("a", 6)
    giver = cluster.nodes[0]

    with cluster.slow(giver):
        joining = threading.Thread(target=cluster.join, args=("three",))
        joining.start()
        joining.join(0.05)
        during = cluster.watch.of("a")
    joining.join(10)

    assert set(during.values()) == {"one", "two"}
    assert "one" in cluster.watch.of("a").values()
    assert _runs_all(cluster, a=6)


@pytest.mark.parametrize("role", ["the connector's worker", "the other one"])
@pytest.mark.parametrize("how", ["leaves", "is killed"])
def test_the_others_take_over_from_a_worker_that_is_gone(cluster, role, how):
    """Its tasks alone start again; those of the others are not disturbed."""
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)
    gone, left = (leader, other) if role == "the connector's worker" else (other, leader)
    left.worker.calls.clear()

    (cluster.leave if how == "leaves" else cluster.kill)(gone)

    assert _runs_all(cluster, a=4)
    assert not [call for call in left.worker.calls if call[0] == "stop-tasks"]


def test_nothing_of_a_new_generation_runs_before_the_old_one_has_ended_everywhere(cluster):
    """Not even on the worker that is done; the producers are fenced between the two."""
    cluster.create("a", 4, **{"exactly-once": "yes"})
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)
    leader.worker.calls.clear()

    with cluster.slow(other):
        leader.herder.put_connector_config(
            "a", {"name": "a", "tasks.max": "4", "x": "y", "exactly-once": "yes"}
        )
        assert leader.herder.settle(5)
        during = dict(cluster.watch.running)
        fenced_early = [call for call in leader.worker.calls if call[0] in {"fence", "launch"}]
    cluster.settle()

    assert set(during.values()) == {other.name}
    assert fenced_early == []
    assert [call[0] for call in leader.worker.calls].index("fence") < [
        call[0] for call in leader.worker.calls
    ].index("launch")
    assert _runs_all(cluster, a=4)


def test_a_worker_that_dies_before_it_says_that_its_tasks_ended_holds_up_nothing(cluster):
    """The next owner of its shards reports for it."""
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)
    other.log.held_back = True

    leader.herder.put_connector_config("a", {"name": "a", "tasks.max": "2"})
    assert leader.herder.settle(5)
    waiting = cluster.state().is_open("a")
    cluster.kill(other)

    assert not waiting
    assert _runs_all(cluster, a=2)


def test_a_worker_that_says_nothing_is_not_waited_for_forever(cluster, monkeypatch):
    """It has lost its shards by then; one that lives on after all runs the new tasks only."""
    monkeypatch.setattr("plugwright.herder.generation._OVERDUE_S", 0.01)
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)
    other.log.held_back = True

    leader.herder.put_connector_config("a", {"name": "a", "tasks.max": "4", "x": "y"})
    opened = leader.herder._local.runner("a").wait_until_open(10)
    gate = threading.Event()
    other.herder._local.runner("a").then(gate.wait)
    other.log.go_on()  # it learns of the new generation when that runs elsewhere
    gate.set()
    cluster.settle()
    cluster.watch.twice.clear()  # that is what waiting is for

    assert opened
    assert [call[0] for call in other.worker.calls].count("launch") == 2
    assert _runs_all(cluster, a=4)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_the_number_of_tasks_may_change(cluster, count):
    """Statuses of those that are gone go, too."""
    cluster.create("a", 4)
    cluster.create("a", count)
    assert _runs_all(cluster, a=count)


def test_pause_and_resume_reach_every_task(cluster):
    """Also where the connector itself is not."""
    cluster.create("a", 4)
    leader = cluster.leader("a")

    leader.herder.pause_connector("a")
    cluster.settle()
    paused = cluster.statuses_of("a")
    leader.herder.resume_connector("a")
    cluster.settle()

    assert {state for state, _ in paused.values()} == {"PAUSED"}
    assert _runs_all(cluster, a=4)


def test_tasks_that_move_while_their_connector_is_paused_stay_so(cluster):
    """The worker that takes them holds them still."""
    cluster.create("a", 4)
    cluster.leader("a").herder.pause_connector("a")
    cluster.settle()
    cluster.join("three")
    assert {state for state, _ in cluster.statuses_of("a").values()} == {"PAUSED"}


def test_a_stopped_connector_has_tasks_nowhere(cluster):
    """It is STOPPED once all have ended; resumed, all run again."""
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)

    with cluster.slow(other):
        leader.herder.stop_connector("a")
        assert leader.herder.settle(5)
        early = leader.herder.connector_status("a").connector.state
    cluster.settle()
    reported, running = cluster.statuses_of("a"), dict(cluster.watch.running)
    leader.herder.resume_connector("a")
    cluster.settle()

    assert early != "STOPPED"
    assert reported == {"connector": ("STOPPED", leader.name)}
    assert running == {}
    assert _runs_all(cluster, a=4)


def test_offsets_change_only_when_tasks_have_ended_on_all_workers(cluster, monkeypatch):
    """Until then the answer is to try again."""
    monkeypatch.setattr("plugwright.herder._herder._END_S", 0.01)
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)

    with pytest.raises(BadRequestError, match="must be in the STOPPED state"):
        leader.herder.alter_connector_offsets("a", None)
    with cluster.slow(other):
        leader.herder.stop_connector("a")
        with pytest.raises(RebalanceNeededError):
            leader.herder.alter_connector_offsets("a", None)
    cluster.settle()
    leader.herder.alter_connector_offsets("a", None)

    assert leader.worker.calls[-1] == ("alter-offsets", "a", None)


def test_a_removed_connector_leaves_nothing_anywhere(cluster):
    """No task, no status."""
    cluster.create("a", 4)
    cluster.leader("a").herder.delete_connector_config("a")
    cluster.settle()

    assert cluster.watch.running == {}
    for node in cluster.nodes:
        assert node.herder._parts.statuses.tasks("a") == {}
        assert node.herder._parts.statuses.connector("a") is None


def test_a_connector_that_comes_back_at_once_waits_for_its_former_tasks(cluster):
    """A worker may still be about to stop them."""
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)

    with cluster.slow(other):
        leader.herder.delete_connector_config("a")
        leader.herder.put_connector_config("a", {"name": "a", "tasks.max": "4"})
        assert leader.herder.settle(5)
        during = set(cluster.watch.of("a").values())
    cluster.settle()

    assert during == {other.name}
    assert _runs_all(cluster, a=4)


@pytest.mark.parametrize("tasks", [4, 1])
def test_a_connector_that_came_back_before_its_worker_looked_is_started_anew(cluster, tasks):
    """Removal and creation may come in one read of the configs topic, with the same text."""
    cluster.create("a", 4)
    leader, gate = cluster.leader("a"), threading.Event()

    leader.herder._local.runner("a").then(gate.wait)
    leader.herder.delete_connector_config("a")
    leader.herder.put_connector_config("a", {"name": "a", "tasks.max": str(tasks)})
    gate.set()
    cluster.settle()

    assert _runs_all(cluster, a=tasks)
    assert len(_starts(cluster)) == 2


def test_a_restart_with_tasks_reaches_all_of_them(cluster):
    """Each worker restarts its own."""
    cluster.create("a", 4)
    leader = cluster.leader("a")
    for node in cluster.nodes:
        node.worker.calls.clear()

    plan = leader.herder.restart_connector_and_tasks(RestartRequest("a", False, True))
    cluster.settle()

    assert {task.state for task in plan.tasks} == {"RESTARTING"}
    for node in cluster.nodes:
        done = [call[0] for call in node.worker.calls]
        assert done.count("stop-tasks") == 1
        assert done.count("launch") == 1
        assert ("start" in done) == (node is leader)
    assert _runs_all(cluster, a=4)


def test_only_failed_tasks_restart_where_only_they_are_meant(cluster):
    """Wherever they are."""
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)
    failed = min(n for n, worker in cluster.watch.of("a").items() if worker == other.name)
    other.worker.groups[-1].tell("FAILED", "boom", tasks=[failed])
    cluster.settle()
    reported = cluster.statuses_of("a")[failed]
    leader.worker.calls.clear()
    other.worker.calls.clear()

    leader.herder.restart_connector_and_tasks(RestartRequest("a", True, True))
    cluster.settle()

    assert reported == ("FAILED", other.name)
    assert [call[0] for call in leader.worker.calls] == []
    assert other.worker.calls == [("stop-tasks", "a-1", (failed,)), ("launch", "a-2", (failed,))]
    assert _runs_all(cluster, a=4)


def test_the_worker_of_a_task_restarts_it(cluster):
    """Any other one refers to it, be it the connector's own."""
    cluster.create("a", 4)
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)
    far = min(n for n, worker in cluster.watch.of("a").items() if worker == other.name)

    with pytest.raises(RequestTargetError) as raised:
        leader.herder.restart_task(TaskId("a", far))
    other.worker.calls.clear()
    other.herder.restart_task(TaskId("a", far))
    cluster.settle()

    assert raised.value.forward_url == other.member.url
    assert [call[0] for call in other.worker.calls] == ["stop-tasks", "launch"]
    assert _runs_all(cluster, a=4)


def test_tasks_that_a_worker_cannot_run_fail_there(cluster):
    """With that worker's name and reason; a restart tries again."""
    leader = cluster.leader("a")
    other = next(node for node in cluster.nodes if node is not leader)
    other.worker.failures["host"] = failure("import")
    cluster.create("a", 4)
    reported = cluster.statuses_of("a")
    other.worker.failures.clear()
    leader.herder.restart_connector_and_tasks(RestartRequest("a", True, True))
    cluster.settle()

    by_worker = {worker: state for part, (state, worker) in reported.items() if part != "connector"}
    assert by_worker == {leader.name: "RUNNING", other.name: "FAILED"}
    assert _runs_all(cluster, a=4)


def test_tasks_of_one_query_stay_together(cluster):
    """On the worker of their connector."""
    cluster.create("a", 4, together="yes")
    assert set(cluster.watch.of("a").values()) == {cluster.leader("a").name}


def test_what_a_worker_of_kafka_connect_has_written_runs(cluster):
    """It tells no generation, and lets nothing run in so many words."""
    name, entries = "a", cluster.configs.reader("java")
    entries.send(
        [
            ("connector-a", b'{"properties":{"name":"a","tasks.max":"2"}}'),
            ("task-a-0", b'{"properties":{"n":"0"}}'),
            ("task-a-1", b'{"properties":{"n":"1"}}'),
            ("commit-a", b'{"tasks":2}'),
        ]
    )
    cluster.settle()
    assert _runs_all(cluster, **{name: 2})


class Chance:
    """Does something by chance to a group and its connectors."""

    def __init__(self, seed):
        self.random = random.Random(seed)  # noqa: S311  # a test's
        self.cluster = Cluster()
        self.cluster.join("w0", "w1")
        self.wanted, self.born = {}, 2

    def change(self):
        """A connector is new, or has other tasks."""
        name, count = f"c{self.random.randrange(3)}", self.random.randrange(1, 6)
        self.cluster.create(name, count, x=str(self.random.random()))
        self.wanted[name] = count

    def remove(self):
        """A connector goes."""
        if self.wanted:
            name = self.random.choice(sorted(self.wanted))
            self.cluster.leader(name).herder.delete_connector_config(name)
            del self.wanted[name]

    def restart(self):
        """A connector restarts with its tasks."""
        if self.wanted:
            name = self.random.choice(sorted(self.wanted))
            request = RestartRequest(name, False, True)
            self.cluster.leader(name).herder.restart_connector_and_tasks(request)

    def go(self):
        """A worker leaves or dies."""
        nodes = self.cluster.nodes
        if len(nodes) > 1:
            how = self.random.choice([self.cluster.leave, self.cluster.kill])
            how(self.random.choice(nodes))

    def come(self):
        """A worker joins."""
        if len(self.cluster.nodes) < 5:
            self.cluster.join(f"w{self.born}")
            self.born += 1

    def shuffle(self):
        """Shards move."""
        self.cluster.rebalance(reverse=self.random.random() < 0.5)

    def act(self):
        """One of these."""
        acts = [self.change, self.change, self.remove, self.restart]
        self.random.choice([*acts, self.go, self.shuffle, self.come])()


@pytest.mark.parametrize("seed", range(12))
def test_tasks_run_once_whatever_happens(seed):
    """Workers come, leave and die, connectors come, change and go, in any order."""
    chance = Chance(seed)
    cluster = chance.cluster
    chance.change()
    for _ in range(15):
        chance.act()
    cluster.settle()

    assert cluster.watch.twice == []
    assert _runs_all(cluster, **chance.wanted)
    assert {name for name, _ in cluster.watch.running} == set(chance.wanted)
    cluster.close()


def test_rebalances_under_changes_never_run_a_task_twice(cluster):
    """Two threads at once: one reconfigures, the other moves shards."""
    cluster.create("a", 5)
    cluster.join("three")
    problems = []

    def reconfigure():
        for n in range(20):
            for node in cluster.nodes:
                try:
                    if node.ownership.owns("a"):
                        config = {"name": "a", "tasks.max": str(n % 5 + 1), "n": str(n)}
                        node.herder.put_connector_config("a", config)
                except (RebalanceNeededError, RequestTargetError):
                    continue
                except Exception as error:  # noqa: BLE001  # compared below
                    problems.append(error)

    thread = threading.Thread(target=reconfigure)
    thread.start()
    for n in range(10):
        cluster.rebalance(reverse=bool(n % 2))
    thread.join(20)
    cluster.settle()

    assert problems == []
    assert _runs_all(cluster, a=int(cluster.state().configs["a"]["tasks.max"]))
