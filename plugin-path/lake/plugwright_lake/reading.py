"""Files as rows with their schema, by the extension of their names."""

from __future__ import annotations

import gzip
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from plugwright import DataError, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["EXTENSIONS", "ReadFile", "read_file"]

EXTENSIONS = (".jsonl", ".jsonl.gz", ".avro", ".parquet")


class ReadFile(Protocol):
    """The rows of a file."""

    @property
    def schema(self) -> Schema | None:
        """The schema of every row, ``None`` if they have none."""

    def __len__(self) -> int:
        """The number of rows."""

    def rows(self, begin: int, end: int) -> Sequence[Any]:
        """The values of some rows, in their order; fewer where one cannot be read.

        Raises:
            DataError: if the first of them cannot be read.
        """


def read_file(path: str, data: bytes) -> ReadFile:
    """The rows of a file.

    Raises:
        DataError: if it is not a file of the format that its name indicates, or Connect has no such
        types.
    """
    with _naming_file(path):
        if path.endswith(".parquet"):
            return _Parquet(path, data)
        if path.endswith(".avro"):
            return _Avro(path, data)
        return _Lines(path, gzip.decompress(data) if path.endswith(".gz") else data)


@contextmanager
def _naming_file(path: str) -> Iterator[None]:
    """Let every failure of a reader name the file: each of them has classes of its own."""
    try:
        yield
    except Exception as error:
        said = str(error).splitlines()
        raise _unreadable(path, said[0] if said else "it is cut") from error


def _unreadable(path: str, problem: str) -> DataError:
    return DataError(
        f"{path} cannot be read: {problem}",
        code="lake.unreadable",
        hint="fix the file, or move it elsewhere",
        facts={"path": path},
    )


class _Lines:
    """JSON lines; the last one need not have its end."""

    schema = None

    def __init__(self, path: str, data: bytes) -> None:
        self._path = path
        self._lines = data.removesuffix(b"\n").split(b"\n") if data else []

    def __len__(self) -> int:
        return len(self._lines)

    def rows(self, begin: int, end: int) -> Sequence[Any]:
        import orjson  # noqa: PLC0415  # only where files are JSON

        values: list[Any] = []
        for line in self._lines[begin:end]:
            try:
                values.append(orjson.loads(line))
            except ValueError as error:
                if values:
                    break  # the lines before it are delivered first
                raise _unreadable(self._path, f"line {begin + 1}: {error}") from error
        return values


class _Parquet:
    """Columns of Arrow."""

    def __init__(self, path: str, data: bytes) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415  # heavy, and discovery needs none

        from plugwright_lake.arrow_reading import connect_schema  # noqa: PLC0415

        self._path = path
        self._table = pq.read_table(io.BytesIO(data))
        self.schema = connect_schema(self._table.schema)
        self._single = self._table.schema.names == ["value"]

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def rows(self, begin: int, end: int) -> Sequence[Any]:
        from plugwright_lake.arrow_reading import connect_value  # noqa: PLC0415

        with _naming_file(self._path):
            found = self._table.slice(begin, end - begin).to_pylist()
            values = [row["value"] for row in found] if self._single else found
            return [connect_value(self.schema, value) for value in values]


class _Avro:
    """A container of Avro."""

    def __init__(self, path: str, data: bytes) -> None:
        import fastavro  # noqa: PLC0415  # only where files are Avro

        from plugwright_lake.avro_reading import AvroTypes  # noqa: PLC0415

        self._path = path
        reader: Any = fastavro.reader(io.BytesIO(data))
        self.schema = AvroTypes().schema(reader.writer_schema)
        self._rows = list(reader)

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self, begin: int, end: int) -> Sequence[Any]:
        from plugwright_lake.arrow_reading import connect_value  # noqa: PLC0415

        with _naming_file(self._path):
            return [connect_value(self.schema, value) for value in self._rows[begin:end]]
