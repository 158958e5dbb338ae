"""Check of the change log that a distribution ships."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._packaging import metadata_of
from plugwright_conformance.checks.change_log_text import (
    has_entry,
    sections,
    version_named,
    versions_in,
)
from plugwright_conformance.checks.documentation import readme_of
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from packaging.version import Version

    from plugwright_conformance.catalogue.bench import Bench

_FILE = re.compile(
    r"(change[-_]?log|changes|history|release[-_]?notes)(\.(md|rst|txt))?$", re.IGNORECASE
)


@registered
class ChangeLogHasVersion(Check):
    """The change log that comes with the plugin has its version."""

    id = "CON-DOC-08"
    severity = Severity.SHOULD
    level = Level.C1
    wave = 2
    title = "Change log has an entry for this version"
    why = "Operators look there for what an upgrade changes, and find nothing about this one."
    mend = "Add a heading with the version to the change log before each release."
    origin = "QA; airbyte#23314"

    def run(self, bench: Bench) -> Evidence:
        """Look for the version among those of each change log, in a file or in the README."""
        version = _version_of(bench)
        logs = {name: found for name, text in _change_logs(bench) if (found := versions_in(text))}
        if not logs:
            raise NotApplicableError("the distribution ships no change log that names versions")
        if not any(has_entry(found, version) for found in logs.values()):
            name, found = next(iter(logs.items()))
            raise CheckFailedError(
                expected=f"an entry for {version}",
                observed=f"entries for {', '.join(found[:3])}",
                scenario=f"the change log in {name}",
                likely="the version was raised without an entry",
            )
        return Evidence(sum(map(len, logs.values())))


def _version_of(bench: Bench) -> Version:
    """The version of the distribution.

    Raises:
        NotApplicableError: if it could be any number of a text, or is none, see PLG-PKG-08.
    """
    text = bench.subject.descriptor.version
    version = version_named(text)
    if version is None or "." not in text:
        raise NotApplicableError(f"{text} cannot be told from other words and numbers of a text")
    return version


def _change_logs(bench: Bench) -> Iterator[tuple[str, str]]:
    """Name and text of each; those of libraries that it contains are none of them."""
    metadata, _ = metadata_of(bench)
    root = bench.subject.root
    package = root / bench.subject.descriptor.module.partition(".")[0]
    alone = len(list(root.glob("*.dist-info"))) == 1
    places = [metadata, package, root] if alone else [metadata, package]
    for file in chain.from_iterable(map(_files, places)):
        yield file.name, file.read_text(encoding="utf-8", errors="replace")
    yield from (("README", text) for text in sections(readme_of(bench)))


def _files(directory: Path) -> list[Path]:
    found = directory.iterdir() if directory.is_dir() else ()
    return sorted(path for path in found if _FILE.match(path.name) and path.is_file())
