"""Faults of a package and its metadata, as functions that break the files of a location."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "change_version",
    "claim_wrong_group",
    "drop_licence_expression",
    "drop_licence_text",
    "misspell_group",
    "name_class_oddly",
    "pin_runtime",
    "rename_class_in_manifest",
    "rename_example_key",
    "require_runtime_extra",
    "require_spark",
]

_GOOD = "FileStreamSinkConnector"


def _edit(location: Path, pattern: str, old: str, new: str) -> None:
    """Replace text in the one file that fits a pattern; the text has to be there."""
    (file,) = location.glob(pattern)
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{file} does not say {old!r}")
    file.write_text(text.replace(old, new), encoding="utf-8")


def rename_class_in_manifest(location: Path) -> None:
    """Leave an entry point behind that leads to a class of another release."""
    _edit(location, "*.dist-info/entry_points.txt", _GOOD, "TextFileSinkConnector")
    _edit(location, "*/conformance.toml", _GOOD, "TextFileSinkConnector")


def claim_wrong_group(location: Path) -> None:
    """List a sink among the sources; no source may claim a stream, so it does not."""
    _edit(location, "*.dist-info/entry_points.txt", "[plugwright.Sink", "[plugwright.Source")
    _edit(location, "*/conformance.toml", 'engines = ["resident", "stream"]\n', "")


def misspell_group(location: Path) -> None:
    """Declare a second plugin in a group that nobody reads."""
    extra = f"[plugwright.Convertor]\nlines = plugwright_file_sink:{_GOOD}\n[plugwright.Sink"
    _edit(location, "*.dist-info/entry_points.txt", "[plugwright.Sink", extra)


def change_version(location: Path) -> None:
    """Release 0.2.0 without telling the code."""
    _edit(location, "*.dist-info/METADATA", "\nVersion: 0.1.0", "\nVersion: 0.2.0")


def drop_licence_text(location: Path) -> None:
    """Forget the licence file in the wheel."""
    (directory,) = location.glob("*.dist-info/licenses")
    shutil.rmtree(directory)


def drop_licence_expression(location: Path) -> None:
    """State the licence in words that no tool understands."""
    _edit(
        location,
        "*.dist-info/METADATA",
        "License-Expression: Apache-2.0",
        "License-Expression: Apache Software License",
    )


def require_spark(location: Path) -> None:
    """Depend on one exact Spark, whatever the worker has."""
    _add_requirement(location, "PySpark==4.1.0")


def require_runtime_extra(location: Path) -> None:
    """Drag Spark in through an extra of the runtime."""
    _edit(location, "*.dist-info/METADATA", "plugwright<1", "plugwright[spark]<1")


def pin_runtime(location: Path) -> None:
    """Depend on one exact release of the runtime."""
    _edit(location, "*.dist-info/METADATA", "plugwright<1,>=0.1", "plugwright==0.1.0")


def _add_requirement(location: Path, requirement: str) -> None:
    first = "Requires-Dist: plugwright"
    _edit(location, "*.dist-info/METADATA", first, f"Requires-Dist: {requirement}\n{first}")


def name_class_oddly(location: Path) -> None:
    """Publish the connector under a name that does not say what it is."""
    (package,) = location.glob("*/__init__.py")
    line = f"\n\nclass FileLines({_GOOD}):\n    pass\n"
    package.write_text(package.read_text(encoding="utf-8") + line, encoding="utf-8")
    _edit(location, "*.dist-info/entry_points.txt", _GOOD, "FileLines")
    _edit(location, "*/conformance.toml", _GOOD, "FileLines")


def rename_example_key(location: Path) -> None:
    """Publish an example with a key of an older release."""
    _edit(location, "*/conformance.toml", "\ntopic =", '\n"kafka.topic" =')
