"""Connectors as others write them, good or with a reported fault, as plugin locations."""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.foreign.changed_text import with_changes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FAULTS", "GOOD", "Written", "make_connector", "read_written"]

_HERE = Path(__file__).parent / "sources"
_VERSION = "1.0.0"


@dataclass(frozen=True, slots=True)
class Written:
    """A connector that somebody else could have written.

    Attributes:
        id: of this set.
        connector: the good one that it is made from, a directory beside the table of faults.
        says: what is wrong with it, or unusual.
        reported: address of the report that the fault is taken from.
        check: that has to find it; empty for a good one, and for a fault that no check finds.
        words: pattern of a finding that points to the fault.
        blind: whether the suite found it for the right reason before it had been changed.
        changes: old text, new text, and the file, by default that of the whole package.
        home: where the good one is.
        kind: whether it is a source or a sink, as the names of classes have it.
    """

    id: str
    connector: str
    says: str
    reported: str = ""
    check: str = ""
    words: str = ""
    blind: bool = False
    changes: Sequence[Mapping[str, str]] = ()
    home: Path = _HERE
    kind: str = "Source"

    @property
    def fault(self) -> str:
        """What is wrong, as a table of faults has it."""
        return self.says

    @property
    def origin(self) -> str:
        """Where it was reported."""
        return self.reported

    @property
    def points_to(self) -> Sequence[str]:
        """Patterns of which a finding has one if it points to the fault."""
        return [self.words]

    @property
    def twin(self) -> Written:
        """The good connector."""
        return replace(self, id=self.connector, changes=())


def read_written(home: Path, name: str) -> Sequence[Written]:
    """The connectors of one kind in a table, in its order.

    Args:
        home: the directory of the table and of the good connectors.
        name: ``fault`` or ``good``.
    """
    table = tomllib.loads((home / "faults.toml").read_text("utf-8"))
    rows: Sequence[dict[str, Any]] = table[name]
    return [Written(changes=row.pop("change", ()), home=home, **row) for row in rows]


FAULTS = read_written(_HERE, "fault")
"""Every fault, in the order of the table."""

GOOD = read_written(_HERE, "good")
"""Every good connector."""


def make_connector(written: Written, directory: Path) -> Path:
    """Make a connector a plugin location of its own.

    Args:
        written: what to make.
        directory: receives the location.

    Raises:
        ValueError: if a change does not fit the good connector in exactly one place.
    """
    name, location = written.connector, directory / written.id
    shutil.copytree(written.home / name, location, ignore=shutil.ignore_patterns("__pycache__"))
    for change in written.changes:
        file = location / name / change.get("file", "__init__.py")
        pair = change["old"], change["new"]
        file.write_text(with_changes(file.read_text("utf-8"), [pair], written.id), "utf-8")
    declared = tomllib.loads((location / name / "conformance.toml").read_text("utf-8"))
    made = declared["plugin"][0]["class"]
    metadata = location / f"{name}-{_VERSION}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {name}\nVersion: {_VERSION}\nRequires-Python: >=3.11\n"
        "Requires-Dist: plugwright<1,>=0.1\n",
        "utf-8",
    )
    (metadata / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "utf-8"
    )
    (metadata / "entry_points.txt").write_text(
        f"[plugwright.{written.kind}Connector]\n{made} = {name}:{made.rpartition('.')[2]}\n",
        "utf-8",
    )
    return location
