"""Taps and targets that others wrote, each run by the connectors and put before the suite.

``FOREIGN_DIRECTORY`` keeps virtual environments and reports between runs; each package is installed
once, with pip. ``docs/operate/singer.md`` has the table that is made of this.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.foreign.locations import FOREIGN, make_location

pytestmark = [pytest.mark.drill, pytest.mark.timeout(7200)]

_BUILDERS = ["setuptools<81"]
"""What packages of before 2023 import without saying so."""


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """Where environments and reports stay."""
    named = os.environ.get("FOREIGN_DIRECTORY")
    return Path(named) if named else tmp_path_factory.mktemp("foreign")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A PostgreSQL server on loopback, as the environment names it for the endpoints."""
    if "FOREIGN_POSTGRES" in os.environ:
        yield
        return
    if not shutil.which("initdb") or os.geteuid() == 0:
        pytest.skip("needs initdb and pg_ctl, and a user who is not root; or FOREIGN_POSTGRES")
    data = tmp_path_factory.mktemp("postgres")
    word = data / "password"
    word.write_text("secret-7d1f", "utf-8")
    cluster = str(data / "cluster")
    initdb = ["initdb", "-D", cluster, "-U", "reader", "-A", "scram-sha-256", "-E", "UTF8"]
    subprocess.run([*initdb, f"--pwfile={word}"], check=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {data}"
    control = ["pg_ctl", "-D", cluster, "-w", "-l", str(data / "log")]
    subprocess.run([*control, "-o", options, "start"], check=True)
    server = {"host": "127.0.0.1", "port": port, "dbname": "postgres", "user": "reader"}
    os.environ["FOREIGN_POSTGRES"] = json.dumps({**server, "password": "secret-7d1f"})
    yield
    del os.environ["FOREIGN_POSTGRES"]
    subprocess.run([*control, "-m", "immediate", "stop"], check=True)


def _installed(foreign, place):
    """The virtual environment with the package in it."""
    environment = place / foreign.name
    if not (environment / "bin" / foreign.program).exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "-q"]
        subprocess.run([*pip, foreign.requirement, *_BUILDERS], check=True)
    return environment


@pytest.mark.parametrize("foreign", FOREIGN, ids=[foreign.name for foreign in FOREIGN])
def test_what_the_suite_says(foreign, place, tmp_path, request):
    """It fails by the checks that the table has, and by no others."""
    if foreign.endpoint.startswith("table_endpoints:"):
        request.getfixturevalue("postgres")
    location = make_location(foreign, _installed(foreign, place), tmp_path)
    kind = "Source" if foreign.kind == "tap" else "Sink"
    wanted = [text for check in foreign.checks for text in ("--check", check)]
    command = [
        *(str(Path(sys.executable).with_name("plugwright")), "certify", str(location)),
        *("--plugin", f"plugwright_singer.Singer{kind}Connector", "--no-live", "--json", *wanted),
    ]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    (run,) = json.loads(done.stdout)["runs"]
    found = {check["id"]: check["outcome"] for check in run["results"]["results"]}
    unmeasured = {name for name, outcome in found.items() if outcome in {"ERROR", "NOT_RUN"}}
    failed = {name for name, outcome in found.items() if outcome == "FAIL"}
    assert failed == set(foreign.fails) - unmeasured
