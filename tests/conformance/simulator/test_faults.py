"""A fault comes out of a call as the called library raises it."""

from __future__ import annotations

import sqlite3

import pytest

from plugwright_conformance.simulator import EndpointFault, FaultKind, FaultTime, VirtualClock

STRIKING = (
    FaultKind.FOREIGN,
    FaultKind.HANG,
    FaultKind.TRANSIENT,
    FaultKind.THROTTLED,
    FaultKind.EXPIRED,
    FaultKind.OUTAGE,
)


def fault_time(clock):
    """All of it passes on one clock."""
    return FaultTime(clock.advance, clock.advance)


def strike(kind, name):
    """The first call of a name while there is a fault of a kind."""
    EndpointFault(kind).before(0, name, 0.0, fault_time(VirtualClock()))


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
    ("seconds", "passed_s"), [(1e9, 50 * 0.001 + 10 * 1.0), (10.0, 60 * 0.001)]
)
def test_long_outage_soon_reaches_the_time_limit_of_whoever_tries_often(seconds, passed_s):
    """Its first 50 attempts take a millisecond each, all others a second; in a short one, none."""
    clock = VirtualClock()
    began = clock()
    for number in range(60):
        with pytest.raises(OSError, match="unavailable"):
            EndpointFault(FaultKind.OUTAGE, 0, seconds).before(
                number, "os.write", clock() - began, fault_time(clock)
            )
    assert clock() - began == pytest.approx(passed_s)
