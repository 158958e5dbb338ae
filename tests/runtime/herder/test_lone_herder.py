"""What a standalone worker answers otherwise than one of a cluster, as Kafka Connect's do."""

from __future__ import annotations

import pytest
from tests.runtime.herder.fakes import FakeWorker, failure

from plugwright.control_plane import TaskId
from plugwright.errors import ConnectError, NotFoundError
from plugwright.herder import HerderSettings, standalone_herder
from plugwright.plugins import Plugins


@pytest.fixture
def worker():
    """What runs nothing, and fails as a test says."""
    return FakeWorker()


@pytest.fixture
def herder(worker):
    """A herder that has no connector."""
    settings = HerderSettings(settle_timeout_s=5.0)
    lone = standalone_herder(worker, Plugins([], [], []), settings)
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


def test_a_connector_that_fails_to_start_is_there_and_its_request_fails(herder, worker):
    """Created, changed or restarted: the status says why, the answer that."""
    worker.failures["start"] = failure()
    config = {"name": "a", "tasks.max": "1"}

    for ask in (
        lambda: herder.put_connector_config("a", config, None, False),
        lambda: herder.patch_connector_config("a", {"more": "x"}),
        lambda: herder.restart_connector("a"),
    ):
        with pytest.raises(ConnectError) as caught:
            ask()
        assert caught.value.code == "connector.not-started"

    assert herder.connector_config("a") == {**config, "more": "x"}
    assert herder.connector_status("a").connector.state == "FAILED"
