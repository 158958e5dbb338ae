"""What rendering leaves behind and a project of one kind does not need.

Cookiecutter renders and runs this file after it has generated everything; ``plugwright new``
imports it as it stands. Therefore it is Python before and after rendering, and imports nothing of
its package.
"""

# ruff: noqa: INP001  # cookiecutter's directory, not a package
from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["finish"]

_CONNECTOR = ("conformance.toml", "journal.py", "testing.py", "test_journal.py")
_FILES = {
    "source": (*_CONNECTOR, "source.py", "test_source.py"),
    "sink": (*_CONNECTOR, "sink.py", "test_sink.py"),
    "both": (*_CONNECTOR, "source.py", "test_source.py", "sink.py", "test_sink.py"),
    "converter": ("converter.py", "test_converter.py"),
    "transformation": ("transformation.py", "test_transformation.py"),
}


def finish(project: Path, kind: str) -> None:
    """Remove the files of other kinds, and what an installer compiled inside the template."""
    surplus = {name for names in _FILES.values() for name in names} - set(_FILES[kind])
    for path in sorted(project.rglob("*")):
        if path.name == "__pycache__":
            shutil.rmtree(path)
        elif path.name in surplus:
            path.unlink()


if __name__ == "__main__":
    finish(Path.cwd(), "{{ cookiecutter.kind }}")
