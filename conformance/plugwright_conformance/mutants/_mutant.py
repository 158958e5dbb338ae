"""A mutant: one small fault in a good connector, and the check that has to find it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Mutant", "materialise"]

_CLASSES = {"file-source": "FileStreamSourceConnector", "file-sink": "FileStreamSinkConnector"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken connector.

    Attributes:
        id: identifier in the catalogue of mutants, with a letter for a variant of one.
        fault: what is broken, in one sentence.
        base: the good connector that it is made from, by the name of its location.
        killed_by: id of the check that must fail.
        says: words that the failure has to contain.
        module: file beside this one that holds the broken classes; the connector class in it is
            called ``Broken<Source|Sink>Connector``. Empty for faults of the package alone.
        spoil: breaks the files of the copied location.
    """

    id: str
    fault: str
    base: str
    killed_by: str
    says: str
    module: str = ""
    spoil: Callable[[Path], None] | None = None


def materialise(mutant: Mutant, plugin_path: Path, directory: Path) -> Path:
    """Make the mutant a plugin location of its own.

    Args:
        mutant: what to make.
        plugin_path: where the good connectors are.
        directory: receives the location.

    Returns:
        The location, ready to be certified.
    """
    target = directory / mutant.id
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(plugin_path / mutant.base, target, ignore=skip)
    if mutant.module:
        _exchange_class(mutant, target)
    if mutant.spoil is not None:
        mutant.spoil(target)
    return target


def _exchange_class(mutant: Mutant, location: Path) -> None:
    """Add the mutant's module to the package, and point manifest and declaration at its class."""
    good = _CLASSES[mutant.base]
    package = f"plugwright_{mutant.base.replace('-', '_')}"
    broken = "BrokenSourceConnector" if mutant.base.endswith("source") else "BrokenSinkConnector"
    source = Path(__file__).with_name(f"{mutant.module}.py")
    shutil.copyfile(source, location / package / f"{mutant.module}.py")
    (manifest,) = location.glob("*.dist-info/entry_points.txt")
    for file in (manifest, location / package / "conformance.toml"):
        text = file.read_text(encoding="utf-8")
        text = text.replace(f"{package}:{good}", f"{package}.{mutant.module}:{broken}")
        text = text.replace(f"{package}.{good}", f"{package}.{mutant.module}.{broken}")
        file.write_text(text, encoding="utf-8")
