"""The simulator: an in-memory Kafka, written from the specification, under the task loops."""

from __future__ import annotations

from plugwright_conformance.simulator._check import ExperimentProcessError, SimulatedCheck
from plugwright_conformance.simulator._clock import VirtualClock
from plugwright_conformance.simulator._consumer import SimulatedConsumer
from plugwright_conformance.simulator._endpoint_watch import Call
from plugwright_conformance.simulator._errors import Refusal
from plugwright_conformance.simulator._experiment import Experiment, ExperimentFactory
from plugwright_conformance.simulator._faults import (
    EndpointFault,
    FaultKind,
    KafkaFault,
    database_is_locked,
)
from plugwright_conformance.simulator._groups import ConsumerGroup
from plugwright_conformance.simulator._kafka import SimulatedKafka
from plugwright_conformance.simulator._life import DEAD_LETTERS, GROUP, LifeReport
from plugwright_conformance.simulator._log import Kind, PartitionLog, Stored
from plugwright_conformance.simulator._message import SimulatedMessage
from plugwright_conformance.simulator._offsets import SimulatedOffsetStore
from plugwright_conformance.simulator._plan import Intake, Plan
from plugwright_conformance.simulator._producer import (
    PromptProducer,
    SimulatedProducer,
    SimulatedTransactions,
)
from plugwright_conformance.simulator._recorder import Recorder
from plugwright_conformance.simulator._stepped_sink import SteppedSink
from plugwright_conformance.simulator._stepped_source import SteppedSource, take_from_all
from plugwright_conformance.simulator._sweep import Sweep
from plugwright_conformance.simulator._transactions import ProducerSession, TransactionCoordinator
from plugwright_conformance.simulator._walk import Walk
from plugwright_conformance.simulator.codec import POISON
from plugwright_conformance.simulator.experiment_processes import PID, ExperimentProcesses
from plugwright_conformance.simulator.http_requests import BusyAnswer, HttpRequest

__all__ = [
    "DEAD_LETTERS",
    "GROUP",
    "PID",
    "POISON",
    "BusyAnswer",
    "Call",
    "ConsumerGroup",
    "EndpointFault",
    "Experiment",
    "ExperimentFactory",
    "ExperimentProcessError",
    "ExperimentProcesses",
    "FaultKind",
    "HttpRequest",
    "Intake",
    "KafkaFault",
    "Kind",
    "LifeReport",
    "PartitionLog",
    "Plan",
    "ProducerSession",
    "PromptProducer",
    "Recorder",
    "Refusal",
    "SimulatedCheck",
    "SimulatedConsumer",
    "SimulatedKafka",
    "SimulatedMessage",
    "SimulatedOffsetStore",
    "SimulatedProducer",
    "SimulatedTransactions",
    "SteppedSink",
    "SteppedSource",
    "Stored",
    "Sweep",
    "TransactionCoordinator",
    "VirtualClock",
    "Walk",
    "database_is_locked",
    "take_from_all",
]
