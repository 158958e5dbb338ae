"""Reads the version that a plugin's source code declares, without running it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.plugins.reading import read_regular

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright.plugins._descriptor import PluginDescriptor

_SOURCE_LIMIT = 4 << 20
_HOPS = 8  # maximum number of re-exports to follow
_METHOD = "version"


def declared_version(plugin: PluginDescriptor) -> str | None:
    """The version that a plugin class declares literally in its source.

    Either a class attribute ``version``, or a method of that name that returns only a string
    literal or a string constant of its module. Re-exports within the location are followed;
    inherited versions are not. A plugin of the runtime has the runtime's version.
    """
    if plugin.location is None:
        return plugin.version
    names = plugin.qualname.split(".")
    return _class_version(plugin.location.path, plugin.module, names, _HOPS)


def module_version(root: Path, module: str) -> str | None:
    """The literal ``__version__`` of a module's top-level package below ``root``."""
    tree, _ = _parsed(root, module.partition(".")[0])
    return _constant("__version__", tree.body) if tree else None


def _class_version(root: Path, module: str, names: Sequence[str], hops: int) -> str | None:
    tree, is_package = _parsed(root, module)
    if tree is None:
        return None
    body: Sequence[ast.stmt] = tree.body
    for depth, name in enumerate(names):
        found = _class_body(name, body)
        if found is None:
            target = _origin(name, body, module, is_package=is_package)
            if target is None or depth or not hops:
                return None
            return _class_version(root, target[0], [target[1], *names[1:]], hops - 1)
        body = found
    return _own_version(body, tree.body)


def _parsed(root: Path, module: str) -> tuple[ast.Module | None, bool]:
    """The syntax tree of a module, and whether it is a package."""
    import ast  # noqa: PLC0415  # rarely needed
    import warnings  # noqa: PLC0415

    path = root.joinpath(*module.split("."))
    for file, is_package in ((path / "__init__.py", True), (path.with_suffix(".py"), False)):
        # Deep nesting and null bytes raise other exceptions.
        with (
            suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            return ast.parse(read_regular(file, _SOURCE_LIMIT)), is_package
    return None, False


def _class_body(name: str, body: Sequence[ast.stmt]) -> Sequence[ast.stmt] | None:
    import ast  # noqa: PLC0415

    for node in reversed(body):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node.body
    return None


def _origin(
    name: str, body: Sequence[ast.stmt], module: str, *, is_package: bool
) -> tuple[str, str] | None:
    """Module and name from which an import statement takes a name."""
    import ast  # noqa: PLC0415

    for node in reversed(body):
        if not isinstance(node, ast.ImportFrom):
            continue
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                parts = module.split(".")
                up = node.level - (1 if is_package else 0)
                base = parts[: len(parts) - up] if node.level else []
                return ".".join([*base, *([node.module] if node.module else [])]), alias.name
    return None


def _own_version(body: Sequence[ast.stmt], module: Sequence[ast.stmt]) -> str | None:
    import ast  # noqa: PLC0415

    for node in reversed(body):
        if isinstance(node, ast.FunctionDef) and node.name == _METHOD:
            last = node.body[-1]
            plain = all(isinstance(each, ast.Expr) for each in node.body[:-1])
            return _text(last.value, module) if plain and isinstance(last, ast.Return) else None
    return _constant(_METHOD, body, module)


def _constant(name: str, body: Sequence[ast.stmt], module: Sequence[ast.stmt] = ()) -> str | None:
    import ast  # noqa: PLC0415

    for node in reversed(body):
        if isinstance(node, ast.AnnAssign):
            targets: Sequence[ast.expr] = [node.target]
        elif isinstance(node, ast.Assign):
            targets = node.targets
        else:
            continue
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return _text(node.value, module)
    return None


def _text(value: ast.expr | None, module: Sequence[ast.stmt]) -> str | None:
    import ast  # noqa: PLC0415

    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    return _constant(value.id, module) if isinstance(value, ast.Name) else None
