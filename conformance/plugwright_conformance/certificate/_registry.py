"""The checks of a suite as one value with a digest."""

from __future__ import annotations

import hashlib
from importlib import resources
from typing import TYPE_CHECKING

from plugwright_conformance.certificate.canonical_json import canonical
from plugwright_conformance.certificate.statement import RegistryEntry
from plugwright_conformance.certificate.typed import as_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from importlib.resources.abc import Traversable

    from plugwright_conformance.catalogue.check import Check


def registry_of(checks: Sequence[type[Check]]) -> tuple[RegistryEntry, ...]:
    """The checks by id, with everything from which a level is computed."""
    entries = (
        RegistryEntry(
            check.id,
            check.revision,
            check.severity.value,
            check.level.name,
            tuple(sorted(check.kinds)),
            check.engines if check.live else (),
        )
        for check in checks
    )
    return tuple(sorted(entries, key=lambda entry: entry.id))


def registry_digest(registry: Iterable[RegistryEntry]) -> str:
    """SHA-256 of the registry's canonical form."""
    return hashlib.sha256(canonical([as_plain(entry) for entry in registry])).hexdigest()


def source_digest() -> str:
    """SHA-256 over path and digest of every Python file of the suite."""
    total = hashlib.sha256()
    root = resources.files("plugwright_conformance")
    for name, file in sorted(_modules(root, ""), key=lambda pair: pair[0]):
        total.update(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {name}\n".encode())
    return total.hexdigest()


def _modules(directory: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for item in directory.iterdir():
        if item.is_dir():
            yield from _modules(item, f"{prefix}{item.name}/")
        elif item.name.endswith(".py"):
            yield f"{prefix}{item.name}", item
