"""The stages at which a record can fail, and the descriptions of failures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from plugwright.origin import public_name

if TYPE_CHECKING:
    from concurrent.futures import Future

    from plugwright.record import SourceRecord
    from plugwright.worker._host_protocols import KafkaMessage


class ProcessingStage(Enum):
    """The operation that was performed on a record (KIP-298)."""

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
    """An operation on a record that failed for good.

    Attributes:
        origin: the record as it entered the runtime.
        stage: the stage of the operation.
        executor: dotted name of the class that performed it.
        error: the exception.
    """

    origin: Origin
    stage: ProcessingStage
    executor: str
    error: BaseException


class ConversionFailure(NamedTuple):
    """A record that a converter failed to convert.

    Attributes:
        subject: the record or consumed message.
        stage: the converter that failed.
        parts: the results of the converters before it.
        error: the exception.
    """

    subject: Any
    stage: ProcessingStage
    parts: tuple[Any, ...]
    error: BaseException


class ErrorReporter(Protocol):
    """Receives every record that failed for good."""

    def report(self, failed: FailedOperation) -> Future[None] | None:
        """Report a failure; a returned future completes when the report is stored."""


def class_name(thing: object) -> str:
    """The dotted name of a class, of an object's class, or of a function, for reports."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return public_name(named)
