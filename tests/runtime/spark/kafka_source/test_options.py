"""The options of the Kafka data source, by their literal texts."""

from __future__ import annotations

import pytest

from plugwright.errors import ConfigError
from plugwright.record import TopicPartition
from plugwright.spark.kafka_source import KafkaOptions, offsets_json

SERVERS = {"kafka.bootstrap.servers": "kafka:9092"}


def _problems(options, *, streaming=False):
    with pytest.raises(ConfigError) as caught:
        KafkaOptions.parse(options, streaming=streaming)
    return list(caught.value.facts["problems"])


def test_options_are_read_whatever_their_case():
    """Clients get the settings under kafka., which are not shown."""
    given = {
        "SUBSCRIBE": "b, a,b",
        "startingoffsets": '{"a": {"0": 23, "1": -2}}',
        "minPartitions": "4",
        "includeheaders": "TRUE",
        "failOnDataLoss": "false",
        "kafka.sasl.password": "hush",
    }

    found = KafkaOptions.parse(SERVERS | given, streaming=False)

    assert found.subscription.topics == ("b", "a")
    assert found.starting == {TopicPartition("a", 0): 23, TopicPartition("a", 1): -2}
    assert (found.ending, found.min_partitions, found.max_offsets) == ("latest", 4, 0)
    assert (found.include_headers, found.fail_on_data_loss) == (True, False)
    assert (found.servers, found.client) == ("kafka:9092", {"sasl.password": "hush"})
    assert "hush" not in repr(found)


@pytest.mark.parametrize(("streaming", "starting"), [(False, "earliest"), (True, "latest")])
def test_a_batch_begins_at_the_start_and_a_stream_at_the_end(streaming, starting):
    """As with Spark's own source."""
    found = KafkaOptions.parse(SERVERS | {"subscribe": "a"}, streaming=streaming)

    assert found.starting == starting


def test_partitions_can_be_named():
    """By topic and number."""
    found = KafkaOptions.parse(SERVERS | {"assign": '{"b": [1], "a": [2, 0]}'}, streaming=True)

    assert found.subscription.assigned == (("a", 0), ("a", 2), ("b", 1))


def test_all_problems_come_at_once():
    """Each names its option and what to do; values of client settings are not shown."""
    given = {
        "subscribe": "a",
        "assign": "nonsense",
        "startingOffsets": "yesterday",
        "maxOffsetsPerTrigger": "5",
        "minPartitions": "few",
        "failOnDataLoss": "perhaps",
        "subscribePatern": "x",
        "kafka.group.id": "mine",
    }

    assert _problems(given) == [
        "subscribePatern: unknown option; did you mean subscribePattern?",
        (
            "kafka.group.id: cannot be set; the source reads without a group, and the checkpoint "
            "stores the offsets"
        ),
        "kafka.bootstrap.servers: missing; set it to host:port of a broker",
        "maxOffsetsPerTrigger: applies only to streaming queries; remove it",
        "assign, subscribe, subscribePattern: set exactly one; found assign, subscribe",
        (
            'startingOffsets: expected earliest, latest or JSON such as {"topic": {"0": 23, "1": '
            "-2}}, offsets by partition, -2 for earliest and -1 for latest; found yesterday"
        ),
        "minPartitions: expected a positive integer; found few",
        "failOnDataLoss: expected true or false; found perhaps",
    ]


@pytest.mark.parametrize(
    ("option", "problem"),
    [
        ({"startingOffsets": "latest"}, "startingOffsets: a batch cannot begin at latest"),
        ({"startingOffsets": '{"a": {"0": -1}}'}, "startingOffsets: a batch cannot begin"),
        ({"endingOffsets": "earliest"}, "endingOffsets: a batch cannot end at earliest"),
        ({"startingOffsets": '{"a": {"0": -3}}'}, "startingOffsets: expected earliest"),
        ({"startingOffsets": '{"a": 3}'}, "startingOffsets: expected earliest"),
        ({"subscribe": "", "subscribePattern": "("}, "subscribePattern: ( is not a regu"),
    ],
    ids=str,
)
def test_a_wrong_place_is_explained(option, problem):
    """Before any task starts."""
    found = _problems(SERVERS | {"subscribe": "a"} | option)

    assert [each[: len(problem)] for each in found] == [problem]


def test_a_stream_has_no_end():
    """Its ending offsets are refused."""
    given = SERVERS | {"subscribe": "a", "endingOffsets": "latest"}

    assert _problems(given, streaming=True) == [
        "endingOffsets: applies only to batch queries; remove it"
    ]


def test_offsets_are_plain_data_in_order():
    """As Spark's own source writes them."""
    offsets = {TopicPartition("b", 0): 1, TopicPartition("a", 10): 2, TopicPartition("a", 9): 3}

    assert offsets_json(offsets) == {"a": {"9": 3, "10": 2}, "b": {"0": 1}}
