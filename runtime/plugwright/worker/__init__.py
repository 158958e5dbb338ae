"""The task loops and their interfaces, independent of Spark and of any Kafka client.

A host implements the Protocols of `_host_protocols`, passes the loop a task, and runs it.
"""

from __future__ import annotations

from plugwright.worker._background import Background, BackgroundThread, LoopLock
from plugwright.worker._batch_consumer import BatchConsumer
from plugwright.worker._batch_terms import BatchTerms
from plugwright.worker._boundary import Boundary, BoundaryObserver
from plugwright.worker._codec import Codec, RecordCodec
from plugwright.worker._control import TaskControl
from plugwright.worker._delivery import (
    Delivery,
    DeliveryGuarantee,
    DeliveryParts,
    RecordPosition,
    TaskListener,
)
from plugwright.worker._error_config import DEAD_LETTER_CONFIG, ERROR_CONFIG, error_settings
from plugwright.worker._error_settings import ErrorSettings
from plugwright.worker._guarantees import (
    AtLeastOnceGuarantee,
    ExactlyOnceGuarantee,
    HostGuarantee,
)
from plugwright.worker._host_protocols import (
    DeliveryCallback,
    KafkaMessage,
    OffsetStore,
    Outgoing,
    OutgoingRecord,
    RebalanceListener,
    RecordConsumer,
    RecordProducer,
    RecordRefusedError,
    SourceOffset,
    SourceRecords,
    StatusListener,
    TransactionalProducer,
)
from plugwright.worker._identity import CONVERTING, TaskIdentity
from plugwright.worker._processing import (
    ConversionFailure,
    FailedOperation,
    Origin,
    ProcessingStage,
)
from plugwright.worker._rights import right_hint
from plugwright.worker._sink_clients import SinkClients
from plugwright.worker._sink_loop import SinkTaskLoop
from plugwright.worker._sink_settings import SinkSettings
from plugwright.worker._source_loop import SourceTaskLoop
from plugwright.worker._source_settings import SourceSettings
from plugwright.worker._task_environment import Conversion, TaskEnvironment
from plugwright.worker._topic_creation import TopicAdmin, TopicCreation, TopicGroup
from plugwright.worker._whole_batch import WholeBatchTask
from plugwright.worker.counters import ErrorCounters, TaskCounters, carried_on
from plugwright.worker.runs import MessageRun
from plugwright.worker.submitted import partition_key

__all__ = [
    "CONVERTING",
    "DEAD_LETTER_CONFIG",
    "ERROR_CONFIG",
    "AtLeastOnceGuarantee",
    "Background",
    "BackgroundThread",
    "BatchConsumer",
    "BatchTerms",
    "Boundary",
    "BoundaryObserver",
    "Codec",
    "Conversion",
    "ConversionFailure",
    "Delivery",
    "DeliveryCallback",
    "DeliveryGuarantee",
    "DeliveryParts",
    "ErrorCounters",
    "ErrorSettings",
    "ExactlyOnceGuarantee",
    "FailedOperation",
    "HostGuarantee",
    "KafkaMessage",
    "LoopLock",
    "MessageRun",
    "OffsetStore",
    "Origin",
    "Outgoing",
    "OutgoingRecord",
    "ProcessingStage",
    "RebalanceListener",
    "RecordCodec",
    "RecordConsumer",
    "RecordPosition",
    "RecordProducer",
    "RecordRefusedError",
    "SinkClients",
    "SinkSettings",
    "SinkTaskLoop",
    "SourceOffset",
    "SourceRecords",
    "SourceSettings",
    "SourceTaskLoop",
    "StatusListener",
    "TaskControl",
    "TaskCounters",
    "TaskEnvironment",
    "TaskIdentity",
    "TaskListener",
    "TopicAdmin",
    "TopicCreation",
    "TopicGroup",
    "TransactionalProducer",
    "WholeBatchTask",
    "carried_on",
    "error_settings",
    "partition_key",
    "right_hint",
]
