"""A mutant: one small fault in a good connector, and the check that has to find it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright_conformance import call_budgets
from plugwright_conformance.engines import RESIDENT
from plugwright_conformance.reference import OWN_PACKAGE, reference

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Mutant", "add_module", "materialise", "materialise_base"]

_PACE = call_budgets.__name__
_CLASSES = {
    "file-source": "FileStreamSourceConnector",
    "file-sink": "FileStreamSinkConnector",
    "rows-source": "RowsSourceConnector",
    "rows-sink": "RowsSinkConnector",
    "lines-source": "RowsSourceConnector",
    "lines-sink": "RowsSinkConnector",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken connector.

    Attributes:
        id: identifier in the catalogue of mutants, with a letter for a variant of one.
        fault: what is broken, in one sentence.
        base: the good connector that it is made from, by the name of its location.
        killed_by: id of the check that must fail.
        engine: where it must fail, if it runs on Spark.
        says: words that the failure has to contain.
        module: file beside this one that holds the broken classes. Empty for faults of the package
            alone.
        class_name: the broken connector class in it, by default ``Broken<Source|Sink>Connector``.
        spoil: breaks the files of the copied location.
        beside: should-checks that an odd but right connector does not claim to pass.
    """

    id: str
    fault: str
    base: str
    killed_by: str
    says: str
    module: str = ""
    spoil: Callable[[Path], None] | None = None
    class_name: str = ""
    engine: str = RESIDENT
    beside: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``source`` or ``sink``, which is how the name of its base ends."""
        return self.base.rpartition("-")[2]

    @property
    def broken_class(self) -> str:
        """The class that takes the good one's place."""
        return self.class_name or f"Broken{self.kind.title()}Connector"


def materialise_base(base: str, plugin_path: Path, target: Path) -> None:
    """Make a good connector a plugin location of its own.

    Args:
        base: its name: one of the suite's references, or a folder of ``plugin_path``.
        plugin_path: where the bundled connectors are.
        target: the location to make.
    """
    if own := reference(base):
        own.materialise(target)
        return
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(plugin_path / base, target, ignore=skip)


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
    materialise_base(mutant.base, plugin_path, target)
    if mutant.module:
        _exchange_class(mutant, target)
    if mutant.spoil is not None:
        mutant.spoil(target)
    return target


def add_module(name: str, package: Path) -> None:
    """Copy a module that stands beside this one into a package that is like the reference's."""
    source = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    text = source.replace(OWN_PACKAGE, package.name)
    if _PACE in text:  # where connectors run there is no suite
        text = text.replace(_PACE, f"{package.name}.{_PACE.rpartition('.')[2]}")
        shutil.copy(str(call_budgets.__file__), package)
    (package / f"{name}.py").write_text(text, encoding="utf-8")


def _exchange_class(mutant: Mutant, location: Path) -> None:
    """Add the mutant's module to the package, and point manifest and declaration at its class."""
    good, broken = _CLASSES[mutant.base], mutant.broken_class
    package = f"plugwright_{mutant.base.replace('-', '_')}"
    add_module(mutant.module, location / package)
    (manifest,) = location.glob("*.dist-info/entry_points.txt")
    for file in (manifest, location / package / "conformance.toml"):
        text = file.read_text(encoding="utf-8")
        text = text.replace(f"{package}:{good}", f"{package}.{mutant.module}:{broken}")
        text = text.replace(f"{package}.{good}", f"{package}.{mutant.module}.{broken}")
        file.write_text(text, encoding="utf-8")
