"""The child side of `run_alone`, which runs without this package."""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback

__all__: list[str] = []


def main() -> None:
    """Load the classes that standard input names, and say how it went."""
    me = os.getpid()
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.append(sys.argv[1])
    sys.dont_write_bytecode = True
    try:
        loaded = [load(entry) for entry in json.load(sys.stdin)["entries"]]
        if os.getpid() != me:
            os._exit(0)  # a copy that the plugin has made of this process
    except Exception as error:  # noqa: BLE001  # plugin code, reported as what it is
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(last.filename)}:{last.lineno}"  # noqa: PTH119  # nothing but os
        json.dump({"raised": f"{type(error).__name__}: {error} from {place}"}, report)
    else:
        json.dump({"loaded": len(loaded)}, report)
    report.flush()
    os._exit(0)  # whatever the plugin has left behind in this process


def load(entry: str) -> object:
    """The object that an entry point names."""
    module, _, qualname = entry.partition(":")
    found: object = importlib.import_module(module)
    for name in qualname.split("."):
        found = getattr(found, name)
    return found


if __name__ == "__main__":
    main()
