"""Which overridden client settings a validation shows, as Kafka Connect does."""

from __future__ import annotations

import pytest

from plugwright.errors import ConnectError
from plugwright.herder.client_settings import shown_overrides

EVERY = {
    "producer.override.linger.ms": "5",
    "consumer.override.max.poll.records": "5",
    "admin.override.retries": "3",
}


@pytest.mark.parametrize(
    ("sink", "exactly_once", "more", "clients"),
    [
        (False, False, {}, ["producer"]),
        (False, False, {"topic.creation.groups": "a"}, ["producer", "admin"]),
        (False, True, {}, ["producer", "consumer", "admin"]),
        (True, False, {}, ["consumer"]),
        (True, True, {}, ["consumer"]),
        (
            True,
            False,
            {"errors.deadletterqueue.topic.name": "q"},
            ["producer", "consumer", "admin"],
        ),
    ],
    ids=["source", "topics", "transactions", "sink", "no-transactions", "queue"],
)
def test_those_of_the_clients_that_the_connector_uses_are_shown(sink, exactly_once, more, clients):
    """With transactions a source reads its offsets from Kafka, and fences by an admin client."""
    shown = shown_overrides({**EVERY, **more}, sink=sink, exactly_once=exactly_once)

    assert [value.name.partition(".")[0] for _, value in shown] == clients


@pytest.mark.parametrize(
    "name", ["consumer.override.max.poll.records", "admin.override.request.timeout.ms"]
)
def test_one_that_is_used_has_to_fit_its_type(name):
    """Kafka Connect fails at the first that does not, and does not look at others."""
    assert list(shown_overrides({name: "x"}, sink=False, exactly_once=False)) == []
    with pytest.raises(ConnectError, match="Invalid value x"):
        list(shown_overrides({name: "x"}, sink=False, exactly_once=True))
