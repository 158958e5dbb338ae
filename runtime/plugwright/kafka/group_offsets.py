"""The committed offsets of a sink connector's consumer group while it is empty (KIP-875)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from confluent_kafka import KafkaError, KafkaException

from plugwright.errors import ConnectError
from plugwright.kafka.error_codes import may_pass
from plugwright.kafka.group_process import GroupProcess, GroupProcessDiedError
from plugwright.record import TopicPartition
from plugwright.retry import retried
from plugwright.worker import right_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_REQUEST_S = 15.0
_UNKNOWN = frozenset({KafkaError.GROUP_ID_NOT_FOUND})
_UNREADY_WAIT_S = 0.1
_GROUP_IN_USE = "kafka.group-in-use"
_LOOK_S = 0.5
_IN_USE = frozenset({KafkaError.NON_EMPTY_GROUP, KafkaError.UNKNOWN_MEMBER_ID})


def once_empty(
    step: Callable[[], None], timeout_s: float, abandoned: Callable[[], bool] = lambda: False
) -> None:
    """Run a step on a group's offsets as soon as the group is empty.

    A stopped static member (KIP-345) stays in its group until its session expires.

    Args:
        step: the step; retried while it fails with ``kafka.group-in-use``.
        timeout_s: how long to retry, in seconds.
        abandoned: returns whether to stop waiting.

    Raises:
        ConnectError: the last error of the step.
    """
    retried(
        step,
        lambda error: getattr(error, "code", "") == _GROUP_IN_USE and not abandoned(),
        within_s=timeout_s,
        pause_s=_LOOK_S,
    )


class GroupOffsets:
    """Reads and changes the offsets of one group.

    Args:
        group: its id.
        overrides: settings for the client, in Kafka's property names.
    """

    def __init__(
        self, bootstrap_servers: str, group: str, overrides: Mapping[str, str] | None = None
    ) -> None:
        self._group = group
        self._process = GroupProcess(bootstrap_servers, group, overrides)

    def read(self) -> Mapping[TopicPartition, int]:
        """The committed offsets, sorted by partition; none for a group that does not exist.

        Raises:
            ConnectError: if Kafka does not answer or refuses.
        """
        return {home: offset for home, (offset, _) in self.with_metadata().items()}

    def with_metadata(self) -> Mapping[TopicPartition, tuple[int, str]]:
        """The committed offsets, each with its metadata.

        Raises:
            ConnectError: if Kafka does not answer or refuses.
        """
        try:
            found = self._ask("list")
        except KafkaException as error:
            if error.args[0].code() in _UNKNOWN:
                return {}
            self._fail("read", error)
        offsets = {
            TopicPartition(topic, partition): (offset, metadata)
            for topic, partition, offset, metadata, _ in found
            if offset >= 0
        }
        return dict(sorted(offsets.items()))

    def alter(self, changes: Mapping[TopicPartition, int | None]) -> None:
        """Set offsets, or delete those that are ``None``.

        Deleting some means deleting the group and committing the others again, because the client
        cannot delete single offsets. After a crash in between, the connector reads those again.

        Raises:
            ConnectError: if the group is in use, or a partition does not exist; the others are
                changed, as by Kafka.
        """
        missing = self._missing(changes)
        made = {home: offset for home, offset in changes.items() if home not in missing}
        wanted = {home: offset for home, offset in made.items() if offset is not None}
        if len(wanted) < len(made):
            found = self.read().items()
            kept = {home: offset for home, offset in found if home not in made}
            self.reset()
            wanted = kept | wanted
        if wanted:
            self.commit(wanted)
        for home in missing:
            unknown = KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)
            self._fail(f"altered for {home.topic}-{home.partition}", unknown)

    def _missing(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """The partitions that do not exist."""
        topics = sorted({home.topic for home in partitions if home.topic})
        try:
            found = self._ask("partitions", [[topic] for topic in topics]) if topics else []
        except KafkaException as error:
            self._fail("altered", error)
        known = {(topic, partition) for topic, partition, *_ in found}
        return [home for home in partitions if (home.topic, home.partition) not in known]

    def reset(self) -> None:
        """Delete all offsets.

        Raises:
            ConnectError: if the group is in use.
        """
        try:
            self._ask("delete")
        except KafkaException as error:
            if error.args[0].code() not in _UNKNOWN:
                self._fail("reset", error)

    def commit(self, offsets: Mapping[TopicPartition, int], metadata: str = "") -> None:
        """Set offsets, with the same metadata for each.

        Raises:
            ConnectError: if the group is in use, or a partition does not exist.
        """
        partitions = [(p.topic, p.partition, offset, metadata) for p, offset in offsets.items()]
        try:
            done = self._ask("alter", partitions)
        except KafkaException as error:
            self._fail("altered", error)
        for topic, partition, *_, refusal in done:
            if refusal is not None:
                self._fail(f"altered for {topic}-{partition}", KafkaError(*refusal))

    def _ask(self, operation: str, partitions: Sequence[Sequence[object]] = ()) -> list[list[Any]]:
        """Send a request as soon as the group's coordinator is ready; returns the response."""
        try:
            return retried(
                lambda: self._process.ask(operation, partitions),
                lambda error: isinstance(error, GroupProcessDiedError) or may_pass(error),
                within_s=_REQUEST_S,
                pause_s=_UNREADY_WAIT_S,
            )
        except GroupProcessDiedError as error:
            self._fail("requested", error)

    def _fail(self, what: str, reason: object) -> NoReturn:
        error = reason.args[0] if isinstance(reason, KafkaException) else reason
        in_use = isinstance(error, KafkaError) and error.code() in _IN_USE
        raise ConnectError(
            f"offsets of consumer group {self._group} cannot be {what}: {error}",
            code=_GROUP_IN_USE if in_use else "kafka.group-offsets",
            hint="wait until the connector's tasks have left the group"
            if in_use
            else right_hint(error, "Read (Delete, to reset them)", "Group", self._group),
            facts={"group": self._group},
        )
