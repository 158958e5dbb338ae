"""Requests that take too long, and those beside them."""

from __future__ import annotations

import asyncio
from threading import Event, current_thread

import pytest
from tests.runtime.rest.fakes import FakeHerder, client_of

from plugwright.control_plane import Stage
from plugwright.rest import RestExtension

BEGAN = 1732212000123
SHORT, PATIENT = {"rest.request.timeout.ms": "20"}, {"rest.request.timeout.ms": "60000"}


@pytest.fixture
def hanging():
    """A herder that does not return before the end of the test."""
    herder, released = FakeHerder(), Event()
    herder.wait = lambda: released.wait(60)
    yield herder
    released.set()


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        (None, "Request timed out"),
        (
            Stage("joining the group", BEGAN),
            (
                "Request timed out. The worker is currently joining the group, which began at "
                "2024-11-21T18:00:00.123Z"
            ),
        ),
        (
            Stage("joining the group", BEGAN, BEGAN + 877),
            (
                "Request timed out. The last operation the worker completed was joining the group, "
                "which began at 2024-11-21T18:00:00.123Z and completed at 2024-11-21T18:00:01Z"
            ),
        ),
    ],
    ids=["unknown", "current", "completed"],
)
def test_a_time_out_says_what_the_worker_does(hanging, stage, message):
    """500 in Kafka's words, with our own code."""
    hanging.current_stage = stage

    answer = client_of(hanging, SHORT)("GET", "/connectors")

    assert (answer.status, answer.message) == (500, f"{message} [rest.request-timed-out]")


def test_a_hanging_plugin_does_not_block_others():
    """Calls into plugins have slots of their own (apache/kafka#10834)."""
    released = Event()
    herder = FakeHerder()
    validated = herder.validate_connector_config
    herder.validate_connector_config = lambda given: released.wait(60) and validated(given)
    herder.wait = released.set
    validate = ("PUT", "/connector-plugins/X/config/validate", {"connector.class": "X"})

    answers = client_of(herder, PATIENT).all([validate] * 100 + [("GET", "/connectors")])

    assert [answer.status for answer in answers] == [200] * 101


def test_a_hanging_call_does_not_keep_the_process_alive(call, herder):
    """Its thread is a daemon."""
    daemons = []
    herder.wait = lambda: daemons.append(current_thread().daemon)

    call("GET", "/connectors")

    assert daemons == [True]


def test_slots_that_got_free_are_used_again(call):
    """More requests than slots, one after the other."""
    answers = call.all([("GET", "/connectors")] * 100)

    assert {answer.status for answer in answers} == {200}


def test_a_body_that_does_not_arrive_is_not_waited_for(herder):
    """408, before the herder is asked."""
    answer = client_of(herder, SHORT).receiving(lambda: asyncio.sleep(5))

    assert (answer.status, answer.message) == (408, "The request body did not arrive in time")


def test_a_client_that_leaves_gets_no_answer(call, caplog):
    """And nothing is logged."""

    async def gone():
        return {"type": "http.disconnect"}

    assert call.receiving(gone) is None
    assert caplog.records == []


class Stuck(RestExtension):
    """Its filter waits for something that does not come."""

    def register(self, context):
        """Add the filter."""
        context.add_filter(lambda _: Event().wait(0.2) and None)


def test_a_filter_that_hangs_times_out(herder):
    """Like everything else that is foreign."""
    answer = client_of(herder, SHORT, extensions=[Stuck()])("GET", "/connectors")

    assert (answer.status, answer.message) == (500, "Request timed out [rest.request-timed-out]")
