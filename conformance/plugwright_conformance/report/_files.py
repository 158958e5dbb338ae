"""Writes report files atomically."""

from __future__ import annotations

import os
import secrets
from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.errors import ConnectError
from plugwright_conformance.report._badge import BadgeReport
from plugwright_conformance.report._html import HtmlReport
from plugwright_conformance.report._json import JsonReport
from plugwright_conformance.report._junit import JUnitReport
from plugwright_conformance.report._markdown import MarkdownReport
from plugwright_conformance.report.secrecy import require_no_secret

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright_conformance.report._writer import ReportWriter
    from plugwright_conformance.report.results import RunResults

_STAGED = ".staged"
NO_SECRETS: Mapping[str, Sequence[str]] = MappingProxyType({})
"""For runs without secret settings."""

WRITERS: tuple[ReportWriter, ...] = (
    JsonReport(),
    JUnitReport(),
    HtmlReport(),
    MarkdownReport(),
    BadgeReport(),
)
"""The reports of every run, the machine-readable one first."""


def write_reports(
    results: RunResults,
    directory: Path,
    writers: Sequence[ReportWriter] = WRITERS,
    secrets_used: Mapping[str, Sequence[str]] = NO_SECRETS,
) -> list[Path]:
    """Write every report of the run and return their paths in the order of ``writers``.

    All are rendered and staged in the same directory before the first one is renamed; if that
    fails, earlier reports remain unchanged. The first writer's file is renamed last, so that a
    reader of a new ``results.json`` finds the others in its directory.

    Args:
        results: the run.
        directory: where the files are written; created if missing.
        writers: the reports.
        secrets_used: values of secret settings by name, which no file may contain.

    Raises:
        ConnectError: ``report.unwritable`` with the path in its facts; ``report.secret``.
    """
    bodies = {w.file_name: w.render(results) for w in writers}
    require_no_secret(bodies, secrets_used, results)
    rendered = {directory / name: body for name, body in bodies.items()}
    with ExitStack() as leftovers:
        staged: dict[Path, Path] = {}
        try:
            directory.mkdir(parents=True, exist_ok=True)
            for target, body in rendered.items():
                staged[target] = _stage(target, body, leftovers)
            for target, temporary in reversed(staged.items()):
                temporary.replace(target)
            _sync_directory(directory)
        except OSError as error:
            raise _unwritable(directory, error) from error
    return list(rendered)


def _stage(target: Path, body: bytes, leftovers: ExitStack) -> Path:
    if target.is_dir():
        raise IsADirectoryError(None, "a directory exists at this path", str(target))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{_STAGED}")
    with temporary.open("xb") as file:
        leftovers.callback(temporary.unlink, missing_ok=True)
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    return temporary


def _sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _unwritable(directory: Path, error: OSError) -> ConnectError:
    path = str(error.filename2 or error.filename or directory)
    if path.endswith(_STAGED):
        path = str(directory)
    reason = error.strerror or type(error).__name__
    return ConnectError(
        f"the reports cannot be written to {directory}: {path}: {reason}",
        code="report.unwritable",
        hint="make the directory writable, remove the existing file, or name another directory",
        facts={"directory": str(directory), "path": path, "reason": reason},
    )
