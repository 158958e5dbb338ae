"""The endpoint that the conformance suite reads back from: a directory of files."""

from __future__ import annotations

import shutil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["AvroLakeEndpoint", "LakeEndpoint"]

_MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 2}
_MOMENT = {"type": "long", "logicalType": "timestamp-millis"}
_PLACE = {
    "type": "record",
    "name": "Place",
    "fields": [
        {"name": "name", "type": "string"},
        {"name": "since", "type": ["null", _MOMENT]},
        {"name": "prices", "type": {"type": "array", "items": _MONEY}},
    ],
}
_PLACE_COLUMNS = (
    pa.field("name", pa.string(), nullable=False),
    pa.field("since", pa.timestamp("ms", tz="UTC")),
    pa.field("prices", pa.list_(pa.field("element", pa.decimal128(38, 2), nullable=False)), False),
)
_COUNT = pa.field("value", pa.int64(), nullable=False)
_COLUMNS: Mapping[str, tuple[Any, Any]] = MappingProxyType(
    {
        "text": (pa.string(), "string"),
        "truth": (pa.bool_(), "boolean"),
        "tiny": (pa.int8(), "int"),
        "small": (pa.int16(), "int"),
        "medium": (pa.int32(), "int"),
        "large": (pa.int64(), "long"),
        "ratio": (pa.float32(), "float"),
        "double": (pa.float64(), "double"),
        "raw": (pa.binary(), "bytes"),
        "amount": (pa.decimal128(38, 2), _MONEY),
        "day": (pa.date32(), {"type": "int", "logicalType": "date"}),
        "hour": (pa.time32("ms"), {"type": "int", "logicalType": "time-millis"}),
        "moment": (pa.timestamp("ms", tz="UTC"), _MOMENT),
        "note": (pa.string(), ["null", "string"]),
        "missing": (pa.int64(), ["null", "long"]),
        "tags": (pa.list_(pa.string()), {"type": "array", "items": ["null", "string"]}),
        "counts": (pa.map_(pa.string(), _COUNT), {"type": "map", "values": "long"}),
        "place": (pa.struct(_PLACE_COLUMNS), ["null", _PLACE]),
        "branch": (pa.struct(_PLACE_COLUMNS), ["null", "Place"]),
        "former": (pa.list_(pa.struct(_PLACE_COLUMNS)), {"type": "array", "items": "Place"}),
    }
)
"""The types of the declared fields in Arrow and in Avro."""


class LakeEndpoint:
    """A private directory, read by pyarrow or fastavro without the connector.

    Args:
        directory: an empty directory of this endpoint's own.
    """

    EXTENSION = ".parquet"

    def __init__(self, directory: Path) -> None:
        self._root = directory / "lake"

    def start(self) -> Mapping[str, str]:
        """Make the directory; the settings that point the connector at it."""
        self._root.mkdir(exist_ok=True)
        return {"store.url": str(self._root)}

    def stop(self) -> None:
        """Remove the directory."""
        if self._root.is_file():
            self._root.unlink()
        shutil.rmtree(self._root, ignore_errors=True)

    def seed(self, values: Sequence[Any]) -> None:
        """Add a file of values: of texts, or of rows."""
        folder = self._root / "topics" / "seeded" / "partition=0"
        folder.mkdir(parents=True, exist_ok=True)
        number = len(list(folder.iterdir()))
        path = folder / f"seeded+0+{number:010d}+{number:010d}{self.EXTENSION}"
        unnamed = self._root / "unnamed"
        self.write(unnamed, values)
        unnamed.rename(path)

    @staticmethod
    def write(path: Path, values: Sequence[Any]) -> None:
        """Write a file of values."""
        if any(isinstance(value, dict) for value in values):
            fields = [pa.field(n, t[0], nullable=_is_optional(t[1])) for n, t in _COLUMNS.items()]
            table = pa.Table.from_pylist(list(values), pa.schema(fields))
        else:
            column = pa.array(values, None if values else pa.string())  # of nothing it has no type
            table = pa.table({"value": column})
        pq.write_table(table, path)

    def read_back(self) -> list[Any]:
        """Every value, by partition and offset."""
        files = [
            path for path in (self._root / "topics").rglob("[!._]*") if path.suffix in _READERS
        ]
        return [value for path in sorted(files, key=_place) for value in _values(path)]

    def seed_foreign(self) -> Sequence[str]:
        """Add an invalid file; returns the words that the error about it must contain."""
        folder = self._root / "topics" / "seeded"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"foreign{self.EXTENSION}").write_bytes(b"not a table of columns")
        return (f"foreign{self.EXTENSION} cannot be read",)

    def seed_corrupt(self) -> Sequence[str]:
        """Add such a file; the error tells which one it is."""
        return self.seed_foreign()

    def refuse(self) -> Sequence[str]:
        """Put a file in the directory's place; the words of the system about it."""
        shutil.rmtree(self._root)
        self._root.touch()
        return ("Not a directory",)


class AvroLakeEndpoint(LakeEndpoint):
    """The same with files of Avro."""

    EXTENSION = ".avro"

    @staticmethod
    def write(path: Path, values: Sequence[Any]) -> None:
        """Write a file of values."""
        schema: Any = "string"
        if any(isinstance(value, dict) for value in values):
            fields = [{"name": name, "type": types[1]} for name, types in _COLUMNS.items()]
            schema = {"type": "record", "name": "Row", "fields": fields}
        with path.open("wb") as file:
            fastavro.writer(file, fastavro.parse_schema(schema), values)


def _is_optional(avro: Any) -> bool:
    return isinstance(avro, list)


def _place(path: Path) -> tuple[str, int, int]:
    topic, partition, first = path.name.replace(".", "+").split("+")[:3]
    return topic, int(partition), int(first)


def _of_parquet(path: Path) -> list[Any]:
    rows: list[Any] = pq.read_table(path, partitioning=None).to_pylist(maps_as_pydicts="strict")
    return rows


def _of_avro(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return [_with_maps(row) for row in fastavro.reader(file)]


def _with_maps(row: Any) -> Any:
    """A row whose field ``codes`` is a map: Avro's maps have texts as keys, others are pairs."""
    if not isinstance(row, dict) or "codes" not in row:
        return row
    return {**row, "codes": {pair["key"]: pair["value"] for pair in row["codes"]}}


_READERS = MappingProxyType({".parquet": _of_parquet, ".avro": _of_avro})


def _values(path: Path) -> list[Any]:
    rows = _READERS[path.suffix](path)
    single = bool(rows) and list(rows[0]) == ["value"]
    return [row["value"] for row in rows] if single else rows
