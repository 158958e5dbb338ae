"""What happens to a task while it lives in the simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from plugwright.task import TransactionBoundary
from plugwright.worker import ErrorSettings
from plugwright_conformance.simulator._faults import EndpointFault, KafkaFault

if TYPE_CHECKING:
    from plugwright.schema import SchemaAndValue
    from plugwright_conformance.simulator.http_requests import BusyAnswer

_FETCH = 3


@dataclass(frozen=True, slots=True)
class Intake:
    """How a sink is given its records.

    Attributes:
        fetch: the most records of one batch.
        first: the most records of the first one; 0 for as many as of others.
        across: whether a batch has records of several partitions, as one poll of a consumer may.
        share: one record in so many is in the first partition, the others are in the second.
        keys: how many keys records have by turns; 0 for one each, if the sink needs keys.
    """

    fetch: int = _FETCH
    first: int = 0
    across: bool = False
    share: int = 2
    keys: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The planned events of one task run.

    Attributes:
        stop_at: number of the boundary event at which the world stops.
        stop_in: name and occurrence of it, for tasks whose lives do not repeat.
        feed_at: number of the boundary event at which a source's endpoint is given the next values,
            although the task has not finished the others.
        busy: the answer to one of the task's HTTP requests; the others go to the endpoint.
        exactly_once: whether records and offsets are written in transactions.
        boundary: where transactions end.
        patience: idle polls after which an unfinished task is abandoned.
        idle: polls for which nothing is fed once everything has arrived, and at the end.
        poison: the value that a sink's converter makes of payloads that begin with `POISON`.
        census: whether to count the resources that the task has left behind.
        commits_always: whether a source's offsets are stored after every poll, not periodically.
        slow_answers: how many records a task may take while its own threads await one answer of an
            endpoint that is slow; 0 for an endpoint that is not.
        late_letters: whether dead letters arrive only when a caller waits for them, or at the end.
        lease_s: seconds for which the endpoint may hold back what a source was given and has not
            acknowledged; they pass before a task that is not done is given up.
        ends_by_crash: whether the task is not stopped once everything is committed, but its process
            ends, with what is still in its buffers.
        set_back_s: seconds by which the clock is set back when there are more records.
        intake: of a sink.
    """

    stop_at: int | None = None
    stop_in: tuple[str, int] | None = None
    feed_at: int | None = None
    fault: EndpointFault | None = None
    kafka_fault: KafkaFault = field(default_factory=KafkaFault)
    busy: BusyAnswer | None = None
    exactly_once: bool = False
    boundary: TransactionBoundary = TransactionBoundary.POLL
    errors: ErrorSettings = field(default_factory=ErrorSettings)
    patience: int = 120
    idle: int = 0
    poison: SchemaAndValue | None = None
    census: bool = False
    commits_always: bool = False
    slow_answers: int = 0
    late_letters: bool = False
    lease_s: float = 0.0
    ends_by_crash: bool = False
    set_back_s: float = 0.0
    intake: Intake = field(default_factory=Intake)
