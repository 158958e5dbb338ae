"""Leaves the files of the kind that was asked for."""

from __future__ import annotations

import runpy
from pathlib import Path

TEMPLATE = Path({{ cookiecutter._repo_dir | tojson }})
finishing = runpy.run_path(str(TEMPLATE.parent / "finishing.py"))

finishing["finish"](Path.cwd(), {{ cookiecutter.kind | tojson }})
