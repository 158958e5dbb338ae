"""No error of the client is without a category."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from confluent_kafka import KafkaError
from tests.oracle.record_settings import recorded_errors

from plugwright.kafka import error_codes as error_codes_module
from plugwright.kafka.error_codes import ERROR_CATEGORIES, ErrorCategory, error_category, passes

pytestmark = pytest.mark.slow

ARGUED = MappingProxyType(
    {
        "OPERATION_NOT_ATTEMPTED": "another part of the same request failed: alone it is attempted",
        "TRANSACTION_COORDINATOR_FENCED": "between brokers: the next coordinator answers",
        "STALE_CTRL_EPOCH": "between brokers: it goes by",
        "STALE_BROKER_EPOCH": "between brokers: it goes by",
        "DUPLICATE_SEQUENCE_NUMBER": "the record is in the topic already",
        "TELEMETRY_TOO_LARGE": "about the client's own metrics, which are not needed",
        "UNKNOWN_SUBSCRIPTION_ID": "about the client's own metrics, which are not needed",
        "REASSIGNMENT_IN_PROGRESS": "it ends",
        "BROKER_NOT_AVAILABLE": "the client looks for the broker again, or for another one",
        "REBOOTSTRAP_REQUIRED": "the client does so by itself",
    }
)
"""Where these verdicts are kinder than Java's clients, and why."""


def _codes():
    names = (name for name in dir(KafkaError) if name.lstrip("_").isupper())
    return {name: getattr(KafkaError, name) for name in names}


@pytest.mark.parametrize("name", _codes())
def test_every_code_of_the_installed_client_has_a_verdict(name):
    """A new client with a new code fails here, and somebody decides."""
    assert _codes()[name] in ERROR_CATEGORIES


def test_no_code_has_two_verdicts():
    """And none is misspelt."""
    tables = (error_codes_module._LOCAL, error_codes_module._BROKERS)
    names = [name for table in tables for text in table.values() for name in text.split()]
    assert sorted(names) == sorted(_codes())
    assert {name.startswith("_") for text in tables[0].values() for name in text.split()} == {True}


@pytest.mark.parametrize("name", [name for name, code in _codes().items() if code >= -1])
def test_what_java_retries_is_retried(name):
    """The record is of Kafka's own `Errors`; what differs is argued."""
    code = _codes()[name]
    ours = ERROR_CATEGORIES[code]
    if recorded_errors()[code]:
        assert ours in {ErrorCategory.PASSING, ErrorCategory.REJOIN}
    elif ours is ErrorCategory.PASSING and name != "NO_ERROR":
        assert name in ARGUED


def test_the_client_may_know_better():
    """It marks errors of transactions itself."""
    assert error_category(KafkaError(KafkaError._STATE, "x", False, True)) is ErrorCategory.PASSING
    assert error_category(KafkaError(KafkaError._TIMED_OUT, "x", True)) is ErrorCategory.FATAL


def test_an_unknown_error_is_fatal():
    """Waiting for it to pass could take for ever."""
    assert error_category(KafkaError(4242)) is ErrorCategory.FATAL


def test_a_change_of_leaders_passes():
    """It left workers joining their group again every two seconds."""
    assert passes(KafkaError(KafkaError.FENCED_LEADER_EPOCH))
