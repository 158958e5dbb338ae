"""The script of the child process that imports plugin modules and says what they hold.

It is run by file name in an isolated interpreter, never imported: what a module prints, changes or
breaks ends with the process. Each module gets one line before and one after its import.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TEXT_LIMIT = 2000


def main() -> None:
    """Read the request, import every module, answer, and end without any clean-up."""
    with open(sys.argv[1], "rb") as file:  # noqa: PTH123  # pathlib costs an import in each child
        request = json.load(file)
    answers = int(sys.argv[2])
    os.set_inheritable(answers, False)
    sys.argv = [""]
    sys.path += request["path"]
    plugwright = importlib.import_module("plugwright")
    bases = {kind: getattr(plugwright, base) for kind, base in request["bases"].items()}
    _limit(request["memory"], request["cpu"])
    for module in request["modules"]:
        _say(answers, {"start": module})
        _say(answers, _answer(module, bases))
    os._exit(0)


def _limit(memory: int, cpu: int) -> None:
    try:
        import resource  # noqa: PLC0415  # not on every platform
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))


def _say(descriptor: int, answer: Mapping[str, object]) -> None:
    data = json.dumps(answer).encode() + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def _answer(module: str, bases: Mapping[str, type]) -> Mapping[str, object]:
    try:
        loaded = importlib.import_module(module)
        classes = list(_classes(vars(loaded), module, "", bases))
    except BaseException as error:  # noqa: BLE001  # a module may raise anything, SystemExit too
        return {"module": module, "error": _described(error)}
    return {"module": module, "classes": classes, "file": getattr(loaded, "__file__", None) or ""}


def _described(error: BaseException) -> Mapping[str, object]:
    frames = traceback.extract_tb(error.__traceback__)
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # its own __str__ may fail
        text = "(its text cannot be had)"
    return {
        "type": type(error).__name__,
        "message": text[:_TEXT_LIMIT],
        "frames": [[frame.filename, frame.lineno or 0] for frame in frames],
        "exit": isinstance(error, SystemExit),
        "missing": str(getattr(error, "name", "") or "")
        if isinstance(error, ModuleNotFoundError)
        else "",
    }


def _classes(
    namespace: Mapping[str, Any], module: str, prefix: str, bases: Mapping[str, type]
) -> Iterator[Mapping[str, object]]:
    for name, value in list(namespace.items()):
        # A class that type() makes of an abstract one says that it is from abc.
        if not isinstance(value, type) or value.__module__ not in {module, "abc"}:
            continue
        if value.__qualname__ != prefix + name or name.startswith("_"):
            continue
        if kinds := [kind for kind, base in bases.items() if base in value.__mro__]:
            yield {"qualname": value.__qualname__, "kinds": kinds, "reason": _obstacle(value)}
        yield from _classes(vars(value), module, f"{prefix}{name}.", bases)


def _obstacle(found: type) -> str:
    """Why a class cannot be made without arguments, or an empty string."""
    if inspect.isabstract(found):
        return "abstract"
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return ""
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    wanted = any(p.default is p.empty and p.kind not in variable for p in parameters)
    return "needs-arguments" if wanted else ""


if __name__ == "__main__":
    main()
