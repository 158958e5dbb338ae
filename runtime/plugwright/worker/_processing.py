"""Where a record can fail on its way, and what is known about it then."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from plugwright.origin import public_name

if TYPE_CHECKING:
    from concurrent.futures import Future

    from plugwright.record import SourceRecord
    from plugwright.worker._seams import KafkaMessage


class ProcessingStage(Enum):
    """What was being done with a record (KIP-298)."""

    TASK_POLL = "TASK_POLL"
    TASK_PUT = "TASK_PUT"
    TRANSFORMATION = "TRANSFORMATION"
    KEY_CONVERTER = "KEY_CONVERTER"
    VALUE_CONVERTER = "VALUE_CONVERTER"
    HEADER_CONVERTER = "HEADER_CONVERTER"
    KAFKA_PRODUCE = "KAFKA_PRODUCE"
    KAFKA_CONSUME = "KAFKA_CONSUME"


@dataclass(frozen=True, slots=True)
class Origin:
    """The record as it entered the runtime: polled from a task, or consumed from Kafka."""

    record: SourceRecord | None = None
    message: KafkaMessage | None = None


@dataclass(frozen=True, slots=True)
class FailedOperation:
    """One operation on one record that was given up.

    Attributes:
        origin: the record as it entered the runtime.
        stage: what was being done with it.
        executor: dotted name of the class that did it.
        error: what that class raised.
    """

    origin: Origin
    stage: ProcessingStage
    executor: str
    error: BaseException


class Stumble(NamedTuple):
    """A record at which a converter failed.

    Attributes:
        subject: what was being converted: a record, or a consumed message.
        stage: which converter failed.
        parts: what the converters before it have made.
        error: what it raised.
    """

    subject: Any
    stage: ProcessingStage
    parts: tuple[Any, ...]
    error: BaseException


class ErrorReporter(Protocol):
    """Hears of every record that was given up."""

    def report(self, failed: FailedOperation) -> Future[None] | None:
        """Take note; a future says when the note is safe."""


def class_name(thing: object) -> str:
    """The dotted name of a class, of an object's class, or of a function, as reports show it."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return public_name(named)
