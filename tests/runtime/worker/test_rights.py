"""Hints about rights that lack."""

from __future__ import annotations

import pytest

from plugwright.worker import right_hint

GRANT = (
    "grant Write on Topic orders to the client's principal (an ACL); the page about rights in a "
    "secured Kafka lists all that are needed"
)


@pytest.mark.parametrize(
    ("reason", "hint"),
    [
        ("KafkaError{code=TOPIC_AUTHORIZATION_FAILED,val=29}", GRANT),
        ("KafkaError{code=_TIMED_OUT,val=-185}", ""),
        (None, ""),
    ],
)
def test_a_missing_right_is_named_and_nothing_else(reason, hint):
    """Operation, type and name of the resource, and where all of them are listed."""
    assert right_hint(reason, "Write", "Topic", "orders") == hint
