"""The script of a host process: sets up the import path of its locations, then serves.

Run by file name in an isolated interpreter (``-I -S``): no user site, no environment variables,
no ``.pth`` file. A process that a plugin spawns runs it again under another name and must not
serve.
"""

from __future__ import annotations

import importlib
import json
import sys


def main() -> None:
    """Serve the owner at the other end of the socket."""
    line, buffers = int(sys.argv[1]), json.loads(sys.argv[2])
    roots, locations = json.loads(sys.argv[3])
    sys.argv = [""]
    sys.path += roots
    serving = importlib.import_module("plugwright.hosts._serving")
    importlib.import_module("plugwright.import_order").enter(locations)
    serving.serve(line, buffers)


if __name__ == "__main__":
    main()
