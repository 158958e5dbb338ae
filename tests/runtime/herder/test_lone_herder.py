"""What a standalone worker answers otherwise than one of a cluster, as Kafka Connect's do."""

from __future__ import annotations

import pytest
from tests.runtime.herder.fakes import FakeWorker

from plugwright.control_plane import TaskId
from plugwright.errors import ConnectError, NotFoundError
from plugwright.herder import HerderSettings, standalone_herder
from plugwright.plugins import Plugins


@pytest.fixture
def herder():
    """A herder that has no connector."""
    lone = standalone_herder(FakeWorker(), Plugins([], [], []), HerderSettings())
    lone.start("http://localhost:1/")
    yield lone
    lone.close()


@pytest.mark.parametrize(
    "ask",
    [
        lambda herder: herder.restart_connector("none"),
        lambda herder: herder.restart_task(TaskId("none", 0)),
        lambda herder: herder.stop_connector("none"),
        lambda herder: herder.refuse_internal("fence producers"),
    ],
    ids=["restart", "restart task", "stop", "internal"],
)
def test_some_requests_for_what_is_not_there_fail(herder, ask):
    """They are no 404."""
    with pytest.raises(ConnectError) as caught:
        ask(herder)

    assert not isinstance(caught.value, NotFoundError)


@pytest.mark.parametrize("verb", ["pause_connector", "resume_connector"])
def test_others_do_not_find_it(herder, verb):
    """404."""
    with pytest.raises(NotFoundError):
        getattr(herder, verb)("none")
