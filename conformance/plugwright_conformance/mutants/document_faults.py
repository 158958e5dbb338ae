"""Change logs without the version that is shipped, as functions that break files of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant

if TYPE_CHECKING:
    from pathlib import Path

_BEFORE = "## 0.0.9\n\n- Reads the end of a file that grows.\n"
_NOW = "## 0.1.0\n\n- Reads lines that end in CR and LF.\n\n"


@mutant(
    "M311",
    "the change log ends with the version before",
    base="file-source",
    killed_by="CON-DOC-08",
    failure="an entry for 0.1.0 | entries for 0.0.9 | the change log in CHANGELOG.md",
)
def forget_entry(location: Path) -> None:
    """Raise the version without a word about it.

    Reported at https://github.com/airbytehq/airbyte/pull/23314: a connector was released whose
    version the change log did not have.
    """
    ship_change_log(location, _BEFORE)


def ship_change_log(location: Path, entries: str = f"{_NOW}{_BEFORE}") -> None:
    """Put a change log into the package."""
    (declaration,) = location.glob("*/conformance.toml")
    text = f"# Changelog\n\n{entries}"
    declaration.with_name("CHANGELOG.md").write_text(text, encoding="utf-8")


@mutant(
    "M311a",
    "the README's change log ends with the version before",
    base="file-sink",
    killed_by="CON-DOC-08",
    failure="the change log in README",
)
def forget_row(location: Path) -> None:
    """Add no row to the table of versions.

    After https://github.com/airbytehq/airbyte/pull/14421, which asks for the row in the steps of a
    release.
    """
    (metadata,) = location.glob("*.dist-info/METADATA")
    table = "\n## Changelog\n\n| Version | Change |\n|---|---|\n| 0.0.9 | Writes tombstones. |\n"
    metadata.write_text(f"{metadata.read_text(encoding='utf-8')}{table}", encoding="utf-8")
