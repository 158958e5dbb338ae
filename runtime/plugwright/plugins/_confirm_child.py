"""The child process that imports plugin modules and reports their classes.

The fork server calls `run` in a fork; otherwise the file is run by name in an isolated interpreter.
Output, changes and damage of a module end with the process. The protocol is one line before the
first import and one after each.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import traceback
from contextlib import suppress
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_TEXT_LIMIT = 2000
_CODES: Mapping[type[BaseException], str] = {
    SystemExit: "import-exit",
    MemoryError: "import-memory",
}


def run(file: str, answers: int, *, offline: bool, readable: Sequence[str] = ()) -> None:
    """Read the request, import every module, send answers, and exit without clean-up.

    Args:
        file: the request, as JSON.
        answers: file descriptor of the pipe for answers.
        offline: whether the process has no network; otherwise network calls of Python code
            are rejected, which code in other languages can bypass.
        readable: what a confined process may read besides the location, if it is known already.
    """
    with open(file, "rb") as stream:  # noqa: PTH123  # pathlib costs an import in each child
        request = json.load(stream)
    os.set_inheritable(answers, False)
    sys.path += [root for root in request["roots"] if root not in sys.path]
    plugwright = importlib.import_module("plugwright")
    bases = {kind: getattr(plugwright, base) for kind, base in request["bases"].items()}
    shared = tuple(sys.path)
    importlib.import_module("plugwright.import_order").enter([request["location"]])
    processes = importlib.import_module("plugwright.processes")
    processes.limit_import(request["memory"], request["cpu"])
    if request["confined"]:
        landlock = importlib.import_module("plugwright.plugins.landlock")
        readable = readable or landlock.readable_places(shared)
        landlock.confine(os.curdir, request["location"], readable)
    if not offline:
        processes.refuse_network("there is no network during plugin discovery")
    _say(answers, {})
    for module, names in request["modules"]:
        _say(answers, _answer(module, names, bases))
    os._exit(0)


def _say(descriptor: int, answer: Mapping[str, object]) -> None:
    data = json.dumps(answer).encode() + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]


def _answer(module: str, names: Sequence[str], bases: Mapping[str, type]) -> Mapping[str, object]:
    try:
        importlib.import_module(module.rpartition(".")[0] or "sys")
        file = _file(module)
        loaded = importlib.import_module(module)
        classes = list(_classes(vars(loaded), module, "", bases))
        named = [_named(loaded, (module, file), name, bases) for name in names]
    except BaseException as error:  # noqa: BLE001  # a module may raise anything, SystemExit too
        return {"module": module, "error": _described(error)}
    return {"module": module, "classes": classes, "named": named, "file": file}


def _file(module: str) -> str:
    """The file of a module in an imported parent; its ``__file__`` may be anything."""
    parent = sys.modules.get(module.rpartition(".")[0])
    spec = PathFinder.find_spec(module, getattr(parent, "__path__", None))
    return (spec and spec.origin) or ""


def _named(
    loaded: object, source: tuple[str, str], name: str, bases: Mapping[str, type]
) -> Mapping[str, object]:
    """Resolve a manifest's name: its defining module, its types, and its problems."""
    module, file = source
    answer = {"name": name, "module": module, "qualname": name, "kinds": [], "file": file}
    try:
        found = _attribute(loaded, name)
    except AttributeError:
        return answer | {"reason": "name-missing"}
    if not isinstance(found, type):
        return answer | {"reason": "not-class"}
    home = sys.modules.get(found.__module__)
    with suppress(AttributeError):
        # A class created by a call may not be in the module that it names.
        if home is not None and _attribute(home, found.__qualname__) is found:
            answer |= {"module": found.__module__, "qualname": found.__qualname__}
            answer |= {"file": file if home is loaded else _file(found.__module__)}
    kinds = [kind for kind, base in bases.items() if base in found.__mro__]
    return answer | {"kinds": kinds, "reason": _obstacle(found)}


def _attribute(holder: object, name: str) -> object:
    for part in name.split("."):
        holder = getattr(holder, part)
    return holder


def _described(error: BaseException) -> Mapping[str, object]:
    frames = traceback.extract_tb(error.__traceback__)
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001  # its own __str__ may fail, or exit
        text = "(its text is not available)"
    return {
        "type": type(error).__name__[:_TEXT_LIMIT],
        "message": text[:_TEXT_LIMIT],
        "frames": [[frame.filename, frame.lineno or 0] for frame in frames],
        "code": _code(error),
        "missing": str(getattr(error, "name", "") or "")
        if isinstance(error, ModuleNotFoundError)
        else "",
    }


def _code(error: BaseException) -> str:
    for kind, code in _CODES.items():
        if isinstance(error, kind):
            return code
    return "import-error"


def _classes(
    namespace: Mapping[str, Any], module: str, prefix: str, bases: Mapping[str, type]
) -> Iterator[Mapping[str, object]]:
    for name, value in list(namespace.items()):
        # A class that type() derives from an abstract one names abc as its module.
        if not isinstance(value, type) or value.__module__ not in {module, "abc"}:
            continue
        if value.__qualname__ != prefix + name or name.startswith("_"):
            continue
        if kinds := [kind for kind, base in bases.items() if base in value.__mro__]:
            yield {"qualname": value.__qualname__, "kinds": kinds, "reason": _obstacle(value)}
        yield from _classes(vars(value), module, f"{prefix}{name}.", bases)


def _obstacle(found: type) -> str:
    """The reason why a class cannot be instantiated without arguments, or an empty string."""
    if inspect.isabstract(found):
        return "abstract"
    if all(getattr(found, name) is getattr(object, name) for name in ("__new__", "__init__")):
        return ""
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return ""
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    wanted = any(p.default is p.empty and p.kind not in variable for p in parameters)
    return "needs-arguments" if wanted else ""


if __name__ == "__main__":
    _file_name, _descriptor = sys.argv[1:]
    sys.argv = [""]
    run(_file_name, int(_descriptor), offline=False)
