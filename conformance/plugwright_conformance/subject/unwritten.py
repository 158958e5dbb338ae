"""Finds an endpoint driver that is still the template's, without running it."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import TYPE_CHECKING

from plugwright.errors import DiscoveryError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugwright_conformance.subject.subject import Subject

__all__ = ["require_written_driver"]

_NEEDED = ("start", "seed", "read_back")


def require_written_driver(subject: Subject) -> None:
    """Refuse a driver whose methods only raise ``NotImplementedError``: no check could use it.

    Raises:
        DiscoveryError: ``declaration.endpoint-unwritten``, with the names of the methods.
    """
    module, _, name = subject.declaration.endpoint.partition(":")
    for file in _files(subject.root, module):
        if unwritten := _unwritten(file, name):
            raise DiscoveryError(
                f"the endpoint driver {subject.declaration.endpoint} is not written yet: "
                f"{', '.join(f'{method}()' for method in unwritten)} in {file.name} only "
                f"{'raises' if len(unwritten) == 1 else 'raise'} NotImplementedError",
                code="declaration.endpoint-unwritten",
                hint="complete it, or name an endpoint kit in conformance.toml; "
                "--level C1 runs the checks that need no endpoint",
                facts={"file": str(file), "methods": list(unwritten)},
            )


def _files(root: Path, module: str) -> Sequence[Path]:
    place = root.joinpath(*module.split("."))
    return [f for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()]


def _unwritten(file: Path, name: str) -> Sequence[str]:
    with suppress(OSError, SyntaxError, ValueError):  # loading it will say so
        for node in ast.parse(file.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return [
                    method.name
                    for method in node.body
                    if isinstance(method, ast.FunctionDef)
                    and method.name in _NEEDED
                    and _only_refuses(method)
                ]
    return ()


def _only_refuses(method: ast.FunctionDef) -> bool:
    """Whether all that it does is to raise ``NotImplementedError``."""
    steps = [step for step in method.body if not isinstance(step, ast.Expr)]
    if len(steps) != 1 or not isinstance(steps[0], ast.Raise):
        return False
    raised = steps[0].exc.func if isinstance(steps[0].exc, ast.Call) else steps[0].exc
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
