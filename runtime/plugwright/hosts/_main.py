"""The script of a host process: sets up the import path of its locations, then serves.

It is run by file name in an isolated interpreter (``-I -S``): no user site, no variables, no
``.pth`` file. A process that a plugin spawns runs it again under another name and must not serve.
"""

from __future__ import annotations

import importlib
import json
import sys


def main() -> None:
    """Serve the owner that holds the other end of the line.

    The standard library comes first and the runtime is imported before any location is on the
    path, so that no location can replace either; then the locations, then what is installed
    beside the runtime (reference D7).
    """
    line, shelves = int(sys.argv[1]), json.loads(sys.argv[2])
    roots, locations = json.loads(sys.argv[3])
    sys.argv = [""]
    library = list(sys.path)
    sys.path[:] = [*library, *roots]
    serving = importlib.import_module("plugwright.hosts._serving")
    sys.path[:] = [*library, *locations, *roots]
    serving.serve(line, shelves)


if __name__ == "__main__":
    main()
