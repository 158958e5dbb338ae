"""Faults of a package and its metadata, as functions that break the files of a location."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant, replace_text

if TYPE_CHECKING:
    from pathlib import Path

_GOOD = "FileStreamSinkConnector"
_FETCH = """

def fetch(url):
    import requests
    return requests.get(url, verify=False, timeout=30).json()
"""
_ROUTER = """
from plugwright import ConfigDef, Transformation

class RegexRouter(Transformation):
    def config(self):
        return ConfigDef()

    def apply(self, record):
        return record
"""


def _edit(location: Path, pattern: str, old: str, new: str) -> None:
    """Replace text in the only file that matches a pattern."""
    (file,) = location.glob(pattern)
    replace_text(file, old, new)


def _append(location: Path, code: str) -> None:
    """Add code to the only package."""
    (package,) = location.glob("*/__init__.py")
    with package.open("a", encoding="utf-8") as file:
        file.write(code)


@mutant(
    "M004",
    "entry point to a class that was renamed",
    base="file-sink",
    killed_by="PLG-PKG-03",
    failure="has no TextFileSinkConnector",
)
def rename_class_in_manifest(location: Path) -> None:
    """Keep an entry point for a class that was renamed."""
    _edit(location, "*.dist-info/entry_points.txt", _GOOD, "TextFileSinkConnector")
    _edit(location, "*/conformance.toml", _GOOD, "TextFileSinkConnector")


@mutant(
    "M005",
    "sink class listed in the source group",
    base="file-sink",
    killed_by="PLG-PKG-03",
    failure="is not a subclass of plugwright.SourceConnector",
)
def claim_wrong_group(location: Path) -> None:
    """List a sink as a source, without the stream engine, which sources cannot declare."""
    _edit(location, "*.dist-info/entry_points.txt", "[plugwright.Sink", "[plugwright.Source")
    _edit(location, "*/conformance.toml", 'engines = ["resident", "stream"]\n', "")


@mutant(
    "M163",
    "entry-point group misspelt",
    base="file-sink",
    killed_by="PLG-DSC-02",
    failure="plugwright.Convertor",
)
def misspell_group(location: Path) -> None:
    """Declare a second plugin in a group with a misspelt name."""
    extra = f"[plugwright.Convertor]\nlines = plugwright_file_sink:{_GOOD}\n[plugwright.Sink"
    _edit(location, "*.dist-info/entry_points.txt", "[plugwright.Sink", extra)


@mutant(
    "M323",
    "a transformation with the name of a built-in one",
    base="file-sink",
    killed_by="PLG-DSC-10",
    failure="the alias RegexRouter could mean",
)
def take_a_name(location: Path) -> None:
    """Ship a transformation that is named like one of the runtime's.

    Reported at https://github.com/apache/kafka/pull/14081: such a short name is ignored.
    """
    _append(location, _ROUTER)
    extra = "[plugwright.Transformation]\nmine = plugwright_file_sink:RegexRouter\n[plugwright.Sink"
    _edit(location, "*.dist-info/entry_points.txt", "[plugwright.Sink", extra)


@mutant(
    "M324",
    "any certificate is accepted",
    base="file-source",
    killed_by="CON-SEC-05",
    failure="verify=False) in plugwright_file_source",
)
def trust_anybody(location: Path) -> None:
    """Fetch something with a constant that switches verification off.

    Reported at https://github.com/blackducksoftware/hub-rest-api-python/pull/113.
    """
    _append(location, _FETCH)


@mutant(
    "M009",
    "version() is a constant that was not raised with the release",
    base="file-sink",
    killed_by="PLG-PKG-08",
    failure="version 0.2.0",
)
def change_version(location: Path) -> None:
    """Release 0.2.0 with 0.1.0 in the code."""
    _edit(location, "*.dist-info/METADATA", "\nVersion: 0.1.0", "\nVersion: 0.2.0")


@mutant(
    "M010",
    "licence file missing from the wheel",
    base="file-sink",
    killed_by="PLG-PKG-10",
    failure="shipped: none",
)
def drop_licence_text(location: Path) -> None:
    """Forget the licence file in the wheel."""
    (directory,) = location.glob("*.dist-info/licenses")
    shutil.rmtree(directory)


@mutant(
    "M010a",
    "licence stated in words",
    base="file-source",
    killed_by="PLG-PKG-10",
    failure="SPDX",
)
def drop_licence_expression(location: Path) -> None:
    """State the licence in words instead of an SPDX expression."""
    _edit(
        location,
        "*.dist-info/METADATA",
        "License-Expression: Apache-2.0",
        "License-Expression: Apache Software License",
    )


@mutant(
    "M008",
    "depends unconditionally on one exact Spark version",
    base="file-sink",
    killed_by="PLG-PKG-06",
    failure="pyspark",
)
def require_spark(location: Path) -> None:
    """Require one exact version of Spark."""
    _add_requirement(location, "PySpark==4.1.0")


@mutant(
    "M008a",
    "drags Spark in through an extra of the runtime",
    base="file-source",
    killed_by="PLG-PKG-06",
    failure="plugwright[spark]",
)
def require_runtime_extra(location: Path) -> None:
    """Require Spark through an extra of the runtime."""
    _edit(location, "*.dist-info/METADATA", "plugwright<1", "plugwright[spark]<1")


@mutant(
    "M008b",
    "depends on one exact release of the runtime",
    base="file-source",
    killed_by="PLG-PKG-06",
    failure="by a range",
)
def pin_runtime(location: Path) -> None:
    """Depend on one exact release of the runtime."""
    _edit(location, "*.dist-info/METADATA", "plugwright<1,>=0.1", "plugwright==0.1.0")


def _add_requirement(location: Path, requirement: str) -> None:
    first = "Requires-Dist: plugwright"
    _edit(location, "*.dist-info/METADATA", first, f"Requires-Dist: {requirement}\n{first}")


@mutant(
    "M172",
    "class name does not say what it is",
    base="file-sink",
    killed_by="PLG-PKG-09",
    failure="FileLines",
)
def name_class_oddly(location: Path) -> None:
    """Publish the connector under a class name without ``SinkConnector``."""
    (package,) = location.glob("*/__init__.py")
    line = f"\n\nclass FileLines({_GOOD}):\n    pass\n"
    package.write_text(package.read_text(encoding="utf-8") + line, encoding="utf-8")
    _edit(location, "*.dist-info/entry_points.txt", _GOOD, "FileLines")
    _edit(location, "*/conformance.toml", _GOOD, "FileLines")


@mutant(
    "M029",
    "published example uses a key of an older version",
    base="file-source",
    killed_by="CON-CFG-08",
    failure="topic:",
)
def rename_example_key(location: Path) -> None:
    """Publish an example with a key of an older release."""
    _edit(location, "*/conformance.toml", "\ntopic =", '\n"kafka.topic" =')


@mutant(
    "M035",
    "the quickstart has a typo in the name of a topic",
    base="file-source",
    killed_by="CON-DOC-03",
    failure="the output of block 2 of 2",
)
def misspell_topic(location: Path) -> None:
    """Give the connector of the quickstart another topic than the README shows."""
    _edit(location, "*.dist-info/METADATA", '"topic": "lines"', '"topic": "line"')


@mutant(
    "M035a",
    "the quickstart calls a class that was renamed",
    base="file-sink",
    killed_by="CON-DOC-03",
    failure="block 1 of 1",
)
def name_former_class(location: Path) -> None:
    """Leave the README as it was for an earlier release."""
    old, former = "import FileStreamSinkConnector", "import FileSinkConnector"
    _edit(location, "*.dist-info/METADATA", old, former)
