"""Creates projects: questions, answers, rendering of templates, and atomic creation."""

from __future__ import annotations

from plugwright_toolkit.scaffold._answers import Answers, checked_answers, read_answers
from plugwright_toolkit.scaffold._legacy import LegacyProject, package_legacy
from plugwright_toolkit.scaffold.asking import complete_answers
from plugwright_toolkit.scaffold.rendering import generate

__all__ = [
    "Answers",
    "LegacyProject",
    "checked_answers",
    "complete_answers",
    "generate",
    "package_legacy",
    "read_answers",
]
