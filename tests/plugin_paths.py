"""Makes plugin paths of any size, with plugins that do nothing but can be loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["end_where_it_writes", "make_distributions", "make_plugin_path"]

_SINK = """from plugwright import SinkConnector, SinkTask


class Task(SinkTask):
    def version(self):
        return "1.0"

    def put(self, records):
        return None


class Sink{number}Connector(SinkConnector):
    def version(self):
        return "1.0"

    def config(self):
        return None

    def start(self, props):
        self.props = props

    def stop(self):
        return None

    def task_class(self):
        return Task

    def task_configs(self, max_tasks):
        return [self.props] * max_tasks
"""
_TRANSFORMATION = """from plugwright import Transformation


class Pass{number}(Transformation):
    def apply(self, record):
        return record

    def config(self):
        return None

    def configure(self, configs):
        self.configs = configs

    def close(self):
        return None
"""
_DESCRIPTION = "What a project says of itself, line by line.\n" * 110
_UNRELATED = "import json\n\n\ndef text(value):\n    return json.dumps(value, sort_keys=True)\n"


def make_plugin_path(
    root: Path, locations: int = 100, plugins: int = 39, *, manifests: bool = True
) -> Path:
    """A directory of locations with three distributions each, one module for each plugin.

    Args:
        root: an empty directory.
        locations: how many.
        plugins: how many there are in each location, a multiple of three.
        manifests: whether the distributions declare their plugins.
    """
    for location in range(locations):
        place = root / f"location-{location:03}"
        for third in range(3):
            name = f"shop_{location:03}_{'abc'[third]}"
            _make_distribution(place, name, range(third, plugins, 3), manifests=manifests)
    return root


def _make_distribution(place: Path, name: str, numbers: range, *, manifests: bool) -> None:
    package = place / name
    package.mkdir(parents=True)
    files = {"__init__.py": "", "helper.py": _UNRELATED}
    lines: dict[str, list[str]] = {"SinkConnector": [], "Transformation": []}
    for number in numbers:
        text, kind, cls = (
            (_SINK, "SinkConnector", f"Sink{number}Connector")
            if number % 2
            else (_TRANSFORMATION, "Transformation", f"Pass{number}")
        )
        files[f"plugin_{number}.py"] = text.format(number=number)
        lines[kind].append(f"{name}.{cls} = {name}.plugin_{number}:{cls}\n")
    for file, text in files.items():
        (package / file).write_text(text)
    groups = "\n".join(f"[plugwright.{kind}]\n{''.join(rows)}" for kind, rows in lines.items())
    record = [f"{name}/{file}" for file in files]
    make_distribution_metadata(place, name, record, groups if manifests else "")


def make_distribution_metadata(
    place: Path, name: str, files: list[str], entry_points: str, *, version: str = "1.0"
) -> None:
    """The ``.dist-info`` directory of an installed distribution, with files of the usual size."""
    directory = place / f"{name}-{version}.dist-info"
    directory.mkdir(parents=True)
    written = {
        "INSTALLER": "pip\n",
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n{_DESCRIPTION}",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if entry_points:
        written["entry_points.txt"] = entry_points
    for file, text in written.items():
        (directory / file).write_text(text)
    names = [*files, *(f"{directory.name}/{file}" for file in (*written, "RECORD"))]
    (directory / "RECORD").write_text("".join(f"{file},,\n" for file in names))


def make_distributions(root: Path, count: int) -> Path:
    """One directory of distributions, every tenth of which declares a plugin.

    The others declare a console script.
    """
    for number in range(count):
        name = f"dist_{number:05}"
        declared = f"[console_scripts]\n{name} = {name}.main:main\n"
        if number % 10 == 0:
            declared = f"[plugwright.SinkConnector]\n{name} = {name}.plugin:Sink\n"
        files = [f"{name}/module_{index}.py" for index in range(30)]
        make_distribution_metadata(root, name, files, declared)
    return root


def end_where_it_writes(location: Path, status: int) -> None:
    """Have the task of a copied file sink end its process in the middle of ``put``."""
    task = location / "plugwright_file_sink" / "task.py"
    head, write, body = task.read_text("utf-8").partition("    def _write(")
    deadly = f"-> None:\n        __import__('os')._exit({status})\n"
    task.write_text(head + write + body.replace("-> None:\n", deadly, 1), "utf-8")
