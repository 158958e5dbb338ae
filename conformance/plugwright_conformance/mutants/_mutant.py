"""A mutant: one small fault in a good connector, and the check that has to find it.

What breaks a connector says so itself, by the decorator `mutant`: a class of a connector, a class
of a task, for which a connector is made, or a function that breaks the files of a location. It is
read from the text, because the good class is there only where the connector runs.
"""

from __future__ import annotations

import ast
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
_CLASSES = {
    "file-source": "FileStreamSourceConnector",
    "file-sink": "FileStreamSinkConnector",
    "rows-source": "RowsSourceConnector",
    "rows-sink": "RowsSinkConnector",
    "lines-source": "RowsSourceConnector",
    "lines-sink": "RowsSinkConnector",
    "evolving-sink": "RowsSinkConnector",
    "exact-lines-sink": "ExactSinkConnector",
    "keyed-sink": "KeyedSinkConnector",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One broken connector.

    Attributes:
        id: identifier in the catalogue of mutants, with a letter for a variant of one.
        fault: what is broken, in one sentence.
        base: the good connector that it is made from, by the name of its location.
        killed_by: id of the check that must fail.
        engine: where it must fail, if it runs on Spark.
        says: words that the failure has to contain.
        module: file beside this one that holds the broken classes. Empty for faults of the package
            alone.
        class_name: the broken connector class in it.
        spoil: breaks the files of the copied location.
        task: the broken task class, if a connector that runs it is still to be made.
        sentinel: whether it is put before its check in every run; for one of each group that needs
            no live system.
        beside: should-checks that an odd but right connector does not claim to pass.
    """

    id: str
    fault: str
    base: str
    killed_by: str
    says: str
    module: str = ""
    spoil: Callable[[Path], None] | None = None
    class_name: str = ""
    engine: str = RESIDENT
    task: str = ""
    sentinel: bool = False
    beside: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``source`` or ``sink``, which is how the name of its base ends."""
        return self.base.rpartition("-")[2]


def mutant(  # noqa: PLR0913  # what a mutant is
    id: str,  # noqa: A002  # as mutants have it
    fault: str,
    *,
    base: str = "",
    killed_by: str,
    says: str,
    engine: str = RESIDENT,
    sentinel: bool = False,
) -> Callable[[_T], _T]:
    """Declare what breaks a connector; arguments are literals, as `Mutant` describes them.

    The base need not be given where the name of the module begins with it.
    """
    del id, fault, base, killed_by, says, engine, sentinel
    return lambda broken: broken


def declared(file: Path) -> Iterator[Mutant]:
    """The mutants that a module beside this one declares."""
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
    """The code without what it says of itself, which means nothing where connectors run."""
    lines = text.splitlines(keepends=True)
    for _, call in reversed(list(_declarations(text))):
        del lines[call.lineno - 1 : call.end_lineno]
    return "".join(line for line in lines if line != _IMPORT)


def materialise_base(base: str, plugin_path: Path, target: Path) -> None:
    """Make a good connector a plugin location of its own.

    Args:
        base: its name: one of the suite's references, or a folder of ``plugin_path``.
        plugin_path: where the bundled connectors are.
        target: the location to make.
    """
    if own := reference(base):
        own.materialise(target)
        return
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(plugin_path / base, target, ignore=skip)


def materialise(mutant: Mutant, plugin_path: Path, directory: Path) -> Path:
    """Make the mutant a plugin location of its own.

    Args:
        mutant: what to make.
        plugin_path: where the good connectors are.
        directory: receives the location.

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
    """Copy a module that stands beside this one into a package that is like the reference's."""
    source = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
    text = _undeclared(source).replace(OWN_PACKAGE, package.name)
    if _PACE in text:  # where connectors run there is no suite
        text = text.replace(_PACE, f"{package.name}.{_PACE.rpartition('.')[2]}")
        shutil.copy(str(call_budgets.__file__), package)
    (package / f"{name}.py").write_text(text, encoding="utf-8")


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
