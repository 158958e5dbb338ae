"""Text files at an endpoint, appended to in pieces or replaced."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from plugwright_conformance.evidence.outcome import NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.endpoint import OpenEndpoint

_LEARNED = ("first line", "other line", "\U0001f9ea third")
"""Two of one length, which differ in nothing else, and one with a character of four bytes."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file to which the endpoint driver appends values.

    Attributes:
        before: what stands in front of each value.
        after: what stands behind it.
        escaped: whether a value is written as JSON has text.
        values: those that are in the file.
    """

    path: Path
    before: bytes
    after: bytes
    escaped: bool
    values: Sequence[str] = _LEARNED

    def shown(self, text: str) -> bytes:
        """A value as the file has it."""
        return self.before + (_escaped(text) if self.escaped else text.encode()) + self.after

    def append(self, data: bytes) -> None:
        """Write something behind everything else."""
        with self.path.open("ab") as file:
            file.write(data)


def text_file(bench: Bench, endpoint: OpenEndpoint) -> TextFile:
    """The format of the file to which the driver appends; it contains three values then.

    Raises:
        NotApplicableError: if it does not append to a text file that the configuration names, or
            adds more than a value.
    """
    if bench.subject.kind == "source" and bench.subject.declaration.rows is None:
        added = [_added(endpoint, text) for text in _LEARNED]
        (path, chunk), last = added[1], added[2][1]
        _require_named(endpoint, path)
        same = added[0][1].replace(_LEARNED[0].encode(), _LEARNED[1].encode()) == chunk
        before, found, after = chunk.partition(_LEARNED[1].encode())
        for escaped in (False, True):
            file = TextFile(path, before, after, escaped)
            if same and found and after and file.shown(_LEARNED[2]) == last:
                return file
    raise NotApplicableError("the endpoint does not append values to a text file")


def _added(endpoint: OpenEndpoint, text: str) -> tuple[Path, bytes]:
    """The file to which the driver has appended a value, and what it has appended."""
    old = _contents(endpoint)
    endpoint.driver.seed([text])
    changed = {path: data for path, data in _contents(endpoint).items() if old.get(path) != data}
    if len(changed) == 1:
        ((path, data),) = changed.items()
        before = old.get(path)
        if before is not None and data.startswith(before) and _is_text(data):
            return path, data[len(before) :]
    raise NotApplicableError("the endpoint does not append values to a text file")


def _require_named(endpoint: OpenEndpoint, path: Path) -> None:
    """Leave alone what only the driver knows: its own memory may be a file, too."""
    values = [name.strip() for value in endpoint.settings.values() for name in value.split(",")]
    names = {*values, *(urlsplit(value).path for value in values)}
    if not names & {str(place) for place in (path, *path.parents)}:
        raise NotApplicableError("no setting names the text file to which the endpoint appends")


def _contents(endpoint: OpenEndpoint) -> Mapping[Path, bytes]:
    return {path: path.read_bytes() for path in endpoint.directory.rglob("*") if path.is_file()}


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def _escaped(text: str) -> bytes:
    return json.dumps(text)[1:-1].encode()
