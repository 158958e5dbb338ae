"""What the room offers, and what it costs to import."""

from __future__ import annotations

import subprocess
import sys

import pytest

from plugwright import rest


def test_every_public_name_exists_and_is_documented():
    """Whoever imports a name finds out what it is for."""
    undocumented = [
        name
        for name in rest.__all__
        if callable(getattr(rest, name)) and not getattr(rest, name).__doc__
    ]

    assert undocumented == []


def test_public_names_are_sorted():
    """One order, so that changes are seen: constants, classes, functions."""
    assert rest.__all__ == sorted(
        rest.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )


@pytest.mark.slow
def test_importing_the_room_needs_no_extra():
    """Plugin authors and the herder import it; only a server needs Starlette and uvicorn."""
    code = "import sys, plugwright.rest; print({'starlette', 'uvicorn', 'anyio'} & {*sys.modules})"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
