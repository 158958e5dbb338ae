"""What the package offers, and what it costs to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from plugwright import control_plane, rest


@pytest.mark.parametrize("package", [rest, control_plane])
def test_every_public_name_exists_and_is_documented(package):
    """Each imported name has a description."""
    undocumented = [
        name
        for name in package.__all__
        if callable(getattr(package, name)) and not getattr(package, name).__doc__
    ]

    assert undocumented == []


def test_public_names_are_sorted():
    """One order, so that changes are seen: constants, classes, functions."""
    assert rest.__all__ == sorted(
        rest.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )


@pytest.mark.slow
def test_importing_the_package_needs_no_extra():
    """Authors of REST extensions import it; only a server needs Starlette and uvicorn."""
    code = "import sys, plugwright.rest; print({'starlette', 'uvicorn', 'anyio'} & {*sys.modules})"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
