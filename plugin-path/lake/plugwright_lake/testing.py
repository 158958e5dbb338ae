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

__all__ = ["LakeEndpoint"]


class LakeEndpoint:
    """A private directory, read by pyarrow or fastavro without the connector.

    Args:
        directory: an empty directory of this endpoint's own.
    """

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
        """Add a file of values."""
        folder = self._root / "topics" / "seeded" / "partition=0"
        folder.mkdir(parents=True, exist_ok=True)
        number = len(list(folder.iterdir()))
        path = folder / f"seeded+0+{number:010d}+{number:010d}.parquet"
        unnamed = self._root / "unnamed"
        column = pa.array(values, None if values else pa.string())  # of nothing it has no type
        pq.write_table(pa.table({"value": column}), unnamed)
        unnamed.rename(path)

    def read_back(self) -> list[Any]:
        """Every value, by partition and offset."""
        files = [
            path for path in (self._root / "topics").rglob("[!._]*") if path.suffix in _READERS
        ]
        return [value for path in sorted(files, key=_place) for value in _values(path)]

    def seed_foreign(self) -> Sequence[str]:
        """Add an invalid Parquet file; returns the words that the error about it must contain."""
        folder = self._root / "topics" / "seeded"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "foreign.parquet").write_bytes(b"not a table of columns")
        return ("foreign.parquet cannot be read",)

    def seed_corrupt(self) -> Sequence[str]:
        """Add such a file; the error tells which one it is."""
        return self.seed_foreign()

    def refuse(self) -> Sequence[str]:
        """Put a file in the directory's place; the words of the system about it."""
        shutil.rmtree(self._root)
        self._root.touch()
        return ("Not a directory",)


def _place(path: Path) -> tuple[str, int, int]:
    topic, partition, first = path.name.replace(".", "+").split("+")[:3]
    return topic, int(partition), int(first)


def _of_parquet(path: Path) -> list[Any]:
    rows: list[Any] = pq.read_table(path, partitioning=None).to_pylist(maps_as_pydicts="strict")
    return rows


def _of_avro(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return list(fastavro.reader(file))


_READERS = MappingProxyType({".parquet": _of_parquet, ".avro": _of_avro})


def _values(path: Path) -> list[Any]:
    rows = _READERS[path.suffix](path)
    single = bool(rows) and list(rows[0]) == ["value"]
    return [row["value"] for row in rows] if single else rows
