"""Errors as answers: status, text, and what stays inside."""

from __future__ import annotations

import pickle

import pytest

from plugwright.control_plane import (
    BadRequestError,
    OperationDisabledError,
    RebalanceNeededError,
    RequestTargetError,
)
from plugwright.errors import (
    AlreadyExistsError,
    ConfigError,
    ConnectError,
    DataError,
    IllegalWorkerStateError,
    NotFoundError,
    PluginError,
    RetriableError,
)
from plugwright.rest import RestError


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (NotFoundError("no such thing"), 404, "no such thing"),
        (AlreadyExistsError("taken"), 409, "taken"),
        (IllegalWorkerStateError("not now"), 409, "not now"),
        (ConfigError("wrong"), 400, "wrong"),
        (
            ConfigError("no file", code="config.provider-unreadable"),
            500,
            "no file [config.provider-unreadable]",
        ),
        (DataError("misfit"), 400, "misfit"),
        (BadRequestError("bad"), 400, "bad"),
        (OperationDisabledError("not here"), 403, "not here"),
        (RestError(418, "teapot"), 418, "teapot"),
        (
            RebalanceNeededError("behind"),
            409,
            (
                "Cannot complete request momentarily due to stale configuration "
                "(typically caused by a concurrent config change)"
            ),
        ),
        (ConnectError("broken"), 500, "broken [connect.error]"),
        (RetriableError("no broker", code="kafka.timeout"), 500, "no broker [kafka.timeout]"),
        (PluginError("X 1.0 failed in start"), 500, "X 1.0 failed in start [plugin.failed]"),
        (RestError(503, "later", code="x.y"), 503, "later [x.y]"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_every_error_has_its_status_and_text(call, herder, error, status, message):
    """A 500 always ends with our own code."""
    herder.error = error

    answer = call("GET", "/connectors/logs")

    assert (answer.status, answer.message) == (status, message)
    assert answer.headers["plugwright-error-code"] == error.code


def test_a_failing_plugin_is_logged_with_its_trace(call, herder, caplog):
    """Its answer is for the client; the worker's log has it, too."""
    herder.error = PluginError("X 1.0 failed in start")

    call("GET", "/connectors/logs")

    assert [record.exc_info[1] for record in caplog.records] == [herder.error]


@pytest.mark.parametrize("error", [ValueError("s3cret"), KeyError("s3cret"), RuntimeError()])
def test_an_unexpected_exception_is_logged_and_not_shown(call, herder, caplog, error):
    """What it says may hold secrets."""
    herder.error = error

    answer = call("GET", "/connectors/logs")

    assert answer.status == 500
    assert answer.message == (
        f"The request failed unexpectedly ({type(error).__name__}); "
        "the log of the worker has the details [rest.internal-error]"
    )
    assert [record.exc_info[1] for record in caplog.records] == [error]


def test_a_plugin_that_exits_does_not_end_the_worker(call, herder):
    """SystemExit becomes an answer."""

    def leave():
        raise SystemExit(3)

    herder.wait = leave

    answer = call("PUT", "/connector-plugins/X/config/validate", {"connector.class": "X"})

    assert answer.message == "The call ended with SystemExit [rest.call-ended]"


def test_a_status_survives_pickling():
    """Errors travel between processes."""
    error = pickle.loads(pickle.dumps(RestError(418, "bad", code="a.b")))  # noqa: S301  # own data

    assert (error.status, str(error), error.code) == (418, "bad", "a.b")


def test_a_target_survives_pickling():
    """Errors travel between processes."""
    error = pickle.loads(pickle.dumps(RequestTargetError("not me", "http://w")))  # noqa: S301  # own

    assert (error.forward_url, str(error)) == ("http://w", "not me")


def test_text_that_is_not_unicode_is_answered_as_a_question_mark(call, herder):
    """As Java writes it."""
    herder.error = NotFoundError("no \ud800")

    assert call("GET", "/connectors/logs").message == "no ?"
