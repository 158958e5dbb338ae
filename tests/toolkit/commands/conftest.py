"""Running commands in this process, and plugin locations made of a few files."""

from __future__ import annotations

import signal
import sys

import pytest

from plugwright.cli import main
from plugwright_toolkit.commands.plugin_path import main as connect_plugin_path

SINK = """\
from plugwright import SinkConnector


class {name}(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""


@pytest.fixture
def plugwright(monkeypatch, capsys):
    """Runs a command line; status, standard output, standard error."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["plugwright"])
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments):
        with pytest.raises(SystemExit) as caught:
            main([*map(str, arguments)])
        return caught.value.code, *capsys.readouterr()

    return run


@pytest.fixture
def tool(plugwright, monkeypatch, capsys):
    """Runs ``connect-plugin-path``; status, standard output, standard error."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["/usr/bin/connect-plugin-path", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            connect_plugin_path()
        return caught.value.code, *capsys.readouterr()

    return run


class Package:
    """One plugin location, as pip would have filled it."""

    def __init__(self, path):
        self.path = path
        path.mkdir(parents=True)

    def metadata(self, entry_points=None, *, name="shop", version="1.0", extra=""):
        """Add a distribution; without entry points it has no manifest."""
        directory = self.path / f"{name}-{version}.dist-info"
        directory.mkdir()
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{extra}"
        (directory / "METADATA").write_text(head)
        if isinstance(entry_points, str):
            entry_points = entry_points.encode()
        if entry_points is not None:
            (directory / "entry_points.txt").write_bytes(entry_points)
        return self

    def module(self, file="shop.py", text=None, name="Sink"):
        """Add a module, by default with one sink."""
        path = self.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SINK.format(name=name) if text is None else text)
        return self


@pytest.fixture
def package(tmp_path):
    """Makes locations by name, all on one plugin path."""
    return lambda name="shop": Package(tmp_path / "path" / name)
