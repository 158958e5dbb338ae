"""A fault comes out of a call as the called library raises it."""

from __future__ import annotations

import sqlite3

import pytest

from plugwright_conformance.simulator import EndpointFault, FaultKind, VirtualClock

STRIKING = (
    FaultKind.FOREIGN,
    FaultKind.HANG,
    FaultKind.TRANSIENT,
    FaultKind.THROTTLED,
    FaultKind.EXPIRED,
    FaultKind.OUTAGE,
)


def strike(kind, name):
    """The first call of a name while there is a fault of a kind."""
    clock = VirtualClock()
    EndpointFault(kind).before(0, name, clock, clock())


@pytest.mark.parametrize("kind", STRIKING, ids=lambda kind: kind.value)
def test_embedded_database_raises_its_own_errors(kind):
    """What embeds it handles these, and none of the system."""
    with pytest.raises(sqlite3.OperationalError):
        strike(kind, "sqlite3.execute")


def test_embedded_database_gives_its_errors_their_codes():
    """A connector acts on these rather than on the words (https://www.sqlite.org/rescode.html)."""
    with pytest.raises(sqlite3.OperationalError, match="database is locked") as caught:
        strike(FaultKind.TRANSIENT, "sqlite3.execute")
    assert (caught.value.sqlite_errorcode, caught.value.sqlite_errorname) == (5, "SQLITE_BUSY")


@pytest.mark.parametrize("kind", STRIKING, ids=lambda kind: kind.value)
def test_file_raises_errors_of_the_system(kind):
    """As before."""
    with pytest.raises(OSError, match=r"Errno \d+"):
        strike(kind, "os.write")


def test_answer_that_is_lost_is_an_error_of_the_library_too():
    """The effect is there all the same."""
    fault = EndpointFault(FaultKind.RESET)

    with pytest.raises(sqlite3.OperationalError, match="disk I/O error") as caught:
        fault.after(0, "sqlite3.commit")
    assert (caught.value.sqlite_errorcode, caught.value.sqlite_errorname) == (10, "SQLITE_IOERR")
    with pytest.raises(ConnectionResetError):
        fault.after(0, "socket.recv")


def test_only_faults_without_an_end_excuse_a_task_that_waits():
    """A login that has expired and a refused connection; every other one is over some day."""
    lasting = {kind for kind in FaultKind if EndpointFault(kind).lasts}

    assert lasting == {FaultKind.EXPIRED, FaultKind.UNREACHABLE}


def test_errors_of_the_plugin_api_come_out_of_no_call():
    """They are raised by plugins alone."""
    raised = set()
    for kind in FaultKind:
        for name in ("io.open", "socket.connect", "sqlite3.execute"):
            try:
                strike(kind, name)
            except Exception as error:  # noqa: BLE001  # whatever it is
                raised.add(type(error).__module__)

    assert raised == {"builtins", "sqlite3"}


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (EndpointFault(FaultKind.OUTAGE, 3, 1e9), [0.0, 1.0]),
        (EndpointFault(FaultKind.OUTAGE, 3, 1e9, "os.write"), [0.0, 1.0]),
        (EndpointFault(FaultKind.OUTAGE, 3, 1e9, "os.fsync"), [0.0, 0.0]),
        (EndpointFault(FaultKind.OUTAGE, 3, 10.0), [0.0, 0.0]),
        (EndpointFault(FaultKind.EXPIRED, 3), [0.0, 0.0]),
    ],
)
def test_attempts_take_time_from_the_fiftieth_of_a_long_outage_on(fault, seconds):
    """On the clocks of the task; in a short outage, or of other calls, none does."""
    assert [fault.attempt_s(number, "os.write") for number in (52, 53)] == seconds
