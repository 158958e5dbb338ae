"""The category of each error code of the client: the complete list of librdkafka 2.16.

Brokers' errors follow `RetriableException` of Kafka's Java clients; the client's own ones
(negative codes) follow librdkafka's own handling.
"""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from confluent_kafka import KafkaError, KafkaException

if TYPE_CHECKING:
    from collections.abc import Mapping


class ErrorCategory(Enum):
    """The meaning of an error for the caller."""

    PASSING = "the same client recovers, or a retry helps"
    REJOIN = "a new membership or transaction is needed, then it works"
    FATAL = "it cannot succeed: broken data, a fenced client, or a wrong request"
    CONFIGURATION = "a setting, a permission, a topic or the brokers must be changed"


_LOCAL = MappingProxyType(
    {
        ErrorCategory.PASSING: """
            _FAIL _TRANSPORT _RESOLVE _MSG_TIMED_OUT _PARTITION_EOF _UNKNOWN_PARTITION
            _UNKNOWN_TOPIC _ALL_BROKERS_DOWN _TIMED_OUT _QUEUE_FULL _ISR_INSUFF _NODE_UPDATE
            _WAIT_COORD _IN_PROGRESS _PREV_IN_PROGRESS _ASSIGN_PARTITIONS _REVOKE_PARTITIONS
            _NO_OFFSET _OUTDATED _TIMED_OUT_QUEUE _WAIT_CACHE _INTR _PARTIAL _UNDERFLOW _RETRY
            _UNKNOWN_BROKER _NOENT _NOOP _DESTROY_BROKER
            """,
        ErrorCategory.REJOIN: """
            _UNKNOWN_GROUP _PURGE_QUEUE _PURGE_INFLIGHT _INCONSISTENT _GAPLESS_GUARANTEE
            _MAX_POLL_EXCEEDED _ASSIGNMENT_LOST
            """,
        ErrorCategory.FATAL: """
            _BAD_MSG _BAD_COMPRESSION _DESTROY _CRIT_SYS_RESOURCE _FS _EXISTING_SUBSCRIPTION
            _CONFLICT _STATE _NOT_IMPLEMENTED _KEY_SERIALIZATION _VALUE_SERIALIZATION
            _KEY_DESERIALIZATION _VALUE_DESERIALIZATION _READ_ONLY _INVALID_TYPE _FATAL
            _FENCED _APPLICATION _INVALID_DIFFERENT_RECORD
            """,
        ErrorCategory.CONFIGURATION: """
            _INVALID_ARG _SSL _UNKNOWN_PROTOCOL _AUTHENTICATION _UNSUPPORTED_FEATURE
            _NOT_CONFIGURED _AUTO_OFFSET_RESET _LOG_TRUNCATION
            """,
    }
)
_BROKERS = MappingProxyType(
    {
        ErrorCategory.PASSING: """
            NO_ERROR INVALID_MSG UNKNOWN_TOPIC_OR_PART LEADER_NOT_AVAILABLE
            NOT_LEADER_FOR_PARTITION REQUEST_TIMED_OUT BROKER_NOT_AVAILABLE REPLICA_NOT_AVAILABLE
            STALE_CTRL_EPOCH NETWORK_EXCEPTION COORDINATOR_LOAD_IN_PROGRESS
            COORDINATOR_NOT_AVAILABLE NOT_COORDINATOR NOT_ENOUGH_REPLICAS
            NOT_ENOUGH_REPLICAS_AFTER_APPEND NOT_CONTROLLER DUPLICATE_SEQUENCE_NUMBER
            CONCURRENT_TRANSACTIONS TRANSACTION_COORDINATOR_FENCED OPERATION_NOT_ATTEMPTED
            KAFKA_STORAGE_ERROR REASSIGNMENT_IN_PROGRESS FETCH_SESSION_ID_NOT_FOUND
            INVALID_FETCH_SESSION_EPOCH LISTENER_NOT_FOUND FENCED_LEADER_EPOCH
            UNKNOWN_LEADER_EPOCH STALE_BROKER_EPOCH OFFSET_NOT_AVAILABLE
            PREFERRED_LEADER_NOT_AVAILABLE ELIGIBLE_LEADERS_NOT_AVAILABLE UNSTABLE_OFFSET_COMMIT
            THROTTLING_QUOTA_EXCEEDED UNKNOWN_TOPIC_ID INCONSISTENT_TOPIC_ID
            UNKNOWN_SUBSCRIPTION_ID TELEMETRY_TOO_LARGE REBOOTSTRAP_REQUIRED
            SHARE_SESSION_LIMIT_REACHED ELECTION_NOT_NEEDED
            """,
        ErrorCategory.REJOIN: """
            ILLEGAL_GENERATION UNKNOWN_MEMBER_ID REBALANCE_IN_PROGRESS MEMBER_ID_REQUIRED
            OUT_OF_ORDER_SEQUENCE_NUMBER INVALID_TXN_STATE INVALID_PRODUCER_ID_MAPPING
            UNKNOWN_PRODUCER_ID FENCED_MEMBER_EPOCH UNRELEASED_INSTANCE_ID STALE_MEMBER_EPOCH
            TRANSACTION_ABORTABLE SHARE_SESSION_NOT_FOUND INVALID_SHARE_SESSION_EPOCH
            """,
        ErrorCategory.FATAL: """
            UNKNOWN INVALID_MSG_SIZE TOPIC_ALREADY_EXISTS INVALID_REQUEST INVALID_PRODUCER_EPOCH
            GROUP_ID_NOT_FOUND FENCED_INSTANCE_ID NO_REASSIGNMENT_IN_PROGRESS
            INVALID_RECORD PRODUCER_FENCED RESOURCE_NOT_FOUND DUPLICATE_RESOURCE
            INCONSISTENT_VOTER_SET INVALID_UPDATE_VERSION FEATURE_UPDATE_FAILED
            UNKNOWN_CONTROLLER_ID INVALID_REGISTRATION INVALID_RECORD_STATE FENCED_STATE_EPOCH
            INVALID_VOTER_KEY DUPLICATE_VOTER VOTER_NOT_FOUND STREAMS_INVALID_TOPOLOGY
            STREAMS_INVALID_TOPOLOGY_EPOCH STREAMS_TOPOLOGY_FENCED
            """,
        ErrorCategory.CONFIGURATION: """
            OFFSET_OUT_OF_RANGE MSG_SIZE_TOO_LARGE OFFSET_METADATA_TOO_LARGE TOPIC_EXCEPTION
            RECORD_LIST_TOO_LARGE INVALID_REQUIRED_ACKS INCONSISTENT_GROUP_PROTOCOL
            INVALID_GROUP_ID INVALID_SESSION_TIMEOUT INVALID_COMMIT_OFFSET_SIZE
            TOPIC_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED CLUSTER_AUTHORIZATION_FAILED
            INVALID_TIMESTAMP UNSUPPORTED_SASL_MECHANISM ILLEGAL_SASL_STATE UNSUPPORTED_VERSION
            INVALID_PARTITIONS INVALID_REPLICATION_FACTOR INVALID_REPLICA_ASSIGNMENT
            INVALID_CONFIG UNSUPPORTED_FOR_MESSAGE_FORMAT POLICY_VIOLATION
            INVALID_TRANSACTION_TIMEOUT TRANSACTIONAL_ID_AUTHORIZATION_FAILED SECURITY_DISABLED
            LOG_DIR_NOT_FOUND SASL_AUTHENTICATION_FAILED DELEGATION_TOKEN_AUTH_DISABLED
            DELEGATION_TOKEN_NOT_FOUND DELEGATION_TOKEN_OWNER_MISMATCH
            DELEGATION_TOKEN_REQUEST_NOT_ALLOWED DELEGATION_TOKEN_AUTHORIZATION_FAILED
            DELEGATION_TOKEN_EXPIRED INVALID_PRINCIPAL_TYPE NON_EMPTY_GROUP
            TOPIC_DELETION_DISABLED UNSUPPORTED_COMPRESSION_TYPE GROUP_MAX_SIZE_REACHED
            GROUP_SUBSCRIBED_TO_TOPIC UNACCEPTABLE_CREDENTIAL PRINCIPAL_DESERIALIZATION_FAILURE
            UNSUPPORTED_ASSIGNOR MISMATCHED_ENDPOINT_TYPE UNSUPPORTED_ENDPOINT_TYPE
            INVALID_REGULAR_EXPRESSION
            """,
    }
)


def _by_code() -> Mapping[int, ErrorCategory]:
    """The categories by code; codes that the installed client does not have are omitted."""
    return MappingProxyType(
        {
            getattr(KafkaError, name): category
            for table in (_LOCAL, _BROKERS)
            for category, names in table.items()
            for name in names.split()
            if hasattr(KafkaError, name)
        }
    )


ERROR_CATEGORIES = _by_code()
"""The category of each error code."""


def error_category(error: KafkaError) -> ErrorCategory:
    """The category of an error; an unknown error is fatal, as in Java."""
    if error.fatal():
        return ErrorCategory.FATAL
    if error.retriable():
        return ErrorCategory.PASSING
    return ERROR_CATEGORIES.get(error.code(), ErrorCategory.FATAL)


def passes(error: KafkaError) -> bool:
    """Whether a retry helps."""
    return error_category(error) is ErrorCategory.PASSING


def is_of_unused_group(error: KafkaError) -> bool:
    """Whether an error concerns only the ``group.id`` of a reader that never joins a group.

    The client looks up the coordinator of its group, which requires a permission that reading
    assigned partitions does not.
    """
    return bool(error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED)


def may_pass(error: Exception) -> bool:
    """Whether a retry helps after what the client has raised."""
    return isinstance(error, KafkaException) and passes(error.args[0])
