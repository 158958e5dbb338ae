#!/opt/plugwright/bin/python -I
"""Exits with 0 if the worker in this container answers a path of its REST API with 200.

A probe of Kubernetes could send a password only if the manifest contained it; this reads the one
of the user ``probe`` from the file that the worker reads.

Usage: probe.py PATH [PORT [CREDENTIALS_FILE]]
"""

from __future__ import annotations

import base64
import sys
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

_TIMEOUT_S = 12.0


def status(path: str, port: int, credentials: Path) -> tuple[int, str]:
    """The status and the body of an answer of the worker on this machine."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT_S)
    connection.request("GET", path, headers=_authorization(credentials))
    answer = connection.getresponse()
    return answer.status, answer.read(1000).decode("utf-8", errors="replace")


def _authorization(credentials: Path) -> dict[str, str]:
    if not credentials.exists():
        return {}
    lines = (line.strip().partition("=") for line in credentials.read_text("utf-8").splitlines())
    passwords = {user: password for user, _, password in lines}
    pair = f"probe:{passwords.get('probe', '')}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def main(path: str, port: str = "8083", credentials: str = "/etc/plugwright/rest/users") -> int:
    """Print an answer that is not 200; the exit status."""
    try:
        code, body = status(path, int(port), Path(credentials))
    except OSError as error:
        code, body = 0, str(error)
    if code != HTTPStatus.OK:
        sys.stderr.write(f"{path}: {code} {body}\n")
    return 0 if code == HTTPStatus.OK else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
