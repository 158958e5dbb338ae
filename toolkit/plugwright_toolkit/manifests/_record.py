"""Editing the bytes of a ``RECORD`` so that every row but those of changed files stays as it is."""

from __future__ import annotations

import csv
import hashlib
import io
import posixpath
from base64 import urlsafe_b64encode
from bisect import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["edit_record", "odd_rows", "record_agrees", "recorded_paths"]

_HASHES = frozenset({"sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b"})
_COLUMNS = 3
_OWN = ".dist-info/RECORD"


@dataclass(frozen=True, slots=True)
class _Row:
    """One row: its bytes with the line ending, and what they say."""

    raw: bytes
    cells: tuple[str, ...]

    @property
    def path(self) -> str:
        """Where the file lies below the import path, in one spelling."""
        return _normal(self.cells[0]) if self.cells else ""

    @property
    def ending(self) -> bytes:
        """The line ending; the last row may have none."""
        return self.raw[len(self.raw.rstrip(b"\r\n")) :]


def edit_record(data: bytes, changes: Mapping[str, bytes | None]) -> bytes:
    r"""A ``RECORD`` that is right after some files have changed.

    Order, quoting, line endings, the style of paths (``/`` or ``\``) and the hash algorithm of
    each row are kept; a row without a hash stays so. The row of a new file is put where order asks
    for it if the file is in order, and otherwise before the row of RECORD itself (recording
    installed projects).

    Args:
        data: what the file holds.
        changes: new content by path below the import path; ``None`` for a file that is gone.
    """
    rows = list(_rows(data))
    wanted = {_normal(path): content for path, content in changes.items()}
    kept = [new for row in rows if (new := _updated(row, wanted)) is not None]
    ending = _ending(rows)
    for path in sorted(set(wanted) - {row.path for row in rows}):
        content = wanted[path]
        if content is not None:
            cells = (_spelt(path, rows), _digest("sha256", content), str(len(content)))
            kept.insert(_place(kept, path), _Row(_written(cells) + ending, cells))
    text = b"".join(row.raw if row.ending else row.raw + ending for row in kept)
    return text.removesuffix(ending) if rows and not rows[-1].ending else text


def record_agrees(data: bytes, path: str, content: bytes | None) -> bool:
    """Whether the rows of a file say what is on the disk: its hash, or that it is not there."""
    rows = [row for row in _rows(data) if row.path == _normal(path)]
    if content is None:
        return not rows
    return bool(rows) and all(_refreshed(row, content) is row for row in rows)


def recorded_paths(data: bytes) -> list[str]:
    """The files of a distribution, in one spelling."""
    return [row.path for row in _rows(data) if row.path]


def odd_rows(data: bytes) -> list[str]:
    """What is kept although it should not be there: the rest of a sentence about each."""
    seen: set[str] = set()
    found = []
    for row in _rows(data):
        if not row.path:
            continue
        if row.path in seen:
            found.append(f"has two rows for {row.path}")
        elif row.path.startswith(("../", "/")):
            found.append(f"has a row for {row.path}, which lies outside")
        if len(row.cells) > _COLUMNS:
            found.append(f"has {len(row.cells)} columns for {row.path}, expected {_COLUMNS}")
        seen.add(row.path)
    return found


def _rows(data: bytes) -> Iterator[_Row]:
    """Split at line ends outside of quotes; a quoted path may hold one."""
    held: list[bytes] = []
    is_open = False
    for part in data.splitlines(keepends=True):
        held.append(part)
        is_open ^= part.count(b'"') % 2 == 1
        if not is_open:
            yield _row(b"".join(held))
            held = []
    # A quote without end spoils its own line and not all that follow.
    yield from map(_row, held)


def _row(raw: bytes) -> _Row:
    text = raw.rstrip(b"\r\n").decode(errors="surrogateescape")
    try:
        cells = next(csv.reader(io.StringIO(text, newline="")), [])
    except csv.Error:
        cells = []
    return _Row(raw, tuple(cells))


def _normal(path: str) -> str:
    return posixpath.normpath(path.replace("\\", "/")) if path else ""


def _updated(row: _Row, wanted: Mapping[str, bytes | None]) -> _Row | None:
    if not row.path or row.path not in wanted:
        return row
    content = wanted[row.path]
    return None if content is None else _refreshed(row, content)


def _refreshed(row: _Row, content: bytes) -> _Row:
    """The row with the hash and the size of other content, where it has them."""
    cells = list(row.cells)
    if len(cells) < _COLUMNS or not cells[1]:
        return row
    algorithm = cells[1].partition("=")[0].lower()
    cells[1] = _digest(algorithm if algorithm in _HASHES else "sha256", content)
    if cells[2]:
        cells[2] = str(len(content))
    if tuple(cells) == row.cells:
        return row
    return _Row(_written(cells) + row.ending, tuple(cells))


def _digest(algorithm: str, content: bytes) -> str:
    digest = hashlib.new(algorithm, content).digest()
    return f"{algorithm}={urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def _written(cells: Sequence[str]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="").writerow(cells)
    return out.getvalue().encode(errors="surrogateescape")


def _ending(rows: Sequence[_Row]) -> bytes:
    windows = sum(row.ending == b"\r\n" for row in rows)
    return b"\r\n" if windows * 2 > len(rows) else b"\n"


def _spelt(path: str, rows: Sequence[_Row]) -> str:
    """A path in the style that most rows have."""
    windows = sum("\\" in row.cells[0] for row in rows if row.cells)
    return path.replace("/", "\\") if windows * 2 > len(rows) else path


def _place(rows: Sequence[_Row], path: str) -> int:
    """Where the row of a new file goes."""
    paths = [row.path for row in rows]
    own = next((index for index, each in enumerate(paths) if each.endswith(_OWN)), len(paths))
    others = paths[:own] + paths[own + 1 :]
    if own < len(paths) - 1 and paths == sorted(paths):
        return bisect(paths, path)
    if others == sorted(others):
        index = bisect(others, path)
        return index if index <= own else index + 1
    return own
