"""A small Singer tap, with which the connector is certified; a script of its own.

It reads ``rows.jsonl`` in the directory that its configuration names, from the line that its state
names, and writes its state after every record.
"""

from __future__ import annotations

import json
import sys
from typing import Any

__all__ = ["SCHEMAS"]

SCHEMAS: dict[str, Any] = {
    "text": {"type": "object", "required": ["value"], "properties": {"value": {"type": "string"}}},
    "rows": {
        "type": "object",
        "required": ["id", "name", "ratio", "flag", "data", "amount", "born", "seen"],
        "properties": {
            "id": {"type": "integer"},
            "name": {"type": "string"},
            "ratio": {"type": "number"},
            "flag": {"type": "boolean"},
            "data": {"type": "string", "contentEncoding": "base64"},
            "amount": {"type": "number", "multipleOf": 0.01},
            "born": {"type": "string", "format": "date"},
            "seen": {"type": "string", "format": "date-time"},
            "note": {"type": ["null", "string"]},
        },
    },
}


def _main() -> None:
    directory = _option("--config")["directory"]
    streams = [{"tap_stream_id": name, "schema": schema} for name, schema in SCHEMAS.items()]
    if "--discover" in sys.argv:
        _print({"streams": streams})
        return
    _sync(f"{directory}/rows.jsonl", (_option("--state") or {"line": 0})["line"])


def _option(name: str) -> Any:
    """Read the JSON file that an option names, with a minimal parser to start fast."""
    if name not in sys.argv:
        return None
    with open(sys.argv[sys.argv.index(name) + 1], encoding="utf-8") as file:  # noqa: PTH123
        return json.load(file)


def _sync(path: str, line: int) -> None:
    for name, schema in SCHEMAS.items():
        _print({"type": "SCHEMA", "stream": name, "schema": schema, "key_properties": []})
    _print({"type": "STATE", "value": {"line": line}})
    with open(path, "rb") as file:  # noqa: PTH123  # paths take time, too
        for number, row in enumerate(file):
            if number < line or not row.endswith(b"\n"):
                continue
            sys.stdout.write(row.decode("ascii"))
            _print({"type": "STATE", "value": {"line": number + 1}})


def _print(message: object) -> None:
    sys.stdout.write(f"{json.dumps(message)}\n")


if __name__ == "__main__":
    try:
        _main()
    except OSError as error:
        sys.exit(f"cannot read the rows: {error.strerror}")
