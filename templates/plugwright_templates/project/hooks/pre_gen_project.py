"""Refuses names and texts that would make a project that does not build."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

TEMPLATE = Path({{ cookiecutter._repo_dir | tojson }})
naming = runpy.run_path(str(TEMPLATE.parent / "naming.py"))

problems = [
    naming["name_problem"]({{ cookiecutter.name | tojson }}),
    naming["text_problem"]("description", {{ cookiecutter.description | tojson }}),
    naming["text_problem"]("author", {{ cookiecutter.author | tojson }}),
]
if any(problems):
    sys.exit("\n".join(filter(None, problems)))
