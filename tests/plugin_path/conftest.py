"""The bundled plugins, imported from their locations as a worker would."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

PLUGIN_PATH = Path(__file__).parents[2] / "plugin-path"
for _location in ("file-source", "file-sink", "lake", "legacy-sink", "singer", "sql"):
    if str(PLUGIN_PATH / _location) not in sys.path:
        sys.path.append(str(PLUGIN_PATH / _location))


@pytest.fixture
def lines(tmp_path):
    """The text file that a connector reads or writes."""
    return tmp_path / "lines.txt"
