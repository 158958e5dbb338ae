"""A mutant: a good connector with one small fault, and the check that must find it.

The decorator `mutant` declares one. It is placed on a connector class, on a task class, for which a
connector is generated, or on a function that breaks the files of a location. Declarations are read
from the source text, because the base class is importable only in the mutant's own location.
"""

from __future__ import annotations

import ast
import re
import shutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from plugwright_conformance.reference import OWN_PACKAGE, reference
from plugwright_conformance.subject import call_budgets
from plugwright_conformance.subject.engines import RESIDENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_T = TypeVar("_T")

_PACE = call_budgets.__name__
_IMPORT = f"from {__name__} import mutant\n"
_RUNS = '''

from {package} import {good}


class {connector}({good}):
    """Runs the broken task."""

    def task_class(self):
        """The broken class."""
        return {task}
'''
_DRIVER = re.compile(r'^endpoint = "(.+)\.\w+:\w+"$', re.MULTILINE)
_TASKS = {
    "rows_source": ("source", "RowsSourceTask"),
    "rows_sink": ("sink", "RowsSinkTask"),
    "keyed_sink": ("keyed_sink", "KeyedSinkTask"),
}
"""The module and the task of each reference, by how modules with faults of it begin."""
_CLASSES = {
    "file-source": "FileStreamSourceConnector",
    "file-sink": "FileStreamSinkConnector",
    "rows-source": "RowsSourceConnector",
    "rows-sink": "RowsSinkConnector",
    "lines-source": "RowsSourceConnector",
    "lines-sink": "RowsSinkConnector",
    "evolving-source": "RowsSourceConnector",
    "evolving-sink": "RowsSinkConnector",
    "nested-source": "RowsSourceConnector",
    "nested-sink": "RowsSinkConnector",
    "exact-lines-sink": "ExactSinkConnector",
    "keyed-sink": "KeyedSinkConnector",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken connector.

    Attributes:
        id: identifier in the catalogue of mutants, with a letter for a variant of one.
        fault: what is broken, in one sentence.
        base: the name of the location of the good connector.
        killed_by: the id of the check that must fail; empty for benign controls.
        engine: the engine on which the check must fail.
        failure: text that the message of the failed check must contain.
        module: the module of this package with the broken classes; empty for faults of files only.
        class_name: the broken connector class in that module.
        spoil: breaks the files of the copied location.
        task: the broken task class, if its connector must be generated.
        sentinel: whether every run verifies that the check finds it; one of each group that needs
            no live system.
        not_passed: should-checks that a benign control does not pass.
    """

    id: str
    fault: str
    base: str
    killed_by: str = ""
    failure: str = ""
    module: str = ""
    spoil: Callable[[Path], None] | None = None
    class_name: str = ""
    engine: str = RESIDENT
    task: str = ""
    sentinel: bool = False
    not_passed: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``source`` or ``sink``, from the name of the base."""
        return self.base.rpartition("-")[2]


def mutant(  # noqa: PLR0913  # what a mutant is
    id: str,  # noqa: A002  # as mutants have it
    fault: str,
    *,
    base: str = "",
    killed_by: str,
    failure: str,
    engine: str = RESIDENT,
    sentinel: bool = False,
) -> Callable[[_T], _T]:
    """Declare a mutant; arguments must be literals, see `Mutant`.

    The default of ``base`` is the beginning of the module's name.
    """
    del id, fault, base, killed_by, failure, engine, sentinel
    return lambda broken: broken


def declared(file: Path) -> Iterator[Mutant]:
    """The mutants that a module of this package declares."""
    text = file.read_text(encoding="utf-8")
    for node, call in _declarations(text):
        name, fault = map(ast.literal_eval, call.args)
        named_base = "-".join(file.stem.split("_")[:2])
        more = {"base": named_base} | {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
        if isinstance(node, ast.FunctionDef):
            module = import_module(f"{__package__}.{file.stem}")
            yield Mutant(name, fault, spoil=getattr(module, node.name), **more)
        else:
            task = node.name if node.name.endswith("Task") else ""
            made = node.name.removesuffix("Task")
            yield Mutant(name, fault, module=file.stem, class_name=made, task=task, **more)


def _declarations(text: str) -> Iterator[tuple[ast.ClassDef | ast.FunctionDef, ast.Call]]:
    for node in ast.parse(text).body if f"@{mutant.__name__}(" in text else ():
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and ast.unparse(call.func) == mutant.__name__:
                    yield node, call


def _undeclared(text: str) -> str:
    """The source without its declarations, which a location cannot import."""
    lines = text.splitlines(keepends=True)
    for _, call in reversed(list(_declarations(text))):
        del lines[call.lineno - 1 : call.end_lineno]
    return "".join(line for line in lines if line != _IMPORT)


def materialise_base(base: str, plugin_path: Path, target: Path) -> None:
    """Copy a good connector to a plugin location of its own.

    Args:
        base: the name of one of the suite's references, or a directory of ``plugin_path``.
        plugin_path: where the bundled connectors are.
        target: the location to make.
    """
    if own := reference(base):
        own.materialise(target)
        return
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(plugin_path / base, target, ignore=skip)


def materialise(mutant: Mutant, plugin_path: Path, directory: Path) -> Path:
    """Write the mutant to a plugin location of its own.

    Args:
        mutant: the mutant.
        plugin_path: the directory with the bundled connectors.
        directory: the directory in which the location is created.

    Returns:
        The location, ready to be certified.
    """
    target = directory / mutant.id
    materialise_base(mutant.base, plugin_path, target)
    if mutant.module:
        _exchange_class(mutant, target)
    if mutant.spoil is not None:
        mutant.spoil(target)
    return target


def add_module(name: str, package: Path) -> None:
    """Copy a module of this package into the package of a location."""
    source = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    text = _undeclared(source).replace(OWN_PACKAGE, package.name)
    if _PACE in text:  # a location cannot import the suite
        text = text.replace(_PACE, f"{package.name}.{_PACE.rpartition('.')[2]}")
        shutil.copy(str(call_budgets.__file__), package)
    (package / f"{name}.py").write_text(text, encoding="utf-8")


def exchange_task(package: Path, module: str, task: str, driver: str = "") -> None:
    """Add a module to a reference package, and make its connector run a task class of the module.

    Args:
        package: the package in the location.
        module: the name of a module of this package; it begins with that of the connector.
        task: the class in it.
        driver: a class in it that becomes the endpoint driver.
    """
    add_module(module, package)
    own, good = _TASKS["_".join(module.split("_")[:2])]
    runs = f"from {package.name}.{module} import {task}\n\n        return {task}"
    replace_text(package / f"{own}.py", f"return {good}", runs)
    if driver:
        declaration = package / "conformance.toml"
        text = declaration.read_text(encoding="utf-8")
        text = _DRIVER.sub(rf'endpoint = "\1.{module}:{driver}"', text)
        declaration.write_text(text, encoding="utf-8")


def replace_text(file: Path, old: str, new: str) -> None:
    """Replace text in a file.

    Raises:
        ValueError: if the file does not contain it.
    """
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{file} does not contain {old!r}")
    file.write_text(text.replace(old, new), encoding="utf-8")


def _exchange_class(mutant: Mutant, location: Path) -> None:
    """Add the mutant's module to the package, and point manifest and declaration at its class."""
    good, broken = _CLASSES[mutant.base], mutant.class_name
    package = f"plugwright_{mutant.base.replace('-', '_')}"
    add_module(mutant.module, location / package)
    if mutant.task:
        runs = _RUNS.format(package=package, good=good, connector=broken, task=mutant.task)
        with (location / package / f"{mutant.module}.py").open("a", encoding="utf-8") as module:
            module.write(runs)
    (manifest,) = location.glob("*.dist-info/entry_points.txt")
    for file in (manifest, location / package / "conformance.toml"):
        text = file.read_text(encoding="utf-8")
        text = text.replace(f"{package}:{good}", f"{package}.{mutant.module}:{broken}")
        text = text.replace(f"{package}.{good}", f"{package}.{mutant.module}.{broken}")
        file.write_text(text, encoding="utf-8")
