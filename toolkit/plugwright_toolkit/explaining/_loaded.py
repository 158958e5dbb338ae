"""The links about code: the module exists, can be imported, and holds an instantiable class."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.machinery import all_suffixes
from typing import TYPE_CHECKING

from plugwright.plugins import ScanState

if TYPE_CHECKING:
    from plugwright.plugins import Diagnostic
    from plugwright_toolkit.explaining._link import Explanation
    from plugwright_toolkit.explaining._target import Target

_NEAR = 0.6
_ANY_BASE = "a base class of plugwright, such as plugwright.SinkConnector"
_OBSTACLES = {
    "not-class": ("{name} is not a class", "name a class in the entry"),
    "wrong-base": (
        "{name} does not extend {base}",
        "extend {base}, or move the entry to the group of its base class",
    ),
    "unrelated": ("{name} does not extend {base}", "extend {base}"),
    "abstract": ("{name} has abstract methods", "define every abstract method of {base}"),
    "name-taken": (
        "{name} is never loaded from here: Python or the runtime has a module of that name",
        "rename the module, and correct its entry",
    ),
    "needs-arguments": (
        "{name} cannot be made without arguments",
        "give every parameter of its constructor a default, and read settings in start()",
    ),
    "underscore": (
        "{name} is private by its name",
        "rename it without the leading underscore, or declare it as an entry point",
    ),
    "protocol": ("{name} is a protocol", "leave Protocol out of its bases"),
}
"""The finding and the hint for each reason of the survey and the static scan."""


def explain_code(explanation: Explanation, target: Target) -> None:
    """Whether the module is there, can be imported, and has the class as a plugin."""
    declared = target.declaration
    module = declared.module if declared else target.module
    if not _explain_module(explanation, target, module):
        return
    if target.row is not None and target.row.reason == "requires-python":
        return  # plugins for another Python are not imported
    if (failure := _failure(target, module)) is not None:
        place = f"{failure.file}, line {failure.line}: " if failure.line else ""
        text = failure.message.removeprefix(f"importing {module} failed: ")
        hint = failure.hint or f"correct {failure.file}, line {failure.line}"
        explanation.broken("import", f"{place}{text}", hint, fatal=True)
        return
    explanation.ok("import", f"{module} can be imported")
    found, hint = _obstacle(target)
    if found:
        explanation.broken("class", found, hint, fatal=True)
    else:
        kind = target.row.plugin.type if target.row else None
        explanation.ok("class", f"{target.class_name} is a {kind.name if kind else 'plugin'}")


def _explain_module(explanation: Explanation, target: Target, module: str) -> bool:
    """Whether the module's file exists; if not, reports the nearest one."""
    root, parts = target.location.path, module.split(".")
    base = root.joinpath(*parts)
    files = [base / "__init__.py", *(base.with_name(base.name + s) for s in all_suffixes())]
    file = next((each for each in files if each.is_file()), None)
    if file is not None:
        explanation.ok("module", f"it is in {file.relative_to(root).as_posix()}")
        return True
    if target.row is not None and target.row.reason == "editable":
        found = f"{module} is elsewhere, because its distribution is an editable installation"
        explanation.broken("module", found, "install the package itself there", fatal=True)
        return False
    if target.row is None or target.row.reason != "module-missing":
        explanation.ok("module", "it has no file of its own")
        return True
    near = get_close_matches(module, target.traces.modules, 1, _NEAR)
    hint = "install the package again, its files are missing"
    if near:
        name = target.row.manifest.entry_name if target.row.manifest else module
        hint = f"correct the entry: {name} = {near[0]}:{target.qualname}"
    explanation.broken("module", f"no file holds a module {module}", hint, fatal=True)
    return False


def _failure(target: Target, module: str) -> Diagnostic | None:
    """The diagnostic about why the module cannot be imported."""
    files = {each.file for each in target.traces.definitions if each.module == module}
    for each in target.findings:
        if each.code.startswith("import-") and f"importing {module} failed" in each.message:
            return each
        if each.code == "scan-syntax" and each.file in files and target.row is None:
            return each
    return None


def _obstacle(target: Target) -> tuple[str, str]:
    """The reason why the class is not a plugin, and what to do about it; empty if it is one."""
    base = _ANY_BASE
    if target.row is not None:
        reason = target.row.reason
        base = f"plugwright.{target.row.plugin.type.base}"
    else:
        reason = _static_reason(target)
        if target.verdict is not None and target.verdict.kinds:
            base = f"plugwright.{target.verdict.kinds[0].base}"
    if not reason:
        return "", ""
    if reason == "name-missing":
        return f"{target.module} has no {target.qualname}", _correction(target)
    fallback = (f"{{name}} cannot be loaded: {reason}", "mend the module")
    found, hint = _OBSTACLES.get(reason, fallback)
    return found.format(name=target.class_name, base=base), hint.format(base=base)


def _static_reason(target: Target) -> str:
    """The reason why a class without manifest or import result is not a plugin."""
    if target.verdict is None:
        return "unrelated"
    if target.verdict.state is not ScanState.PLUGIN:
        return target.verdict.reason
    text = f"{target.class_name} cannot be made without arguments"
    needy = any(each.message.startswith(text) for each in target.findings)
    return "needs-arguments" if needy else ""


def _correction(target: Target) -> str:
    """The entry with the nearest class of the module."""
    names = [each.rpartition(".") for each in target.traces.names]
    own = [name for module, _, name in names if module == target.module]
    near = get_close_matches(target.qualname, [n for n in own if n != target.qualname], 1, _NEAR)
    entry = target.declaration
    if near and entry is not None:
        return f"correct the entry: {entry.entry_name} = {target.module}:{near[0]}"
    return f"define {target.qualname} in {target.module}, or take the entry out"
