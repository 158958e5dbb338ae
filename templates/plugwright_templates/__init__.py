"""The project template that ``plugwright new`` fills in, and the rules for what goes into it."""

from __future__ import annotations

from pathlib import Path

from plugwright_templates.finishing import finish
from plugwright_templates.naming import (
    KINDS,
    LICENSES,
    distribution_of,
    name_problem,
    package_of,
    text_problem,
)

__all__ = [
    "KINDS",
    "LICENSES",
    "distribution_of",
    "finish",
    "name_problem",
    "package_of",
    "template",
    "text_problem",
]


def template() -> Path:
    """The directory that ``cookiecutter`` takes."""
    return Path(__file__).with_name("project")
