"""The options of the Kafka data source: Spark's own names, validated before any task starts."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConfigError
from plugwright.kafka import Subscription, TopicPattern
from plugwright.record import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EARLIEST, LATEST = "earliest", "latest"
_FIRST, _BEHIND = -2, -1
"""The numbers in the JSON of Spark's options for the earliest and the latest offset."""

_KAFKA = "kafka."
_SERVERS = "kafka.bootstrap.servers"
_SUBSCRIPTIONS = ("assign", "subscribe", "subscribePattern")
_KNOWN = (
    *_SUBSCRIPTIONS,
    "endingOffsets",
    "failOnDataLoss",
    "includeHeaders",
    "kafkaConsumer.pollTimeoutMs",
    "maxOffsetsPerTrigger",
    "minPartitions",
    "plugwright.tasks",
    "startingOffsets",
)
_OWNED = (
    "auto.offset.reset",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.partition.eof",
    "group.id",
    "interceptor.classes",
    "key.deserializer",
    "value.deserializer",
)
_WHY_OWNED: Mapping[str, str] = {
    "auto.offset.reset": "use startingOffsets",
    "group.id": "the source reads without a group, and the checkpoint stores the offsets",
}


@dataclass(frozen=True, slots=True)
class KafkaOptions:
    """The options of a Kafka reader.

    Attributes:
        servers: the bootstrap servers.
        subscription: the topics.
        starting: ``earliest``, ``latest``, or offsets by partition, where -2 and -1 mean the same.
        ending: the same for the end of a batch.
        max_offsets: approximate number of offsets in a streaming batch; 0 for no limit.
        min_partitions: minimum number of Spark partitions; 0 for one per topic partition.
        tasks: number of tasks that share a connector's partitions; 0 for none.
        client: settings for the clients, under Kafka's property names; its repr hides secrets.
    """

    servers: str
    subscription: Subscription
    starting: str | Mapping[TopicPartition, int]
    ending: str | Mapping[TopicPartition, int]
    max_offsets: int = 0
    min_partitions: int = 0
    tasks: int = 0
    fail_on_data_loss: bool = True
    include_headers: bool = False
    timeout_s: float = 120.0
    client: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(cls, options: Mapping[str, str], *, streaming: bool) -> KafkaOptions:
        """Parse the options of a batch or of a stream, ignoring their case.

        Raises:
            ConfigError: ``config.invalid``, naming every invalid option, with advice.
        """
        return _Parser(options, streaming=streaming).parsed()


class _Parser:
    """Parses options and collects their problems."""

    def __init__(self, options: Mapping[str, str], *, streaming: bool) -> None:
        names = {name.lower(): name for name in _KNOWN}
        self._given = {names.get(key.lower(), key): text for key, text in options.items()}
        self._streaming = streaming
        self._problems: list[str] = []

    def parsed(self) -> KafkaOptions:
        self._check_names()
        subscription = self._subscription()
        found = KafkaOptions(
            servers=self._given.get(_SERVERS, "").strip(),
            subscription=subscription,
            starting=self._place("startingOffsets", LATEST if self._streaming else EARLIEST),
            ending=self._place("endingOffsets", LATEST),
            max_offsets=self._number("maxOffsetsPerTrigger"),
            min_partitions=self._number("minPartitions"),
            tasks=self._number("plugwright.tasks"),
            fail_on_data_loss=self._flag("failOnDataLoss", otherwise=True),
            include_headers=self._flag("includeHeaders", otherwise=False),
            timeout_s=self._number("kafkaConsumer.pollTimeoutMs", 120_000) / 1000,
            client={
                key.removeprefix(_KAFKA): text
                for key, text in self._given.items()
                if key.startswith(_KAFKA) and key != _SERVERS
            },
        )
        self._check_places(found)
        if self._problems:
            raise ConfigError(
                "the options of plugwright-kafka are invalid:\n"
                + "\n".join(f"  {each}" for each in self._problems),
                hint="correct these options; they follow Spark's own Kafka source",
                facts={"problems": tuple(self._problems)},
            )
        return found

    def _check_names(self) -> None:
        for key in self._given:
            if key.startswith(_KAFKA):
                own = key.removeprefix(_KAFKA)
                if own in _OWNED:
                    why = _WHY_OWNED.get(own, "the source controls it")
                    self._problems.append(f"{key}: cannot be set; {why}")
            elif key not in _KNOWN:
                near = get_close_matches(key, (*_KNOWN, _SERVERS), 1)
                advice = f"did you mean {near[0]}?" if near else "remove it"
                self._problems.append(f"{key}: unknown option; {advice}")
        if not self._given.get(_SERVERS, "").strip():
            self._problems.append(f"{_SERVERS}: missing; set it to host:port of a broker")
        streams, batches = ("maxOffsetsPerTrigger",), ("endingOffsets",)
        for key in batches if self._streaming else streams:
            if key in self._given:
                where = "batch" if self._streaming else "streaming"
                self._problems.append(f"{key}: applies only to {where} queries; remove it")

    def _subscription(self) -> Subscription:
        given = [key for key in _SUBSCRIPTIONS if self._given.get(key, "").strip()]
        if len(given) != 1:
            names = ", ".join(given) or "none of them"
            self._problems.append(f"{', '.join(_SUBSCRIPTIONS)}: set exactly one; found {names}")
            return Subscription()
        text = self._given[given[0]].strip()
        if given[0] == "subscribe":
            topics = [topic.strip() for topic in text.split(",")]
            return Subscription(topics=tuple(dict.fromkeys(filter(None, topics))))
        if given[0] == "subscribePattern":
            return self._pattern(text)
        return self._assigned(text)

    def _pattern(self, text: str) -> Subscription:
        client = {key.removeprefix(_KAFKA): given for key, given in self._given.items()}
        pattern = TopicPattern.of(text, client)
        try:
            pattern.compiled()
        except ConfigError as error:
            why = str(error).partition("Invalid regex: ")[2]
            self._problems.append(f"subscribePattern: {text} is not a regular expression: {why}")
        return Subscription(pattern=pattern)

    def _assigned(self, text: str) -> Subscription:
        try:
            homes = [
                TopicPartition(topic, _natural(number))
                for topic, numbers in json.loads(text).items()
                for number in numbers
            ]
        except (ValueError, TypeError, AttributeError):
            self._problems.append(
                'assign: expected JSON such as {"topic": [0, 1]}, topics with partition numbers; '
                f"found {text}"
            )
            homes = []
        return Subscription(assigned=tuple(sorted(set(homes))))

    def _place(self, key: str, otherwise: str) -> str | Mapping[TopicPartition, int]:
        text = self._given.get(key, otherwise).strip()
        if text.lower() in {EARLIEST, LATEST}:
            return text.lower()
        try:
            return parse_offsets(text)
        except ValueError:
            self._problems.append(
                f'{key}: expected earliest, latest or JSON such as {{"topic": {{"0": 23, "1": -2}}'
                f"}}, offsets by partition, -2 for earliest and -1 for latest; found {text}"
            )
            return otherwise

    def _check_places(self, found: KafkaOptions) -> None:
        if not self._streaming:
            if found.starting == LATEST or _has(found.starting, _BEHIND):
                self._problems.append(
                    "startingOffsets: a batch cannot begin at latest; use earliest or offsets"
                )
            if found.ending == EARLIEST or _has(found.ending, _FIRST):
                self._problems.append(
                    "endingOffsets: a batch cannot end at earliest; use latest or offsets"
                )

    def _number(self, key: str, otherwise: int = 0) -> int:
        text = self._given.get(key)
        if text is None:
            return otherwise
        try:
            number = int(text)
        except ValueError:
            number = 0
        if number < 1:
            self._problems.append(f"{key}: expected a positive integer; found {text}")
        return number

    def _flag(self, key: str, *, otherwise: bool) -> bool:
        text = self._given.get(key, str(otherwise)).strip().lower()
        if text not in {"true", "false"}:
            self._problems.append(f"{key}: expected true or false; found {self._given[key]}")
        return text == "true"


def parse_offsets(text: str) -> dict[TopicPartition, int]:
    """Parse Spark's JSON for offsets by partition.

    >>> parse_offsets('{"orders": {"0": 23}}')
    {TopicPartition(topic='orders', partition=0): 23}

    Raises:
        ValueError: if the text is invalid.
    """
    return dict(_offsets(json.loads(text)))


def _offsets(plain: Any) -> Iterator[tuple[TopicPartition, int]]:
    if not isinstance(plain, dict) or not all(isinstance(each, dict) for each in plain.values()):
        raise ValueError("not offsets by topic and partition")  # the caller reports the option
    for topic, numbers in plain.items():
        for number, offset in numbers.items():
            if type(offset) is not int or offset < _FIRST:
                raise ValueError("not an offset")  # the caller reports the option
            yield TopicPartition(topic, _natural(number)), offset


def offsets_json(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    """Convert offsets to plain data for JSON, sorted."""
    found: dict[str, dict[str, int]] = {}
    for home, offset in sorted(offsets.items()):
        found.setdefault(home.topic, {})[str(home.partition)] = offset
    return found


def _natural(number: str | int) -> int:
    found = int(number)
    if found < 0:
        raise ValueError(number)
    return found


def _has(place: str | Mapping[TopicPartition, int], offset: int) -> bool:
    return not isinstance(place, str) and offset in place.values()
