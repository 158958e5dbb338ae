"""Writing a ``RECORD`` (recording installed projects): rows of changed files are made anew."""

from __future__ import annotations

import csv
import io
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

from installer.records import Hash, InvalidRecordEntry, RecordEntry

from plugwright.plugins import record_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.plugins import RecordRow

__all__ = ["SIGNATURES", "edit_record", "entry_of", "odd_rows"]

SIGNATURES = ("RECORD.jws", "RECORD.p7s")
"""Files that sign RECORD (binary distribution format; deprecated by PEP 815)."""

_COLUMNS = 3
_OWN = ".dist-info/RECORD"


def edit_record(data: bytes, changes: Mapping[str, bytes | None]) -> bytes:
    """A ``RECORD`` that is right after some files have changed.

    Every other row stays as it stands, and so does one that is right already. New rows have a
    SHA-256 and a size and come before the row of RECORD itself.

    Args:
        data: what the file holds.
        changes: new content by path below the import path; ``None`` for a file that is gone.
    """
    rows = list(record_rows(data))
    ending = "\r\n" if rows and rows[0].text.endswith("\r\n") else "\n"
    right = {path for path, content in changes.items() if _is_right(path, content, rows)}
    stale = changes.keys() - right
    kept = [row for row in rows if row.path not in stale]
    files = ((path, changes[path]) for path in sorted(stale))
    fresh = [_row(path, content) + ending for path, content in files if content is not None]
    own = next((n for n, row in enumerate(kept) if row.path.endswith(_OWN)), len(kept))
    texts = [row.text for row in kept[:own]] + fresh + [row.text for row in kept[own:]]
    closed = [text if text.endswith(("\r", "\n")) else text + ending for text in texts[:-1]]
    return "".join(closed + texts[-1:]).encode(errors="surrogateescape")


def odd_rows(data: bytes) -> list[str]:
    """What is kept although it should not be there: the rest of a sentence about each."""
    seen: set[str] = set()
    found = []
    for row in record_rows(data):
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


def entry_of(row: RecordRow) -> RecordEntry | None:
    """What a row says of its file, or ``None`` if that is not well-formed."""
    try:
        return RecordEntry.from_elements(*row.cells) if row.is_whole else None
    except InvalidRecordEntry:
        return None


def _is_right(path: str, content: bytes | None, rows: Sequence[RecordRow]) -> bool:
    """Whether the rows of a file say what it holds, or there is none of a file that is gone."""
    found = [entry_of(row) for row in rows if row.path == path]
    if content is None:
        return not found
    return bool(found) and all(entry is not None and _says(entry, content) for entry in found)


def _says(entry: RecordEntry, content: bytes) -> bool:
    try:
        return entry.validate_stream(io.BytesIO(content))
    except TypeError:  # a hash of no fixed length
        return False


def _row(path: str, content: bytes) -> str:
    digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
    row = io.StringIO(newline="")
    entry = RecordEntry(path, Hash("sha256", digest), len(content))
    csv.writer(row, lineterminator="").writerow(entry.to_row())
    return row.getvalue()
