"""Directories of files that foreign taps read and foreign targets fill.

This module is copied into a location beside the connectors, which is then certified.
"""

from __future__ import annotations

import csv
import json
import shutil
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_LONGEST = 1 << 30
_SCHEMA = {"type": "object", "properties": {"value": {"type": "string"}}}


class _Directory:
    """A directory, and the program's configuration that leads to it.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    def __init__(self, directory: Path) -> None:
        self._files = directory / "files"
        self._seeding = directory / "seeding"

    def start(self) -> Mapping[str, str]:
        """Make the directory; the settings that lead to it."""
        self._files.mkdir()
        config = self._config(str(self._files))
        return {f"singer.config.{name}": json.dumps(value) for name, value in config.items()}

    def stop(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self._files, ignore_errors=True)
        self._files.unlink(missing_ok=True)

    def _config(self, place: str) -> Mapping[str, Any]:
        raise NotImplementedError

    def _written(self) -> list[Path]:
        return sorted(path for path in self._files.rglob("*") if path.is_file())


class _TapFiles(_Directory):
    """Lines of JSON that a tap reads: a new file for each call that seeds."""

    suffix = ".jsonl"

    def seed(self, values: Sequence[Any]) -> None:
        """Write values; a tap never sees half a file."""
        self._write(self._seeding, values)
        self._seeding.replace(self._files / f"{len(self._written()):06}{self.suffix}")

    def read_back(self) -> list[Any]:
        """Every value, in the order of the files."""
        return [value for path in self._written() for value in self._values(path)]

    def seeded(self, value: Any) -> Any:
        """The text of a row."""
        return value if isinstance(value, str) else value["value"]

    def _write(self, path: Path, values: Sequence[Any]) -> None:
        lines = (json.dumps({"value": value}) for value in values)
        path.write_text("".join(f"{line}\n" for line in lines), "ascii")

    def _values(self, path: Path) -> list[Any]:
        return [json.loads(line)["value"] for line in path.read_text("ascii").splitlines()]


class TapJsonl(_TapFiles):
    """What tap-jsonl reads."""

    def _config(self, place: str) -> Mapping[str, Any]:
        return {"path": f"{place}/*.jsonl", "stream_name": "rows"}


class TapJsonFile(_TapFiles):
    """What tap-jsonfile reads."""

    def _config(self, place: str) -> Mapping[str, Any]:
        return {"paths": [f"{place}/*.jsonl"], "stream_name": "rows"}


class TapSingerJsonl(_TapFiles):
    """What tap-singer-jsonl reads: one file that grows, because it reads files in any order."""

    def seed(self, values: Sequence[Any]) -> None:
        """Write the file again, with more values."""
        everything = [*self.read_back(), *values]
        self._write(self._seeding, everything)
        self._seeding.replace(self._files / "rows.singer.jsonl")

    def _config(self, place: str) -> Mapping[str, Any]:
        return {"local": {"folders": [place]}, "add_record_metadata": False}

    def _write(self, path: Path, values: Sequence[Any]) -> None:
        schema = {"type": "SCHEMA", "stream": "rows", "schema": _SCHEMA, "key_properties": []}
        rows = [{"type": "RECORD", "stream": "rows", "record": {"value": v}} for v in values]
        state = {"type": "STATE", "value": {"rows": len(rows)}}
        lines = map(json.dumps, (schema, *rows, state))
        path.write_text("".join(f"{line}\n" for line in lines), "ascii")

    def _values(self, path: Path) -> list[Any]:
        return list(_records(path.read_text("ascii").splitlines()))


class _TapCsvFiles(_TapFiles):
    """Files of comma-separated values with a header."""

    suffix = ".csv"

    def _write(self, path: Path, values: Sequence[Any]) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["value"], *([v] for v in values)])

    def _values(self, path: Path) -> list[Any]:
        return _column(path)


class TapCsvFolder(_TapCsvFiles):
    """What tap-csv-folder reads; it refuses a directory without a file."""

    def start(self) -> Mapping[str, str]:
        """Make the directory and a file without rows; the settings that lead to it."""
        settings = super().start()
        self.seed(())
        return settings

    def _config(self, place: str) -> Mapping[str, Any]:
        return {"path": place, "filesystem": "local", "read_mode": "merge", "stream_name": "rows"}


class TapSpreadsheets(_TapCsvFiles):
    """What tap-spreadsheets reads."""

    def _config(self, place: str) -> Mapping[str, Any]:
        file = {"path": f"{place}/*.csv", "format": "csv", "table_name": "rows"}
        return {"files": [{**file, "delimiter": ",", "quote_char": '"'}]}


class _TargetFiles(_Directory):
    """Files that a target writes, each record as a line of JSON."""

    setting = "destination_path"
    seeds = "seed.jsonl"

    def seed(self, values: Sequence[Any]) -> None:
        """Write values as the target would."""
        with (self._files / self.seeds).open("a", encoding="ascii") as file:
            file.writelines(f"{json.dumps({'value': value})}\n" for value in values)

    def read_back(self) -> list[Any]:
        """The text of each row that is complete."""
        return [value for path in self._written() for value in self._values(path)]

    def refuse(self) -> Sequence[str]:
        """Be gone; the words by which the target says so."""
        self.stop()
        self._files.touch()
        return self.refusals

    refusals: Sequence[str] = ("Not a directory",)

    def _config(self, place: str) -> Mapping[str, Any]:
        return {self.setting: place}

    def _values(self, path: Path) -> list[Any]:
        complete = path.read_bytes().rpartition(b"\n")[0]
        return [_text_or_row(json.loads(line)) for line in complete.splitlines()]


class JsonLinesFiles(_TargetFiles):
    """What target-jsonl writes; it makes its directory again and again."""

    refusals = ("File exists",)


class TargetSingerJsonl(_TargetFiles):
    """What target-singer-jsonl writes: compressed messages, a file for each run."""

    def _config(self, place: str) -> Mapping[str, Any]:
        return {"local": {"folder": place}, "add_record_metadata": False}

    def _values(self, path: Path) -> list[Any]:
        if path.name == self.seeds:
            return super()._values(path)
        return list(_records(_unzipped(path).splitlines()))


class TargetLocalJson(_TargetFiles):
    """What target-localjson writes: a file for each record."""

    def _config(self, place: str) -> Mapping[str, Any]:
        return {"dest_dir": place, "disable_collection": True}

    def _values(self, path: Path) -> list[Any]:
        if path.name == self.seeds:
            return super()._values(path)
        try:
            return [_text_or_row(json.loads(path.read_bytes())["record"])]
        except ValueError:  # a file that is not finished
            return []


class TargetCsv(_TargetFiles):
    """What MeltanoLabs' target-csv writes: a file for each run, or it would replace the last."""

    setting = "output_path"
    refusals = ("File exists",)

    def _config(self, place: str) -> Mapping[str, Any]:
        names = {"file_naming_scheme": "{stream_name}-{timestamp}.csv"}
        return {**super()._config(place), **names, "timestamp_format": "%Y%m%dT%H%M%S%f"}

    def _values(self, path: Path) -> list[Any]:
        return super()._values(path) if path.name == self.seeds else _rows(path)


def _records(lines: Sequence[str]) -> Iterator[Any]:
    """The values of the RECORD messages."""
    messages = map(json.loads, lines)
    return (_text_or_row(each["record"]) for each in messages if each["type"] == "RECORD")


def _text_or_row(record: Mapping[str, Any]) -> Any:
    """The one value of a record, or all of them."""
    return record["value"] if record.keys() == {"value"} else record


def _unzipped(path: Path) -> str:
    """The complete lines of a compressed file, of which the end may be missing."""
    inflated = zlib.decompressobj(wbits=31).decompress(path.read_bytes())
    return inflated.rpartition(b"\n")[0].decode()


def _column(path: Path) -> list[Any]:
    return [row["value"] for row in _rows_of(path)]


def _rows(path: Path) -> list[Any]:
    return [_text_or_row(row) for row in _rows_of(path)]


def _rows_of(path: Path) -> list[dict[str, Any]]:
    csv.field_size_limit(_LONGEST)
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
