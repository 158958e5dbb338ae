"""Puts plugin locations in their place on the import path of Spark's Python workers."""  # noqa: INP001  # found by its directory

from __future__ import annotations

import importlib
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_HERE = Path(__file__).parent
_ROOT = str(_HERE.parents[2])


class _RuntimeFirst:
    """Finds the runtime where it is installed, whatever copy a location brings along."""

    @staticmethod
    def find_spec(
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG004  # the protocol of finders
        target: ModuleType | None = None,  # noqa: ARG004
    ) -> ModuleSpec | None:
        """The runtime's top package; everything else is the next finder's."""
        return PathFinder.find_spec(name, [_ROOT]) if name == "plugwright" else None


def _arrange() -> None:
    """Locations come behind the standard library and before what is installed (reference D7).

    As plain PYTHONPATH they would shadow both the library and Spark.
    """
    sys.path[:] = [entry for entry in sys.path if Path(entry) != _HERE]
    library = os.path.dirname(os.__file__)  # noqa: PTH120  # as the path has it, unresolved
    places = [
        i
        for i, entry in enumerate(sys.path)
        if entry.startswith(library) and "site-packages" not in entry
    ]
    behind = max(places, default=len(sys.path) - 1) + 1
    locations = os.environ.get("PLUGWRIGHT_LOCATIONS", "").split(os.pathsep)
    sys.path[behind:behind] = [entry for entry in locations if entry]
    sys.meta_path.insert(0, _RuntimeFirst)


def _run_hidden() -> None:
    """Run the file of this name that this one hides, if there is one."""
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
