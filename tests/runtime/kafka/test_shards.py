"""Workers share the shards of a cluster, on a live broker."""

from __future__ import annotations

import threading

import pytest
from confluent_kafka import Consumer, TopicPartition

from plugwright.errors import ConnectError
from plugwright.kafka import CompactedTopic, ShardMembership, read_topic

pytestmark = pytest.mark.kafka

NAMES = [f"connector-{n}" for n in range(40)]

PROBLEMS = [
    ConnectError("no state", code="kafka.unreadable"),
    RuntimeError("can't start new thread: no state"),
]


class Member:
    """A membership and what it has heard."""

    def __init__(self, broker, group, topic, url):
        self.held = set()
        self.overlaps = []
        self.others = []
        self.changed = threading.Condition()
        shards = CompactedTopic(topic, partitions=6)
        self.membership = ShardMembership(broker.bootstrap_servers, group, shards)
        self.url = url

    def assigned(self, shards):
        """Note what is held, and who else holds it."""
        with self.changed:
            self.held |= shards
            self.overlaps += [shards & other.held for other in self.others]
            self.changed.notify_all()

    def revoked(self, shards):
        """Let go."""
        with self.changed:
            self.held -= shards
            self.changed.notify_all()

    lost = revoked

    def wait(self, count):
        """Until this many shards are held."""
        with self.changed:
            return self.changed.wait_for(lambda: len(self.held) == count, 40)


@pytest.fixture
def member(broker, fresh):
    """Makes members of one group, and has them leave at the end."""
    group, topic, members = fresh("group"), fresh("shards"), []

    def join(url):
        new = Member(broker, group, topic, url)
        new.others = list(members)
        members.append(new)
        new.membership.start(url, new)
        return new

    yield join
    for each in members:
        each.membership.close()


def test_two_workers_divide_the_shards_and_one_takes_over(member):
    """Each shard has one owner at every moment, and everybody knows its address."""
    first = member("http://one:8083/")
    assert first.wait(6)
    second = member("http://two:8083/")
    assert first.wait(3)
    assert second.wait(3)
    first.membership.confirms(NAMES[0])  # reads everything that was announced
    owners = {first.membership.owner_of(name) for name in NAMES}
    assert owners == {"http://one:8083/", "http://two:8083/"}
    reported = second.membership
    assert all(reported.confirms(n) == (reported.owner_of(n) == second.url) for n in NAMES)
    first.membership.close()
    assert second.wait(6)
    assert not any(second.overlaps)
    assert {second.membership.owner_of(name) for name in NAMES} == {"http://two:8083/"}
    second.membership.close()
    assert {second.membership.owner_of(name) for name in NAMES} == {None}


class LeavingClient:
    """Gets all shards at once, and leaves as the client of a worker in a rebalance may."""

    def __init__(self, topic, on_close):
        self._all = [TopicPartition(topic, n) for n in range(6)]
        self._on_close = on_close
        self._callbacks, self._events = {}, ["on_assign", "on_revoke"]

    def subscribe(self, _, **callbacks):
        """Join."""
        self._callbacks = callbacks

    def poll(self, timeout_s):
        """The assignment comes first; then another worker is about to get half of it."""
        if self._events:
            event = self._events.pop(0)
            self._callbacks[event](self, self._all[3 * (event == "on_revoke") :])
        threading.Event().wait(timeout_s / 10)

    def close(self):
        """Leave, before the other worker has got anything."""
        if self._on_close is not None:
            self._callbacks[self._on_close](self, self._all[:3])

    def consumer_group_metadata(self):
        """It has none."""

    def pause(self, partitions):
        """Nothing is read."""

    incremental_assign = incremental_unassign = pause


@pytest.mark.parametrize("on_close", ["on_revoke", "on_lost", None])
def test_a_worker_that_leaves_says_goodbye_to_every_shard(on_close, broker, fresh, monkeypatch):
    """A client that leaves during a rebalance need not call back for all of them."""
    topic = fresh("leaving")
    monkeypatch.setattr("plugwright.kafka.shards.opened", lambda *_: LeavingClient(topic, on_close))
    leaving = Member(broker, fresh("group"), topic, "http://one:8083/")
    leaving.membership.start(leaving.url, leaving)
    assert leaving.wait(3)
    assert leaving.membership.owners() == dict.fromkeys(range(6), leaving.url)

    leaving.membership.close()

    newest = {m.key(): m.value() for m in read_topic(broker.bootstrap_servers, topic)}
    assert newest == {f"shard-{n}".encode(): None for n in range(6)}
    assert leaving.held == leaving.membership.owned == set()


def test_a_group_of_another_kind_is_not_joined(broker, fresh):
    """As long as workers of Kafka Connect use the group, ours stay out."""
    group, topic = fresh("group"), fresh("shards")
    CompactedTopic(topic).require(broker.bootstrap_servers)
    settings = {
        "bootstrap.servers": broker.bootstrap_servers,
        "group.id": group,
        "partition.assignment.strategy": "range",
    }
    stranger = Consumer(settings)
    stranger.subscribe([topic])
    for _ in range(200):
        stranger.poll(0.1)
        if stranger.assignment():
            break
    ours = Member(broker, group, topic, "http://one:8083/")
    with pytest.raises(ConnectError) as raised:
        ours.membership.start(ours.url, ours, timeout_s=15)
    stranger.close()
    assert raised.value.code == "kafka.group-refused"


def test_before_the_start_no_owner_of_a_connector_is_known(broker, fresh):
    """REST listens already; it is a matter of trying again."""
    membership = ShardMembership(
        broker.bootstrap_servers, fresh("group"), CompactedTopic(fresh("shards"))
    )
    assert membership.shard_of("a") == -1
    assert membership.owner_of("a") is None


@pytest.mark.parametrize("error", PROBLEMS, ids=repr)
def test_a_worker_that_cannot_take_up_its_shards_does_not_start(broker, fresh, error):
    """The caller that starts it receives the reason."""
    ours = Member(broker, fresh("group"), fresh("shards"), "http://one:8083/")
    ours.assigned = lambda _: _refuse(error)
    with pytest.raises(ConnectError, match="no state"):
        ours.membership.start(ours.url, ours)


@pytest.mark.parametrize("error", PROBLEMS, ids=repr)
def test_a_worker_that_cannot_take_up_further_shards_joins_again(member, error):
    """Kafka was away, or the machine had no thread left: the worker does not stay out for ever."""
    first, second = member("http://one:8083/"), member("http://two:8083/")
    assert first.wait(3)
    take_up, refusals = first.assigned, [lambda: _refuse(error)]
    first.assigned = lambda shards: refusals.pop()() if refusals else take_up(shards)

    second.membership.close()

    assert first.wait(6)
    assert not refusals


def _refuse(error):
    raise error
