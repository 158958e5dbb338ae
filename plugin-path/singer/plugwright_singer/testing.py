"""The endpoints that the conformance suite fills and reads: the other sides of small programs."""

from __future__ import annotations

import base64
import datetime as dt
import json
import shlex
import sys
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TapEndpoint", "TargetEndpoint"]


class _ProgramEndpoint:
    """A file of rows, and a program that reads or writes them.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    _role: ClassVar[str]
    _kind: ClassVar[str]

    def __init__(self, directory: Path) -> None:
        self._rows = directory / self._role
        self._program = directory / f"{self._kind}-testing"

    def start(self) -> Mapping[str, str]:
        """Make the file and the program; the settings that lead to them."""
        self._rows.mkdir()
        (self._rows / "rows.jsonl").touch()
        write_program(self._program, f"testing_{self._kind}.py")
        return {"singer.executable": str(self._program), "singer.config.directory": str(self._rows)}

    def stop(self) -> None:
        """Remove the rows."""
        if self._rows.is_dir():
            (self._rows / "rows.jsonl").unlink()
            self._rows.rmdir()
        self._rows.unlink(missing_ok=True)
        self._program.unlink(missing_ok=True)


class TapEndpoint(_ProgramEndpoint):
    """The rows that the tap of ``testing_tap`` reads."""

    _role, _kind = "source", "tap"

    def seed(self, values: Sequence[Any]) -> None:
        """Append values: texts to the stream ``text``, rows to the stream ``rows``."""
        with (self._rows / "rows.jsonl").open("a", encoding="ascii") as file:
            for value in values:
                text = isinstance(value, str)
                record = {"value": value} if text else {k: to_singer(v) for k, v in value.items()}
                stream = "text" if text else "rows"
                file.write(_line({"type": "RECORD", "stream": stream, "record": record}))

    def read_back(self) -> list[Any]:
        """Every text or row that was seeded, as it stands in the file."""
        lines = (self._rows / "rows.jsonl").read_text("ascii").splitlines()
        records = [json.loads(line)["record"] for line in lines]
        return [record["value"] if set(record) == {"value"} else record for record in records]

    def seeded(self, value: Any) -> Any:
        """The text of a record of the stream ``text``; a row as it is."""
        names = list(value) if isinstance(value, dict) or hasattr(value, "schema") else []
        return value["value"] if names == ["value"] else value

    def seed_foreign(self) -> Sequence[str]:
        """Append a record that does not fit its schema; the words that an error must have."""
        with (self._rows / "rows.jsonl").open("a", encoding="ascii") as file:
            record = {"value": {"polygon": "0 0, 1 1"}}
            file.write(_line({"type": "RECORD", "stream": "text", "record": record}))
        return ("value", "polygon")

    def refuse(self) -> Sequence[str]:
        """Be gone; the words by which the tap says so."""
        (self._rows / "rows.jsonl").unlink()
        self._rows.rmdir()
        self._rows.touch()
        return ("Not a directory",)


def write_program(path: Path, script: str) -> None:
    """Make an executable file that runs one of the scripts beside this module."""
    command = shlex.join([sys.executable, "-I", "-S", str(Path(__file__).with_name(script))])
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', "utf-8")
    path.chmod(0o700)


def to_singer(value: Any) -> Any:
    """A value as Singer writes it."""
    match value:
        case bytes():
            return base64.b64encode(value).decode()
        case dt.date():
            return value.isoformat()
        case _:
            return value


def _line(message: Mapping[str, Any]) -> str:
    """A line of JSON in which decimals have all their digits."""
    return f"{_json(message)}\n"


def _json(value: Any) -> str:
    match value:
        case Decimal():
            return str(value)
        case dict():
            return f"{{{','.join(f'{_json(name)}:{_json(item)}' for name, item in value.items())}}}"
        case _:
            return json.dumps(value)


class TargetEndpoint(_ProgramEndpoint):
    """The rows that the target of ``testing_target`` has written."""

    _role, _kind = "sink", "target"

    def seed(self, values: Sequence[Any]) -> None:
        """Append texts or rows as the target would."""
        with (self._rows / "rows.jsonl").open("a", encoding="ascii") as file:
            for value in values:
                record = value if isinstance(value, dict) else {"value": value}
                record = {name: to_singer(item) for name, item in record.items()}
                file.write(_line({"schema": {}, "message": {"record": record}}))

    def read_back(self) -> list[Any]:
        """Every row that is complete, each value of the type that its schema says."""
        complete, _, _ = (self._rows / "rows.jsonl").read_bytes().rpartition(b"\n")
        return [_row(line) for line in complete.splitlines()]

    def refuse(self) -> Sequence[str]:
        """Be gone; the words by which the target says so."""
        (self._rows / "rows.jsonl").unlink()
        self._rows.rmdir()
        self._rows.touch()
        return ("Not a directory",)


def _row(line: bytes) -> Any:
    found = json.loads(line, parse_float=Decimal)
    types = found["schema"].get("properties", {})
    record = found["message"]["record"]
    row = {name: _typed(types.get(name, {}), item) for name, item in record.items()}
    return row["value"] if set(row) == {"value"} else row


def _typed(schema: Mapping[str, Any], value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _typed(schema.get("properties", {}).get(k, {}), v) for k, v in value.items()}
    if isinstance(value, list):
        return [_typed(schema.get("items", {}), item) for item in value]
    if value is None:
        return None
    kind = schema.get("format") or schema.get("contentEncoding")
    if "multipleOf" in schema:
        return Decimal(value)
    if isinstance(value, Decimal) or "number" in schema.get("type", ()):
        return float(value)
    return _READERS[kind](value) if kind in _READERS else value


_READERS: Mapping[Any, Any] = MappingProxyType(
    {
        "base64": base64.b64decode,
        "date": dt.date.fromisoformat,
        "time": dt.time.fromisoformat,
        "date-time": dt.datetime.fromisoformat,
    }
)
