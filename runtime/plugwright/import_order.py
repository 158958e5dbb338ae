"""The order in which a process that runs plugins looks for modules: one rule for all of them.

The standard library comes first, so that nothing in a location can replace it. The locations come
next, in their order, and what is installed beside the runtime last: a plugin gets the libraries
that it brings along, and the host's where it brings none. The runtime itself is always the host's;
for that it has to be imported before a location is on the path (reference D7).

Confirmation, location hosts, Spark's Python workers and this process itself all call `enter`, so
that what discovery says of a plugin holds where the plugin runs.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["enter", "placed"]

_INSTALLED = ("site-packages", "dist-packages")


def enter(locations: Iterable[str]) -> None:
    """Put locations in their place on this process's import path; those that are there move.

    Args:
        locations: directories, the first one wins.
    """
    sys.path[:] = placed(sys.path, locations)


def placed(path: Sequence[str], locations: Iterable[str]) -> list[str]:
    """An import path with locations behind the standard library and before what is installed.

    Args:
        path: the import path of a Python process.
        locations: directories, the first one wins.
    """
    own = list(dict.fromkeys(filter(None, locations)))
    rest = [entry for entry in path if entry not in own]
    library = os.path.dirname(os.__file__)  # noqa: PTH120  # as the path has it, unresolved
    places = [at for at, entry in enumerate(rest) if _is_library(str(entry), library)]
    behind = max(places, default=len(rest) - 1) + 1
    return [*rest[:behind], *own, *rest[behind:]]


def _is_library(entry: str, library: str) -> bool:
    """Whether an entry is a directory of the standard library."""
    if entry != library and not entry.startswith(f"{library}{os.sep}"):
        return False
    return not any(name in entry for name in _INSTALLED)
