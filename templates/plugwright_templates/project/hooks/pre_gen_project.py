"""What a new project may be called, and what may stand in its texts.

Cookiecutter renders and runs this file before it generates anything; ``plugwright new`` imports it
as it stands. Therefore it is Python before and after rendering, and imports nothing of its package.
"""

# ruff: noqa: INP001  # cookiecutter's directory, not a package
from __future__ import annotations

import json
import keyword
import re
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = [
    "BATCHES",
    "DELIVERIES",
    "KINDS",
    "LICENSES",
    "distribution_of",
    "name_problem",
    "package_of",
    "spelling_problem",
    "text_problem",
]

KINDS = ("source", "sink", "both", "converter", "transformation")
"""What a project can hold; ``both`` is a source and a sink."""

DELIVERIES = ("at-least-once", "exactly-once")
"""How often a connector delivers each record after a crash."""

BATCHES = ("records", "columns")
"""How tasks handle many records: one by one, or their values at once."""

LICENSES = ("Apache-2.0", "MIT", "BSD-3-Clause", "Proprietary")
"""SPDX identifiers, and one word for "all rights reserved"."""

_LONGEST_NAME = 32
_LONGEST_TEXT = 100
_LETTERS = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_.][A-Za-z0-9]+)*")
_SYNTAX = '"\\{}<>`'


def distribution_of(name: str) -> str:
    """The normalized name (packaging specification, name normalization)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def package_of(name: str) -> str:
    """The import package of a project of this name."""
    return distribution_of(name).replace("-", "_")


def name_problem(name: str) -> str:
    """What is wrong with the name of a new project, or an empty string.

    A good one is a distribution name whose import package is an identifier, no keyword, and not
    taken on the import path.
    """
    if problem := spelling_problem(name):
        return problem
    package = package_of(name)
    if len(name) > _LONGEST_NAME:
        return f"{name!r} has {len(name)} characters, {_LONGEST_NAME} are the most"
    if keyword.iskeyword(package) or package in keyword.softkwlist:
        return f"{name!r} would be imported as {package}, which is a keyword of Python"
    if package in sys.stdlib_module_names:
        return f"{name!r} would be imported as {package}, which Python's own library has"
    if package.startswith("pyspark"):
        return f"{name!r} would be imported as {package}: Spark imports all that begin with pyspark"
    return _taken(name, package)


def spelling_problem(name: str) -> str:
    """What is wrong with the characters of a distribution's name, or an empty string."""
    if not name:
        return "a name is needed, such as orders-source"
    if _LETTERS.fullmatch(name):
        return ""
    return (
        f"{name!r} is not a valid Python package name: expected letters and digits of ASCII, the "
        "first one a letter, with single dashes between words, such as orders-source"
    )


def _taken(name: str, package: str) -> str:
    try:
        found = find_spec(package)
    except (ImportError, ValueError):  # something stands there, though it cannot be imported
        return f"{name!r} would be imported as {package}, which is taken"
    if found is None:
        return ""
    where = found.origin or next(iter(found.submodule_search_locations or ()), "the import path")
    return f"{name!r} would be imported as {package}, which is taken: {where}"


def text_problem(what: str, text: str) -> str:
    """What is wrong with a description or an author, or an empty string.

    They stand in pyproject.toml, the README and the licence, so they are one plain line.
    """
    if not text.strip():
        return f"{what} is empty"
    if len(text) > _LONGEST_TEXT:
        return f"{what} has {len(text)} characters, {_LONGEST_TEXT} are the most"
    if wrong := sorted({c for c in text if c in _SYNTAX or not c.isprintable()}):
        return f"{what} may not contain {' '.join(map(repr, wrong))}"
    return ""


if __name__ == "__main__":
    # Cookiecutter runs a copy in the directory of temporary files, where anything may be.
    sys.path = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    _PROBLEMS = [
        name_problem(json.loads(r""" {{ cookiecutter.name | tojson }} """)),
        text_problem("description", json.loads(r""" {{ cookiecutter.description | tojson }} """)),
        text_problem("author", json.loads(r""" {{ cookiecutter.author | tojson }} """)),
    ]
    if any(_PROBLEMS):
        sys.exit("\n".join(filter(None, _PROBLEMS)))
