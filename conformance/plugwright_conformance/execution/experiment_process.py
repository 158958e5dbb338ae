"""The main function of an experiment's process, which imports only the plugin.

It is forked from a process that has imported the suite and waits on a socket.
It receives the experiment as plain data over this socket, and sends back only the report.
"""

from __future__ import annotations

import gc
import importlib
import json
import logging
import os
import socket
import traceback
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from plugwright_conformance.processes.virtual_time import VirtualTime
from plugwright_conformance.simulator import PID

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main"]

_SILENT = logging.CRITICAL + 1


def main(line: int) -> None:
    """Fork an experiment process on each request, until the parent is gone.

    Args:
        line: file descriptor of the socket that sends requests.
    """
    time = VirtualTime()
    time.install()
    importlib.import_module("plugwright_conformance.checks")  # after time was replaced
    logging.getLogger("plugwright").setLevel(_SILENT)  # the log of a task run is not read
    gc.collect()
    gc.freeze()  # what the forks share is not to be copied for the sake of counting it
    with socket.socket(fileno=line) as control:
        while True:
            message, handles, _, _ = socket.recv_fds(control, PID.size, 2, socket.MSG_WAITALL)
            if len(message) < PID.size:
                break
            if handles and os.fork() == 0:
                control.close()
                _serve(handles, time)
            _go_on(PID.unpack(message)[0], handles)
    os._exit(0)


def _go_on(ended: int, handles: list[int]) -> None:
    for handle in handles:
        os.close(handle)
    if ended:
        with suppress(ChildProcessError):
            os.waitpid(ended, 0)


def _serve(handles: list[int], time: VirtualTime) -> None:
    """Run one experiment; never return."""
    try:
        handle, trouble = handles
        os.setsid()
        os.set_inheritable(handle, False)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, own in enumerate((nothing, trouble, trouble)):
            os.dup2(own, number)
        os.close(nothing)
        os.close(trouble)
        _answer(socket.socket(fileno=handle), time)
    except BaseException:  # noqa: BLE001  # no exception may leave a forked process
        traceback.print_exc()
    finally:
        os._exit(0)  # even if the plugin has left threads behind in this process


def _answer(line: socket.socket, time: VirtualTime) -> None:
    """Write the process id and the result; the end of the process may truncate the line.

    A space for each task run precedes the result, as a sign of progress.
    """
    me = os.getpid()
    line.sendall(b"%d\n" % me)
    with line.makefile("rb") as asked:
        request = asked.readline()
    if request.endswith(b"\n"):
        found = _run(json.loads(request), time, lambda: line.sendall(b" "))
        if os.getpid() == me:  # and not in a fork that the plugin has made of this process
            line.sendall(json.dumps(found, default=_simple).encode() + b"\n")


def _run(
    request: dict[str, Any], time: VirtualTime, progress: Callable[[], None]
) -> dict[str, Any]:
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after time was replaced
    from plugwright_conformance.evidence.outcome import (  # noqa: PLC0415  # the same
        CheckEnd,
        CheckFailedError,
        NotApplicableError,
        NotRunError,
    )
    from plugwright_conformance.evidence.process_exit import MEND  # noqa: PLC0415  # the same
    from plugwright_conformance.execution.workbench import Workbench  # noqa: PLC0415  # the same
    from plugwright_conformance.processes.isolated_process import EndedError  # noqa: PLC0415  # the same
    from plugwright_conformance.simulator import ExperimentFactory  # noqa: PLC0415  # the same
    from plugwright_conformance.subject.subject import open_subjects  # noqa: PLC0415

    workspace = Path(request["workspace"])
    subject = open_subjects(Path(request["location"]), workspace, request["plugin"])[0]
    bench = Workbench(
        subject=subject,
        random=Random(request["seed"]),  # noqa: S311  # repeatable
        workspace=workspace,
        records=request["records"],
    )
    bench.plugin_class()
    gc.collect()
    gc.freeze()  # what the forks share is not to be copied for the sake of counting it
    check: Any = next(check for check in CHECKS if check.id == request["check"])
    settings = {"settings": bench.settings}
    try:
        found = check().experiment(ExperimentFactory(bench, time, progress=progress))
    except CheckFailedError as failure:
        return settings | {"failed": _plain(failure), "evidence": _plain(failure.evidence)}
    except NotApplicableError as reason:
        return settings | {"not_applicable": str(reason), "cells": list(reason.cells)}
    except NotRunError as reason:
        return settings | {"not_run": str(reason)}
    except EndedError as end:
        ending = CheckEnd.ENDED.value
        return settings | {"error": f"the task ended: {end}. {MEND}", "ending": ending}
    except Exception as error:  # noqa: BLE001  # reported to the process that waits for a verdict
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
    from plugwright_conformance.evidence.outcome import (  # noqa: PLC0415  # after time was replaced
        TableCell,
    )

    return astuple(found) if isinstance(found, TableCell) else found.everything()
