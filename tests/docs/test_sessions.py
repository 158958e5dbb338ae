"""Sessions that pages show, typed as they stand, against a live Spark and Kafka."""

from __future__ import annotations

import doctest

import pytest
from confluent_kafka import Producer
from tests.docs.pages import pages

from plugwright.kafka import create_topic

SESSIONS = [page for page in pages() if page.of("pycon")]


@pytest.fixture
def orders(broker):
    """The topic that pages read."""
    create_topic(broker.bootstrap_servers, "orders")
    producer = Producer({"bootstrap.servers": broker.bootstrap_servers})
    producer.produce("orders", b"2 pears", headers=[("shop", b"7")])
    producer.produce("orders", b"1 plum")
    assert producer.flush(30) == 0
    return broker.bootstrap_servers


@pytest.mark.spark
@pytest.mark.kafka
@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_a_session_goes_as_shown(page, spark_session, orders):
    """What is printed is what the page says."""
    text = "\n".join(block.text for block in page.of("pycon")).replace("kafka:9092", orders)
    found = doctest.DocTestParser().get_doctest(
        text, {"spark": spark_session}, page.name, page.name, 0
    )
    reported = []

    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(
        found, out=reported.append
    )

    assert (result.failed, "".join(reported)) == (0, "")
    assert result.attempted
