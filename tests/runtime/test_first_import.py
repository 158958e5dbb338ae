"""Any package of the runtime may be the first that a program imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import plugwright

ROOT = Path(plugwright.__file__).parent
NAMES = sorted(
    [f"plugwright.{path.parent.name}" for path in ROOT.glob("*/__init__.py")]
    + [f"plugwright.{path.stem}" for path in ROOT.glob("[a-z]*.py")]
)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_imported_first(name):
    """As a plugin's module does in a process of its own, before anything of the author's API."""
    command = [sys.executable, "-c", f"import {name}"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
