"""The system on the other side, and the first part to replace: here it is a journal.

A journal is a text file of JSON strings, one a line, so that an entry may hold any text. The rest
of the package knows it through the methods of `Journal` only.
"""

from __future__ import annotations

import json
import os
{% if cookiecutter.__source %}
from itertools import islice
{% endif %}
from typing import TYPE_CHECKING, NamedTuple

{% if cookiecutter.__source %}
from plugwright import ConnectError, RetriableError
{% else %}
from plugwright import ConnectError
{% endif %}

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedWriter
    from pathlib import Path

__all__ = ["Entry", "Journal"]


class Entry(NamedTuple):
    """One entry of a journal, and the position after it."""

    text: str | None
    end: int


class Journal:
    """One journal, opened where it is first used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BufferedWriter | None = None

{% if cookiecutter.__source %}
    def read(self, position: int, limit: int) -> list[Entry]:
        """The complete entries from a position on, at most ``limit`` of them.

        A journal that does not exist yet has none.

        Raises:
            RetriableError: if the journal cannot be read now.
            ConnectError: if it may not be read, is shorter than the position, or has a line that is
                no entry.
        """
        try:
            with self._path.open("rb") as file:
                if os.fstat(file.fileno()).st_size < position:
                    raise self._failure(f"is shorter than position {position}: it was replaced")
                file.seek(position)
                return self._entries(position, list(islice(file, limit)))
        except FileNotFoundError:
            if position:
                raise self._failure("is gone, though it was read before") from None
            return []
        except PermissionError as error:
            raise self._failure(f"cannot be read: {error.strerror}") from error
        except OSError as error:  # disks and network drives come back: try again
            raise RetriableError(
                f"the journal {self._path} cannot be read now: {error.strerror}",
                code="{{ cookiecutter.__distribution }}.journal",
                facts={"file": str(self._path)},
            ) from error

{% endif %}
{% if cookiecutter.__sink and not cookiecutter.__ledger %}
    def append(self, texts: Sequence[str | None]) -> None:
        """Add entries at the end, in one go, so that several writers do not mix their entries.

        Raises:
            ConnectError: if the journal cannot be written.
        """
        lines = "".join(f"{json.dumps(text)}\n" for text in texts)
        try:
            if self._file is None:
                self._file = self._path.open("ab")
            self._file.write(lines.encode("ascii"))
            self._file.flush()
        except OSError as error:
            raise self._failure(f"cannot be written: {error.strerror}") from error

    def make_durable(self) -> None:
        """Return when what was added will survive a crash.

        Raises:
            ConnectError: if that cannot be promised.
        """
        if self._file is None:
            return
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failure(f"cannot be made durable: {error.strerror}") from error

{% endif %}
    def close(self) -> None:
        """Release the file; may be called at any time, and again."""
        if self._file is not None:
            self._file.close()
            self._file = None

{% if cookiecutter.__source %}
    def _entries(self, position: int, lines: Sequence[bytes]) -> list[Entry]:
        found: list[Entry] = []
        for line in lines:
            if not line.endswith(b"\n"):  # the end, or an entry that is still being written
                break
            start, position = position, position + len(line)
            found.append(Entry(self._text(line, start), position))
        return found

    def _text(self, line: bytes, start: int) -> str | None:
        try:
            text = json.loads(line)
        except ValueError as error:
            raise self._failure(f"has no entry at position {start}: {error}") from error
        if text is not None and not isinstance(text, str):
            raise self._failure(f"has {type(text).__name__} instead of text at position {start}")
        return text

{% endif %}
    def _failure(self, what: str) -> ConnectError:
        return ConnectError(
            f"the journal {self._path} {what}",
            code="{{ cookiecutter.__distribution }}.journal",
            facts={"file": str(self._path)},
        )
