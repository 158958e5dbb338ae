"""Positions plugin locations on the import path of Spark's Python workers."""  # noqa: INP001  # found by its directory

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

_HERE = Path(__file__).parent
_ROOT = str(_HERE.parents[2])


def _arrange() -> None:
    """Order the import path as everywhere: as plain PYTHONPATH, plugins would shadow Spark."""
    sys.path[:] = [entry for entry in sys.path if Path(entry) != _HERE]
    _import_runtime()
    entries = os.environ.get("PLUGWRIGHT_LOCATIONS", "").split(os.pathsep)
    local_directory = importlib.import_module("plugwright.shipping").local_directory
    locations = [local_directory(entry) for entry in entries]
    importlib.import_module("plugwright.import_order").enter(locations)


def _import_runtime() -> None:
    """Import the runtime's package from its own installation, even if a location has a copy."""
    spec = PathFinder.find_spec("plugwright", [_ROOT])
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"the runtime is not in {_ROOT}", name="plugwright")
    module = sys.modules["plugwright"] = module_from_spec(spec)
    spec.loader.exec_module(module)


def _run_hidden() -> None:
    """Run another file of this name that this one hides, if there is one."""
    own = sys.modules.pop("sitecustomize")
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = own


if __name__ == "sitecustomize":
    _arrange()
    _run_hidden()
