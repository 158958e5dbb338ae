"""The records that tasks hand over and receive.

Plain slotted classes, not frozen dataclasses: a task builds one object per record, and a frozen
``__init__`` costs three times as much. Treat them as values all the same; use ``new_record``.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from plugwright.headers import Headers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.schema import Schema

__all__ = ["ConnectRecord", "SinkRecord", "SourceRecord", "TimestampType", "TopicPartition"]


class TopicPartition(NamedTuple):
    """One partition of one topic."""

    topic: str
    partition: int


class TimestampType(Enum):
    """The origin of a consumed record's timestamp."""

    NO_TIMESTAMP_TYPE = "NoTimestampType"
    CREATE_TIME = "CreateTime"
    LOG_APPEND_TIME = "LogAppendTime"


class ConnectRecord:
    """The common part of source and sink records.

    Attributes:
        topic: name of the Kafka topic.
        kafka_partition: partition of the topic; ``None`` lets the producer choose.
        key_schema: schema of the key, ``None`` for schemaless data.
        key: the key in Connect's data model.
        value_schema: schema of the value, ``None`` for schemaless data.
        value: the value in Connect's data model; ``None`` is a tombstone.
        timestamp: milliseconds since the epoch, or ``None``.
    """

    __slots__ = (
        "_headers",
        "kafka_partition",
        "key",
        "key_schema",
        "timestamp",
        "topic",
        "value",
        "value_schema",
    )

    topic: str
    kafka_partition: int | None
    key_schema: Schema | None
    key: Any
    value_schema: Schema | None
    value: Any
    timestamp: int | None
    _headers: Headers | None
    _fields: ClassVar[tuple[str, ...]]

    @property
    def headers(self) -> Headers:
        """The headers; never ``None``, made on first use."""
        if self._headers is None:
            self._headers = Headers()
        return self._headers

    @property
    def has_headers(self) -> bool:
        """Whether there is at least one header, without making an empty set of them."""
        return bool(self._headers)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Note once what every copy needs: the attributes of the class, bases first."""
        super().__init_subclass__(**kwargs)
        cls._fields = tuple(
            name
            for base in reversed(cls.__mro__)
            for name in getattr(base, "__slots__", ())
            if not name.startswith("_")
        )

    def duplicate(self) -> Self:
        """A copy, headers duplicated, to change before anyone else sees it. Hot path."""
        copy = self.__class__.__new__(self.__class__)
        for name in self._fields:
            setattr(copy, name, getattr(self, name))
        headers = self._headers
        copy._headers = None if headers is None else headers.duplicate()  # noqa: SLF001  # own class
        return copy

    def new_record(self, **changes: Any) -> Self:
        """A copy with the named attributes replaced; headers are duplicated unless given.

        Raises:
            TypeError: if a name is not an attribute of the record.
        """
        copy = self.duplicate()
        for name, value in changes.items():
            if name in self._fields:
                setattr(copy, name, value)
            elif name != "headers":
                raise TypeError(f"a {type(self).__name__} has no {name}")
            elif value is not self._headers:
                copy._headers = value  # noqa: SLF001  # a copy of its own class
        return copy

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            getattr(self, name) == getattr(other, name) for name in (*self._fields, "headers")
        )

    __hash__ = None  # type: ignore[assignment]  # mutable headers make records unhashable

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"{type(self).__name__}({shown}, headers={self.headers!r})"


class SourceRecord(ConnectRecord):
    """A record that a source task read, with where it came from.

    Args:
        source_partition: which stream of the source, as a map of plain values, or ``None``.
        source_offset: position just after this record in that stream, or ``None``.
        topic: Kafka topic to write to.
        value: the value in Connect's data model.
    """

    __slots__ = ("source_offset", "source_partition")

    def __init__(  # noqa: PLR0913  # Kafka's own constructor
        self,
        source_partition: Mapping[str, Any] | None,
        source_offset: Mapping[str, Any] | None,
        topic: str,
        value: Any,
        value_schema: Schema | None = None,
        *,
        key: Any = None,
        key_schema: Schema | None = None,
        kafka_partition: int | None = None,
        timestamp: int | None = None,
        headers: Headers | None = None,
    ) -> None:
        self.source_partition = source_partition
        self.source_offset = source_offset
        self.topic = topic
        self.value = value
        self.value_schema = value_schema
        self.key = key
        self.key_schema = key_schema
        self.kafka_partition = kafka_partition
        self.timestamp = timestamp
        self._headers = headers

    def duplicate(self) -> Self:
        """A copy, headers duplicated, to change before anyone else sees it. Hot path."""
        if self.__class__ is not SourceRecord:
            return super().duplicate()
        copy = SourceRecord.__new__(SourceRecord)
        copy.source_partition = self.source_partition
        copy.source_offset = self.source_offset
        copy.topic = self.topic
        copy.value = self.value
        copy.value_schema = self.value_schema
        copy.key = self.key
        copy.key_schema = self.key_schema
        copy.kafka_partition = self.kafka_partition
        copy.timestamp = self.timestamp
        headers = self._headers
        copy._headers = None if headers is None else headers.duplicate()  # noqa: SLF001  # own class
        return cast("Self", copy)


class SinkRecord(ConnectRecord):
    """A record consumed from Kafka, with where it stood.

    ``original_topic``, ``original_kafka_partition`` and ``original_kafka_offset`` stay what the
    consumer saw, whatever transformations do to the record (KIP-793): offsets that a task returns
    from ``pre_commit`` are in these coordinates.
    """

    __slots__ = (
        "_consumed",
        "kafka_offset",
        "original_kafka_offset",
        "original_kafka_partition",
        "original_topic",
        "timestamp_type",
    )

    kafka_partition: int
    _consumed: Any  # set by the runtime where errant records may be reported, otherwise unset

    def __init__(  # noqa: PLR0913, PLR0917  # Kafka's own constructor
        self,
        topic: str,
        kafka_partition: int,
        key_schema: Schema | None,
        key: Any,
        value_schema: Schema | None,
        value: Any,
        kafka_offset: int,
        timestamp: int | None = None,
        timestamp_type: TimestampType = TimestampType.NO_TIMESTAMP_TYPE,
        headers: Headers | None = None,
    ) -> None:
        self.topic = self.original_topic = topic
        self.kafka_partition = self.original_kafka_partition = kafka_partition
        self.key_schema = key_schema
        self.key = key
        self.value_schema = value_schema
        self.value = value
        self.kafka_offset = self.original_kafka_offset = kafka_offset
        self.timestamp = timestamp
        self.timestamp_type = timestamp_type
        self._headers = headers

    def duplicate(self) -> Self:
        """A copy, headers duplicated, to change before anyone else sees it. Hot path."""
        if self.__class__ is not SinkRecord:
            return super().duplicate()
        copy = SinkRecord.__new__(SinkRecord)
        copy.topic = self.topic
        copy.original_topic = self.original_topic
        copy.kafka_partition = self.kafka_partition
        copy.original_kafka_partition = self.original_kafka_partition
        copy.key_schema = self.key_schema
        copy.key = self.key
        copy.value_schema = self.value_schema
        copy.value = self.value
        copy.kafka_offset = self.kafka_offset
        copy.original_kafka_offset = self.original_kafka_offset
        copy.timestamp = self.timestamp
        copy.timestamp_type = self.timestamp_type
        headers = self._headers
        copy._headers = None if headers is None else headers.duplicate()  # noqa: SLF001  # own class
        return cast("Self", copy)

    def new_record(self, **changes: Any) -> Self:
        """A copy with the named attributes replaced; headers are duplicated unless given.

        It can be reported as errant like the record itself (KIP-610).

        Raises:
            TypeError: if a name is not an attribute of the record.
        """
        copy = super().new_record(**changes)
        consumed = getattr(self, "_consumed", None)
        if consumed is not None:
            copy._consumed = consumed  # noqa: SLF001  # a copy of its own class
        return copy
