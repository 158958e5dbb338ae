"""``topics.regex`` means the topics that Java's ``Pattern.matches`` says yes to, or is refused."""

from __future__ import annotations

import queue
from contextlib import nullcontext

import pytest
from confluent_kafka import KafkaError, KafkaException
from tests.oracle.golden import golden

from plugwright.errors import ConfigError
from plugwright.kafka import TopicPattern
from plugwright.kafka.topic_watch import TopicWatch

pytestmark = pytest.mark.slow

LINES = golden("topics_regex")
INTERNAL = {"__consumer_offsets", "__share_group_state", "__transaction_state"}
REFUSED = {
    "bad-reference": "a reference to group 1, which does not occur before it",
    "case-off-in-the-middle": "flags in the middle",
    "case-off-unicode": "the flag u",
    "comments": "the flag x",
    "grapheme": r"escape sequence \X",
    "java-lower": "a Unicode property",
    "last-match": r"escape sequence \G",
    "look-behind-of-two-widths": "look-behind requires fixed-width pattern",
    "multi-line": "the flag m",
    "named-character": r"escape sequence \N",
    "unicode-classes": "the flag U",
    "unicode-is": "a Unicode property",
    "unicode-letters": "a Unicode property",
    "unicode-upper": "a Unicode property",
    "unix-lines": "the flag d",
}
"""What Java takes and has no exact counterpart: said before the connector starts."""


def answer(line):
    """The topics that we find, or why the pattern is refused."""
    pattern = TopicPattern(line.case["pattern"], internal=True)
    try:
        return pattern.matching(line.case["topics"])
    except ConfigError as error:
        return str(error)


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_pattern_means_what_java_says(line):
    """The same topics; what Java refuses is refused, and what we cannot do is refused by name."""
    found, reason = answer(line), REFUSED.get(line.id.partition("/")[2])

    if "error" in line.result or reason is not None:
        begin = f"Invalid value {line.case['pattern']} for configuration topics.regex: "
        assert isinstance(found, str)
        assert found.startswith(f"{begin}Invalid regex: ")
        assert (reason or "") in found
    else:
        assert found == sorted(line.result["matching"])


def test_all_patterns_are_there():
    """The comparison cannot pass by not running, nor by refusing much."""
    assert len(LINES) > 130
    assert {f"topics_regex/{name}" for name in REFUSED} < {line.id for line in LINES}
    assert all("matching" in line.result for line in LINES if line.id.partition("/")[2] in REFUSED)


@pytest.mark.parametrize(
    ("client", "internal"),
    [
        ({}, False),
        ({"exclude.internal.topics": "true"}, False),
        ({"exclude.internal.topics": " False "}, True),
    ],
    ids=["unset", "true", "false"],
)
def test_kafkas_own_topics_are_left_out(client, internal):
    """Unless ``exclude.internal.topics`` is false."""
    found = TopicPattern.of("_.*", client).matching([*INTERNAL, "_schemas", "orders"])

    assert found == sorted({"_schemas", *(INTERNAL if internal else ())})


class Cluster:
    """Names of topics, reported one look after the other; counts the looks."""

    def __init__(self):
        self.begun = queue.Queue()
        self.answers = queue.Queue()

    def look(self):
        """The next answer; waits for it."""
        self.begun.put(None)
        found = self.answers.get(timeout=10)
        if isinstance(found, Exception):
            raise found
        return found

    def tell(self, names):
        """Answer the look that waits; returns when the next one has begun."""
        self.answers.put(names)
        self.begun.get(timeout=10)


@pytest.fixture
def cluster():
    """A cluster that is asked at once and again and again."""
    return Cluster()


@pytest.fixture
def watch(cluster):
    """Follows the topics that begin with an a."""
    watch = TopicWatch(TopicPattern("a.*"), lambda: nullcontext(cluster.look), 0)
    watch.start()
    cluster.begun.get(timeout=10)
    yield watch
    watch._over.set()
    cluster.answers.put([])
    watch.close()


def test_changes_are_reported_once(cluster, watch):
    """What came, what went, and nothing where nothing matches yet."""
    assert watch.changed() is None
    cluster.tell(["b"])
    assert watch.changed() is None
    cluster.tell(["b", "a2", "a1"])
    assert (watch.changed(), watch.changed()) == (("a1", "a2"), None)
    cluster.tell(["a1", "a2", "c"])
    assert watch.changed() is None
    cluster.tell(["a2"])
    assert watch.changed() == ("a2",)
    cluster.tell([])
    assert watch.changed() == ()


def test_an_outage_changes_nothing(cluster, watch):
    """Topics are not gone because Kafka does not answer."""
    cluster.tell(["a"])
    assert watch.changed() == ("a",)
    cluster.tell(KafkaException(KafkaError(KafkaError._TRANSPORT)))
    assert watch.changed() is None
    cluster.tell(["a", "a2"])
    assert watch.changed() == ("a", "a2")


def test_a_watch_that_never_began_can_be_closed(cluster):
    """A task that fails before it subscribes."""
    TopicWatch(TopicPattern("a"), lambda: nullcontext(cluster.look), 0).close()
