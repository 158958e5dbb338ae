"""The laboratory's process: made for one check, it imports the plugin and nothing of its maker's.

It gets plain data on standard input; its report is all that it writes to standard output.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from dataclasses import astuple
from pathlib import Path
from random import Random
from typing import Any, TextIO

from plugwright_conformance.virtual_time import VirtualTime

__all__ = ["main"]


def main() -> None:
    """Run the check that standard input names."""
    me = os.getpid()
    time = VirtualTime()
    time.install()
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    found = _run(json.load(sys.stdin), time)
    if os.getpid() == me:  # and not a copy that the plugin has made of this process
        _report(report, found)
    os._exit(0)  # whatever the plugin has left behind in this process


def _run(request: dict[str, Any], time: VirtualTime) -> dict[str, Any]:
    from plugwright_conformance.bench import Bench  # noqa: PLC0415  # after time was replaced
    from plugwright_conformance.cell import EndedError  # noqa: PLC0415  # the same
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # the same
    from plugwright_conformance.farewell import MEND  # noqa: PLC0415  # the same
    from plugwright_conformance.outcome import (  # noqa: PLC0415  # the same
        CheckFailedError,
        NotApplicableError,
        NotRunError,
    )
    from plugwright_conformance.simulator._laboratory import Laboratory  # noqa: PLC0415
    from plugwright_conformance.subject import open_subjects  # noqa: PLC0415

    workspace = Path(request["workspace"])
    subject = open_subjects(Path(request["location"]), workspace, request["plugin"])[0]
    bench = Bench(subject, Random(request["seed"]), workspace, None, request["records"])  # noqa: S311
    bench.plugin_class()
    gc.collect()
    gc.freeze()  # what the forks share is not to be copied for the sake of counting it
    check: Any = next(check for check in CHECKS if check.id == request["check"])
    settings = {"settings": bench.settings}
    try:
        found = check().experiment(Laboratory(bench, time))
    except CheckFailedError as failure:
        return settings | {"failed": _plain(failure), "evidence": _plain(failure.evidence)}
    except NotApplicableError as reason:
        return settings | {"not_applicable": str(reason), "cells": list(reason.cells)}
    except NotRunError as reason:
        return settings | {"not_run": str(reason)}
    except EndedError as end:
        return settings | {"error": f"the task ended: {end}. {MEND}"}
    except Exception as error:  # noqa: BLE001  # told to whoever waits for a verdict
        return settings | {"error": f"{type(error).__name__}: {_last_line(error)}"}
    return settings | {"evidence": _plain(found)}


def _last_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[-1]


def _plain(found: Any) -> dict[str, Any]:
    names = {
        "Evidence": ("observations", "digest", "figures", "cells"),
        "CheckFailedError": ("expected", "observed", "scenario", "likely", "mend"),
    }[type(found).__name__]
    return {name: getattr(found, name) for name in names}


def _simple(found: Any) -> Any:
    from plugwright_conformance.outcome import Cell  # noqa: PLC0415  # after time was replaced

    return astuple(found) if isinstance(found, Cell) else found.everything()


def _report(report: TextIO, content: dict[str, Any]) -> None:
    json.dump(content, report, default=_simple)
    report.flush()


if __name__ == "__main__":
    main()
