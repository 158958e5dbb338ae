"""Confirms scan results by importing the modules in disposable child processes.

A child protects against accidents, not attacks: it runs as the same user and can access what the
user can. On Linux it is in a network namespace without interfaces, if ordinary users may create
one; otherwise network calls of its Python code are rejected, which
compiled code can bypass.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.plugins._diagnostic import Diagnostic, DiagnosticLevel, printable
from plugwright.plugins._sources import (
    find_source,
    has_other_build,
    host_roots,
    names_module,
)
from plugwright.plugins._types import PLUGIN_TYPES
from plugwright.plugins.children import Children, ConfirmLimits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.plugins._location import Location
    from plugwright.plugins._types import PluginType
    from plugwright.plugins.children import Child

__all__ = [
    "ConfirmLimits",
    "Confirmed",
    "ImportOutcome",
    "Inquiry",
    "NamedClass",
    "confirm",
    "confirm_in",
]

_NAMED = 3
_CODES = frozenset({"import-error", "import-exit", "import-memory"})
_REASONS = frozenset({"", "abstract", "name-missing", "needs-arguments", "not-class"})
_TAKEN = sys.stdlib_module_names | {"__main__", "plugwright"}
"""Modules that no location provides: every process uses its own."""
_KINDS = {kind.name: kind for kind in PLUGIN_TYPES}


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A class that was shown by import to extend a base class.

    Attributes:
        reason: ``abstract`` or ``needs-arguments`` if it cannot be a plugin nevertheless.
    """

    module: str
    qualname: str
    kinds: tuple[PluginType, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NamedClass:
    """The result of importing a class that a manifest names.

    Attributes:
        module: its defining module, if the location has it; otherwise the named one.
        kinds: its plugin types.
        reason: why it is not a plugin, or an empty string.
    """

    module: str
    qualname: str
    kinds: tuple[PluginType, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Modules to import.

    Attributes:
        modules: each with the names in it that manifests declare.
    """

    location: Location
    modules: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """The results of the imports of one location.

    Attributes:
        found: the classes that its modules define.
        named: the result for each module and name in it.
        failures: the code of each module that could not be imported.
    """

    found: list[Confirmed] = field(default_factory=list)
    named: dict[tuple[str, str], NamedClass] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Failure:
    """The reason why a module could not be imported."""

    code: str
    text: str
    hint: str = "importing a module must only define things; move the rest into functions"
    file: str = ""
    line: int = 0

    @property
    def cause(self) -> tuple[str, str, str]:
        """A key that modules with the same cause of failure share."""
        return self.code, self.text, self.hint


def confirm(
    location: Location, modules: Sequence[str], limits: ConfirmLimits | None = None
) -> tuple[list[Confirmed], list[Diagnostic]]:
    """Import modules of a location in child processes, and return the plugin classes they define.

    A module that ends or hangs its process is reported, and the next ones get a new process.
    """
    with Children() as children:
        inquiry = Inquiry(location, dict.fromkeys(modules, ()))
        outcome = confirm_in(children, inquiry, limits or ConfirmLimits())
    return outcome.found, outcome.findings


def confirm_in(children: Children, inquiry: Inquiry, limits: ConfirmLimits) -> ImportOutcome:
    """Like `confirm`, with processes that serve several locations; thread-safe."""
    return _Confirmation(inquiry, children, limits).run()


class _Confirmation:
    """The imports of one location, in as many children as needed."""

    def __init__(self, inquiry: Inquiry, children: Children, limits: ConfirmLimits) -> None:
        self._children = children
        self._location = inquiry.location
        self._root = inquiry.location.path.resolve()
        self._modules = inquiry.modules
        self._limits = limits
        self._outcome = ImportOutcome()
        self._doubtful: list[str] = []
        self._reports: list[tuple[_Failure, str]] = []
        self._alike: dict[tuple[str, str, str], list[str]] = {}

    def run(self) -> ImportOutcome:
        rest = list(self._modules)
        while rest:
            rest = rest[self._child(rest) :]
        # A failure must not be caused by the modules imported before.
        for module in self._doubtful:
            self._child([module])
        self._outcome.findings.extend(self._summed_up(*report) for report in self._reports)
        return self._outcome

    def _child(self, modules: Sequence[str]) -> int:
        """Import modules in one child; returns how many are done, at least one.

        A child that ended before its first import proves nothing about a module: processes left
        behind by an earlier child may have killed it. It is replaced once.
        """
        return self._done_by_child(modules) or self._done_by_child(modules, last=True)

    def _done_by_child(self, modules: Sequence[str], *, last: bool = False) -> int:
        """How many modules are done; none if the child never began, unless it is the last one."""
        with tempfile.TemporaryDirectory(prefix="plugwright-", ignore_cleanup_errors=True) as work:
            child = self._children.start(Path(work), self._request(modules), self._limits)
            settled = 0
            for answer in child.answers():
                if answer.get("module") == modules[settled]:
                    if settled and _accuses(answer):
                        self._doubtful.append(modules[settled])
                    else:
                        self._take(modules[settled], answer, child)
                    settled += 1
                if settled == len(modules):
                    break
            code, message = child.end()
        if settled == len(modules):
            return settled
        if not (last or child.began or code == "import-timeout"):
            return 0
        if settled:
            self._doubtful.append(modules[settled])
        else:
            self._report(modules[0], _Failure(code, message), child)
        return settled + 1

    def _request(self, modules: Sequence[str]) -> Mapping[str, object]:
        return {
            "roots": [str(root) for root in host_roots()],
            "location": str(self._root),
            "bases": {kind.name: kind.base for kind in PLUGIN_TYPES},
            "modules": [[module, list(self._modules[module])] for module in modules],
            "memory": self._limits.memory,
            "cpu": self._limits.cpu_s,
            "confined": self._limits.confined,
        }

    def _take(self, module: str, answer: Mapping[str, Any], child: Child) -> None:
        try:
            if "error" in answer:
                self._failed(module, answer["error"], child)
                return
            named = [self._named(module, each) for each in answer["named"]]
            found = [c for c in (_confirmed(module, e) for e in answer["classes"]) if c.kinds]
            own = self._is_own(str(answer["file"]))
        except (KeyError, TypeError, ValueError):
            self._report(module, _Failure("import-crash", "the answer makes no sense"), child)
            return
        self._outcome.named.update(named)
        if own:
            self._outcome.found.extend(found)
        else:
            self._shadowed(module, str(answer["file"]))

    def _named(self, module: str, answer: Mapping[str, Any]) -> tuple[tuple[str, str], NamedClass]:
        kinds = tuple(_KINDS[name] for name in answer["kinds"])
        home, qualname = str(answer["module"]), str(answer["qualname"])
        asked = module, str(answer["name"])
        reason = str(_one_of(_REASONS, answer["reason"]))
        if module.partition(".")[0] in _TAKEN:
            (home, qualname), reason = asked, "name-taken"
        elif not (answer["file"] and self._is_own(str(answer["file"]))):
            home, qualname = asked
            if find_source([self._root], module) is not None:
                reason = reason and "host-copy"  # proves nothing about the location's own copy
        if reason == "name-missing" and has_other_build(self._root, module):
            reason = "import-error"
        return asked, NamedClass(printable(home), printable(qualname), kinds, reason)

    def _is_own(self, file: str) -> bool:
        """Whether Python imported a module from the location and not from the host."""
        # For a linked module, the link itself lies in the location.
        plain = file.startswith(f"{self._root}{os.sep}") and f"{os.sep}..{os.sep}" not in file
        if not file or plain:
            return True
        return Path(file).resolve().is_relative_to(self._root)

    def _shadowed(self, module: str, file: str) -> None:
        message = f"{module} is shadowed by {printable(file)}"
        place = str(self._location.origin)
        self._outcome.findings.append(Diagnostic(DiagnosticLevel.NOTE, "host-copy", place, message))

    def _failed(self, module: str, error: Mapping[str, Any], child: Child) -> None:
        hint = "fix the module, or remove it from the location"
        code = _one_of(_CODES, error["code"])
        if missing := str(error["missing"]):
            hint = self._hint_on(missing)
            if f"{module}.".startswith(f"{missing}.") and self._has_no(missing):
                code, hint = "module-missing", "correct the entry point that names the module"
        text = f"{error['type']}: {error['message']}"
        file, line = self._place(error["frames"])
        self._report(module, _Failure(code, text, hint, file, line), child)

    def _hint_on(self, missing: str) -> str:
        """The hint on a module that Python does not find."""
        name = printable(missing)
        if has_other_build(self._root, missing):
            return f"install a build of {name} for this Python"
        if self._holds(missing):
            return f"rename one of the modules called {name.partition('.')[0]}: one hides the other"
        return f"install {name} into the location"

    def _has_no(self, module: str) -> bool:
        """Whether a module exists nowhere, not even for another Python or behind another one."""
        if self._holds(module) or has_other_build(self._root, module):
            return False
        return find_source(host_roots(), module) is None

    def _holds(self, module: str) -> bool:
        """Whether the location has a module or a directory of that name."""
        if not names_module(module):
            return False
        directory = self._root.joinpath(*module.split("."))
        return directory.is_dir() or find_source([self._root], module) is not None

    def _place(self, frames: Sequence[tuple[str, int]]) -> tuple[str, int]:
        """The innermost traceback line in the location."""
        for file, line in reversed(frames):
            with suppress(ValueError):
                return Path(file).relative_to(self._root).as_posix(), int(line)
        return "", 0

    def _report(self, module: str, failure: _Failure, child: Child) -> None:
        self._outcome.failures[module] = failure.code
        if alike := self._alike.get(failure.cause):
            alike.append(module)
            return
        self._alike[failure.cause] = [module]
        said = f"; it printed {child.output!r}" if child.output else ""
        self._reports.append((failure, f"importing {module} failed: {failure.text}{said}"))

    def _summed_up(self, failure: _Failure, text: str) -> Diagnostic:
        """One diagnostic for all failures with the same cause."""
        others = self._alike[failure.cause][1:]
        if others:
            more = ", ..." if len(others) > _NAMED else ""
            count = "1 other" if len(others) == 1 else f"{len(others)} others"
            text += f"; so did {count}: {', '.join(others[:_NAMED])}{more}"
        place, file = str(self._location.origin), printable(failure.file)
        text = printable(text)
        return Diagnostic(
            DiagnosticLevel.ERROR, failure.code, place, text, file, failure.line, failure.hint
        )


def _accuses(answer: Mapping[str, Any]) -> bool:
    """Whether an answer reports a problem of a module, or of a manifest's name in it."""
    named = answer.get("named")
    if "error" in answer or not isinstance(named, list):
        return True
    return any(not isinstance(each, dict) or each.get("reason") for each in named)


def _confirmed(module: str, found: Mapping[str, Any]) -> Confirmed:
    kinds = tuple(_KINDS[name] for name in found["kinds"] if _KINDS[name].scanned)
    reason = _one_of(_REASONS, found["reason"])
    return Confirmed(module, printable(str(found["qualname"])), kinds, reason)


def _one_of(words: frozenset[str], word: object) -> str:
    """Validate a value from a child; a plugin can make it send anything.

    Raises:
        ValueError: if it is unknown.
    """
    if not isinstance(word, str) or word not in words:
        raise ValueError(word)
    return word
