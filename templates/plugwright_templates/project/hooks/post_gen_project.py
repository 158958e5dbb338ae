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

_SUITE = ("conformance.toml", "testing.py")
_JOURNAL = ("journal.py", "test_journal.py")
_LEDGER = ("ledger.py", "test_ledger.py")
_SOURCE = (*_JOURNAL, "source.py", "test_source.py")
_SINK = ("sink.py", "test_sink.py")
_FILES = {
    ("source", "at-least-once"): (*_SUITE, *_SOURCE),
    ("source", "exactly-once"): (*_SUITE, *_SOURCE),
    ("sink", "at-least-once"): (*_SUITE, *_JOURNAL, *_SINK),
    ("sink", "exactly-once"): (*_SUITE, *_LEDGER, *_SINK),
    ("both", "at-least-once"): (*_SUITE, *_SOURCE, *_SINK),
    ("both", "exactly-once"): (*_SUITE, *_SOURCE, *_LEDGER, *_SINK),
    ("converter", ""): ("converter.py", "test_converter.py"),
    ("transformation", ""): ("transformation.py", "test_transformation.py"),
}
"""The files of a kind; a converter and a transformation deliver nothing."""


def finish(project: Path, kind: str, delivery: str = "at-least-once") -> None:
    """Remove the files of other kinds, and what an installer compiled inside the template."""
    own = _FILES.get((kind, delivery)) or _FILES[kind, ""]
    surplus = {name for names in _FILES.values() for name in names} - set(own)
    for path in sorted(project.rglob("*")):
        if path.name == "__pycache__":
            shutil.rmtree(path)
        elif path.name in surplus:
            path.unlink()


if __name__ == "__main__":
    finish(Path.cwd(), "{{ cookiecutter.kind }}", "{{ cookiecutter.delivery }}")
