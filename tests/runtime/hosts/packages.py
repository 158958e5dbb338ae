"""Plugin locations with real packages in them, each installed by pip from its own index."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from dataclasses import dataclass

import pytest

from plugwright.plugins import Location

CONNECTOR = '''
from plugwright import ConfigDef, SourceConnector, SourceTask


def found():
    """The version of the package, and something that it works out."""
{body}


class {prefix}Source(SourceConnector):
    """Tells what its process sees of the package."""

    def version(self):
        return found()[0]

    def config(self):
        return ConfigDef()

    def start(self, props):
        self.props = props

    def task_class(self):
        return {prefix}Task

    def task_configs(self, max_tasks):
        version, result = found()
        return [{{"version": version, "result": str(result)}}]

    def stop(self):
        pass


class {prefix}Task(SourceTask):
    """Never run."""

    def version(self):
        return "1.0"

    def start(self, props):
        pass

    def poll(self):
        return None

    def stop(self):
        pass
'''

CONVERTER = '''
from plugwright import ConfigDef, Converter, SchemaAndValue


def found():
    """The version of the package, and something that it works out."""
{body}


class {prefix}Converter(Converter):
    """Writes behind a value what its process sees of the package."""

    def config(self):
        return ConfigDef()

    def from_connect_data(self, topic, schema, value):
        return " | ".join([value, *map(str, found())]).encode()

    def to_connect_data(self, topic, data):
        return SchemaAndValue(None, data)
'''


@dataclass(frozen=True, slots=True)
class Pair:
    """Two versions of one distribution, and code that tells them apart.

    Attributes:
        name: normalized name of the distribution.
        ranges: for pip; not what is installed beside the runtime, so that locations differ.
        versions: how the two versions begin.
        body: of a function that returns the package's version and a result.
        results: of the two versions, as text.
    """

    name: str
    ranges: tuple[str, str]
    versions: tuple[str, str]
    body: str
    results: tuple[str, str]


def install(directory, requirement):
    """Have pip put a package and what it needs into a directory, or skip with pip's own words."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    options = ["--quiet", "--only-binary=:all:", f"--target={directory}", requirement]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"pip cannot install {requirement}: {done.stderr.strip()[-500:]}")


def connector(root, prefix, requirement, body):
    """A location with a package and a source connector that tells what it sees of it."""
    return _make(root, prefix, requirement, CONNECTOR, f"{prefix}Source", "SourceConnector", body)


def converter(root, prefix, requirement, body):
    """A location with a package and a converter that tells what it sees of it."""
    return _make(root, prefix, requirement, CONVERTER, f"{prefix}Converter", "Converter", body)


def _make(root, prefix, requirement, source, class_name, kind, body):  # noqa: PLR0913, PLR0917  # from the two above alone
    name = prefix.lower()
    path = root / name
    install(path, requirement)
    code = source.format(
        prefix=prefix, body=textwrap.indent(textwrap.dedent(body).strip(), " " * 4)
    )
    (path / f"{name}_plugin.py").write_text(code)
    directory = path / f"{name}-1.0.dist-info"
    directory.mkdir()
    (directory / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    entry = f"[plugwright.{kind}]\n{class_name} = {name}_plugin:{class_name}\n"
    (directory / "entry_points.txt").write_text(entry)
    return Location(path)
