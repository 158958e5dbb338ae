"""The project templates that ``plugwright new`` fills in, and the rules for what goes into them."""

from __future__ import annotations

from pathlib import Path

from plugwright_templates.project.hooks.post_gen_project import finish
from plugwright_templates.project.hooks.pre_gen_project import (
    BATCHES,
    DELIVERIES,
    KINDS,
    LICENSES,
    distribution_of,
    name_problem,
    package_of,
    spelling_problem,
    text_problem,
)

__all__ = [
    "BATCHES",
    "DELIVERIES",
    "KINDS",
    "LICENSES",
    "distribution_of",
    "finish",
    "legacy_template",
    "name_problem",
    "package_of",
    "spelling_problem",
    "template",
    "text_problem",
]


def template() -> Path:
    """The directory that ``cookiecutter`` takes."""
    return Path(__file__).with_name("project")


def legacy_template() -> Path:
    """The directory of what is put around the code of a plugin without manifests."""
    return Path(__file__).with_name("legacy")
