"""Workers tell each other which shards they have."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError
from plugwright.kafka.shard_owners import ShardOwners


class FakeTopic:
    """One topic for several workers; away while the test says so."""

    def __init__(self):
        self.entries, self.readers = [], []
        self.away = False

    def start(self, apply):
        """Read what there is."""
        self.readers.append(apply)
        for entry in self.entries:
            apply(*entry, 0)

    def send_and_read(self, entries):
        """Append, unless Kafka is away."""
        if self.away:
            raise ConnectError("away", code="kafka.unwritable")
        self.entries += entries
        for apply in self.readers:
            for entry in entries:
                apply(*entry, 0)

    def read_to_end(self):
        """Everything is applied at once."""

    def close(self):
        """Nothing is open."""


class Clock:
    """Seconds that the test sets."""

    now = 100.0

    def __call__(self):
        """The time."""
        return self.now


@pytest.fixture
def topic():
    """What the workers share."""
    return FakeTopic()


@pytest.fixture
def clock():
    """The time."""
    return Clock()


@pytest.fixture
def workers(topic, clock):
    """Two of them."""
    found = [ShardOwners(topic, clock), ShardOwners(topic, clock)]
    for number, each in enumerate(found):
        each.start(f"http://{number}/")
    return found


def test_everybody_knows_the_newest_claim(workers, topic, clock):
    """Also one that starts later."""
    first, second = workers
    first.claim([0, 1])
    second.claim([1])
    late = ShardOwners(topic, clock)
    late.start("http://late/")

    for each in (first, second, late):
        assert [each.url_of(shard) for shard in range(3)] == ["http://0/", "http://1/", None]
    assert (first.is_own(0), first.is_own(1), first.is_own(2)) == (True, False, False)


def test_what_is_released_is_nobodys(workers):
    """A worker that leaves says goodbye."""
    first, second = workers
    first.claim([0])
    first.release()

    assert second.url_of(0) is None


def test_what_is_kept_is_not_released(workers):
    """Connectors in it have not stopped yet."""
    first, second = workers
    first.claim([0, 1])
    first.release(keep={1})

    assert [second.url_of(n) for n in (0, 1)] == [None, "http://0/"]


def test_what_another_worker_has_claimed_is_not_released(workers):
    """A worker that was slow to leave must not hide the next owner."""
    first, second = workers
    first.claim([0, 1])
    second.claim([0])
    first.release()

    assert [second.url_of(n) for n in (0, 1)] == ["http://1/", None]


def test_leaving_does_not_fail_while_kafka_is_away(workers, topic, caplog):
    """The next owner will say so."""
    workers[0].claim([0])
    topic.away = True
    workers[0].release()

    assert "could not be announced: away" in caplog.text


def test_an_owner_claims_again_what_a_sleeper_has_claimed(workers, clock):
    """A worker that slept past its session claims what it was given before."""
    sleeper, owner = workers
    owner.claim([0, 1])
    sleeper.claim([0])

    owner.insist({0, 1})

    assert sleeper.url_of(0) == "http://1/"


def test_two_that_insist_do_not_flood_the_topic(workers, topic, clock):
    """Once a second is enough until the group tells the sleeper."""
    first, second = workers
    for _ in range(100):
        first.insist({0})
        second.insist({0})
    assert len(topic.entries) == 2

    clock.now += 2
    first.insist({0})
    assert len(topic.entries) == 3


def test_a_claim_that_cannot_be_made_again_is_made_later(workers, topic, clock, caplog):
    """Being a member goes on."""
    topic.away = True
    workers[0].insist({0})
    assert "shards [0] could not be claimed again" in caplog.text

    topic.away = False
    clock.now += 2
    workers[0].insist({0})
    assert workers[1].url_of(0) == "http://0/"
