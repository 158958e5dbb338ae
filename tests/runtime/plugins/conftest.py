"""Plugin locations made of a few files."""

from __future__ import annotations

import sys

import pytest

from plugwright.plugins import Location


class Builder:
    """Makes one plugin location."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    @property
    def location(self):
        """The location as discovery sees it."""
        return Location(self.path)

    def distribution(self, name="shop", version="1.0", *, entry_points="", metadata=True):
        """Add a metadata directory."""
        directory = self.path / f"{name}-{version}.dist-info"
        directory.mkdir()
        if entry_points is not None:
            data = entry_points if isinstance(entry_points, bytes) else entry_points.encode()
            (directory / "entry_points.txt").write_bytes(data)
        if metadata:
            text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nName: no\n"
            (directory / "METADATA").write_text(text)
        return directory

    def module(self, name, text):
        """Add a module."""
        file = self.path / f"{name}.py"
        file.write_text(text)
        return file


@pytest.fixture
def place(tmp_path):
    """Makes locations by name."""
    return lambda name="shop": Builder(tmp_path / name)


@pytest.fixture(autouse=True)
def _imports_undone():
    """What a test imports from its location is forgotten; the runtime's own classes stay one."""
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name.partition(".")[0] != "plugwright":
            del sys.modules[name]
