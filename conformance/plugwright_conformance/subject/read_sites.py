"""Finds where a plugin's code reads a setting by name."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["last_name", "modules_of", "names_read", "trees_of"]

_ASKING = ("get", "pop", "setdefault", "value", "values_with", "originals_with")
"""How methods begin that are asked for a setting."""


def names_read(root: Path) -> frozenset[str]:
    """The texts by which the packages that were imported from a location look something up.

    A text may stand there itself, or under the name of a constant. Connectors of one package often
    share their settings, so all of its modules count.
    """
    trees = trees_of(root)
    constants = dict(found for tree in trees for found in _constants(tree))
    looked_up = [key for tree in trees for key in _keys(tree)]
    named = {last_name(key) for key in looked_up}
    texts = [text for name, text in constants.items() if name in named]
    texts += [key.value for key in looked_up if isinstance(key, ast.Constant)]
    return frozenset(text for text in texts if isinstance(text, str))


def trees_of(root: Path) -> list[ast.Module]:
    """The code of every module of the packages that were imported from a location."""
    return [ast.parse(file.read_bytes()) for file in _files(root.resolve())]


def modules_of(root: Path, module: str, *, without: str) -> dict[str, ast.Module]:
    """The code of a package, by file name.

    Args:
        root: of the location; libraries beside the package are left out.
        module: any module of the package.
        without: a module that is left out as well.
    """
    top, root = module.partition(".")[0], root.resolve()
    names = {
        file: ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for file in _files(root)
    }
    return {
        str(file.relative_to(root)): ast.parse(file.read_bytes())
        for file, name in names.items()
        if name.partition(".")[0] == top and name != without
    }


def _files(root: Path) -> list[Path]:
    """Every module of the imported packages."""
    loaded = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    paths = {Path(file).resolve() for file in loaded if file}
    tops = {root / p.relative_to(root).parts[0] for p in paths if p.is_relative_to(root)}
    return sorted(file for top in tops for file in (top.rglob("*.py") if top.is_dir() else [top]))


def _constants(tree: ast.Module) -> Iterator[tuple[str, object]]:
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else []
        if isinstance(node, ast.AnnAssign):
            targets = [node.target]
        value = getattr(node, "value", None)
        if isinstance(value, ast.Constant):
            yield from ((last_name(target), value.value) for target in targets)


def _keys(tree: ast.Module) -> Iterator[ast.expr]:
    """String keys in subscripts, comparisons and first arguments of calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.Compare):
            yield node.left
            yield from node.comparators
        elif isinstance(node, ast.Call) and node.args and last_name(node.func).startswith(_ASKING):
            yield node.args[0]


def last_name(node: ast.AST) -> str:
    """The last part of a name, such as ``get`` of ``props.get``; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
