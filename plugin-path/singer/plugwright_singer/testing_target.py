"""A small Singer target, with which the connector is certified; a script of its own.

It appends each record with its schema as a line to ``rows.jsonl`` in the directory that its
configuration names, and repeats a state when everything before it is on the disk.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

__all__: list[str] = []


def _main() -> None:
    with open(sys.argv[sys.argv.index("--config") + 1], encoding="utf-8") as file:  # noqa: PTH123
        directory = json.load(file)["directory"]
    schemas: dict[str, Any] = {}
    kept: list[str] = []
    flags = os.O_APPEND | os.O_CREAT | os.O_WRONLY
    rows = os.open(f"{directory}/rows.jsonl", flags, 0o666)
    for line in sys.stdin:
        message = json.loads(line)
        match message["type"]:
            case "SCHEMA":
                schemas[message["stream"]] = json.dumps(message["schema"])
            case "RECORD":
                kept.append(f'{{"schema":{schemas[message["stream"]]},"message":{line.strip()}}}\n')
            case "STATE":
                _keep(rows, kept)
                print(json.dumps(message["value"]), flush=True)  # noqa: T201  # its answer
    _keep(rows, kept)


def _keep(rows: int, kept: list[str]) -> None:
    data = memoryview("".join(kept).encode())
    while data:
        data = data[os.write(rows, data) :]
    os.fsync(rows)
    kept.clear()


if __name__ == "__main__":
    try:
        _main()
    except OSError as error:
        sys.exit(f"cannot write the rows: {error.strerror}")
