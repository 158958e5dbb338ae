"""Python code of a process is kept away from the network."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

TRIAL = """
import json, socket, sys
from plugwright.processes import refuse_network

refuse_network("no way to {host}", loopback=json.loads(sys.argv[1]))
try:
    socket.create_connection((sys.argv[2], 9), timeout=1)
except OSError as error:
    print(json.dumps([error.errno, error.strerror]))
"""
REFUSED, NO_LISTENER = 101, 111


@pytest.mark.parametrize(
    ("loopback", "host", "errno"),
    [
        (False, "127.0.0.1", REFUSED),
        (False, "192.0.2.1", REFUSED),
        (True, "192.0.2.1", REFUSED),
        (True, "127.0.0.1", NO_LISTENER),
        (True, "localhost", NO_LISTENER),
    ],
)
def test_other_machines_cannot_be_reached(loopback, host, errno):
    """This one can, where that is allowed; the error names the host."""
    done = subprocess.run(
        [sys.executable, "-c", TRIAL, json.dumps(loopback), host],
        capture_output=True,
        check=True,
        text=True,
    )
    found, words = json.loads(done.stdout)

    assert found == errno
    assert (words == f"no way to {host}") is (errno == REFUSED)


def test_sockets_of_the_system_are_no_network():
    """Multiprocessing and asyncio need them."""
    code = """
import asyncio
import socket
from plugwright.processes import refuse_network
refuse_network("no")
socket.socketpair()
asyncio.run(asyncio.sleep(0))
"""
    subprocess.run([sys.executable, "-c", code], check=True)
